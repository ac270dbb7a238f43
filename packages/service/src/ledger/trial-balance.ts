import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { ACCOUNTS } from './accounts.ts';
import { ownerName } from './hledger.ts';
import { type TrialFilter, type TrialRow, trialBalances } from './store.ts';

interface TrialLine {
  readonly account: string;
  readonly debit: string;
  readonly credit: string;
}

export interface TrialCurrency {
  readonly currency: string;
  readonly accounts: readonly TrialLine[];
  readonly debit: string;
  readonly credit: string;
  /** Debits less credits: nothing, unless the books are broken. */
  readonly difference: string;
}

export interface TrialBalance {
  readonly at: string;
  readonly customerId: string | null;
  readonly balanced: boolean;
  readonly currencies: readonly TrialCurrency[];
}

/**
 * Balances of every account, each on its side, by currency; they add up to nothing in each.
 * @param before what was booked before this instant; undefined is everything
 */
export async function readTrialBalance(
  database: Queryable,
  filter: TrialFilter,
  before: number | undefined,
  now: number,
): Promise<TrialBalance> {
  const rows = await trialBalances(database, filter, before);
  const byCurrency = Map.groupBy(rows, ({ currency }) => currency);
  const currencies = [...byCurrency].map(([currency, lines]) => currencyView(currency, lines));
  return {
    at: isoInstant(before ?? now),
    customerId: filter.customerId === undefined ? null : ownerName(filter.customerId),
    balanced: rowsBalance(rows),
    currencies,
  };
}

function rowsBalance(rows: readonly TrialRow[]): boolean {
  const sums = new Map<string, bigint>();
  for (const { currency, balance } of rows) sums.set(currency, (sums.get(currency) ?? 0n) + balance);
  return [...sums.values()].every((sum) => sum === 0n);
}

function currencyView(code: string, rows: readonly TrialRow[]): TrialCurrency {
  const currency = knownCurrency(code);
  const text = (minor: bigint) => formatAmount(minor, currency);
  let debit = 0n;
  let credit = 0n;
  const accounts = [...rows].sort(inChartOrder).map(({ account, balance }) => {
    if (balance > 0n) debit += balance;
    else credit -= balance;
    return { account, debit: text(balance > 0n ? balance : 0n), credit: text(balance < 0n ? -balance : 0n) };
  });
  return {
    currency: code,
    accounts,
    debit: text(debit),
    credit: text(credit),
    difference: text(debit - credit),
  };
}

function inChartOrder(a: TrialRow, b: TrialRow): number {
  return placeOf(a.account) - placeOf(b.account);
}

function placeOf(account: string): number {
  const place = ACCOUNTS.findIndex((each) => each.account === account);
  return place === -1 ? ACCOUNTS.length : place;
}
