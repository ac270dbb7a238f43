import type { BankStatement, PaymentStatus, StatementFile } from '@firmquote/api/operations/bank-statements';
import type { StatementEntry } from '@firmquote/api/operations/statement-entries';
import type { CurrencyExchange, RefusalCode } from '@firmquote/bank-formats';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import type { NamedMapping } from './mapping-store.ts';
import type { DetailRow, FileRow, StatementRow } from './record.ts';
import type { StatusRow } from './status-store.ts';

export function fileView(row: FileRow): StatementFile {
  return {
    fileId: typeId('stf', row.id),
    name: row.name,
    status: row.status,
    refusal:
      row.refusal_code === null
        ? null
        : {
            reason: row.refusal_code as RefusalCode,
            line: row.refusal_line,
            detail: row.refusal_detail ?? '',
          },
    format: row.format,
    mapping: row.mapping,
    sha256: row.sha256,
    sizeBytes: Number.parseInt(row.size_bytes, 10),
    source: row.source,
    receivedAt: isoInstant(row.received_at),
    attempts: row.attempts,
    lastAttemptAt: isoInstant(row.last_attempt_at),
    statements: row.statements,
    entries: row.bookings,
    newEntries: row.new_bookings,
    paymentStatuses: row.payment_statuses,
    withdrawn: withdrawnView(row),
    acceptedDespite: acceptedView(row),
  };
}

function withdrawnView(row: FileRow): StatementFile['withdrawn'] {
  const {
    withdrawn_at: at,
    withdrawn_by: by,
    withdrawal_approved_by: second,
    withdrawn_reason: reason,
  } = row;
  if (at === null || by === null || reason === null) return null;
  const approvedBy = second === null ? null : actorId(second);
  return { reason, by: actorId(by), approvedBy, at: isoInstant(at) };
}

function acceptedView(row: FileRow): StatementFile['acceptedDespite'] {
  const { accepted_despite: reason, accepted_by: by, approved_by: second, accepted_at: at } = row;
  if (reason === null || by === null || second === null || at === null) return null;
  return {
    reason: reason as RefusalCode,
    line: row.accepted_despite_line,
    detail: row.accepted_despite_detail ?? '',
    note: row.accepted_reason ?? '',
    acceptedBy: actorId(by),
    approvedBy: actorId(second),
    acceptedAt: isoInstant(at),
  };
}

/** A refused file as the problem that its sender gets. */
export function refusedProblem(row: FileRow): Problem {
  const where = row.refusal_line === null ? '' : `Line ${row.refusal_line}: `;
  return new Problem('statement_refused', `${where}${row.refusal_detail ?? ''}.`, {
    members: { reason: row.refusal_code, line: row.refusal_line, fileId: typeId('stf', row.id) },
  });
}

export function noSuchFile(): Problem {
  return new Problem('statement_file_not_found', 'There is no statement file with this id.');
}

export function statementView(row: StatementRow): BankStatement {
  return {
    statementId: typeId('stm', row.id),
    kind: row.kind,
    line: row.line,
    account: row.account,
    ownAccount: row.is_own,
    currency: row.currency,
    reference: row.reference,
    number: row.number,
    page: row.page,
    from: row.period_from,
    to: row.period_to,
    opening: balanceView(row.opening_minor, row.opening_currency, row.opening_date),
    closing: balanceView(row.closing_minor, row.closing_currency, row.closing_date),
    entries: row.bookings,
    newEntries: row.new_bookings,
    missing: missingBefore(row),
    openingMatches:
      row.opening_minor === null || row.previous_closing_minor === null
        ? null
        : row.opening_minor === row.previous_closing_minor,
    correctedBy: row.corrected_by === null ? null : typeId('stm', row.corrected_by),
    setAside: row.set_aside === null ? null : { reason: row.set_aside, entries: row.entries_left ?? 0 },
  };
}

/** Banks count on, or restart at 1, which most do in January. */
function missingBefore(row: StatementRow): { from: string; to: string } | null {
  if (row.number === null || row.previous_number === null) return null;
  const number = BigInt(row.number);
  const previous = BigInt(row.previous_number);
  const first = previous <= number ? previous + 1n : 1n;
  return previous === number || first >= number
    ? null
    : { from: first.toString(), to: (number - 1n).toString() };
}

