import type { Speed } from '@firmquote/api/operations/settlement-runs';
import {
  bankAddress,
  type ChargeBearer,
  type FileParty,
  fitted,
  maskAccount,
  type PaymentFile,
  type PostalAddress,
  writePain001,
  writePaymentCsv,
} from '@firmquote/bank-formats';
import {
  addDays,
  type Currency,
  currencyStatus,
  formatAmount,
  isIsoDate,
  knownCurrency,
  localDateAt,
} from '@firmquote/fx';
import { collectionAccounts } from '../customers/collection-accounts.ts';
import { type Connection, inTransaction, type Queryable } from '../database/pool.ts';
import { notTraded } from '../http/market-codes.ts';
import { DATE } from '../http/sentences.ts';
import { isoInstant } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { type DueForRun, duePayments, holdDue, PAYMENTS_MAX } from './due-payments.ts';
import { type PlannedPayment, planDigest, planPayments } from './plan-payments.ts';
import { rollToExecution } from './roll-missed.ts';
import type { PaymentsRoom } from './room.ts';
import { earlierInstructions, insertPayments } from './run-payment-store.ts';
import { findRun, insertRun, lockRuns, type RunRow } from './run-store.ts';
import { nextPayableDate, withinCalendars } from './value-dates.ts';

interface RunRequest {
  readonly currency: string;
  readonly valueDate: string;
  readonly chargeBearer?: ChargeBearer;
  readonly speed?: Speed;
  /** Of the preview that somebody saw: nothing else is to be paid. */
  readonly previewDigest?: string | undefined;
}

export interface RunPreview extends Pick<DueForRun, 'excluded' | 'hasMore'> {
  readonly payments: readonly PlannedPayment[];
  readonly currency: Currency;
  readonly valueDate: string;
  readonly executionDate: string;
  readonly totalMinor: bigint;
  readonly digest: string;
}

/**
 * What a run would hold now. Nothing is written.
 * @throws Problem validation_failed, currency_not_supported, value_date_invalid
 */
export async function previewRun(room: PaymentsRoom, request: RunRequest): Promise<RunPreview> {
  const [debtor] = await collectionAccounts(room.pool, [request.currency]);
  const wanted = readRequest(room, request);
  const found = await collect(room, room.pool, wanted);
  return plan(room.pool, wanted, found, debtor);
}

/**
 * Collects what is to be paid in a currency for a value date into one message to the bank, which is kept byte for byte.
 * Everything is taken once: a second run holds only what came meanwhile.
 * @param inCommit runs in the same transaction; what it throws undoes everything
 * @throws Problem as previewRun; settlement_instructions_missing without a house account, nothing_to_settle,
 * version_mismatch
 */
export async function createRun(
  room: PaymentsRoom,
  request: RunRequest,
  by: string,
  inCommit?: (connection: Connection, run: RunRow, preview: RunPreview) => Promise<void>,
): Promise<RunRow> {
  return inTransaction(room.pool, async (connection) => {
    await lockRuns(connection, request.currency);
    const [house] = await collectionAccounts(connection, [request.currency]);
    const wanted = readRequest(room, request);
    const found = await collect(room, connection, wanted);
    const due = await holdDue(connection, found.due, { ...wanted, currency: request.currency });
    const preview = await plan(connection, wanted, { ...found, due }, house);
    if (house === undefined) {
      throw new Problem(
        'settlement_instructions_missing',
        `The house has no account in ${request.currency} to pay from.`,
      );
    }
    if (preview.payments.length === 0) {
      const excluded = preview.excluded.length;
      throw new Problem('nothing_to_settle', 'No due payment can go into a run.', {
        members: { excluded },
      });
    }
    requireSeen(request, preview);
    const now = room.clock.now();
    const id = newUuid(now);
    const chargeBearer = request.chargeBearer ?? 'shared';
    await writeRun(connection, { id, chargeBearer, by, now }, preview, house);
    const late = due.filter((each) => each.purpose === 'payout' && each.transaction_id !== null);
    await rollToExecution(
      connection,
      late.map((each) => ({ customerId: each.customer_id, id: each.transaction_id ?? '' })),
      preview.executionDate,
      now,
    );
    const run = await existingRun(connection, id, true);
    await inCommit?.(connection, run, preview);
    return run;
  });
}

/** @throws Problem version_mismatch */
function requireSeen({ previewDigest }: RunRequest, preview: RunPreview): void {
  if (previewDigest === undefined || previewDigest === preview.digest) return;
  const { payments, totalMinor, currency, executionDate } = preview;
  const count = payments.length === 1 ? '1 payment' : `${payments.length} payments`;
  const total = `${formatAmount(totalMinor, currency)} ${currency.code}`;
  const detail = `What is due has changed since the preview. The run would now have ${count}, ${total}, on ${executionDate}.`;
  throw new Problem('version_mismatch', detail);
}

interface RunHead {
  readonly id: string;
  readonly chargeBearer: ChargeBearer;
  readonly by: string;
  readonly now: number;
}

