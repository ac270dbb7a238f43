import type { OperatorTransactionSummary } from '@firmquote/client/operator';
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
  const { go } = useFilters();
  const { state } = useLink();
  const [isHidden, hide] = useState(() => localStorage.getItem(PLACE) === 'off');
  const isWanted = session.isSandbox && !isHidden && may(session, 'operator:transactions:read');
  const customers = useCustomers(isWanted);
  const trades = useQuery({
    queryKey: ['first-day', 'trades'],
    queryFn: async () => (await operator.listAllTransactions({ limit: 20 })).items,
    enabled: isWanted,
    refetchInterval: EVERY_MS,
  });
  if (!isWanted) return null;
  const [latest] = trades.data ?? [];
  const paid = trades.data?.find(({ status }) => PAID.has(status));
  const settled = trades.data?.find(({ status }) => status === 'settled');
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
        You have a customer to trade with{customers.data?.[0] && `: ${customers.data[0].name}`}
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
      latest !== undefined,
      may(session, 'operator:trades') ? (
        <>
          Request a quote for it, and execute:{' '}
          <button type="button" className="plain" onClick={() => go({ ticket: 'new' })}>
            open a ticket
          </button>
          .
        </>
      ) : (
        'A dealer requests a quote for it, and executes.'
      ),
    ],
    [
      paid !== undefined,
      <>
        Let the deposit arrive. The sandbox's bank sends it after 5 s. <TradeLink of={paid ?? latest} />
      </>,
    ],
    [
      settled !== undefined,
      <>
        See it settle. <TradeLink of={settled ?? latest} />
      </>,
    ],
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

/** The trade that a step is about: the one that has come so far, else the latest. */
function TradeLink({ of }: { readonly of: OperatorTransactionSummary | undefined }) {
  return (
    of && (
      <Link to="/transactions/$transactionId" params={{ transactionId: of.transactionId }} search={{}}>
        {of.reference}
      </Link>
    )
  );
}
