import { type Connection, inTransaction, type Pool } from '../database/pool.ts';
import { appendEvents } from '../events/append.ts';
import type { Clock } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import type { Sweep } from '../platform/sweeps.ts';
import {
  customersBetween,
  type HaltNotice,
  lockUntoldHalt,
  writeClosedTold,
  writeOpenedTold,
} from './notice-store.ts';

/** Customers in one commit, which holds the ends of their feeds: executions wait for it. */
const BATCH = 200;

/**
 * Writes `market.closed` and `market.opened` into the feeds of those whom an ordered halt concerns: the one customer,
 * else every active one. A halt is one row however many customers there are; they are told afterwards, some hundred in
 * a commit, by whichever instance comes first, and a restart goes on where it was. Whoever was not told of the close
 * when the halt is lifted hears of neither.
 *
 * The book's own halts, which last for seconds in one process, are not told here: they are in prices and streams.
 */
export function tellCustomersSweep(pool: Pool, clock: Clock): Sweep {
  return {
    name: 'market_notices',
    everyMs: 1_000,
    run: async () => {
      let told = 0;
      for (;;) {
        const moved = await inTransaction(pool, (connection) => tellSome(connection, clock.now()));
        if (moved === undefined) return told;
        told += moved;
      }
    },
  };
}

/** One batch; undefined when there is nothing to tell. */
async function tellSome(connection: Connection, now: number): Promise<number | undefined> {
  const halt = await lockUntoldHalt(connection);
  if (halt === undefined) return undefined;
  if (halt.closed_told) return tell(connection, halt, 'market.opened', now);
  if (halt.resumed_at === null) return tell(connection, halt, 'market.closed', now);
  await writeClosedTold(connection, halt.id, null, true);
  return 0;
}

async function tell(
  connection: Connection,
  halt: HaltNotice,
  type: 'market.closed' | 'market.opened',
  now: number,
): Promise<number> {
  const closing = type === 'market.closed';
  const customers = await audience(connection, halt, closing);
  const detail = {
    haltId: typeId('hlt', halt.id),
    scope: halt.scope,
    pair: halt.pair ?? '*',
    state: closing ? 'closed' : 'open',
    ...(closing ? { reason: 'halt' } : {}),
  };
  await appendEvents(
    connection,
    customers.map((customerId) => ({ customerId, type, detail })),
    now,
  );
  const last = customers.at(-1) ?? null;
  const write = closing ? writeClosedTold : writeOpenedTold;
  await write(connection, halt.id, last, customers.length < BATCH);
  return customers.length;
}

async function audience(connection: Connection, halt: HaltNotice, closing: boolean): Promise<string[]> {
  const { customer_id: only, closed_told_to: told } = halt;
  // Nobody heard of the close.
  if (!closing && told === null) return [];
  if (only !== null) return [only];
  return closing
    ? customersBetween(connection, told, null, BATCH)
    : customersBetween(connection, halt.opened_told_to, told, BATCH);
}
