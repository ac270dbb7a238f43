import type { ReactNode } from 'react';
import { Way } from './way.tsx';

interface Subjects {
  readonly transactionId: string | null;
  readonly depositId: string | null;
  readonly withdrawalId: string | null;
  /** Of the journal, where that is not what it stands in. */
  readonly journalEntryId?: string | null;
}

/** What money was booked or told of for, with the way there. */
export function Subject({ of, otherwise = '–' }: { readonly of: Subjects; readonly otherwise?: ReactNode }) {
  const { transactionId, depositId, withdrawalId, journalEntryId = null } = of;
  if (transactionId !== null)
    return (
      <Way to="/transactions/$transactionId" params={{ transactionId }} className="mono">
        {transactionId}
      </Way>
    );
  if (depositId !== null)
    return (
      <Way to="/deposits" search={{ deposit: depositId }} className="mono">
        {depositId}
      </Way>
    );
  if (withdrawalId !== null) return <span className="mono">{withdrawalId}</span>;
  if (journalEntryId !== null)
    return (
      <Way to="/ledger" search={{ tab: 'journal', entry: journalEntryId }} className="mono">
        {journalEntryId}
      </Way>
    );
  return otherwise;
}
