import type { CommandDepositsBody, Deposit } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import { Many, type ManyCommand } from '../parts/many.tsx';
import { Money, Verbatim } from '../parts/text.tsx';

const COMMANDS: readonly ManyCommand[] = [
  { name: 'assign', text: 'Assign' },
  { name: 'note', text: 'Add a note' },
  { name: 'ignore', text: 'Set aside' },
  { name: 'return', text: 'Return in full' },
  { name: 'release', text: 'Accept the payer and match' },
  { name: 'unmatch', text: 'Undo the match' },
];

/** One command on many deposits, as on one: it takes two persons where that does. */
export function DepositMany({
  deposits,
  onBusy,
  onClose,
}: {
  readonly deposits: readonly Deposit[];
  readonly onBusy: (isBusy: boolean) => void;
  readonly onClose: () => void;
}) {
  return (
    <Many
      name="deposits.many"
      heading={`Chosen deposits: ${deposits.length}`}
      whyLabel="Reason, kept with each"
      items={deposits}
      commands={COMMANDS}
      shown={({ amount, currency, remitterName }) => (
        <>
          <Money amount={amount} currency={currency} /> <Verbatim text={remitterName ?? 'not named'} />
        </>
      )}
      send={({ command, why, assignee }, items, options) =>
        operator.commandDeposits(
          {
            command: command as CommandDepositsBody['command'],
            reason: why,
            ...(command === 'assign' ? { assignee } : {}),
            items: items.map(({ depositId, version }) => ({ depositId, version })),
          },
          options,
        )
      }
      idOf={({ depositId }) => depositId}
      onBusy={onBusy}
      onClose={onClose}
    />
  );
}
