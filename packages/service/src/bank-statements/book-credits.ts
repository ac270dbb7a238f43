import { hash } from 'node:crypto';
import { compact, cut, REMITTANCE_MAX } from '@firmquote/bank-formats';
import { type Connection, inTransaction, type Queryable } from '../database/pool.ts';
import { isNoDeposit } from '../deposits/cancel-deposit.ts';
import { depositUnder, filedAccounts, namesOf } from '../deposits/filed-accounts.ts';
import { receiveDeposits } from '../deposits/receive-deposit.ts';
import { type DepositRecord, type NewDeposit, ownReference, plainAccount } from '../deposits/record.ts';
import { findByBankReference, findDeposit } from '../deposits/room.ts';
import { typeId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import {
  bankReferenceOf,
  type DueDetail,
  depositOfEntry,
  depositsOfDetails,
  linkDeposits,
  lockDeposits,
  lockDueCredits,
  nextDueCredit,
} from './due-entry-store.ts';
import { type DueSpan, processDue } from './process-due.ts';
import type { StatementsRoom } from './room.ts';

/** Credits in one commit. */
const BATCH = 200; // limit

/**
 * Makes deposits of the credits that statements have reported, a batch in a commit of its own; see {@link processDue}.
 * @returns how many credits were settled
 */
export function bookCredits(room: StatementsRoom, logger: Logger, only: 'fresh' | 'all'): Promise<number> {
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

async function bookBatch(room: StatementsRoom, span: DueSpan): Promise<number> {
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
      const detail = plan.fresh[index]?.detail;
      // If an operator has recorded it at this very moment, the next run looks at it again.
      if (detail !== undefined && outcome === 'received')
        links.push({ detailId: detail.id, depositId: deposit.id });
    }
    await linkDeposits(connection, links);
    return links.length;
  });
}

interface Plan {
  readonly fresh: { readonly detail: DueDetail; readonly deposit: NewDeposit }[];
  readonly links: { readonly detailId: string; readonly depositId: string }[];
}

/**
 * What an operator recorded by hand under the bank's reference, with the same amount, is the same money. Another entry
 * under a reference that is taken gets one of its own: a reference that a bank uses twice must not swallow money.
 */
async function planOf(connection: Connection, due: readonly DueDetail[]): Promise<Plan> {
  const accounts = await filedAccounts(connection);
  const wanted = due.flatMap((detail) =>
    namesOf(accounts, detail.account, detail.currency).map((account) => ({
      account,
      bankReference: bankReferenceOf(detail),
    })),
  );
  const known = await findByBankReference(connection, wanted);
  const reported = await depositsOfDetails(
    connection,
    known.map((each) => each.id),
  );
  const plan: Plan = { fresh: [], links: [] };
  const others: DueDetail[] = [];
  const taken = new Set<string>();
  for (const detail of due) {
    const bankReference = bankReferenceOf(detail);
    const key = JSON.stringify([detail.account, bankReference]);
    const named = known.filter((each) => each.bankReference === bankReference);
    const before = depositUnder(accounts, named, detail);
    const isFree = before === undefined && !taken.has(key);
    const isSame =
      before !== undefined &&
      !taken.has(key) &&
      before.source !== 'statement' &&
      !reported.has(before.id) &&
      // What a person has said the bank never had is undone; should the bank have it after all, that is other money.
      !isNoDeposit(before) &&
      before.amountMinor === detail.amountMinor &&
      before.currency === detail.currency;
    taken.add(key);
    if (isSame) plan.links.push({ detailId: detail.id, depositId: before.id });
    else if (isFree) plan.fresh.push({ detail, deposit: depositOf(detail, bankReference) });
    else others.push(detail);
  }
  const fresh = [...plan.fresh, ...(await underOwnReferences(connection, others))];
  // In the order in which they were reported: of two for one trade the first has it.
  const order = new Map(due.map((detail, index) => [detail.id, index]));
  fresh.sort((a, b) => (order.get(a.detail.id) ?? 0) - (order.get(b.detail.id) ?? 0));
  return { ...plan, fresh };
}

/**
 * Deposits of entries whose references are taken. An entry may have been a deposit before, which was taken back, and that keeps its
 * reference: under it nothing would be written, and the entry would be due for ever.
 */
async function underOwnReferences(
  connection: Connection,
  details: readonly DueDetail[],
): Promise<Plan['fresh']> {
  const fresh: Plan['fresh'] = [];
  let open = details;
  for (let life = 1; open.length > 0; life++) {
    const wanted = open.map((detail) => ({
      detail,
      reference: ownReference(bankReferenceOf(detail), typeId('ste', detail.id), life),
    }));
    const known = await findByBankReference(
      connection,
      wanted.map(({ detail, reference }) => ({ account: detail.account, bankReference: reference })),
    );
    const isTaken = ({ detail, reference }: (typeof wanted)[number]) =>
      known.some((each) => each.account === detail.account && each.bankReference === reference);
    for (const each of wanted.filter((one) => !isTaken(one)))
      fresh.push({ detail: each.detail, deposit: depositOf(each.detail, each.reference) });
    open = wanted.filter(isTaken).map(({ detail }) => detail);
  }
  return fresh;
}

type Words = Pick<
  DueDetail,
  'account' | 'structuredReferences' | 'endToEndId' | 'remittanceText' | 'creditedAccount'
>;

/** What a credit says about whom it is for. */
export function wordsOf(
  detail: Words,
): Pick<DepositRecord, 'remittanceText'> & { virtualAccount: string | null } {
  const texts = [...detail.structuredReferences, detail.endToEndId, detail.remittanceText];
  const remittanceText = cut(texts.filter((text) => text).join(' '), REMITTANCE_MAX) || null;
  return { remittanceText, virtualAccount: virtualAccountOf(detail) };
}

/** An account other than that of the statement is a virtual one, which the bank keeps for one customer. */
function virtualAccountOf({ account, creditedAccount }: Words): string | null {
  if (creditedAccount === null || plainAccount(creditedAccount) === plainAccount(account)) return null;
  return creditedAccount;
}

function depositOf(detail: DueDetail, bankReference: string): NewDeposit {
  const { remittanceText, virtualAccount } = wordsOf(detail);
  const content = [
    detail.account,
    bankReference,
    detail.amountMinor.toString(),
    detail.currency,
    remittanceText,
  ];
  return {
    account: detail.account,
    bankReference,
    source: 'statement',
    amountMinor: detail.amountMinor,
    currency: detail.currency,
    remitterName: detail.counterpartyName,
    remitterAccount: detail.counterpartyAccount,
    virtualAccount,
    remittanceText,
    valueDate: detail.valueDate,
    bookedOn: detail.bookingDate,
    receivedAt: detail.receivedAt,
    fingerprint: hash('sha256', JSON.stringify(['statement', ...content, detail.valueDate]), 'hex'),
  };
}

/**
 * The deposit that an entry of one payment has become.
 * @param account as the house writes it
 * @param bankReference the bank's reference of the entry
 */
export async function findDepositOf(
  connection: Queryable,
  account: string,
  bankReference: string,
): Promise<DepositRecord | undefined> {
  // Statements of an account that was the house's once are filed under the name that the bank gives it.
  const id = await depositOfEntry(connection, [account, compact(account)], compact(bankReference));
  return id === undefined ? undefined : findDeposit(connection, id);
}
