import { maskAccount } from '@firmquote/bank-formats';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import { HOUSE_ID } from '../ledger/journal.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';
import type { DuePayment } from './due-payments.ts';
import type { PaymentsRoom } from './room.ts';
import type { PaymentRow } from './run-payment-store.ts';
import type { RunRow } from './run-store.ts';
import type { RunPreview } from './settlement-runs.ts';
import { payableUntil } from './value-dates.ts';

export const RUNS_PATH = '/v1/operator/settlement-runs';
/** Payments that a preview lists one by one. */
const SHOWN_MAX = 200;

export function previewView(preview: RunPreview): Record<string, unknown> {
  const { currency } = preview;
  const item = (due: DuePayment) => ({
    ...subjectView(due),
    customerId: customerView(due.customer_id),
    purpose: due.purpose,
    amount: formatAmount(BigInt(due.amount_minor), currency),
  });
  return {
    currency: currency.code,
    valueDate: preview.valueDate,
    executionDate: preview.executionDate,
    paymentCount: preview.payments.length,
    total: formatAmount(preview.totalMinor, currency),
    hasMore: preview.hasMore,
    digest: preview.digest,
    payments: preview.payments.slice(0, SHOWN_MAX).map((each) => ({
      customerId: customerView(each.customerId),
      amount: each.payment.amount,
      scheme: each.payment.scheme,
      payeeName: each.payment.creditor.name,
      payeeAccount: each.payment.creditor.iban ?? each.payment.creditor.accountNumber,
      destinationMasked: maskAccount(each.payment.creditor.iban ?? each.payment.creditor.accountNumber ?? ''),
      adjustments: each.adjustments,
      items: each.items.map(item),
    })),
    excluded: preview.excluded.slice(0, SHOWN_MAX).map(({ due, reason }) => ({
      ...item(due),
      destinationMasked:
        due.destination_id === null ? null : maskAccount(due.iban ?? due.account_number ?? ''),
      reason,
    })),
  };
}

export function runView(
  run: RunRow,
  { clock, dates }: Pick<PaymentsRoom, 'clock' | 'dates'>,
): Record<string, unknown> {
  const runId = typeId('run', run.id);
  const sendBefore =
    run.status === 'created'
      ? payableUntil(run.currency, run.execution_date, clock.now(), dates.current)
      : undefined;
  return {
    runId,
    currency: run.currency,
    valueDate: run.value_date,
    executionDate: run.execution_date,
    sendBefore: sendBefore === undefined ? null : isoInstant(sendBefore),
    chargeBearer: run.charge_bearer,
    status: run.status,
    messageId: run.message_id,
    paymentCount: run.payment_count,
    total: formatAmount(BigInt(run.total_minor), knownCurrency(run.currency)),
    files: run.files.map((file) => ({ ...file, url: `${RUNS_PATH}/${runId}/files/${file.format}` })),
    downloads: run.downloads.map(({ by, firstAt, lastAt, ...each }) => ({
      ...each,
      by: actorId(by),
      firstAt: isoInstant(firstAt),
      lastAt: isoInstant(lastAt),
    })),
    version: run.version,
    createdBy: actorId(run.created_by),
    createdAt: isoInstant(run.created_at),
    endedBy: run.ended_by === null ? null : actorId(run.ended_by),
    endedAt: run.ended_at === null ? null : isoInstant(run.ended_at),
  };
}

/** Null: of a deposit that goes back, which is nobody's. */
function customerView(customerId: string): string | null {
  return customerId === HOUSE_ID ? null : typeId('cus', customerId);
}

/** One of the three; the others are null. */
function subjectView(item: {
  readonly transaction_id: string | null;
  readonly withdrawal_id: string | null;
  readonly return_id?: string | null;
}) {
  return {
    transactionId: item.transaction_id === null ? null : typeId('txn', item.transaction_id),
    withdrawalId: item.withdrawal_id === null ? null : typeId('wdr', item.withdrawal_id),
    returnId: item.return_id == null ? null : typeId('dpr', item.return_id),
  };
}

interface ItemJson {
  readonly transaction_id: string | null;
  readonly withdrawal_id: string | null;
  readonly return_id: string | null;
  readonly purpose: string;
  readonly attempt: number;
  readonly amount_minor: string;
  readonly state: string;
}

export function paymentView(payment: PaymentRow): Record<string, unknown> {
  const currency = knownCurrency(payment.currency);
  return {
    endToEndId: payment.end_to_end_id,
    uetr: payment.uetr,
    customerId: customerView(payment.customer_id),
    currency: payment.currency,
    amount: formatAmount(BigInt(payment.amount_minor), currency),
    scheme: payment.scheme,
    payeeName: payment.payee_name,
    payeeAccount: payment.payee_account,
    destinationMasked: payment.destination_masked,
    adjustments: JSON.parse(payment.adjustments) as unknown,
    bankStatus:
      payment.bank_status === null || payment.bank_status_at === null
        ? null
        : {
            code: payment.bank_status,
            reason: payment.bank_status_reason,
            at: isoInstant(payment.bank_status_at),
          },
    items: (JSON.parse(payment.items) as ItemJson[]).map((item) => ({
      ...subjectView(item),
      purpose: item.purpose,
      attempt: item.attempt,
      amount: formatAmount(BigInt(item.amount_minor), currency),
      state: item.state,
    })),
  };
}
