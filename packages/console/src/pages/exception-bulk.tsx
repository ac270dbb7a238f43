import type { CommandExceptionsBody, ReconciliationException } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import { Many, type ManyCommand } from '../parts/many.tsx';
import { words } from '../parts/text.tsx';

const COMMANDS: readonly ManyCommand[] = [
  { name: 'assign', text: 'Assign' },
  { name: 'retry', text: 'Try to apply it again' },
  {
    name: 'resolve',
    text: 'Close without moving money',
    choices: [
      ['acknowledged', 'Nothing left to do'],
      ['settled_outside', 'Settled elsewhere'],
    ],
  },
];

/** One command on many exceptions, as on one. */
export function ExceptionBulk({
  exceptions,
  onBusy,
  onClose,
}: {
  readonly exceptions: readonly ReconciliationException[];
  readonly onBusy: (isBusy: boolean) => void;
  readonly onClose: () => void;
}) {
  return (
    <Many
      name="exceptions.many"
      heading={`Chosen exceptions: ${exceptions.length}`}
      whyLabel="Note, kept with each"
      items={exceptions}
      commands={COMMANDS}
      shown={({ type, exceptionId }) => (
        <>
          {words(type)} <span className="mono dim">{exceptionId}</span>
        </>
      )}
      send={({ command, why, assignee, choice }, items, options) =>
        operator.commandExceptions(
          {
            command: command as CommandExceptionsBody['command'],
            note: why,
            ...(command === 'assign' ? { assignee } : {}),
            ...(command === 'resolve' ? { resolution: choice as 'acknowledged' | 'settled_outside' } : {}),
            items: items.map(({ exceptionId, version }) => ({ exceptionId, version })),
          },
          options,
        )
      }
      idOf={({ exceptionId }) => exceptionId}
      onBusy={onBusy}
      onClose={onClose}
    />
  );
}
