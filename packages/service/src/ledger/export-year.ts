import type { Connection } from '../database/pool.ts';
import { uuidFloor } from '../platform/ids.ts';
import { balancesBefore } from './closing-store.ts';
import { EXPORT_BATCH } from './export-journal.ts';
import { hledgerAssertions, hledgerEntry, hledgerHead, hledgerOpening } from './hledger.ts';
import { type BalanceRow, type EntryRow, nextEntries } from './store.ts';

export { closedThrough } from './closing-store.ts';

/** Called with everything that is written. */
export interface YearSums {
  book(entry: EntryRow): void;
  keep(when: 'opening' | 'closing', balances: readonly BalanceRow[]): void;
}

const NOTHING_SUMMED: YearSums = { book: () => undefined, keep: () => undefined };

/** Opening balances, the entries of the year, and its closing balances as assertions: a journal that hledger checks on its own. */
export async function* exportYear(
  connection: Connection,
  year: number,
  { start, end }: { readonly start: number; readonly end: number },
  at: number,
  sums: YearSums = NOTHING_SUMMED,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const balances of balancesBefore(connection, `${year + 1}-01-01`)) {
    const head = hledgerHead(balances, at);
    yield isFirst ? head : head.split('\n').slice(2).join('\n');
    isFirst = false;
  }
  if (isFirst) yield hledgerHead([], at);
  for await (const balances of balancesBefore(connection, `${year}-01-01`)) {
    sums.keep('opening', balances);
    const byOwner = Map.groupBy(balances, ({ customerId }) => customerId);
    yield [...byOwner.values()].map((each) => hledgerOpening(each, `${year}-01-01`)).join('');
  }
  const behind = uuidFloor(end);
  // The smallest id of the year itself is none that is given.
  for (let after = uuidFloor(start); ; ) {
    const entries = (await nextEntries(connection, after, EXPORT_BATCH)).filter(({ id }) => id < behind);
    const last = entries.at(-1);
    if (last === undefined) break;
    for (const entry of entries) sums.book(entry);
    yield entries.map(hledgerEntry).join('');
    after = last.id;
  }
  for await (const balances of balancesBefore(connection, `${year + 1}-01-01`)) {
    sums.keep('closing', balances);
    const byOwner = Map.groupBy(balances, ({ customerId }) => customerId);
    yield [...byOwner.values()].map((each) => hledgerAssertions(each, `${year}-12-31`)).join('');
  }
}
