import type {
  Direction,
  EntryStatus,
  SetAsideReason,
  StatementFormat,
  StatementKind,
  TransactionKind,
} from '@firmquote/bank-formats';
import type { SameReason } from './deduplicate-entries.ts';

/** What a credit has become: nothing (pending, a return), a deposit, or one that is yet to be. */
export const DEPOSIT_STATES = ['none', 'due', 'booked', 'unknown_account'] as const;
export type DepositState = (typeof DEPOSIT_STATES)[number];

/**
 * What became of an entry that is no deposit: yet to be looked at (`due`, `unknown_account`), trades have moved
 * (`applied`), or were there already (`known`), it is ours and something is wrong with it (`mismatch`), or none of ours
 * (`unknown`), or a person has said what it is (`by_hand`).
 */
export const PAYMENT_STATES = [
  'none',
  'due',
  'unknown_account',
  'applied',
  'known',
  'mismatch',
  'unknown',
  'by_hand',
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

export const FILE_SOURCES = ['api', 'command', 'folder', 'sandbox'] as const;
export type FileSource = (typeof FILE_SOURCES)[number];

/** Rows as the driver gives them. */
export interface FileRow {
  id: string;
  name: string;
  sha256: string;
  size_bytes: string;
  source: FileSource;
  received_by: string | null;
  received_at: number;
  attempts: number;
  last_attempt_at: number;
  status: 'accepted' | 'refused';
  format: StatementFormat | null;
  mapping: string | null;
  refusal_code: string | null;
  refusal_line: number | null;
  refusal_detail: string | null;
  statements: number;
  bookings: number;
  new_bookings: number;
  payment_statuses: number;
  /** Why it would have been refused, had not two people accepted it; null where it was right. */
  accepted_despite: string | null;
  accepted_despite_line: number | null;
  accepted_despite_detail: string | null;
  accepted_reason: string | null;
  accepted_by: string | null;
  approved_by: string | null;
  accepted_at: number | null;
  withdrawn_at: number | null;
  withdrawn_reason: string | null;
  withdrawn_by: string | null;
  withdrawal_approved_by: string | null;
}

export interface StatementRow {
  id: string;
  position: number;
  line: number;
  kind: StatementKind;
  account: string;
  is_own: boolean;
  currency: string;
  reference: string | null;
  number: string | null;
  page: number | null;
  period_from: string | null;
  period_to: string | null;
  opening_minor: string | null;
  opening_currency: string | null;
  opening_date: string | null;
  closing_minor: string | null;
  closing_currency: string | null;
  closing_date: string | null;
  bookings: number;
  new_bookings: number;
  /** Why nothing of it is booked, and how many entries it has; null where all is. */
  set_aside: SetAsideReason | null;
  /** The statement that corrects it. */
  corrected_by: string | null;
  entries_left: number | null;
  /** Of the statement before it on the account; null without one. */
  previous_number: string | null;
  previous_closing_minor: string | null;
  previous_to: string | null;
}

export interface EntryRow {
  position: number;
  statement_position: number;
  line: number;
  is_new: boolean;
  id: string;
  booking_id: string;
  number: number;
  account: string;
  currency: string;
  direction: Direction;
  status: EntryStatus;
  kind: TransactionKind;
  amount_minor: string;
  booking_amount_minor: string;
  booking_date: string;
  value_date: string;
  bank_reference: string | null;
  transaction_code: string | null;
  end_to_end_id: string | null;
  uetr: string | null;
  instruction_id: string | null;
  payment_information_id: string | null;
  detail_reference: string | null;
  structured_references: string[];
  remittance_text: string | null;
  counterparty_name: string | null;
  counterparty_account: string | null;
  credited_account: string | null;
  return_reason: string | null;
  original_reference: string | null;
  /** JSON text. */
  exchange: string | null;
  deposit_state: DepositState;
  deposit_id: string | null;
  payment_state: PaymentState;
  payment_reason: string | null;
  booked_as: string | null;
  returned_deposit_id: string | null;
  /** JSON text: `{run_id, end_to_end_id}`, or null. */
  payment: string | null;
  /** JSON text: `[{customer_id, transaction_id, purpose}]`. */
  payment_of: string | null;
  /** Open work about it. */
  exception_id: string | null;
  same_as: string | null;
  same_reason: SameReason | null;
  differs: string[] | null;
  maybe_same_as: string | null;
  /** JSON text: fields, each with the entry that completed it. */
  completed: string | null;
  listed_by: string | null;
  missing_since: number | null;
}
