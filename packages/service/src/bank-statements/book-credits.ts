import { hash } from 'node:crypto';
import { compact, cut, REFERENCE_MAX, REMITTANCE_MAX } from '@firmquote/bank-formats';
import { type Connection, inTransaction, type Queryable } from '../database/pool.ts';
import { plainAccount } from '../deposits/match-context.ts';
import { receiveDeposits } from '../deposits/receive-deposit.ts';
import type { DepositRecord, NewDeposit } from '../deposits/record.ts';
import { type DepositsRoom, findByBankReference, findDeposit } from '../deposits/room.ts';
import { typeId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import {
  bankReferenceOf,
  type DueEntry,
  depositOfBooking,
  depositsOfEntries,
  linkDeposits,
  lockDeposits,
  lockDueCredits,
  nextDueCredit,
} from './due-entry-store.ts';
import { type DueSpan, processDue } from './process-due.ts';

/** Credits in one commit. */
const BATCH = 200; // limit

/**
 * Makes deposits of the credits that statements have reported, a batch in a commit of its own; see {@link processDue}.
 * @returns how many credits were settled
 */
export function bookCredits(room: DepositsRoom, logger: Logger, only: 'fresh' | 'all'): Promise<number> {
  return processDue(
    room,
    {
      what: 'credits',
      kind: 'credit',
      batch: BATCH,
      work: (span) => bookBatch(room, span),
      next: (after, now) => nextDueCredit(room.pool, after, now),
    },
    logger,
    only,
  );
}

async function bookBatch(room: DepositsRoom, span: DueSpan): Promise<number> {
  return inTransaction(room.pool, async (connection) => {
    const due = await lockDueCredits(connection, span);
    if (due.length === 0) return 0;
    const plan = await planOf(connection, due);
    await lockDeposits(
      connection,
      plan.links.map((each) => each.depositId),
    );
    const received = await receiveDeposits(
      connection,
      plan.fresh.map((each) => each.deposit),
      room.clock.now(),
      room.dates.current,
    );
    const links = [...plan.links];
    for (const [index, { deposit, outcome }] of received.entries()) {
      const entry = plan.fresh[index]?.entry;
      // If an operator has recorded it at this very moment, the next run looks at it again.
      if (entry !== undefined && outcome === 'received')
        links.push({ entryId: entry.id, depositId: deposit.id });
    }
    await linkDeposits(connection, links);
    return links.length;
  });
}

interface Plan {
  readonly fresh: { readonly entry: DueEntry; readonly deposit: NewDeposit }[];
  readonly links: { readonly entryId: string; readonly depositId: string }[];
}

/**
 * What an operator recorded by hand under the bank's reference, with the same amount, is the same money. Another booking
 * under a reference that is taken gets one of its own: a reference that a bank uses twice must not swallow money.
 */
async function planOf(connection: Connection, due: readonly DueEntry[]): Promise<Plan> {
  const wanted = due.map((entry) => ({ account: entry.account, bankReference: bankReferenceOf(entry) }));
  const known = await findByBankReference(connection, wanted);
  const reported = await depositsOfEntries(
    connection,
    known.map((each) => each.id),
  );
  const plan: Plan = { fresh: [], links: [] };
  const taken = new Set<string>();
  for (const entry of due) {
    const bankReference = bankReferenceOf(entry);
    const key = JSON.stringify([entry.account, bankReference]);
    const before = known.find(
      (each) => each.account === entry.account && each.bankReference === bankReference,
    );
    const isFree = before === undefined && !taken.has(key);
    const isSame =
      before !== undefined &&
      !taken.has(key) &&
      before.source !== 'statement' &&
      !reported.has(before.id) &&
      before.amountMinor === entry.amountMinor &&
      before.currency === entry.currency;
    taken.add(key);
    if (isSame) plan.links.push({ entryId: entry.id, depositId: before.id });
    else {
      const own = typeId('ste', entry.id);
      const reference = isFree
        ? bankReference
        : `${cut(bankReference, REFERENCE_MAX - own.length - 1)}#${own}`;
      plan.fresh.push({ entry, deposit: depositOf(entry, reference) });
    }
  }
  return plan;
}

type Words = Pick<
  DueEntry,
  'account' | 'structuredReferences' | 'endToEndId' | 'remittanceText' | 'creditedAccount'
>;

/** What a credit says about whom it is for. */
export function wordsOf(
  entry: Words,
): Pick<DepositRecord, 'remittanceText'> & { virtualAccount: string | null } {
  const texts = [...entry.structuredReferences, entry.endToEndId, entry.remittanceText];
  const remittanceText = cut(texts.filter((text) => text).join(' '), REMITTANCE_MAX) || null;
  return { remittanceText, virtualAccount: virtualAccountOf(entry) };
}

/** An account other than that of the statement is a virtual one, which the bank keeps for one customer. */
function virtualAccountOf({ account, creditedAccount }: Words): string | null {
  if (creditedAccount === null || plainAccount(creditedAccount) === plainAccount(account)) return null;
  return creditedAccount;
}

function depositOf(entry: DueEntry, bankReference: string): NewDeposit {
  const { remittanceText, virtualAccount } = wordsOf(entry);
  const content = [
    entry.account,
    bankReference,
    entry.amountMinor.toString(),
    entry.currency,
    remittanceText,
  ];
  return {
    account: entry.account,
    bankReference,
    source: 'statement',
    amountMinor: entry.amountMinor,
    currency: entry.currency,
    remitterName: entry.counterpartyName,
    remitterAccount: entry.counterpartyAccount,
    virtualAccount,
    remittanceText,
    valueDate: entry.valueDate,
    bookedOn: entry.bookingDate,
    receivedAt: entry.receivedAt,
    fingerprint: hash('sha256', JSON.stringify(['statement', ...content, entry.valueDate]), 'hex'),
  };
}

/**
 * The deposit that a booking of one payment has become.
 * @param account as the house writes it
 * @param bankReference the bank's reference of the booking
 */
export async function findDepositOf(
  connection: Queryable,
  account: string,
  bankReference: string,
): Promise<DepositRecord | undefined> {
  // Statements of an account that was the house's once are filed under the name that the bank gives it.
  const id = await depositOfBooking(connection, [account, compact(account)], compact(bankReference));
  return id === undefined ? undefined : findDeposit(connection, id);
}
