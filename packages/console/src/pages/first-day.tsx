import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { may, operator } from '../api/session.ts';
import { useLink } from '../frame/badges.tsx';
import { useSession } from '../frame/session-context.ts';
import { useCustomers } from '../parts/customers.ts';
import { Icon } from '../parts/icons.tsx';
import { useFilters } from '../parts/listing.tsx';

const PLACE = 'firmquote.first-day';
const EVERY_MS = 3_000;
const PAID = new Set(['funded', 'settling', 'settled']);

/** The first trade in a sandbox, step by step; each step is ticked by what has happened. */
export function FirstDay() {
  const session = useSession();
  const { set } = useFilters();
  const { state } = useLink();
  const [isHidden, hide] = useState(() => localStorage.getItem(PLACE) === 'off');
  const isWanted = session.isSandbox && !isHidden && may(session, 'operator:transactions:read');
  const customers = useCustomers(isWanted);
  const quotes = useQuery({
    queryKey: ['first-day', 'quotes'],
    queryFn: async () => (await operator.listAllQuotes({ limit: 1 })).items,
    enabled: isWanted,
    refetchInterval: EVERY_MS,
  });
  const trades = useQuery({
    queryKey: ['first-day', 'trades'],
    queryFn: async () => (await operator.listAllTransactions({ limit: 20 })).items,
    enabled: isWanted,
    refetchInterval: EVERY_MS,
  });
  if (!isWanted) return null;
  const [latest] = trades.data ?? [];
  const isPaid = trades.data?.some(({ status }) => PAID.has(status)) === true;
  const trade = latest !== undefined && (
    <Link to="/transactions/$transactionId" params={{ transactionId: latest.transactionId }} search={{}}>
      {latest.reference}
    </Link>
  );
  const steps: readonly (readonly [isDone: boolean, what: ReactNode])[] = [
    [
      state === 'live',
      <>
        Rates are flowing: <Link to="/markets">see the markets</Link>.
      </>,
    ],
    [
      (customers.data?.length ?? 0) > 0,
      <>
        A customer is there to trade with{customers.data?.[0] && `: ${customers.data[0].name}`}
        {may(session, 'operator:customers') && (
          <>
            . Or{' '}
            <Link to="/customers" search={{ do: 'create' } as never}>
              create one
            </Link>
          </>
        )}
        .
      </>,
    ],
    [
      (quotes.data?.length ?? 0) > 0,
      may(session, 'operator:trades') ? (
        <>
          Request a quote for it, and execute:{' '}
          <button type="button" className="plain" onClick={() => set({ ticket: 'new' })}>
            open a ticket
          </button>
          .
        </>
      ) : (
        'A dealer requests a quote for it, and executes.'
      ),
    ],
    [isPaid, <>Let the deposit arrive. The sandbox's bank sends it after 5 s. {trade}</>],
    [trades.data?.some(({ status }) => status === 'settled') === true, <>See it settle. {trade}</>],
  ];
  const done = steps.filter(([isDone]) => isDone).length;
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
        {steps.map(([isDone, what], index) => (
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
