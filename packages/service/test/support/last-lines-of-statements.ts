import { NEW, OTHER_PAYMENT, type Violation } from './last-lines.ts';

/** As `LAST_LINES`, of statements and their files. */
export const STATEMENT_LINES: Readonly<Record<string, Violation>> = {
  // What is sent back.
  payment_items_return_once: {
    copyOf: `payment_items where purpose = 'deposit_return'`,
    with: { payment_id: OTHER_PAYMENT, attempt: 't.attempt + 1' },
  },
  deposit_returns_pkey: { copyOf: 'deposit_returns', with: { reference: `'other'` } },
  deposit_returns_reference_key: { copyOf: 'deposit_returns', with: { id: NEW } },
  deposit_returns_amount_minor_check: { statement: 'update deposit_returns t set amount_minor = 0' },
  deposit_returns_check: { statement: 'update deposit_returns t set iban = null' },
  deposit_returns_check1: { statement: `update deposit_returns t set status = 'failed'` },
  bank_statements_check2: { statement: `update bank_statements t set entries_left = 1` },
  bank_statements_check3: {
    statement: `update bank_statements t set is_own = true, set_aside = 'currency_unknown', entries_left = 1`,
  },
  bank_statements_entries_left_check: {
    statement: `update bank_statements t set is_own = false, set_aside = 'currency_unknown', entries_left = -1`,
  },
  bank_statements_set_aside_check: {
    statement: `update bank_statements t set is_own = false, set_aside = 'other', entries_left = 1`,
  },
  bank_statements_withdrawn: {
    statement: `update bank_statements t set withdrawn = '{}', opening_minor = 1, opening_date = now(), closing_minor = 1, closing_date = now()`,
  },
  statement_files_withdrawn: { statement: `update statement_files t set withdrawn_reason = 'x'` },
  statement_files_withdrawn_by_two: {
    statement: `update statement_files t set withdrawn_reason = 'x', withdrawn_at = now(), withdrawn_by = t.id, withdrawal_approved_by = t.id`,
  },
  statement_files_check4: {
    statement: `update statement_files t set status = 'refused', refusal_code = 'x', refusal_detail = 'x', accepted_reason = 'x',
      accepted_by = gen_random_uuid(), approved_by = gen_random_uuid(), accepted_at = now()`,
  },
  statement_files_check5: { statement: `update statement_files t set accepted_reason = 'x'` },
  statement_files_check6: {
    statement: `update statement_files t set accepted_reason = 'x', accepted_by = t.id, approved_by = t.id, accepted_at = now()`,
  },
  entry_details_check2: { statement: `update entry_details t set same_reason = 'operator'` },
  entry_details_check3: {
    statement: `update entry_details t set same_as = t.id, same_reason = 'operator'`,
  },
  reconciliation_exceptions_status: {
    statement: `insert into reconciliation_exceptions (id, type, reason, transaction_id, status_id, status, opened_at, version)
      select gen_random_uuid(), 'payout_mismatch', 'x', gen_random_uuid(), s.id, 'open', now(), 1
      from payment_statuses s cross join generate_series(1, 2)`,
  },
  statement_files_check: { statement: `update statement_files t set status = 'refused'` },
  statement_files_check1: { statement: `update statement_files t set refusal_detail = 'x'` },
  statement_files_check2: { statement: 'update statement_files t set format = null' },
  statement_files_check3: { statement: 'update statement_files t set new_bookings = t.bookings + 1' },
  entry_details_check1: {
    statement: `update entry_details t set payment_reason = 'x' where payment_state = 'applied'`,
  },
};
