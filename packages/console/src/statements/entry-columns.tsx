import type { StatementEntry } from '@firmquote/client/operator';
import { moodOfEntry, stateOfEntry } from '../parts/entry-state.ts';
import type { Column } from '../parts/listing.tsx';
import { Money, Status, Verbatim } from '../parts/text.tsx';
import { Way } from '../parts/way.tsx';

/** Entries of statements, of a file or of an account. */

/** As the bank has it: what comes in, or goes out. */
export const AMOUNT: Column<Pick<StatementEntry, 'direction' | 'amount' | 'currency'>> = {
  name: 'Amount',
  isNumber: true,
  cell: ({ direction, amount, currency }) => (
    <>
      {direction === 'debit' ? '−' : '+'}
      <Money amount={amount} currency={currency} />
    </>
  ),
};

export const ENTRY_COLUMNS: readonly Column<StatementEntry>[] = [
  { name: 'Line', isNumber: true, cell: ({ line }) => line },
  { name: 'Booked', cell: ({ bookingDate }) => bookingDate },
  AMOUNT,
  {
    name: 'Effect',
    cell: (entry) => <EntryDid of={entry} />,
  },
  {
    name: 'Other party',
    isText: true,
    cell: ({ counterpartyName }) => (counterpartyName === null ? '–' : <Verbatim text={counterpartyName} />),
  },
  {
    name: 'Text',
    isText: true,
    cell: ({ remittanceText }) => (remittanceText === null ? '–' : <Verbatim text={remittanceText} />),
  },
];

function EntryDid({ of }: { readonly of: StatementEntry }) {
  if (of.exceptionId !== null)
    return (
      <Way to="/exceptions/$exceptionId" params={{ exceptionId: of.exceptionId }}>
        <Status of="exception" mood="bad" />
      </Way>
    );
  if (of.sameAs !== null) return <Status of="known already" mood="idle" />;
  if (of.depositId !== null)
    return (
      <Way to="/deposits" search={{ deposit: of.depositId }}>
        Deposit
      </Way>
    );
  return <Status of={stateOfEntry(of)} mood={moodOfEntry(of)} />;
}
