import type { Deposit, MatchSuggestion } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { mayRead } from '../api/rights.ts';
import { business, operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { CustomerName } from '../parts/customer-name.tsx';
import { useFilters, useTextOf } from '../parts/listing.tsx';
import { View } from '../parts/states.tsx';
import { Money, Status, words } from '../parts/text.tsx';

/** A trade that the deposit may be for. */
export interface Candidate {
  readonly transactionId: string;
  readonly customerId: string;
  readonly reference: string;
  readonly status: string;
  readonly outstanding: string;
  readonly suggestion?: MatchSuggestion | undefined;
}

/** What goes to one trade, as it was typed. */
export interface Pick {
  readonly candidate: Candidate;
  readonly text: string;
  readonly isForgiven: boolean;
}

const OPEN = ['awaiting_funds', 'partially_funded', 'overdue'] as const;
const EVERY_MS = 10_000;
/** As far back as a search through everything goes. */
const LOOKED_BACK_DAYS = 60;
/** From 17:00 in New York a trade has the next trade date, which is behind the weekend on a Friday, and behind a holiday. */
const LOOKED_AHEAD_DAYS = 7;

/** What the service suggests, or what somebody looks for. */
function useCandidates(deposit: Deposit, isWanted = true) {
  const { search, set } = useFilters();
  const maySearch = mayRead(useSession(), 'listAllTransactions');
  const looked = maySearch ? (search.trade ?? '') : '';
  const query = useQuery({
    queryKey: ['candidates', deposit.depositId, deposit.version, looked],
    queryFn: () => (looked === '' ? suggestedFor(deposit) : openTrades(deposit, looked)),
    refetchInterval: EVERY_MS,
    enabled: isWanted,
  });
  return { query, looked, set, maySearch };
}

/**
 * Whether candidates have come, where there are to be any: what is under them would move away from under a pointer that is about to
 * press it, and something else be pressed.
 */
export function useAreThere(deposit: Deposit, isWanted: boolean): boolean {
  const { query } = useCandidates(deposit, isWanted);
  const have = useRef(false);
  have.current ||= !isWanted || !query.isPending;
  return have.current;
}

/** Trades that it may be for. */
export function Candidates({
  deposit,
  picks,
  onToggle,
}: {
  readonly deposit: Deposit;
  readonly picks: readonly Pick[];
  readonly onToggle: (candidate: Candidate) => void;
}) {
  const { query, looked, set, maySearch } = useCandidates(deposit);
  const place = useTextOf(looked);
  return (
    <div className="candidates">
      {maySearch && (
        <div className="field">
          <label htmlFor="trade">
            Search all open trades: a reference, a customer id, or * for the last 60 days
          </label>
          <input
            id="trade"
            ref={place}
            defaultValue={looked}
            autoComplete="off"
            onKeyDown={(event) =>
              event.key === 'Enter' && set({ trade: event.currentTarget.value.trim() || undefined })
            }
            onBlur={(event) =>
              event.currentTarget.value.trim() !== looked &&
              set({ trade: event.currentTarget.value.trim() || undefined })
            }
          />
        </div>
      )}
      <View query={query}>
        {(candidates) =>
          candidates.length === 0 ? (
            <p className="hint">
              {looked === '' ? 'No suggestions.' : 'No open trade in this currency matches.'}
            </p>
          ) : (
            <ul aria-label="Possible trades">
              {candidates.map((candidate) => (
                <CandidateRow
                  key={candidate.transactionId}
                  candidate={candidate}
                  currency={deposit.currency}
                  isPicked={picks.some((each) => each.candidate.transactionId === candidate.transactionId)}
                  onToggle={() => onToggle(candidate)}
                />
              ))}
            </ul>
          )
        }
      </View>
    </div>
  );
}

function CandidateRow({
  candidate,
  currency,
  isPicked,
  onToggle,
}: {
  readonly candidate: Candidate;
  readonly currency: string;
  readonly isPicked: boolean;
  readonly onToggle: () => void;
}) {
  const { suggestion, reference, status, customerId, outstanding } = candidate;
  return (
    <li className="candidate">
      <label>
        <input type="checkbox" checked={isPicked} onChange={onToggle} />
        <span>
          <b className="mono">{reference}</b> awaits <Money amount={outstanding} currency={currency} />{' '}
          <span className="dim">{words(status).toLowerCase()}</span>
        </span>
        {suggestion !== undefined && (
          <b className="score" title="Match score, 0 to 100">
            {suggestion.score}
          </b>
        )}
      </label>
      <div className="hint">
        <CustomerName id={customerId} />
        {suggestion?.reasonsFor.map((each) => (
          <Status key={each} of={each} mood="ok" />
        ))}
        {suggestion?.reasonsAgainst.map((each) => (
          <Status key={each} of={each} mood="bad" />
        ))}
      </div>
    </li>
  );
}

async function suggestedFor({ depositId }: Deposit): Promise<readonly Candidate[]> {
  const [open] = (await operator.listExceptions({ depositId, limit: 1 })).items;
  if (open === undefined) return [];
  const { suggestions } = await operator.getException(open.exceptionId);
  return suggestions.map((suggestion) => ({
    ...suggestion,
    outstanding: suggestion.outstandingAmount,
    suggestion,
  }));
}

async function openTrades({ currency }: Deposit, looked: string): Promise<readonly Candidate[]> {
  const narrowed =
    looked === '*'
      ? { tradeDateFrom: business.day(-LOOKED_BACK_DAYS), tradeDateTo: business.day(LOOKED_AHEAD_DAYS) }
      : looked.startsWith('cus_')
        ? { customerId: looked }
        : { reference: looked };
  const { items } = await operator.listAllTransactions({ status: OPEN, currency, limit: 50, ...narrowed });
  return items
    .filter(({ funding }) => funding.expected.currency === currency)
    .map(({ transactionId, customerId, reference, status, funding }) => ({
      transactionId,
      customerId,
      reference,
      status,
      outstanding: funding.outstanding,
    }));
}
