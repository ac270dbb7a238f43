import type { DepositStatus, listDeposits } from '@firmquote/api/operations/deposits';
import { findCurrency, parseAmount } from '@firmquote/fx';
import type { Judge } from '../http/parameters.ts';
import { notLess } from '../http/sentences.ts';

/** Days that a search without anything that an index finds may look at. */
const DAYS_MAX = 92; // limit: Range of days of a search for deposits by parts, amounts or account
const DAY_MS = 86_400_000;

/** What an operator looks for. */
export interface DepositFilter {
  readonly status?: readonly DepositStatus[] | undefined;
  readonly currencies?: readonly string[] | undefined;
  readonly minAmountMinor?: bigint | undefined;
  readonly maxAmountMinor?: bigint | undefined;
  /** UUID. */
  readonly customerId?: string | undefined;
  readonly account?: string | undefined;
  readonly bankReference?: string | undefined;
  /** Of a trade or a balance, as the text names it. */
  readonly reference?: string | undefined;
  readonly remitterAccount?: string | undefined;
  /** Parts, in any case. */
  readonly remitter?: string | undefined;
  readonly text?: string | undefined;
  /** Received from (inclusive) and to (exclusive), epoch milliseconds. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly bookedFrom?: string | undefined;
  readonly bookedTo?: string | undefined;
  readonly valueDateFrom?: string | undefined;
  readonly valueDateTo?: string | undefined;
}

/**
 * What is looked for.
 * @param refuse called with what is wrong, where that was not found out before
 */
export function depositFilter(
  query: Parameters<Judge<typeof listDeposits>>[0],
  now: number,
  refuse: Parameters<Judge<typeof listDeposits>>[1] = () => undefined,
): DepositFilter {
  const { amount, minAmount, maxAmount, currency: currencies, reference, ...rest } = query;
  const currency = currencies?.length === 1 ? findCurrency(currencies[0] ?? '') : undefined;
  const minorOf = (name: string, text: string | undefined) => {
    if (text === undefined) return undefined;
    if (currency === undefined) {
      refuse(name, 'required', 'needs one currency');
      return undefined;
    }
    const parsed = parseAmount(text, currency);
    if (parsed.ok) return parsed.minor;
    refuse(name, 'wrong_format', `must be an amount of ${currency.code}`);
    return undefined;
  };
  const exact = minorOf('amount', amount);
  const [least, most] = [minorOf('minAmount', minAmount), minorOf('maxAmount', maxAmount)];
  if (least !== undefined && most !== undefined && least > most)
    refuse('maxAmount', 'out_of_range', notLess('minAmount'));
  const filter: DepositFilter = {
    ...rest,
    currencies,
    minAmountMinor: exact ?? least,
    maxAmountMinor: exact ?? most,
    reference: reference?.replace(/\s/g, '').toUpperCase(),
  };
  requireNarrow(filter, now, refuse);
  return filter;
}

/** Whether one amount is looked for. */
export const isExact = ({ minAmountMinor, maxAmountMinor }: DepositFilter) =>
  minAmountMinor !== undefined && minAmountMinor === maxAmountMinor;

/** Whether an index finds what is looked for, whatever the rest of the filter. */
const isNamed = (filter: DepositFilter) =>
  (filter.customerId ?? filter.bankReference ?? filter.reference ?? filter.remitterAccount) !== undefined ||
  isExact(filter);

/** What no index finds is looked for among the deposits of some months, not in all of history. */
function requireNarrow(
  filter: DepositFilter,
  now: number,
  refuse: Parameters<Judge<typeof listDeposits>>[1],
): void {
  const spans = [
    [filter.from, filter.to ?? now],
    [midnight(filter.bookedFrom), midnight(filter.bookedTo)],
    [midnight(filter.valueDateFrom), midnight(filter.valueDateTo)],
  ] as const;
  const { minAmountMinor, maxAmountMinor, remitter, text, account } = filter;
  const isRare =
    (minAmountMinor ?? maxAmountMinor ?? remitter ?? text ?? account) !== undefined ||
    spans.slice(1).some(([from, to]) => (from ?? to) !== undefined);
  const isNarrow = spans.some(
    ([from, to]) => from !== undefined && to !== undefined && to - from <= DAYS_MAX * DAY_MS,
  );
  if (!isRare || isNarrow || isNamed(filter)) return;
  refuse(
    'from',
    'required',
    `without customerId, bankReference, reference, remitterAccount or amount this needs a range of at most ${DAYS_MAX} days: from and to, booked or value dates`,
  );
}

function midnight(date: string | undefined): number | undefined {
  return date === undefined ? undefined : Date.parse(`${date}T00:00:00Z`);
}
