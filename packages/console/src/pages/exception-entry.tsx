import type { StatementEntry } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { mayRead } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { moodOfEntry, stateOfEntry } from '../parts/entry-state.ts';
import { Fact } from '../parts/facts.tsx';
import { View } from '../parts/states.tsx';
import { At, Money, Status, Verbatim, words } from '../parts/text.tsx';
import { Way } from '../parts/way.tsx';

/** What the bank has reported, for those who may read it; beside it the entry that it may repeat. */
export function ExceptionEntry({ entryId }: { readonly entryId: string }) {
  const mayLook = mayRead(useSession(), 'getStatementEntry');
  const { data } = useEntry(entryId, mayLook);
  if (!mayLook) return null;
  const other = data?.maybeSameAs ?? null;
  return (
    <>
      <EntryCard title="What the bank reported" entryId={entryId} />
      {other !== null && <EntryCard title="What it may repeat" entryId={other} />}
    </>
  );
}

function useEntry(entryId: string, enabled = true) {
  return useQuery({
    queryKey: ['statement-entry', entryId],
    queryFn: () => operator.getStatementEntry(entryId),
    refetchInterval: 10_000,
    enabled,
  });
}

function EntryCard({ title, entryId }: { readonly title: string; readonly entryId: string }) {
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      <View query={useEntry(entryId)}>{(entry) => <EntryFacts of={entry} />}</View>
    </section>
  );
}

function EntryFacts({ of }: { readonly of: StatementEntry }) {
  const { counterpartyName, counterpartyAccount, missingSince, transactions } = of;
  return (
    <dl className="facts">
      <Fact name={of.direction === 'debit' ? 'Paid out' : 'Received'} isMoney>
        <Money amount={of.amount} currency={of.currency} />
      </Fact>
      <Fact name="State">
        <Status of={stateOfEntry(of)} mood={moodOfEntry(of)} />
        {of.paymentReason !== null && ` ${words(of.paymentReason)}`}
      </Fact>
      <Fact name="On">
        <Verbatim text={of.account} />
      </Fact>
      <Fact name="Booked">
        {of.bookingDate}, value {of.valueDate}
      </Fact>
      {missingSince !== null && (
        <Fact name="Missing in statements since">
          <At at={missingSince} />
        </Fact>
      )}
      <Told name="Other party" text={[counterpartyName, counterpartyAccount].filter(Boolean).join(', ')} />
      <Told name="Text" text={of.remittanceText} />
      <Told name="Bank reference" text={of.bankReference} />
      <Told name="End-to-end id" text={of.endToEndId} />
      {transactions.map(({ transactionId, purpose }) => (
        <Fact key={`${transactionId} ${purpose}`} name={words(purpose)}>
          <Paid id={transactionId} />
        </Fact>
      ))}
    </dl>
  );
}

function Told({ name, text }: { readonly name: string; readonly text: string | null }) {
  if (text === null || text === '') return null;
  return (
    <Fact name={name}>
      <Verbatim text={text} />
    </Fact>
  );
}

/** A withdrawal, or the return of a deposit, has no page of its own. */
function Paid({ id }: { readonly id: string }) {
  if (!id.startsWith('txn_')) return <span className="mono">{id}</span>;
  return (
    <Way to="/transactions/$transactionId" params={{ transactionId: id }} className="mono">
      {id}
    </Way>
  );
}
