import type { SettlementMode } from '@firmquote/api/operations/sandbox';
import { logFailure } from '../database/log-failure.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import { hasHolds } from '../payments/operate.ts';
import { retryPayout } from '../payments/payout-changes.ts';
import { releasePayouts } from '../payments/release.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { changeTransactions } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { pricedTransactions } from '../transactions/room.ts';
import type { TransactionId } from '../transactions/store.ts';
import { bookMovements } from './bank/book.ts';
import { type BankRoom, deliverFiles } from './bank/deliver-files.ts';
import { endDays, nextDayEnd } from './bank/end-day.ts';
import { executeRuns } from './bank/execute-runs.ts';
import { payOut } from './bank/payouts.ts';
import { depositAmount, depositMovement, houseAccounts, payoutReturn } from './bank/transaction-movements.ts';
import { lockPayoutTransactions, type PayoutTransaction } from './bank/transaction-store.ts';
import {
  type BankJob,
  claimJobs,
  deleteJobs,
  dueWork,
  earliest,
  type JobKind,
  nextJobAt,
  postponeFirst,
} from './store.ts';

interface SimulatedBank extends BankRoom {
  readonly settlement: () => SettlementMode;
}

const EVERY_MS = 250;
/** Jobs in one commit. */
const BATCH = 200; // limit: Jobs of the simulated bank in one commit
const POSTPONE_MS = 60_000;
const KINDS: readonly JobKind[] = ['deposit', 'release', 'payout', 'retry', 'return'];
/** ISO external return reason: the payee's account is closed. */
const RETURN_REASON = 'AC04';

/**
 * Does what the simulated bank has on its list. Money moves in the bank's own books; what follows from it for trades is
 * read from the files that report it, as in production. A job goes in the commit of its entries and their file, and an
 * entry is booked once, so nothing happens twice.
 */
export function simulatedBankSweep(bank: SimulatedBank): Sweep {
  return {
    name: 'run_sandbox_bank',
    does: 'Books deposits, payouts, returns and payment files at the simulated bank and delivers its files; releases payouts; ends days.',
    everyMs: EVERY_MS,
    run: async () => {
      let done = await deliverFiles(bank);
      done += (await endDays(bank)).length;
      const due = await dueWork(bank.pool, bank.clock.now());
      if (due.jobs) for (const kind of KINDS) done += await workThrough(bank, kind);
      return due.runs ? done + (await executeRuns(bank)) : done;
    },
    nextDueAt: async () => earliest(await nextJobAt(bank.pool), await nextDayEnd(bank.pool)),
  };
}

async function workThrough(bank: SimulatedBank, kind: JobKind): Promise<number> {
  // What falls due meanwhile is the next run's: as long as customers trade, deposits would have no end, and payouts no beginning.
  const dueAt = bank.clock.now();
  let done = 0;
  for (;;) {
    const worked = await workBatch(bank, kind, dueAt, BATCH).catch(async (error: unknown) => {
      // One job that cannot be done must not hold up the others: they go one at a time until it is found.
      logFailure(bank.logger, error, { kind }, 'sandbox bank jobs failed', 'warn');
      return workOne(bank, kind, dueAt);
    });
    done += worked;
    if (worked === 0) return done;
  }
}

async function workOne(bank: SimulatedBank, kind: JobKind, dueAt: number): Promise<number> {
  try {
    return await workBatch(bank, kind, dueAt, 1);
  } catch (error) {
    await postponeFirst(bank.pool, kind, bank.clock.now(), POSTPONE_MS);
    throw error;
  }
}

/** @returns how many jobs were done; those whose trade is in the hands of another instance stay */
async function workBatch(
  bank: SimulatedBank,
  kind: JobKind,
  dueAt: number,
  rowsMax: number,
): Promise<number> {
  const now = bank.clock.now();
  const files: string[] = [];
  const done = await inTransaction(bank.pool, async (connection) => {
    const jobs = await claimJobs(connection, kind, dueAt, rowsMax);
    if (jobs.length === 0) return 0;
    const finished = await doJobs(bank, connection, kind, jobs, now, files);
    await deleteJobs(connection, finished);
    return finished.length;
  });
  // What is committed is delivered sooner or later; a failure here is not the jobs'.
  await deliverFiles(bank, files).catch((error: unknown) =>
    logFailure(bank.logger, error, {}, 'sandbox bank files could not be delivered; the sweep will retry'),
  );
  return done;
}

