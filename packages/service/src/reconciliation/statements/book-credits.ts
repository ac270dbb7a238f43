import { hash } from 'node:crypto';
import { type Connection, inTransaction, isConnectionFailure } from '../../database/pool.ts';
import { typeId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Sweep } from '../../platform/sweeps.ts';
import { type ReconciliationRoom, receiveDeposits } from '../receive-deposit.ts';
import type { NewDeposit } from '../record.ts';
import { findByBankReference } from '../store.ts';
import { adoptAccounts } from './adopt-accounts.ts';
import { type DueCredit, linkDeposits, lockDueCredits, nextDueCredit } from './credit-store.ts';
import { REFERENCE_MAX, REMITTANCE_MAX } from './limits.ts';
import { cut } from './text.ts';

/** Credits in one commit. */
const BATCH = 200;

/**
 * Makes deposits of the credits that statements have told of, a batch in a commit of its own. An entry is marked in the
 * commit of its deposit, so none is lost and none counts twice, whenever a process ends; what is left is found by the
 * next run, on any instance. When a batch fails, each of its credits is booked alone, so that one that cannot be booked
 * does not hold up the others.
 * @returns how many credits were settled
 */
export async function bookCredits(room: ReconciliationRoom, logger: Logger): Promise<number> {
  try {
    return await bookBatch(room, BATCH, NO_ID);
  } catch (error) {
    if (isConnectionFailure(error)) throw error;
    logger.warn(
      { err: error },
      'credits of statements could not be booked together; they are booked one by one',
    );
  }
  let settled = 0;
  let last: string | undefined = NO_ID;
  for (let count = 0; count < BATCH && last !== undefined; count++) {
    const next: string | undefined = await inTransaction(room.pool, (connection) =>
      nextDueCredit(connection, last ?? NO_ID),
    );
    try {
      if (next !== undefined) settled += await bookBatch(room, 1, last);
    } catch (error) {
      if (isConnectionFailure(error)) throw error;
      logger.error({ err: error, entryId: next }, 'a credit of a statement cannot be booked');
    }
    last = next;
  }
  return settled;
}

/** Before all ids. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

async function bookBatch(room: ReconciliationRoom, rowsMax: number, after: string): Promise<number> {
  return inTransaction(room.pool, async (connection) => {
    const due = await lockDueCredits(connection, rowsMax, after);
    if (due.length === 0) return 0;
    const plan = await planOf(connection, due);
    const received = await receiveDeposits(
      connection,
      plan.fresh.map((each) => each.deposit),
      room.clock.now(),
      room.dates.current,
    );
    const links = [...plan.links];
    for (const [index, { deposit, outcome }] of received.entries()) {
      const entry = plan.fresh[index]?.entry;
      // One that an operator has recorded in this very moment is looked at again by the next run.
      if (entry !== undefined && outcome === 'received')
        links.push({ entryId: entry.id, depositId: deposit.id });
    }
    await linkDeposits(connection, links);
    return links.length;
  });
}

interface Plan {
  readonly fresh: { readonly entry: DueCredit; readonly deposit: NewDeposit }[];
  readonly links: { readonly entryId: string; readonly depositId: string }[];
}

/**
 * What an operator recorded by hand under the bank's reference, with the same amount, is the same money. Another booking
 * under a reference that is taken gets one of its own: a reference that a bank uses twice must not swallow money.
 */
async function planOf(connection: Connection, due: readonly DueCredit[]): Promise<Plan> {
  const wanted = due.map((entry) => ({ account: entry.account, bankReference: bankReferenceOf(entry) }));
  const known = await findByBankReference(connection, wanted);
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

/** The bank's reference of the payment, else of its booking, else the entry's own id. */
function bankReferenceOf(entry: DueCredit): string {
  if (entry.detailReference !== null) return entry.detailReference;
  if (entry.bankReference === null) return typeId('ste', entry.id);
  if (entry.payments === 1) return entry.bankReference;
  const suffix = `/${entry.number}`;
  return `${cut(entry.bankReference, REFERENCE_MAX - suffix.length)}${suffix}`;
}

function depositOf(entry: DueCredit, bankReference: string): NewDeposit {
  const texts = [...entry.structuredReferences, entry.endToEndId, entry.remittanceText];
  const remittanceText = cut(texts.filter((text) => text).join(' '), REMITTANCE_MAX) || null;
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
    remittanceText,
    valueDate: entry.valueDate,
    receivedAt: entry.receivedAt,
    fingerprint: hash('sha256', JSON.stringify(['statement', ...content, entry.valueDate]), 'hex'),
  };
}

/** More would hold up whoever waits; the sweep does the rest. */
const BATCHES_AT_ONCE = 50;

/**
 * Books what is due, as far as it goes. A failure is logged and left to the sweep: what the credits come from is
 * committed already.
 */
export async function bookAllCredits(room: ReconciliationRoom, logger: Logger): Promise<void> {
  try {
    for (let batch = 0; batch < BATCHES_AT_ONCE; batch++) if ((await bookCredits(room, logger)) === 0) return;
  } catch (error) {
    logger.error({ err: error }, 'credits of a statement could not be booked; the sweep tries again');
  }
}

const BATCHES_OF_A_SWEEP = 10;

/** Finds the accounts that have become the house's, and books what is due. */
export function creditSweep(room: ReconciliationRoom, logger: Logger): Sweep {
  return {
    name: 'book statement credits',
    everyMs: 1_000,
    async run() {
      let moved = await adoptAccounts(room);
      for (let batch = 0; batch < BATCHES_OF_A_SWEEP; batch++) {
        const settled = await bookCredits(room, logger);
        moved += settled;
        if (settled < BATCH) break;
      }
      return moved;
    },
  };
}
