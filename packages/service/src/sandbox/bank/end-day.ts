import { addDays } from '@firmquote/fx';
import {
  type AccountDay,
  balanceAfter,
  bankDayAt,
  bankFileName,
  endOfDay,
  statementXml,
} from '@firmquote/sandbox-bank';
import type { Connection, Queryable } from '../../database/pool.ts';
import { isoInstant } from '../../platform/clock.ts';
import { newUuid } from '../../platform/ids.ts';
import {
  earliestOpenDay,
  insertStatement,
  lockOpenAccounts,
  type OpenAccount,
  openEntries,
} from './books-store.ts';
import { actAtBank, type BankRoom } from './deliver-files.ts';
import { insertFile } from './file-store.ts';

/** Entries in one statement. What is over goes into another one of the day. */
const ENTRIES_MAX = 10_000; // limit: Entries in one statement of the simulated bank

/**
 * Statements of days that are over: for each day and account with movements one, day by day, numbered without a gap. A
 * day can get another one when it was ended early, or the clock was set back.
 * @param upTo the last day that is ended; by default the one before today
 * @returns ids of the files
 */
export async function endDays(room: BankRoom, upTo?: string): Promise<string[]> {
  const last = upTo ?? addDays(bankDayAt(room.clock.now()), -1);
  const made: string[] = [];
  for (;;) {
    const day = await earliestOpenDay(room.pool);
    if (day === undefined || day > last) return made;
    await actAtBank(room, async (connection, files) => {
      const file = await endDay(connection, day, room.clock.now());
      if (file !== undefined) files.push(file);
      made.push(...files);
    });
  }
}

/** Of all days, also of today, which gets another statement when it goes on. */
export async function endDaysNow(room: BankRoom): Promise<string[]> {
  return endDays(room, LAST_DAY);
}

const LAST_DAY = '9999-12-31';

/** The instant at which the next day with movements is over. */
export async function nextDayEnd(connection: Queryable): Promise<number | undefined> {
  const day = await earliestOpenDay(connection);
  return day === undefined ? undefined : endOfDay(day);
}

async function endDay(connection: Connection, day: string, now: number): Promise<string | undefined> {
  const fileId = newUuid(now);
  const statements: AccountDay[] = [];
  for (const account of await lockOpenAccounts(connection, day)) {
    const statement = await endAccountDay(connection, account, day, fileId, now);
    if (statement !== undefined) statements.push(statement);
  }
  if (statements.length === 0) return undefined;
  await insertFile(
    connection,
    {
      id: fileId,
      kind: 'camt.053',
      name: bankFileName('camt.053', day, fileId),
      xml: statementXml(fileId, isoInstant(now), statements),
      entries: statements.reduce((sum, each) => sum + each.entries.length, 0),
    },
    now,
  );
  return fileId;
}

async function endAccountDay(
  connection: Connection,
  account: OpenAccount,
  day: string,
  fileId: string,
  now: number,
): Promise<AccountDay | undefined> {
  const entries = await openEntries(connection, account.id, day, ENTRIES_MAX);
  // Another instance has made the statement while this one waited for the account.
  if (entries.length === 0) return undefined;
  const statement = {
    id: newUuid(now),
    number: account.statements + 1,
    day,
    openingMinor: account.closingMinor,
    closingMinor: balanceAfter(account.closingMinor, entries),
    entries,
  };
  await insertStatement(connection, { ...statement, accountId: account.id, fileId });
  return { ...statement, account };
}
