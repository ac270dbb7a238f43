import { activeCustomersBetween } from '../customers/standing.ts';
import { type Connection, inTransaction, type Pool } from '../database/pool.ts';
import { appendEvents } from '../events/append.ts';
import { type Clock, isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import type { Sweep } from '../platform/sweeps.ts';
import type { Market } from './market.ts';
import {
  endClosures,
  lockUnnotified,
  type MarketNotice,
  writeClosure,
  writeNotified,
} from './notice-store.ts';

/** Customers in one commit, which holds the ends of their feeds: executions wait for it. */
const BATCH = 200; // limit: Customers notified of a halt in one commit

/**
 * Writes `market.closed` and `market.opened` into the feeds of those whom an ordered halt or a closure of the market
 * week concerns: the one customer, else every active one. A halt or closure is one row however many customers there
 * are; they are notified afterwards, some hundred in a commit, by whichever instance comes first, and a restart goes on
 * where it was. Whoever was not notified of the close when it ends hears of neither.
 *
 * The book's own halts, which last for seconds in one process, are not announced here: they are in prices and streams.
 */
export function notifyCustomersSweep(
  pool: Pool,
  clock: Clock,
  market: Pick<Market, 'sessionNow'> = ALWAYS_OPEN,
): Sweep {
  /** What this process has followed last, so that nothing is asked again every second. */
  let followed: number | 'open' | undefined;
  return {
    name: 'announce_market_hours',
    does: 'Writes `market.closed` and `market.opened` into the feeds of customers.',
    everyMs: 1_000,
    run: async () => {
      const session = market.sessionNow();
      const current = session?.state === 'closed' ? session.reopensAt : 'open';
      if (session !== undefined && current !== followed) {
        await inTransaction(pool, (connection) => follow(connection, session, clock.now()));
        followed = current;
      }
      let reported = 0;
      for (;;) {
        const moved = await inTransaction(pool, (connection) => notifySome(connection, clock.now()));
        if (moved === undefined) return reported;
        reported += moved;
      }
    },
    nextDueAt: async () => {
      const session = market.sessionNow();
      return session?.closesAt ?? session?.reopensAt;
    },
  };
}

type Session = ReturnType<Market['sessionNow']>;
const ALWAYS_OPEN = { sessionNow: (): Session => undefined };

async function follow(connection: Connection, session: NonNullable<Session>, now: number): Promise<void> {
  const { state, reason, reopensAt } = session;
  if (state === 'closed' && reopensAt !== undefined && (reason === 'weekend' || reason === 'holiday')) {
    await writeClosure(connection, now, reopensAt, reason);
  }
  await endClosures(connection, now);
}

/** One batch; undefined when there is nothing to announce. */
async function notifySome(connection: Connection, now: number): Promise<number | undefined> {
  const notice = await lockUnnotified(connection);
  if (notice === undefined) return undefined;
  if (notice.closed_told) return notify(connection, notice, 'opened', now);
  if (notice.ended_at === null) return notify(connection, notice, 'closed', now);
  await writeNotified(connection, notice, 'closed', null, true);
  return 0;
}

async function notify(
  connection: Connection,
  notice: MarketNotice,
  part: 'closed' | 'opened',
  now: number,
): Promise<number> {
  const customers = await audience(connection, notice, part);
  const detail = detailOf(notice, part);
  await appendEvents(
    connection,
    customers.map((customerId) => ({ customerId, type: `market.${part}` as const, detail })),
    now,
  );
  await writeNotified(connection, notice, part, customers.at(-1) ?? null, customers.length < BATCH);
  return customers.length;
}

function detailOf({ id, scope, pair, reason, reopens_at }: MarketNotice, part: 'closed' | 'opened') {
  return {
    ...(scope === null ? {} : { haltId: typeId('hlt', id) }),
    scope: scope ?? 'all',
    pair: pair ?? '*',
    state: part === 'closed' ? 'closed' : 'open',
    ...(part === 'closed' ? { reason } : {}),
    ...(part === 'closed' && reopens_at !== null ? { reopensAt: isoInstant(reopens_at) } : {}),
  };
}

async function audience(
  connection: Connection,
  { customer_id: only, closed_told_to: reported, opened_told_to: openedTo }: MarketNotice,
  part: 'closed' | 'opened',
): Promise<string[]> {
  // Nobody heard of the close.
  if (part === 'opened' && reported === null) return [];
  if (only !== null) return [only];
  return part === 'closed'
    ? activeCustomersBetween(connection, reported, null, BATCH)
    : activeCustomersBetween(connection, openedTo, reported, BATCH);
}
