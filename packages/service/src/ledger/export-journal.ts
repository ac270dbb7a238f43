import { BEGIN_SNAPSHOT, type Connection, type Pool, UNLIMITED } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { NIL_UUID } from '../platform/ids.ts';
import { hledgerAssertions, hledgerEntry, hledgerHead } from './hledger.ts';
import { type BalanceRow, nextBalances, nextEntries } from './store.ts';

/** Entries or balances held in memory at once. */
export const EXPORT_BATCH = 1_000; // limit

/**
 * The whole journal as text, piece by piece, from one snapshot of the database: what is booked meanwhile is not in it,
 * and the balances at its end are those of the entries in it. Memory does not grow with the journal; a reader that
 * stops reading for a minute loses its database session, so that it cannot hold back the database's cleaning.
 * @param at instant of the export
 */
export async function* exportJournal(pool: Pool, at: number): AsyncGenerator<string> {
  const connection = await pool.connect();
  let failure: Error | boolean = true;
  try {
    await connection.query(BEGIN_SNAPSHOT);
    await connection.query({ text: 'set local statement_timeout = 0', ...UNLIMITED });
    yield* hledgerText(connection, at);
    await connection.query('commit');
    failure = false;
  } finally {
    // Cut off in the middle, by a reader that went away or by an error: the session ends with its transaction.
    connection.release(failure);
  }
}

async function* hledgerText(connection: Connection, at: number): AsyncGenerator<string> {
  // Twice over the balances rather than once into memory: there are as many as customers, accounts and currencies.
  let isFirst = true;
  for await (const balances of batchesOfBalances(connection)) {
    yield isFirst ? hledgerHead(balances, at) : declarations(balances, at);
    isFirst = false;
  }
  if (isFirst) yield hledgerHead([], at);
  let after = NIL_UUID;
  let date = isoInstant(at).slice(0, 10);
  for (;;) {
    const entries = await nextEntries(connection, after, EXPORT_BATCH);
    const last = entries.at(-1);
    if (last === undefined) break;
    yield entries.map(hledgerEntry).join('');
    after = last.id;
    date = isoInstant(last.at).slice(0, 10);
  }
  for await (const balances of batchesOfBalances(connection)) {
    const byOwner = Map.groupBy(balances, ({ customerId }) => customerId);
    yield [...byOwner.values()].map((each) => hledgerAssertions(each, date)).join('');
  }
}

/** Declaring a commodity twice is no harm; the comment at the top is written once. */
function declarations(balances: readonly BalanceRow[], at: number): string {
  return hledgerHead(balances, at).split('\n').slice(2).join('\n');
}

async function* batchesOfBalances(connection: Connection): AsyncGenerator<BalanceRow[]> {
  let after: BalanceRow | undefined;
  for (;;) {
    const rows = await nextBalances(connection, after, EXPORT_BATCH);
    if (rows.length === 0) return;
    yield rows;
    after = rows.at(-1);
  }
}
