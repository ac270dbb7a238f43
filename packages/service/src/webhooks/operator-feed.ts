import type { Pool } from '../database/pool.ts';
import type { FeedEvent, FeedPart } from '../events/customer-feed.ts';
import { cursorInvalid } from '../events/list-events.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { findOperatorEvents, type OperatorEventRow, readPlaces } from './operator-feed-store.ts';
import type { Feed } from './room.ts';

/** What operators are notified of, in the order in which it was committed. */
export class OperatorFeed implements Feed {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async read(part: FeedPart): Promise<FeedEvent[]> {
    return (await readPlaces(this.#pool, part)).map(feedEventOf);
  }

  /** Its id does not tell: an event has its place only when others have seen that it was committed. */
  async placeOf(id: string): Promise<bigint> {
    const [row] = await findOperatorEvents(this.#pool, [id]);
    if (row?.place == null) throw cursorInvalid();
    return BigInt(row.place);
  }

  async find(ids: readonly string[]): Promise<FeedEvent[]> {
    if (ids.length === 0) return [];
    return (await findOperatorEvents(this.#pool, ids)).map(feedEventOf);
  }
}

function feedEventOf(row: OperatorEventRow): FeedEvent {
  const { id, place, type, at, resource } = row;
  const sequence = BigInt(place ?? 0);
  const data = { eventId: typeId('evt', id), sequence: Number.parseInt(sequence.toString(), 10) };
  const message = { type, timestamp: isoInstant(at), data: { ...data, ...dataOf(row) } };
  return { sequence, id, type, resource: resource ?? undefined, message: JSON.stringify(message) };
}

/** Ids in it are UUIDs: the database knows no others. */
function dataOf({ data }: OperatorEventRow): Record<string, unknown> {
  const members = Object.entries(JSON.parse(data) as Record<string, unknown>);
  return Object.fromEntries(
    members.map(([name, value]) => {
      const prefix = ID_PREFIXES[name as keyof typeof ID_PREFIXES];
      return [name, prefix !== undefined && typeof value === 'string' ? typeId(prefix, value) : value];
    }),
  );
}

const ID_PREFIXES = {
  webhookId: 'whk',
  customerId: 'cus',
  personId: 'per',
  exceptionId: 'exc',
  reportId: 'rep',
  scheduleId: 'rps',
  approvalId: 'apr',
  transactionId: 'txn',
  withdrawalId: 'wdr',
  returnId: 'dpr',
} as const;
