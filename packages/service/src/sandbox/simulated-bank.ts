import { type DateRules, type DateRulesSource, localDateAt, powerOfTen } from '@firmquote/fx';
import { type Connection, inTransaction, type Pool } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { knownCurrency } from '../quotes/record.ts';
import { receiveDeposits } from '../reconciliation/receive-deposit.ts';
import type { NewDeposit } from '../reconciliation/record.ts';
import { hasHolds } from '../settlement/operate.ts';
import { confirmPayout, rejectPayout, retryPayout, returnPayout } from '../settlement/payout-changes.ts';
import { releasePayouts } from '../settlement/release.ts';
import { changeTransactions, type TransactionChange } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { EXCESSIVE_DEPOSIT, PAYOUT_FAILS_ONCE, SHORT_DEPOSIT, TWO_DEPOSITS } from './scenarios.ts';
import {
  type BankJob,
  claimJobs,
  deleteJobs,
  type JobKind,
  nextJobAt,
  postponeFirst,
  type SettlementMode,
} from './store.ts';

export interface SimulatedBank {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dates: DateRulesSource;
  readonly settlement: () => SettlementMode;
}

const EVERY_MS = 250;
/** Jobs in one commit. */
const BATCH = 200;
const POSTPONE_MS = 60_000;
const KINDS: readonly JobKind[] = ['deposit', 'release', 'payout', 'retry', 'return'];
export const SANDBOX_REMITTER = 'Sandbox customer';

/**
 * Does what the simulated bank has on its list, through the same use cases as everybody else. A job goes in the commit
 * that does its work, and a deposit's bank reference is made from its job, so nothing happens twice.
 */
export function simulatedBankSweep(bank: SimulatedBank): Sweep {
  return {
    name: 'sandbox_bank',
    everyMs: EVERY_MS,
    run: async () => {
      let done = 0;
      for (const kind of KINDS) done += await workThrough(bank, kind);
      return done;
    },
    nextDueAt: () => nextJobAt(bank.pool),
  };
}

async function workThrough(bank: SimulatedBank, kind: JobKind): Promise<number> {
  let done = 0;
  for (;;) {
    const worked = await workBatch(bank, kind, BATCH).catch(async (error: unknown) => {
      // One job that cannot be done must not hold up the others: they go one at a time until it is found.
      bank.logger.error({ err: error, kind }, 'sandbox bank jobs failed');
      return workOne(bank, kind);
    });
    done += worked;
    if (worked === 0) return done;
  }
}

async function workOne(bank: SimulatedBank, kind: JobKind): Promise<number> {
  try {
    return await workBatch(bank, kind, 1);
  } catch (error) {
    await postponeFirst(bank.pool, kind, bank.clock.now(), POSTPONE_MS);
    throw error;
  }
}

/** @returns how many jobs were done; those whose trade is in the hands of another instance stay */
async function workBatch(bank: SimulatedBank, kind: JobKind, rowsMax: number): Promise<number> {
  const now = bank.clock.now();
  return inTransaction(bank.pool, async (connection) => {
    const jobs = await claimJobs(connection, kind, now, rowsMax);
    if (jobs.length === 0) return 0;
    const done = await doJobs(bank, connection, kind, jobs, now);
    await deleteJobs(connection, done);
    return done.length;
  });
}

function doJobs(
  bank: SimulatedBank,
  connection: Connection,
  kind: JobKind,
  jobs: readonly BankJob[],
  now: number,
): Promise<readonly BankJob[]> {
  switch (kind) {
    case 'deposit':
      return sendDeposits(connection, jobs, now, bank.dates.current);
    case 'release':
      return releaseTrades(bank, connection, jobs, now);
    case 'payout':
      return moveTrades(connection, jobs, now, (row, job) =>
        row.status === 'settling' && row.payout_attempts === job.step ? payout(row, now) : undefined,
      );
    case 'retry':
      return retryPayouts(connection, jobs, now);
    case 'return':
      return moveTrades(connection, jobs, now, (row) =>
        row.status === 'settled' ? returnPayout(row, now, 'bank_feed', 'Sandbox: account closed') : undefined,
      );
  }
}

function payout(row: TransactionRow, now: number): TransactionChange {
  if (row.scenario === PAYOUT_FAILS_ONCE && row.payout_attempts === 1) {
    return rejectPayout(now, 'bank_feed', 'payout_rejected', 'Sandbox: rejected once');
  }
  return confirmed(row, now);
}

function confirmed(row: TransactionRow, now: number): TransactionChange {
  return confirmPayout(row, now, 'bank_feed', `SBX-${row.id.slice(-12)}-${row.payout_attempts}`);
}

