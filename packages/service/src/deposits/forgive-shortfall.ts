import { formatAmount, knownCurrency, parseAmount } from '@firmquote/fx';
import type { JournalEntry } from '../ledger/journal.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { changeTransactions } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { addShortfall, allocationsOf } from './allocation-store.ts';
import { receivableOf } from './funding.ts';
import { approvalDetail, type DepositAction, type ManualWork } from './operate-deposit.ts';
import { isExpecting, outstandingOf } from './receivables.ts';
import type { DepositRecord } from './record.ts';
import { lockTransactions } from './store.ts';
import { completedPatch, type MoneyDates, partsOf } from './timeliness.ts';
import { writeDeposits } from './write-deposits.ts';

interface ForgiveRequest {
  /** As the API writes it: a trade that has a part of the deposit. */
  readonly transactionId: string;
  /** What is missing, as the one who forgives it has seen it. */
  readonly amount: string;
}

/** A trade that a deposit has paid in part is complete with it: what is missing is a charge of the house. */
export const forgiving: DepositAction<ForgiveRequest> = {
  kind: 'shortfall_forgive',
  async worth(work, deposit, request) {
    const { row, missing } = await plan(work, deposit, request);
    // At the price of the trade itself, rounded up.
    const { usdMinor, sellMinor } = receivableOf(row);
    return (missing * usdMinor + sellMinor - 1n) / sellMinor;
  },
  async carryOut(work, before, request) {
    const { connection, room, now, reason } = work;
    const { row: trade, missing } = await plan(work, before, request);
    const id = { customerId: trade.customer_id, id: trade.id };
    await changeTransactions(connection, [id], now, (row) => ({
      to: 'funded',
      code: 'shortfall_forgiven',
      actor: 'operator',
      patch: {
        shortfallMinor: BigInt(row.shortfall_minor) + missing,
        ...completedPatch(row, [...partsOf(row), forgiven(row, now)], now, room.dates.current),
      },
      entries: [forgivenEntry(row, before, missing)],
      detail: { depositId: typeId('dep', before.id) },
    }));
    await addShortfall(connection, before.id, trade.id, missing);
    const after = { ...before, version: before.version + 1, updatedAt: now };
    const detail = {
      ...approvalDetail(work),
      transactionId: typeId('txn', trade.id),
      shortfallMinor: missing.toString(),
    };
    const action = 'shortfall_forgiven';
    await writeDeposits(connection, [{ before, after, actor: work.actor, action, reason, detail }], now);
    return after;
  },
};

/** What is missing comes with the word of a person, as if it were money of that moment. */
function forgiven(row: TransactionRow, now: number): MoneyDates {
  return { receivedAt: now, valueDate: row.value_date };
}

async function plan(
  { connection }: ManualWork,
  deposit: DepositRecord,
  { transactionId, amount }: ForgiveRequest,
): Promise<{ row: TransactionRow; missing: bigint }> {
  const id = parseTypeId('txn', transactionId);
  const parts = await allocationsOf(connection, [deposit.id]);
  if (id === undefined || !parts.some((each) => each.transactionId === id)) {
    throw wrong('transactionId', 'not_permitted', 'has no part of this deposit');
  }
  const [row] = await lockTransactions(connection, [id]);
  if (row === undefined || !isExpecting(row.status)) {
    throw new Problem('invalid_state_transition', 'The transaction expects no more money.', {
      members: { from: row?.status ?? 'unknown', to: 'funded', transactionId },
    });
  }
  const missing = outstandingOf(receivableOf(row));
  const currency = knownCurrency(row.sell_currency);
  const parsed = parseAmount(amount, currency);
  if (!parsed.ok || parsed.minor !== missing) {
    throw wrong('amount', 'out_of_range', `must be the missing amount, ${formatAmount(missing, currency)}`);
  }
  return { row, missing };
}

function forgivenEntry(row: TransactionRow, deposit: DepositRecord, minor: bigint): JournalEntry {
  const currency = row.sell_currency;
  return {
    customerId: row.customer_id,
    kind: 'deposit_allocated',
    transactionId: row.id,
    depositId: deposit.id,
    postings: [
      { account: 'charges', currency, amount: minor },
      { account: 'customer_receivable', currency, amount: -minor },
    ],
  };
}

function wrong(field: string, code: string, detail: string): Problem {
  return validationProblem([{ pointer: `/${field}`, code, detail }]);
}
