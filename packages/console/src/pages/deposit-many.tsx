import type { CommandDepositsBody, Deposit } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import { Many, type ManyCommand } from '../parts/many.tsx';
import { Money, Verbatim } from '../parts/text.tsx';

const COMMANDS: readonly ManyCommand[] = [
  { name: 'assign', text: 'Say who is at work on it' },
  { name: 'note', text: 'Keep a note' },
  { name: 'ignore', text: 'Set it aside' },
  { name: 'return', text: 'Send all of it back' },
  { name: 'release', text: 'Accept who has paid, and match' },
  { name: 'unmatch', text: 'Undo the match' },
];

/** One command on many deposits, as on one: it takes two persons where that does. */
export function DepositMany({
  deposits,
  onClose,
}: {
  readonly deposits: readonly Deposit[];
  readonly onClose: () => void;
}) {
  return (
    <Many
      name="deposits.many"
      heading={`Chosen deposits: ${deposits.length}`}
      whyLabel="Why; kept with each"
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
      onClose={onClose}
    />
  );
}
