import type { Connection } from '../database/pool.ts';
import {
  closeEntryException,
  closeEntryExceptions,
  NOT_IN_STATEMENT,
  openExceptions,
} from '../deposits/exceptions.ts';
import { newUuid } from '../platform/ids.ts';
import { reportsOf, statementFacts } from './known-store.ts';
import {
  listedSums,
  type MissingDetail,
  markMissing,
  missingAmong,
  type ReportedDays,
  stillMissing,
} from './listed-store.ts';
import { markListed, openDoubts, writeSeparate } from './sameness-store.ts';
import { areDisjoint } from './statement-proof.ts';
import type { Listed } from './statement-sameness.ts';

const BANK_FEED = 'bank_feed';

/** A statement with balances lists these entries: they are no longer missing, nor are sums all of whose payments are listed now. */
export async function followListed(
  connection: Connection,
  listed: readonly Listed[],
  now: number,
): Promise<void> {
  await noLongerMissing(
    connection,
    listed.filter(({ sumId }) => sumId == null),
    now,
  );
  const sumIds = listed.flatMap(({ sumId }) => sumId ?? []);
  await noLongerMissing(connection, await listedSums(connection, [...new Set(sumIds)]), now);
}

async function noLongerMissing(
  connection: Connection,
  listed: readonly Listed[],
  now: number,
): Promise<void> {
  if (listed.length === 0) return;
  const missing = await missingAmong(
    connection,
    listed.map((each) => each.id),
  );
  await markListed(connection, listed);
  const closing = { actor: BANK_FEED, resolution: 'listed', note: null };
  await closeEntryExceptions(connection, missing, closing, now, { reason: NOT_IN_STATEMENT });
}

/** A statement may prove that doubtful entries are separate payments: then they are booked. */
export async function followDoubts(connection: Connection, account: string, now: number): Promise<void> {
  const doubts = await openDoubts(connection, account);
  if (doubts.length === 0) return;
  const ids = [...new Set(doubts.flatMap((each) => [each.id, each.maybe]))];
  const reports = await reportsOf(connection, ids, true);
  const statements = await statementFacts(connection, [...new Set(reports.map((each) => each.statementId))]);
  const of = Map.groupBy(reports, (each) => each.detailId);
  const reportedIn = (id: string) =>
    (of.get(id) ?? []).flatMap((each) => statements.get(each.statementId) ?? []);
  for (const { id, maybe } of doubts) {
    const others = reportedIn(maybe);
    if (!reportedIn(id).some((one) => others.some((other) => areDisjoint(one, other)))) continue;
    await writeSeparate(connection, id);
    const closing = { actor: BANK_FEED, resolution: 'another_entry', note: null };
    await closeEntryException(connection, id, closing, now);
    await reportStillMissing(connection, [id], now);
  }
}

/**
 * The closing balance wins over notifications: what they reported and the statements of the day do not list becomes an
 * exception, and money booked on it waits.
 */
export async function followMissing(
  connection: Connection,
  days: readonly ReportedDays[],
  now: number,
): Promise<void> {
  for (const each of days) await reportMissing(connection, await markMissing(connection, each, now), now);
}

/** What people had to do about these entries is over: that no statement lists one is said now, if it is so. */
export async function reportStillMissing(
  connection: Connection,
  ids: readonly string[],
  now: number,
): Promise<void> {
  await reportMissing(connection, await stillMissing(connection, ids), now);
}

async function reportMissing(
  connection: Connection,
  missing: readonly MissingDetail[],
  now: number,
): Promise<void> {
  await openExceptions(
    connection,
    missing
      .filter(({ isFree }) => isFree)
      .map(({ id, customerId, transactionId }) => ({
        id: newUuid(now),
        type: 'duplicate' as const,
        reason: NOT_IN_STATEMENT,
        ...{ depositId: null, customerId, transactionId, entryId: id, assignee: null, actor: BANK_FEED },
      })),
    now,
  );
}
