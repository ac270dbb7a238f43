import type { OperatorTransactionSummary } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { may, mayRead } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useLink } from '../frame/badges.tsx';
import { useSession } from '../frame/session-context.ts';
import { useCustomers } from '../parts/customers.ts';
import { Icon } from '../parts/icons.tsx';
import { useFilters } from '../parts/listing.tsx';
import { Way } from '../parts/way.tsx';

const PLACE = 'firmquote.first-day';
const EVERY_MS = 3_000;
const PAID = new Set(['funded', 'settling', 'settled']);

interface Step {
  readonly isDone: boolean;
  readonly what: ReactNode;
}

/** The first trade in a sandbox, step by step; each step is ticked by what has happened. */
export function FirstDay() {
  const session = useSession();
  const { state } = useLink();
  const [isHidden, hide] = useState(() => localStorage.getItem(PLACE) === 'off');
  const isWanted = session.isSandbox && !isHidden && mayRead(session, 'listAllTransactions');
  const customers = useCustomers(isWanted);
  const trades = useQuery({
    queryKey: ['first-day', 'trades'],
    queryFn: async () => (await operator.listAllTransactions({ limit: 20 })).items,
    enabled: isWanted,
    refetchInterval: EVERY_MS,
  });
  if (!isWanted) return null;
  const customer = customers.data?.[0];
  const steps: readonly Step[] = [
    { isDone: state === 'live', what: <SeeRates /> },
    { isDone: customer !== undefined, what: <HaveCustomer name={customer?.name} /> },
    ...stepsOfTrade(trades.data ?? []),
  ];
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <section className="card first-day" aria-labelledby="first-day">
      <div className="page-head">
        <h2 id="first-day">
          Your first day: {done} of {steps.length}
        </h2>
        <button
          type="button"
          className="button"
          onClick={() => {
            localStorage.setItem(PLACE, 'off');
            hide(true);
          }}
        >
          Hide
        </button>
      </div>
      <ol>
        {steps.map(({ isDone, what }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps are always the same
          <li key={index} className={isDone ? 'done' : undefined}>
            <span className={isDone ? 'chip ok' : 'chip idle'}>
              <Icon name={isDone ? 'ok' : 'idle'} />
              <span className="hidden">{isDone ? 'Done:' : 'To do:'}</span>
            </span>
            <span>{what}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** @param trades the newest first */
function stepsOfTrade(trades: readonly OperatorTransactionSummary[]): readonly Step[] {
  const [latest] = trades;
  const paid = trades.find(({ status }) => PAID.has(status));
  const settled = trades.find(({ status }) => status === 'settled');
  return [
    { isDone: latest !== undefined, what: <MakeTrade /> },
    {
      isDone: paid !== undefined,
      what: (
        <>
          Let the deposit arrive. The sandbox's bank sends it after 5 s. <TradeLink of={paid ?? latest} />
        </>
      ),
    },
    {
      isDone: settled !== undefined,
      what: (
        <>
          See it settle. <TradeLink of={settled ?? latest} />
        </>
      ),
    },
  ];
}

function SeeRates() {
  return (
    <>
      Rates are flowing: <Way to="/markets">see the markets</Way>.
    </>
  );
}

function HaveCustomer({ name }: { readonly name: string | undefined }) {
  const session = useSession();
  return (
    <>
      You have a customer to trade with{name !== undefined && `: ${name}`}
      {may(session, 'operator:customers') && (
        <>
          . Or{' '}
          <Way to="/customers" search={{ do: 'create' }}>
            create one
          </Way>
        </>
      )}
      .
    </>
  );
}

function MakeTrade() {
  const session = useSession();
  const { go } = useFilters();
  if (!may(session, 'operator:trades')) return 'A dealer requests a quote for it, and executes.';
  return (
    <>
      Request a quote for it, and execute:{' '}
      <button type="button" className="plain" onClick={() => go({ ticket: 'new' })}>
        open a ticket
      </button>
      .
    </>
  );
}

/** The trade that a step is about: the one that has come so far, else the latest. */
function TradeLink({ of }: { readonly of: OperatorTransactionSummary | undefined }) {
  return (
    of && (
      <Way to="/transactions/$transactionId" params={{ transactionId: of.transactionId }}>
        {of.reference}
      </Way>
    )
  );
}
