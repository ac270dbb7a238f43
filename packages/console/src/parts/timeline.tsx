import type { ReactNode } from 'react';
import { Actor } from './actor.tsx';
import { At, Verbatim, words } from './text.tsx';

export interface Step {
  readonly id: string | number;
  /** A code, as the service has it. */
  readonly what: string;
  readonly by: string;
  /** Where it took two. */
  readonly approvedBy?: string | undefined;
  readonly at: string;
  readonly more?: ReactNode;
  readonly reason: string | null | undefined;
}

/** What was done, by whom, when and why. */
export function Timeline({
  steps,
  isNow = false,
}: {
  readonly steps: readonly Step[];
  readonly isNow?: boolean;
}) {
  return (
    <ol className="timeline">
      {steps.map(({ id, what, by, approvedBy, at, more, reason }, index) => (
        <li key={id} aria-current={isNow && index === steps.length - 1 ? 'step' : undefined}>
          <b>{words(what)}</b>{' '}
          <span className="dim">
            by <Actor id={by} />
            {approvedBy !== undefined && (
              <>
                , approved by <Actor id={approvedBy} />
              </>
            )}
          </span>
          <div className="hint">
            <At at={at} full />
            {more}
            {typeof reason === 'string' && (
              <>
                {' · '}
                <Verbatim text={reason} />
              </>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}