export function entryView(row: DetailRow): StatementEntry {
  return {
    entryId: typeId('ste', row.id),
    position: row.position,
    paymentNumber: row.number,
    line: row.line,
    new: row.is_new,
    account: row.account,
    direction: row.direction,
    kind: row.kind,
    status: row.status,
    amount: amountText(row.amount_minor, row.currency),
    currency: row.currency,
    entryAmount: amountText(row.entry_amount_minor, row.currency),
    bookingDate: row.booking_date,
    valueDate: row.value_date,
    bankReference: row.bank_reference,
    detailReference: row.detail_reference,
    transactionCode: row.transaction_code,
    endToEndId: row.end_to_end_id,
    uetr: row.uetr,
    instructionId: row.instruction_id,
    paymentInformationId: row.payment_information_id,
    structuredReferences: row.structured_references,
    remittanceText: row.remittance_text,
    counterpartyName: row.counterparty_name,
    counterpartyAccount: row.counterparty_account,
    creditedAccount: row.credited_account,
    returnReason: row.return_reason,
    originalReference: row.original_reference,
    exchange: row.exchange === null ? null : (JSON.parse(row.exchange) as CurrencyExchange),
    depositState: row.deposit_state,
    depositId: row.deposit_id === null ? null : typeId('dep', row.deposit_id),
    paymentState: row.payment_state,
    paymentReason: row.payment_reason,
    bookedAs: row.booked_as,
    payment: runPayment(row.payment),
    transactions: transactionsOf(row.payment_of),
    returnedDepositId: row.returned_deposit_id === null ? null : typeId('dep', row.returned_deposit_id),
    exceptionId: row.exception_id === null ? null : typeId('exc', row.exception_id),
    sameAs: entryId(row.same_as),
    sameReason: row.same_reason,
    differs: row.differs ?? [],
    maybeSameAs: entryId(row.maybe_same_as),
    completed: Object.entries(JSON.parse(row.completed ?? '{}') as Record<string, string>).map(
      ([field, by]) => ({ field, by: typeId('ste', by) }),
    ),
    listedBy: entryId(row.listed_by),
    missingSince: row.missing_since === null ? null : isoInstant(row.missing_since),
  };
}

function entryId(id: string | null): string | null {
  return id === null ? null : typeId('ste', id);
}

function runPayment(json: string | null): StatementEntry['payment'] {
  if (json === null) return null;
  const { run_id, end_to_end_id } = JSON.parse(json) as { run_id: string; end_to_end_id: string };
  return { runId: typeId('run', run_id), endToEndId: end_to_end_id };
}

/** Prefixes of what is paid and is no transaction. */
const PAID_AS: Readonly<Record<string, 'dpr' | 'wdr'>> = { deposit_return: 'dpr', withdrawal: 'wdr' };

function transactionsOf(json: string | null): StatementEntry['transactions'] {
  const items = JSON.parse(json ?? '[]') as {
    customer_id: string;
    transaction_id: string;
    purpose: string;
  }[];
  return items.map((each) => ({
    transactionId: typeId(PAID_AS[each.purpose] ?? 'txn', each.transaction_id),
    customerId: typeId('cus', each.customer_id),
    purpose: each.purpose,
  }));
}

export function statusView(row: StatusRow): PaymentStatus {
  return {
    position: row.position,
    line: row.line,
    level: row.level,
    status: row.status,
    reasonCode: row.reason_code,
    reasonText: row.reason_text,
    originalId: row.original_id,
    endToEndId: row.end_to_end_id,
    instructionId: row.instruction_id,
    uetr: row.uetr,
    amount:
      row.amount_minor === null || row.currency === null ? null : amountText(row.amount_minor, row.currency),
    currency: row.currency,
    state: row.state,
    mismatchReason: row.mismatch_reason,
    transactions: transactionsOf(row.payment_of),
  };
}

export function mappingView({ name, version, mapping, updatedAt }: NamedMapping) {
  return { name, version, mapping, updatedAt: isoInstant(updatedAt) };
}

function balanceView(minor: string | null, currency: string | null, date: string | null) {
  if (minor === null || currency === null || date === null) return null;
  return { amount: amountText(minor, currency), currency, date };
}

export function amountText(minor: string | bigint, code: string): string {
  return formatAmount(BigInt(minor), knownCurrency(code));
}
