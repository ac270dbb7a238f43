import type { MustMatchOptions } from '@firmquote/client';
import type { ReactNode } from 'react';
import type { Kind } from '../approvals/policy-words.ts';
import { Action } from './action.tsx';
import { type ChangeLine, Lines, YourChange } from './change.tsx';

/** What edits of a document of settings come to. */
export interface SettingsChange<Document> {
  readonly lines: readonly ChangeLine[];
  /** What is not understood. */
  readonly wrong: readonly string[];
  /** What one should look at twice. */
  readonly warnings?: readonly string[];
  /** All of it as it would be; undefined while something in it is wrong. */
  readonly document: Document | undefined;
}

/** What a change of settings would do, and the form that sends all of them as they would be. */
export function SendChange<Document>({
  name,
  scope,
  why,
  change: { lines, wrong, warnings = [], document },
  version,
  send,
  done,
  onDrop,
  children,
}: {
  /** Names the form in the address. */
  readonly name: string;
  readonly scope: string;
  readonly why: Kind;
  readonly change: SettingsChange<Document>;
  readonly version: string;
  readonly send: (document: Document, options: MustMatchOptions) => PromiseLike<unknown>;
  readonly done: string;
  readonly onDrop: () => void;
  readonly children?: ReactNode;
}) {
  const told = <Lines lines={lines} />;
  const form = document !== undefined && (
    <Action
      name={name}
      label="Send change"
      isFirst
      scope={scope}
      why={why}
      version={version}
      send={(_, { reason, ifMatch = version }) => send(document, { reason, ifMatch })}
      onDone={onDrop}
      done={done}
    >
      {told}
    </Action>
  );
  return (
    <YourChange send={form} onDrop={onDrop}>
      {told}
      {[...warnings, ...wrong].map((each) => (
        <p key={each} className="wrong">
          {each}
        </p>
      ))}
      {children}
    </YourChange>
  );
}
