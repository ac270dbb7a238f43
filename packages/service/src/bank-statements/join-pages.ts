import type { Connection } from '../database/pool.ts';
import { followDoubts, followListed } from './follow-statement.ts';
import { listedByPages, unbalancedPages, writePageBalances } from './page-store.ts';
import type { StatementFacts } from './statement-proof.ts';
import { markInStatement } from './statement-store.ts';

/**
 * Joins the pages of a statement that have no balances between them, once all are here: balances are computed page by page
 * from the opening balance, as if the bank had given them. If the last one is not the closing balance, the pages stay as they
 * are.
 * @returns the day that is closed now
 */
export async function joinPages(
  connection: Connection,
  account: string,
  facts: StatementFacts,
  now: number,
): Promise<string | undefined> {
  if (facts.kind !== 'statement' || facts.number === null || facts.page === null) return undefined;
  const pages = await unbalancedPages(connection, account, facts);
  const [first, last] = [pages[0], pages.at(-1)];
  const isWhole = pages.every(({ page }, index) => page === index + 1) && last?.is_last_page === true;
  if (first === undefined || last === undefined || !isWhole) return undefined;
  const opened = [first, ...pages].find((each) => each.whole_opening_minor !== null);
  const closed = [last, ...pages].find((each) => each.whole_closing_minor !== null);
  const [from, to] = [opened?.whole_opening_date, closed?.whole_closing_date];
  if (from == null || to == null) return undefined;
  let balance = BigInt(opened?.whole_opening_minor ?? '0');
  const balances = pages.map((each) => {
    const opening = balance;
    balance += BigInt(each.moved_minor);
    return { id: each.id, opening: opening.toString(), closing: balance.toString() };
  });
  if (balance !== BigInt(closed?.whole_closing_minor ?? '0')) return undefined;
  await writePageBalances(connection, balances, { from, to, firstId: first.id, lastId: last.id });
  for (const each of pages) await markInStatement(connection, each.file_id, each.position, undefined);
  await followListed(connection, await listedByPages(connection, pages), now);
  await followDoubts(connection, account, now);
  return to;
}
