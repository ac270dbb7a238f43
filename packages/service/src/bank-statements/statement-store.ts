import type { DepositState, PaymentState, SameReason } from '@firmquote/api/operations/statement-entries';
import type { SetAsideReason, StatementBegin, StatementEnd, StatementEntry } from '@firmquote/bank-formats';
import { insertRows } from '../database/insert-rows.ts';
import type { Connection } from '../database/pool.ts';
import type { DoubtReason } from './deduplicate-entries.ts';
import { keyOf } from './fingerprint.ts';

/** Any number that nothing else locks. */
const IMPORT_LOCK = 4_201_985;
/** How long an import waits for the one under way. */
export const IMPORT_WAIT_MS = 60_000; // limit

/** Imports go one after the other, because two that overlap must see each other's entries. Held until the commit. */
export async function lockImports(connection: Connection): Promise<void> {
  await connection.query(
    `set local lock_timeout = ${IMPORT_WAIT_MS}; set local statement_timeout = ${IMPORT_WAIT_MS + 1_000}`,
  );
  await connection.query({
    text: `select pg_advisory_xact_lock(${IMPORT_LOCK})`,
    query_timeout: IMPORT_WAIT_MS + 5_000,
  } as { text: string });
  await connection.query("set local lock_timeout = '10s'; set local statement_timeout = '30s'");
}

export interface NewStatement {
  readonly id: string;
  readonly fileId: string;
  readonly position: number;
  readonly account: string;
  readonly isOwn: boolean;
  readonly begin: StatementBegin;
  readonly end: StatementEnd;
  readonly entries: number;
  readonly newEntries: number;
  readonly setAside?: { readonly reason: SetAsideReason; readonly entries: number };
}

export async function insertStatement(connection: Connection, statement: NewStatement): Promise<void> {
  const { begin, end } = statement;
  await connection.query({
    name: 'insert_bank_statement_or_page',
    text: `insert into bank_statements (id, file_id, position, line, kind, account, is_own, currency, reference, number, page,
             period_from, period_to, opening_minor, opening_currency, opening_date, closing_minor, closing_currency,
             closing_date, bookings, new_bookings, set_aside, entries_left, opening_interim, closing_interim, is_last_page,
             whole_opening_minor, whole_opening_date, whole_closing_minor, whole_closing_date)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25,
             $26, $27, $28, $29, $30)`,
    values: [
      statement.id,
      statement.fileId,
      statement.position,
      begin.line,
      begin.kind,
      statement.account,
      statement.isOwn,
      end.currency,
      begin.reference,
      end.number,
      end.page,
      end.from,
      end.to,
      end.opening?.minor,
      end.opening?.currency,
      end.opening?.date,
      end.closing?.minor,
      end.closing?.currency,
      end.closing?.date,
      statement.entries,
      statement.newEntries,
      statement.setAside?.reason ?? null,
      statement.setAside?.entries ?? null,
      end.opening?.isInterim ?? false,
      end.closing?.isInterim ?? false,
      end.whole?.isLastPage ?? null,
      end.whole?.opening?.minor,
      end.whole?.opening?.date,
      end.whole?.closing?.minor,
      end.whole?.closing?.date,
    ],
  });
}

interface NewDetail {
  readonly id: string;
  readonly depositState: DepositState;
  readonly paymentState: PaymentState;
  /** From the end of its statement. */
  readonly verdict?: SameVerdict | DoubtVerdict | undefined;
}

/** The details repeat others, which carry the money. */
export interface SameVerdict {
  readonly sameAs: string;
  /** The payment that they repeat, of a sum that carries the money. */
  readonly part?: string | undefined;
  readonly reason: SameReason;
  readonly differs: readonly string[];
}

/** The details may repeat others: an operator decides. */
export interface DoubtVerdict {
  readonly maybe: string;
  readonly reason: DoubtReason;
}

