import type { DateRules } from '@firmquote/fx';
import type { Connection } from '../database/pool.ts';
import { decideWave, replacedBy } from './decide-match.ts';
import { lockMatchContext, withoutTopUps, withTransactions } from './match-context.ts';
import type { DepositRecord } from './record.ts';
import { type Again, MatchWriter } from './write-matches.ts';

/**
 * Matches deposits that were just written, with all that follows: trades, balances, ledger, events, allocations, history
 * and exceptions. They are taken in waves, each of which gives a trade at most one deposit, in the order given. What
 * people do with a deposit afterwards is never undone by the rules: they look again only at what nobody has touched.
 * @param again the deposits are older; those that still find nothing stay as they are
 * @returns the deposits as they are now, by id
 */
export async function matchDeposits(
  connection: Connection,
  deposits: readonly DepositRecord[],
  now: number,
  dates: DateRules,
  again?: Again,
): Promise<ReadonlyMap<string, DepositRecord>> {
  if (deposits.length === 0) return new Map();
  const loaded = await lockMatchContext(connection, deposits);
  let context = { ...loaded, acceptsAnyPayer: again?.acceptsAnyPayer ?? false };
  const writer = new MatchWriter(connection, { now, dates, again });
  let pending = deposits;
  while (pending.length > 0) {
    const { decided, rest } = decideWave(pending, context);
    const rows = await writer.write(decided, context);
    if (rest.length > 0) {
      const left = withoutTopUps(context, new Set(decided.flatMap(replacedBy)));
      context = { ...left, acceptsAnyPayer: context.acceptsAnyPayer, ...withTransactions(left, rows) };
    }
    pending = rest;
  }
  return writer.end(context);
}