/** The run, the files that it is sent as, and its payments. */
async function writeRun(
  connection: Connection,
  { id, chargeBearer, by, now }: RunHead,
  preview: RunPreview,
  house: HouseAccount,
): Promise<void> {
  const { payments, currency } = preview;
  const messageId = `FQ${id.replaceAll('-', '')}`;
  const file: PaymentFile = {
    messageId,
    createdAt: isoInstant(now),
    currency: currency.code,
    executionDate: preview.executionDate,
    chargeBearer,
    debtor: debtorOf(house),
    payments: payments.map((each) => each.payment),
  };
  const sum = exactSum(preview);
  await insertRun(
    connection,
    {
      id,
      currency: currency.code,
      value_date: preview.valueDate,
      execution_date: preview.executionDate,
      charge_bearer: chargeBearer,
      message_id: messageId,
      payment_count: payments.length,
      total_minor: preview.totalMinor.toString(),
      created_by: by,
      created_at: now,
    },
    { 'pain.001': writePain001(file, sum), csv: writePaymentCsv(file, sum) },
  );
  const masked = payments.map((each) => ({
    ...each,
    masked: maskAccount(each.payment.creditor.iban ?? each.payment.creditor.accountNumber ?? ''),
  }));
  await insertPayments(connection, id, currency.code, masked, now);
}

/** @throws Problem settlement_run_not_found */
export async function existingRun(
  connection: Queryable,
  id: string | undefined,
  lock = false,
): Promise<RunRow> {
  const run = id === undefined ? undefined : await findRun(connection, id, lock);
  if (run === undefined) throw runNotFound();
  return run;
}

export function runNotFound(): Problem {
  return new Problem('settlement_run_not_found', 'There is no settlement run with this id.');
}

/** How far ahead a run may pay. */
const RUN_DAYS_MAX = 31; // limit: How far ahead the value date of a settlement run lies

interface WantedRun {
  readonly speed: Speed;
  readonly currency: Currency;
  readonly valueDate: string;
  readonly executionDate: string;
}

function readRequest(
  room: PaymentsRoom,
  { currency: code, valueDate, speed = 'normal' }: RunRequest,
): WantedRun {
  if (!isIsoDate(valueDate)) {
    throw validationProblem([{ pointer: '/valueDate', code: 'wrong_format', detail: DATE }]);
  }
  if (currencyStatus(code, valueDate) !== 'tradable') throw notTraded(code, '/currency');
  return {
    speed,
    currency: knownCurrency(code),
    valueDate,
    executionDate: executionDateOf(room, code, valueDate),
  };
}

function collect(
  room: PaymentsRoom,
  connection: Queryable,
  { currency, valueDate }: WantedRun,
): Promise<DueForRun> {
  return duePayments(connection, currency.code, valueDate, room.runPaymentsMax ?? PAYMENTS_MAX);
}

async function plan(
  connection: Queryable,
  wanted: WantedRun,
  { due, excluded, hasMore }: DueForRun,
  house: HouseAccount | undefined,
): Promise<RunPreview> {
  const earlier = await earlierInstructions(connection, due);
  const hasIban = house !== undefined && debtorOf(house).iban !== null;
  const payments = planPayments(due, wanted.currency, earlier, { hasIban, speed: wanted.speed });
  const totalMinor = payments.reduce((total, each) => total + each.amountMinor, 0n);
  const digest = planDigest(payments, wanted.executionDate);
  return { ...wanted, payments, excluded, hasMore, totalMinor, digest };
}

/** The value date, or the next date on which the currency can still be paid; a bank pays on its business days only. */
function executionDateOf(room: PaymentsRoom, currency: string, valueDate: string): string {
  const { calendars, cutOffs } = room.dates.current;
  const today = localDateAt(room.clock.now(), cutOffs.sameDay(currency).zone);
  const date = valueDate > today ? valueDate : today;
  const refuse = (reason: string, detail: string) =>
    new Problem('value_date_invalid', detail, {
      field: '/valueDate',
      members: { reasons: [{ currency, date, reason }] },
    });
  // Every payout that is due takes the date of its run.
  if (date > addDays(today, RUN_DAYS_MAX))
    throw refuse('too_far', `The value date must be at most ${RUN_DAYS_MAX} days after ${today}.`);
  if (withinCalendars(() => calendars.isBusinessDay(currency, date)) !== true)
    throw refuse('closed', `${currency} cannot be paid on ${date}.`);
  return nextPayableDate(currency, date, room.clock.now(), room.dates.current) ?? date;
}

type HouseAccount = Awaited<ReturnType<typeof collectionAccounts>>[number];

function debtorOf({ details, holder_address: address, holder_lei: lei }: HouseAccount): FileParty {
  const account = JSON.parse(details) as Partial<FileParty> & { accountHolder: string };
  return {
    name: fitted('accountHolder', account.accountHolder, 70).text,
    iban: account.iban ?? null,
    accountNumber: account.accountNumber ?? null,
    bic: account.bic ?? null,
    routingNumber: account.routingNumber ?? null,
    bankName: null,
    bankCountry: null,
    lei,
    address: bankAddress(address === null ? null : (JSON.parse(address) as PostalAddress)).address,
  };
}

/** Amounts of a file are summed in minor units, never as texts. */
function exactSum({ payments, currency }: RunPreview): (amounts: readonly string[]) => string {
  return (amounts) => {
    const byText = new Map(payments.map((each) => [each.payment.amount, each.amountMinor]));
    return formatAmount(
      amounts.reduce((total, each) => total + (byText.get(each) ?? 0n), 0n),
      currency,
    );
  };
}