function doJobs(
  bank: SimulatedBank,
  connection: Connection,
  kind: JobKind,
  jobs: readonly BankJob[],
  now: number,
  files: string[],
): Promise<readonly BankJob[]> {
  switch (kind) {
    case 'deposit':
      return sendDeposits(connection, jobs, now, files);
    case 'release':
      return releaseTransactions(bank, connection, jobs, now);
    case 'payout':
      return sendPayouts(connection, jobs, now, files);
    case 'retry':
      return retryPayouts(bank, connection, jobs, now, files);
    case 'return':
      return returnPayouts(connection, jobs, now, files);
  }
}

async function sendDeposits(
  connection: Connection,
  jobs: readonly BankJob[],
  now: number,
  files: string[],
): Promise<readonly BankJob[]> {
  const rows = await pricedTransactions(connection, jobs.map(transactionOf));
  const trades = new Map(rows.map((row) => [row.id, row]));
  const accounts = await houseAccounts(
    connection,
    rows.map((row) => row.sell_currency),
  );
  const movements = jobs.flatMap((job) => {
    const row = trades.get(job.transactionId);
    const amountMinor = row === undefined ? 0n : depositAmount(row, job.step);
    if (row === undefined || amountMinor <= 0n) return [];
    return [depositMovement(row, `${job.step}`, amountMinor, accounts)];
  });
  await addFile(files, bookMovements(connection, movements, now));
  return jobs;
}

/** Jobs whose trade somebody else holds stay; all others are done, whether or not their trade could go. */
async function releaseTransactions(
  bank: SimulatedBank,
  connection: Connection,
  jobs: readonly BankJob[],
  now: number,
): Promise<BankJob[]> {
  const seen = new Set<string>();
  const mayGo = (row: TransactionRow): 'system' | undefined => {
    seen.add(row.id);
    return row.status === 'funded' && !hasHolds(row) && bank.settlement() === 'fast' ? 'system' : undefined;
  };
  await releasePayouts(connection, jobs.map(transactionOf), now, bank.dates.current, mayGo, {
    skipLocked: true,
  });
  return jobs.filter((job) => seen.has(job.transactionId));
}

/** Those in a payment file wait for it to be handed over. */
async function sendPayouts(
  connection: Connection,
  jobs: readonly BankJob[],
  now: number,
  files: string[],
): Promise<BankJob[]> {
  const { rows, seen } = await lockTransactions(connection, jobs);
  await payOut(
    connection,
    rows.filter((row) => row.payment_id === null),
    now,
    files,
  );
  return seen;
}

/** Scenario 908: the second attempt goes through at once, unless payments are made by files only. */
async function retryPayouts(
  bank: SimulatedBank,
  connection: Connection,
  jobs: readonly BankJob[],
  now: number,
  files: string[],
): Promise<BankJob[]> {
  const { rows, seen } = await lockTransactions(connection, jobs);
  const failed = rows.filter((row) => row.status === 'settlement_failed').map(idOf);
  // Trying again is an operator's decision; in this drill the sandbox takes it.
  await changeTransactions(connection, failed, now, (row) => retryPayout(row, 'operator', undefined));
  if (bank.settlement() !== 'runs') {
    await payOut(connection, await lockPayoutTransactions(connection, failed), now, files);
  }
  return seen;
}

async function returnPayouts(
  connection: Connection,
  jobs: readonly BankJob[],
  now: number,
  files: string[],
): Promise<BankJob[]> {
  const { rows, seen } = await lockTransactions(connection, jobs);
  const movements = [];
  for (const row of rows) {
    if (row.status === 'settled') movements.push(await payoutReturn(connection, row, RETURN_REASON));
  }
  await addFile(files, bookMovements(connection, movements, now));
  return seen;
}

/**
 * The trades of jobs, as long as they are at the attempt that the job is about. Waiting for a trade while holding its job
 * could lock out whoever holds the trade and makes a job for it, so trades that somebody else holds are passed over.
 */
async function lockTransactions(
  connection: Connection,
  jobs: readonly BankJob[],
): Promise<{ readonly rows: PayoutTransaction[]; readonly seen: BankJob[] }> {
  const found = new Map(
    (await lockPayoutTransactions(connection, jobs.map(transactionOf))).map((row) => [row.id, row]),
  );
  const seen = jobs.filter((job) => found.has(job.transactionId));
  const rows = seen.flatMap((job) => {
    const row = found.get(job.transactionId);
    return row !== undefined && row.payout_attempts === job.step ? [row] : [];
  });
  return { rows, seen };
}

async function addFile(files: string[], booked: Promise<string | undefined>): Promise<void> {
  const file = await booked;
  if (file !== undefined) files.push(file);
}

function transactionOf(job: BankJob): TransactionId {
  return { customerId: job.customerId, id: job.transactionId };
}

function idOf(row: TransactionRow): TransactionId {
  return { customerId: row.customer_id, id: row.id };
}
