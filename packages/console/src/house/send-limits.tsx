import type { MustMatchOptions } from '@firmquote/client';
import { Action } from '../parts/action.tsx';
import { type ChangeLine, Lines, YourChange } from '../parts/change.tsx';

interface LimitChange<Document> {
  readonly lines: readonly ChangeLine[];
  readonly wrong: readonly string[];
  readonly warnings?: readonly string[];
  readonly document: Document | undefined;
}

/** What a change of limits would do, and the form that sends all of them as they would be. */
export function SendLimits<Document>({
  name,
  change: { lines, wrong, warnings = [], document },
  version,
  send,
  onDrop,
}: {
  /** Names the form in the address. */
  readonly name: string;
  readonly change: LimitChange<Document>;
  readonly version: string;
  readonly send: (document: Document, options: MustMatchOptions) => PromiseLike<unknown>;
  readonly onDrop: () => void;
}) {
  const told = <Lines lines={lines} />;
  const form = document !== undefined && (
    <Action
      name={name}
      label="Send change"
      isFirst
      scope="operator:limits"
      why="limits"
      version={version}
      send={(_, { reason, ifMatch = version }) => send(document, { reason, ifMatch })}
      onDone={onDrop}
      done="The new limits are in force."
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
    </YourChange>
  );
}
