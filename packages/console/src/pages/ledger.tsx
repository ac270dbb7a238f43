import { Account } from '../ledger/account.tsx';
import { Journal } from '../ledger/journal.tsx';
import { Proof } from '../ledger/proof.tsx';
import { TrialBalances } from '../ledger/trial-balance.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useTitle } from '../parts/title.ts';

/** The books, from a total down to the entry that made it. */
export function Ledger() {
  useTitle('Ledger');
  return (
    <>
      <div className="page-head">
        <h1>Ledger</h1>
      </div>
      <Tabs
        tabs={[
          {
            name: 'balances',
            text: 'Trial balance',
            reads: ['getTrialBalance'],
            show: () => <TrialBalances />,
          },
          { name: 'account', text: 'Account', reads: ['listAccountPostings'], show: () => <Account /> },
          { name: 'journal', text: 'Journal', reads: ['listJournalEntries'], show: () => <Journal /> },
          { name: 'proof', text: 'Proof', reads: ['checkBooks'], show: () => <Proof /> },
        ]}
      />
    </>
  );
}
