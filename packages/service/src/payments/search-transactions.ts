import type { QueryOf } from '@firmquote/api/operation';
import type { listAllTransactions } from '@firmquote/api/operations/operator-transactions';
import { findCurrency, type TransactionStatus } from '@firmquote/fx';
import { amountsOf } from '../http/parameters.ts';
import { type FieldError, validationProblem } from '../problems/problem.ts';

/** Trades of a work list are counted up to here. */
export const COUNTED_MAX = 1_000; // limit: Transactions counted of each kind
/** Days that a search over all customers may look at. */
const DAYS_MAX = 92; // limit: Range of days of a search for transactions by amount, hold or value date
const DAY_MS = 86_400_000;
/** A trade is made on its trade date, or up to a long weekend before. */
const BEFORE_TRADE_DATE_DAYS = 6;
const AFTER_TRADE_DATE_DAYS = 2;

/** What an operator looks for. Amounts in minor units of the currency, of either side of the trade. */
export interface OperatorFilter {
  readonly status?: readonly TransactionStatus[] | undefined;
  /** UUID. */
  readonly customerId?: string | undefined;
  readonly reference?: string | undefined;
  readonly clientReference?: string | undefined;
  /** What is sold or bought. */
  readonly currency?: string | undefined;
  readonly minAmountMinor?: bigint | undefined;
  readonly maxAmountMinor?: bigint | undefined;
  readonly tradeDateFrom?: string | undefined;
  readonly tradeDateTo?: string | undefined;
  readonly valueDateFrom?: string | undefined;
  readonly valueDateTo?: string | undefined;
  /** Whether a hold stands against the payout. */
  readonly held?: boolean | undefined;
}

/**
 * What is looked for.
 * @throws Problem validation_failed with everything that is wrong
 */
export function filterOf(query: QueryOf<typeof listAllTransactions>): OperatorFilter {
  const errors: FieldError[] = [];
  const { minAmount: _, maxAmount: __, held, currency: code, ...rest } = query;
  const currency = code === undefined ? undefined : findCurrency(code);
  const names = ['minAmount', 'maxAmount'] as const;
  const [minAmountMinor, maxAmountMinor] = amountsOf(errors, names, query, currency, 'currency');
  const filter: OperatorFilter = {
    ...rest,
    currency: code,
    minAmountMinor,
    maxAmountMinor,
    held: held === undefined ? undefined : held === 'true',
  };
  requireNarrow(errors, filter);
  if (errors.length > 0) throw validationProblem(errors);
  return filter;
}

/** Whether an index finds what is looked for, whatever the rest of the filter. */
const isNamed = (filter: OperatorFilter) =>
  filter.customerId !== undefined || filter.reference !== undefined || filter.clientReference !== undefined;

/** What no index finds is looked for among the trades of some months, not in all of history. */
function requireNarrow(errors: FieldError[], filter: OperatorFilter): void {
  const { currency, held, tradeDateFrom, tradeDateTo, valueDateFrom, valueDateTo } = filter;
  const isRare = currency !== undefined || held === true || (valueDateFrom ?? valueDateTo) !== undefined;
  if (isNamed(filter) || !isRare) return;
  const [first, last] = [tradeDateFrom ?? valueDateFrom, tradeDateTo ?? valueDateTo];
  if (first === undefined || last === undefined || midnight(last) - midnight(first) > DAYS_MAX * DAY_MS) {
    const detail = `without customerId, reference or clientReference this needs a range of trade or value dates of at most ${DAYS_MAX} days`;
    errors.push({ pointer: '/query/tradeDateFrom', code: 'required', detail });
  }
}

function midnight(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/** When what is looked for was made, by its dates: from (inclusive) and to (exclusive), epoch milliseconds. */
export function madeBetween(filter: OperatorFilter): {
  readonly from: number | undefined;
  readonly to: number | undefined;
} {
  const first = filter.tradeDateFrom ?? (isNamed(filter) ? undefined : filter.valueDateFrom);
  const last = filter.tradeDateTo ?? filter.valueDateTo;
  // A value date lies after the trade date, and may have been put off since.
  const back = filter.tradeDateFrom === undefined ? DAYS_MAX : BEFORE_TRADE_DATE_DAYS;
  return {
    from: first === undefined ? undefined : midnight(first) - back * DAY_MS,
    to: last === undefined ? undefined : midnight(last) + AFTER_TRADE_DATE_DAYS * DAY_MS,
  };
}
