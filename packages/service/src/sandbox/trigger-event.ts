import type { SandboxEvent } from '@firmquote/api/operations/sandbox';
import { canTransition, type DateRules, type TransactionStatus } from '@firmquote/fx';
import type { Connection } from '../database/pool.ts';
import { find, hasHolds } from '../payments/operate.ts';
import { releasePayouts } from '../payments/release.ts';
import { newUuid } from '../platform/ids.ts';
import { inWords, Problem } from '../problems/problem.ts';
import { pricedTransaction } from '../transactions/list-transactions.ts';
import type { PricedTransaction, TransactionRow } from '../transactions/record.ts';
import type { TransactionId } from '../transactions/store.ts';
import { sendDeposit } from './bank/ask-bank.ts';
import { awaitEffect } from './bank/await-effect.ts';
import { bookMovements } from './bank/book.ts';
import { actAtBank, type BankRoom } from './bank/deliver-files.ts';
import { payOut, refusePayouts } from './bank/payouts.ts';
import { depositAmount, depositMovement, houseAccounts, payoutReturn } from './bank/transaction-movements.ts';
import { lockPayoutTransactions, type PayoutTransaction } from './bank/transaction-store.ts';

/** What the bank does at each event; the trade is held. */
type Act = (
  connection: Connection,
  row: PayoutTransaction,
  now: number,
  files: string[],
  dates: DateRules,
) => Promise<void>;

const ACTS: Readonly<Record<Exclude<SandboxEvent, 'deposit'>, Act>> = {
  settle: async (connection, row, now, files, dates) => {
    const released = await releasePayout(connection, row, now, dates);
    // The drill of an amount that is to fail is not asked for here.
    await payOut(
      connection,
      released.map((each) => ({ ...each, scenario: null })),
      now,
      files,
    );
  },
  'payout-failed': async (connection, row, now, files, dates) => {
    await refusePayouts(connection, await releasePayout(connection, row, now, dates), 'AC04', now, files);
  },
  'payout-returned': async (connection, row, now, files) => {
    if (row.status !== 'settled' || row.proceeds === 'balance') throw cannotBecome(row, 'settlement_failed');
    const file = await bookMovements(connection, [await payoutReturn(connection, row, 'AC04')], now);
    if (file !== undefined) files.push(file);
  },
};

/**
 * Lets something happen to a trade at once that would otherwise take its time: the bank does it, and reports it.
 * @throws Problem transaction_not_found, invalid_state_transition; overloaded when what the bank reported is still under way
 */
export async function triggerEvent(
  room: BankRoom,
  transactionId: string,
  event: SandboxEvent,
): Promise<PricedTransaction> {
  const found = await find(room, transactionId);
  if (event === 'deposit') await payIn(room, found);
  else {
    const before = await actAtBank(room, (connection, files) =>
      actOnTransaction(connection, idOf(found), ACTS[event], room.clock.now(), files, room.dates.current),
    );
    const passed: readonly TransactionStatus[] =
      event === 'payout-returned' ? [before.status] : [before.status, 'settling'];
    return awaitEffect(room, async () => {
      const row = await find(room, found.id);
      return passed.includes(row.status) ? undefined : row;
    });
  }
  return find(room, found.id);
}

async function actOnTransaction(
  connection: Connection,
  id: TransactionId,
  work: Act,
  now: number,
  files: string[],
  dates: DateRules,
): Promise<TransactionRow> {
  const [row] = await lockPayoutTransactions(connection, [id], false);
  if (row === undefined) throw new Error(`transaction ${id.id} vanished`);
  await work(connection, row, now, files, dates);
  return row;
}

/** The trade with its payout on the way: released now, unless it was before. */
async function releasePayout(
  connection: Connection,
  row: PayoutTransaction,
  now: number,
  dates: DateRules,
): Promise<PayoutTransaction[]> {
  if (row.status === 'settling') return [row];
  if (!canTransition(row.status, 'settling', 'system')) throw cannotBecome(row, 'settling');
  if (hasHolds(row)) {
    throw new Problem('invalid_state_transition', 'A hold blocks the payout.', {
      members: { from: row.status, to: 'settling' },
    });
  }
  await releasePayouts(connection, [idOf(row)], now, dates, () => 'system');
  const released = await lockPayoutTransactions(connection, [idOf(row)], false);
  // What goes into a balance needs no bank.
  return released.filter((each) => each.status === 'settling');
}

async function payIn(room: BankRoom, row: TransactionRow): Promise<void> {
  const amountMinor = depositAmount({ ...row, scenario: null }, 1);
  if (amountMinor <= 0n) {
    throw new Problem(
      'invalid_state_transition',
      `A transaction that is ${inWords(row.status)} expects no money.`,
      {
        members: { from: row.status, to: 'funded' },
      },
    );
  }
  const accounts = await houseAccounts(room.pool, [row.sell_currency]);
  const priced = await pricedTransaction(room.pool, row);
  await sendDeposit(room, depositMovement(priced, newUuid(room.clock.now()), amountMinor, accounts));
}

function cannotBecome(row: TransactionRow, to: TransactionStatus): Problem {
  return new Problem(
    'invalid_state_transition',
    `A transaction that is ${inWords(row.status)} cannot become ${inWords(to)}.`,
    {
      members: { from: row.status, to },
    },
  );
}

function idOf(row: TransactionRow): TransactionId {
  return { customerId: row.customer_id, id: row.id };
}