export interface NewEntry {
  readonly id: string;
  readonly statementId: string;
  readonly account: string;
  readonly entry: StatementEntry;
  /** One for each payment of the entry. */
  readonly details: readonly NewDetail[];
  /** Its place in the file. */
  readonly position: number;
}

/** All of it was reported before: it waits for no statement, and is not new in its file. */
export function isWhollySame({ details }: NewEntry): boolean {
  return details.every(({ verdict }) => verdict !== undefined && 'sameAs' in verdict);
}

export async function insertEntries(connection: Connection, entries: readonly NewEntry[]): Promise<void> {
  const rows = entries.map((each) => {
    const { id, statementId, account, entry } = each;
    return {
      id,
      statement_id: statementId,
      line: entry.line,
      account,
      currency: entry.currency,
      direction: entry.direction,
      status: entry.status,
      amount_minor: entry.amountMinor.toString(),
      booking_date: entry.bookingDate,
      value_date: entry.valueDate,
      bank_reference: entry.bankReference,
      transaction_code: entry.transactionCode,
      known_reference: keyOf(entry.bankReference),
      payments: entry.details.length,
      in_statement: isWhollySame(each),
    };
  });
  await insertRows(connection, 'bank_entries', rows);
  const details = entries.flatMap(({ id, account, entry, details: given }) =>
    entry.details.map((detail, index) => ({
      id: given[index]?.id,
      entry_id: id,
      account,
      booking_date: entry.bookingDate,
      known_reference: keyOf(detail.detailReference),
      known_end_to_end: keyOf(detail.endToEndId),
      number: index + 1,
      kind: detail.kind,
      amount_minor: detail.amountMinor.toString(),
      end_to_end_id: detail.endToEndId,
      uetr: detail.uetr,
      instruction_id: detail.instructionId,
      payment_information_id: detail.paymentInformationId,
      detail_reference: detail.detailReference,
      structured_references: detail.structuredReferences,
      remittance_text: detail.remittanceText,
      counterparty_name: detail.counterpartyName,
      counterparty_account: detail.counterpartyAccount,
      credited_account: detail.creditedAccount,
      return_reason: detail.returnReason,
      original_reference: detail.originalReference,
      exchange: detail.exchange,
      ...statesOf(given[index]),
    })),
  );
  await insertRows(connection, 'entry_details', details);
}

function statesOf(detail: NewDetail | undefined): object {
  const verdict = detail?.verdict;
  if (verdict === undefined)
    return { deposit_state: detail?.depositState, payment_state: detail?.paymentState };
  const { reason } = verdict;
  if ('maybe' in verdict) {
    return {
      deposit_state: 'none',
      payment_state: 'mismatch',
      payment_reason: reason,
      maybe_same_as: verdict.maybe,
    };
  }
  const { sameAs, part, differs } = verdict;
  return {
    ...{ deposit_state: 'none', payment_state: 'none' },
    ...{ same_as: sameAs, same_part: part, same_reason: reason, differs },
  };
}

/**
 * Marks the entries of a statement that has a balance: they are in it.
 * @param closesWithout the day after which what is valued is not in the closing balance
 */
export async function markInStatement(
  connection: Connection,
  fileId: string,
  statementPosition: number,
  closesWithout: string | undefined,
): Promise<void> {
  await connection.query(
    `update bank_entries b set in_statement = true from entry_listings l
     where l.file_id = $1 and l.statement_position = $2 and b.id = l.entry_id and not b.in_statement
       and ($3::date is null or b.value_date <= $3)`,
    [fileId, statementPosition, closesWithout],
  );
}

/** Records that a statement of a file reports these entries. */
export async function insertListings(
  connection: Connection,
  fileId: string,
  statementPosition: number,
  entries: readonly NewEntry[],
): Promise<void> {
  const rows = entries.map((each) => ({
    file_id: fileId,
    position: each.position,
    statement_position: statementPosition,
    line: each.entry.line,
    entry_id: each.id,
    is_new: !isWhollySame(each),
  }));
  await insertRows(connection, 'entry_listings', rows);
}
