import type { Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId, uuidFloor } from '../platform/ids.ts';
import { ownerName } from './hledger.ts';
import { countEntries, type EntryRow, entriesBetween, readEntries } from './store.ts';

/**
 * An entry as JSON, in one form: these bytes, in UTF-8, are what is hashed and exported. The order of members and what they are
 * made of never change; a new member comes at the end, and only where it has a value. Amounts are minor units, debits positive.
 */
function journalLine(entry: EntryRow): string {
  const id = (prefix: 'txn' | 'dep' | 'wdr', uuid: string | null) => uuid && typeId(prefix, uuid);
  return JSON.stringify({
    entryId: typeId('je', entry.id),
    customerId: ownerName(entry.customerId),
    kind: entry.kind,
    at: isoInstant(entry.at),
    transactionId: id('txn', entry.transactionId),
    depositId: id('dep', entry.depositId),
    withdrawalId: id('wdr', entry.withdrawalId),
    postings: entry.postings.map(({ account, currency, amount }) => ({
      account,
      currency,
      amount: amount.toString(),
    })),
  });
}

/** Nobody posts with an id of so long ago any more, but for who waits for locks. */
const UNDER_WAY_MS = 3_000;

const lineOf = (entry: EntryRow) => ({ key: entry.id, line: journalLine(entry) });

/** The journal as a log of lines in the order of ids, for who seals and exports it. @param now business time */
export function journalLines(now: () => number) {
  return {
    name: 'journal' as const,
    start: uuidFloor(0),
    boundary: async () => uuidFloor(now() - UNDER_WAY_MS),
    /** Before what may still be late, at an instant. */
    keyAt: uuidFloor,
    async lines(database: Queryable, after: string, through: string, rowsMax: number) {
      return (await entriesBetween(database, after, through, rowsMax)).map(lineOf);
    },
    async byKeys(database: Queryable, keys: readonly string[]) {
      return (await readEntries(database, keys)).map(lineOf);
    },
    count: countEntries,
    isAfter: (key: string, other: string) => key > other,
  };
}
