import {
  type AccountEntries,
  type BankEntry,
  bankDayAt,
  bankFileName,
  type Movement,
  notificationXml,
  valueDateOf,
} from '@firmquote/sandbox-bank';
import type { Connection } from '../../database/pool.ts';
import { isoInstant } from '../../platform/clock.ts';
import { newUuid } from '../../platform/ids.ts';
import { type BookedMovement, insertEntries, openAccounts } from './books-store.ts';
import { insertFile } from './file-store.ts';

/**
 * Books movements at the bank and writes the notification of them, in the caller's transaction. What was booked before
 * is passed over. Call `deliverFiles` once the transaction is committed.
 * @returns id of the file; undefined when there is nothing to report
 */
export async function bookMovements(
  connection: Connection,
  movements: readonly Movement[],
  now: number,
): Promise<string | undefined> {
  if (movements.length === 0) return undefined;
  const day = bankDayAt(now);
  const accounts = [
    ...new Map(movements.map(({ account }) => [`${account.currency} ${account.account}`, account])).values(),
  ];
  const ids = await openAccounts(connection, accounts, now);
  const fileId = newUuid(now);
  const idOf = new Map(accounts.map((each, index) => [`${each.currency} ${each.account}`, ids[index]]));
  const rows = movements.map((each) => {
    const accountId = idOf.get(`${each.account.currency} ${each.account.account}`);
    if (accountId === undefined) throw new Error('an account of the bank is missing');
    return { ...each, accountId, valueDate: valueDateOf(each, now) };
  });
  const booked = await insertEntries(connection, rows, { day, now, fileId });
  if (booked.length === 0) return undefined;
  const reported = entriesByAccount(rows, new Map(booked.map((each) => [each.source, each.id])), day);
  const xml = notificationXml(fileId, isoInstant(now), reported);
  await insertFile(
    connection,
    {
      id: fileId,
      kind: 'camt.054',
      name: bankFileName('camt.054', day, fileId),
      xml,
      entries: booked.length,
    },
    now,
  );
  return fileId;
}

function entriesByAccount(
  movements: readonly BookedMovement[],
  idBySource: ReadonlyMap<string, bigint>,
  day: string,
): AccountEntries[] {
  const byAccount = new Map<string, { account: Movement['account']; entries: BankEntry[] }>();
  for (const { accountId, account, source, ...facts } of movements) {
    const id = idBySource.get(source);
    if (id === undefined) continue;
    const place = byAccount.get(accountId) ?? { account, entries: [] };
    byAccount.set(accountId, place);
    place.entries.push({ ...facts, id, bookingDate: day });
  }
  return [...byAccount.values()];
}
