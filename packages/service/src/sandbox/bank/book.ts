import { addDays, cutOffInstant, localDateAt, seedCutOffs } from '@firmquote/fx';
import type { Connection } from '../../database/pool.ts';
import { newUuid } from '../../platform/ids.ts';
import { type AccountEntries, notificationXml } from './bank-messages.ts';
import { type BookedMovement, insertEntries, openAccounts } from './books-store.ts';
import { type BankFileKind, insertFile } from './file-store.ts';
import type { BankEntry, Movement } from './movement.ts';

/** The bank's day. It is open on every day, so that a drill need not wait for Monday. */
export function bankDayAt(now: number): string {
  return localDateAt(now, 'UTC');
}

/**
 * Value date of what somebody pays in: the day, or the next one where it comes after the cut-off of its currency, as at any
 * bank. The cut-offs are the bank's own; operators move those of the house.
 */
export function valueDayAt(now: number, currency: string): string {
  const day = bankDayAt(now);
  const localDay = localDateAt(now, seedCutOffs.sameDay(currency).zone);
  const valueDay = now >= cutOffInstant(currency, localDay) ? addDays(localDay, 1) : localDay;
  return valueDay > day ? valueDay : day;
}

/**
 * Books movements at the bank and writes the notification of them, in the caller's transaction. What was booked before
 * is passed over. To be told with `tellFiles` once the transaction is committed.
 * @returns id of the file; undefined when there is nothing to tell
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
    const isPaidIn = each.direction === 'credit' && each.kind === 'payment';
    const valueDate = isPaidIn ? valueDayAt(now, each.account.currency) : day;
    return { ...each, accountId, valueDate };
  });
  const booked = await insertEntries(connection, rows, { day, now, fileId });
  if (booked.length === 0) return undefined;
  const told = entriesByAccount(rows, new Map(booked.map((each) => [each.source, each.id])), day);
  const xml = notificationXml(fileId, now, told);
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

/** What the file is called: readable, and another for each. */
export function bankFileName(kind: BankFileKind, day: string, fileId: string): string {
  return `sandbox_${kind}_${day}_${fileId.slice(-12)}.xml`;
}
