import type { ReactNode } from 'react';
import { Verbatim } from './text.tsx';

/** One value that a change of settings changes; undefined: there is none on this side. */
export interface ChangeLine {
  readonly what: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What stands there now, and what would. */
export function Lines({
  lines,
  none = 'none',
  unit = '',
}: {
  readonly lines: readonly ChangeLine[];
  /** What is said where there is no value. */
  readonly none?: string;
  readonly unit?: string;
}) {
  return (
    <ul className="diff">
      {lines.map(({ what, before, after }) => (
        <li key={`${what} ${before} ${after}`}>
          <Verbatim text={what} />: <del>{before ?? none}</del> → <ins>{after ?? none}</ins>
          {after === undefined || unit === '' ? '' : ` ${unit}`}
        </li>
      ))}
    </ul>
  );
}

/** A change that is not sent yet: what it would do, the form that sends it, and the way back. */
export function YourChange({
  send,
  onDrop,
  children,
}: {
  /** Nothing, while something in it is wrong. */
  readonly send: ReactNode;
  readonly onDrop: () => void;
  readonly children: ReactNode;
}) {
  return (
    <section className="card stack" aria-label="Your change">
      <h2>Your change, not sent yet</h2>
      {children}
      <div className="actions">
        {send}
        <button type="button" className="button" onClick={onDrop}>
          Discard edits
        </button>
      </div>
    </section>
  );
}