/** Jobs whose trade somebody else holds stay; all others are done, whether or not their trade could go. */
async function releaseTrades(
  bank: SimulatedBank,
  connection: Connection,
  jobs: readonly BankJob[],
  now: number,
): Promise<BankJob[]> {
  const seen = new Set<string>();
  const ids = jobs.map((job) => ({ customerId: job.customerId, id: job.transactionId }));
  const mayGo = (row: TransactionRow): 'system' | undefined => {
    seen.add(row.id);
    return row.status === 'funded' && !hasHolds(row) && bank.settlement() === 'fast' ? 'system' : undefined;
  };
  await releasePayouts(connection, ids, now, mayGo, { skipLocked: true });
  return jobs.filter((job) => seen.has(job.transactionId));
}

async function moveTrades(
  connection: Connection,
  jobs: readonly BankJob[],
  now: number,
  decide: (row: TransactionRow, job: BankJob) => TransactionChange | undefined,
): Promise<BankJob[]> {
  const byTrade = new Map(jobs.map((job) => [job.transactionId, job]));
  const seen: BankJob[] = [];
  await changeTransactions(
    connection,
    [...byTrade.values()].map((job) => ({ customerId: job.customerId, id: job.transactionId })),
    now,
    (row) => {
      const job = byTrade.get(row.id);
      if (job === undefined) return undefined;
      seen.push(job);
      return decide(row, job);
    },
    // Waiting for a trade while holding its job could lock out whoever holds the trade and makes a job for it.
    { skipLocked: true },
  );
  return seen;
}

/** Scenario 908: the second attempt goes through at once. */
async function retryPayouts(
  connection: Connection,
  jobs: readonly BankJob[],
  now: number,
): Promise<BankJob[]> {
  const retried: BankJob[] = [];
  const seen = await moveTrades(connection, jobs, now, (row, job) => {
    if (row.status !== 'settlement_failed') return undefined;
    retried.push(job);
    // Trying again is an operator's decision; in this drill the sandbox takes it.
    return retryPayout(row, 'operator', undefined);
  });
  if (retried.length > 0) await moveTrades(connection, retried, now, (row) => confirmed(row, now));
  return seen;
}

async function sendDeposits(
  connection: Connection,
  jobs: readonly BankJob[],
  now: number,
  dates: DateRules,
): Promise<readonly BankJob[]> {
  const { rows } = await connection.query<TransactionRow>(
    'select t.* from transactions t where (t.customer_id, t.id) in (select * from unnest($1::uuid[], $2::uuid[]))',
    [jobs.map((job) => job.customerId), jobs.map((job) => job.transactionId)],
  );
  const trades = new Map(rows.map((row) => [row.id, row]));
  const deposits = jobs.flatMap((job) => {
    const row = trades.get(job.transactionId);
    const amountMinor = row === undefined ? 0n : depositAmount(row, job.step);
    return row === undefined || amountMinor <= 0n
      ? []
      : [simulatedDeposit(row, `${job.step}`, amountMinor, now)];
  });
  if (deposits.length > 0) await receiveDeposits(connection, deposits, now, dates);
  return jobs;
}

/** What the customer sends: what is still owed, or what the amount's scenario says. */
export function depositAmount(row: TransactionRow, step: number): bigint {
  const isExpecting = ['awaiting_funds', 'partially_funded', 'overdue'].includes(row.status);
  if (!isExpecting) return 0n;
  const sell = BigInt(row.sell_minor);
  const owed = sell - BigInt(row.received_minor) - BigInt(row.shortfall_minor);
  const unit = powerOfTen(knownCurrency(row.sell_currency).minorUnits);
  switch (row.scenario) {
    case SHORT_DEPOSIT:
      return owed > unit ? owed - unit : owed;
    case EXCESSIVE_DEPOSIT:
      return owed + unit;
    case TWO_DEPOSITS:
      return step === 1 ? sell / 2n : sell - sell / 2n;
    default:
      return owed;
  }
}

/** @param step tells deposits for one trade apart */
export function simulatedDeposit(
  row: TransactionRow,
  step: string,
  amountMinor: bigint,
  now: number,
): NewDeposit {
  const house = JSON.parse(row.instructions) as { iban?: string | null; accountNumber?: string | null };
  const bankReference = `SANDBOX-${row.id}-${step}`;
  return {
    account: house.iban ?? house.accountNumber ?? `collection:${row.sell_currency}`,
    bankReference,
    source: 'sandbox',
    amountMinor,
    currency: row.sell_currency,
    remitterName: SANDBOX_REMITTER,
    remitterAccount: null,
    remittanceText: row.reference,
    valueDate: localDateAt(now, 'UTC'),
    receivedAt: now,
    // Whatever its amount turned out to be, a job's deposit is sent once.
    fingerprint: bankReference,
  };
}
