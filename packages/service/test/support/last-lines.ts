/**
 * What the schema itself refuses, whatever the code does: for each unique index, CHECK and trigger of the tables that hold
 * money a statement that only this one stands against.
 */

/** A copy of one row (a table, and which of its rows) with other SQL expressions in some columns, or any statement. */
export type Violation =
  | { readonly copyOf: string; readonly with: Readonly<Record<string, string>> }
  | { readonly statement: string };

export const NEW = 'gen_random_uuid()';
export const OTHER_PAYMENT = '(select max(id::text)::uuid from payments where id <> t.payment_id)';
const OTHER_CUSTOMER = '(select c.id from customers c where c.id <> t.customer_id limit 1)';

/** Rows of the tables that the test makes; see `last-lines.test.ts`. In a copy the old row is `t`. */
export const LAST_LINES: Readonly<Record<string, Violation>> = {
  // Nothing is paid twice.
  payment_items_once: {
    copyOf: `payment_items where purpose = 'payout'`,
    with: { payment_id: OTHER_PAYMENT },
  },
  payment_items_withdrawal_once: {
    copyOf: `payment_items where purpose = 'withdrawal'`,
    with: { payment_id: OTHER_PAYMENT, attempt: 't.attempt + 1' },
  },
  payment_items_subjects: { copyOf: `payment_items where purpose = 'payout'`, with: { live: 'false' } },
  payment_items_subject: {
    statement: `update payment_items t set purpose = 'withdrawal' where purpose = 'payout'`,
  },
  payment_items_amount_minor_check: { statement: 'update payment_items t set amount_minor = 0' },
  payment_items_attempt_check: { statement: 'update payment_items t set attempt = 0' },
  payments_pkey: { copyOf: 'payments', with: { end_to_end_id: `'other'`, uetr: NEW } },
  payments_end_to_end_id_once: { copyOf: 'payments', with: { id: NEW, uetr: NEW } },
  payments_uetr_once: { copyOf: 'payments', with: { id: NEW, end_to_end_id: `'other'` } },
  payments_amount_minor_check: { statement: 'update payments t set amount_minor = 0' },
  settlement_runs_pkey: { copyOf: 'settlement_runs', with: { message_id: `'other'` } },
  settlement_runs_message_id_key: { copyOf: 'settlement_runs', with: { id: NEW } },
  settlement_runs_check: {
    statement: `update settlement_runs t set ended_at = now(), ended_by = ${NEW} where status = 'created'`,
  },
  settlement_runs_check1: {
    statement: `update settlement_runs t set status = 'sent', ended_at = now() where status = 'created'`,
  },
  settlement_runs_payment_count_check: { statement: 'update settlement_runs t set payment_count = 0' },
  settlement_runs_total_minor_check: { statement: 'update settlement_runs t set total_minor = 0' },
  settlement_run_files_pkey: { copyOf: 'settlement_run_files', with: {} },
  settlement_run_files_check: { statement: `update settlement_run_files t set content = 'other'::bytea` },
  bank_notices_pkey: { copyOf: 'bank_notices', with: { attempt: 't.attempt + 1' } },
  bank_notices_once: { copyOf: 'bank_notices', with: { source_id: NEW } },
  bank_notices_amount_minor_check: { statement: 'update bank_notices t set amount_minor = 0' },
  bank_notices_attempt_check: { statement: 'update bank_notices t set attempt = 0' },

  // Nothing is received twice, and what was received is somewhere.
  deposits_pkey: { copyOf: 'deposits', with: { bank_reference: `'other'` } },
  deposits_account_bank_reference_key: { copyOf: 'deposits', with: { id: NEW } },
  deposits_amount_minor_check: {
    copyOf: `deposits where status = 'matched'`,
    with: {
      id: NEW,
      bank_reference: `'other'`,
      amount_minor: '0',
      allocated_minor: '0',
      status: `'returned'`,
      exception_type: 'null',
      exception_reason: 'null',
    },
  },
  deposits_allocated_minor_check: {
    statement: `update deposits t set allocated_minor = -1, excess_minor = t.amount_minor + 1, exception_type = 'excess', exception_reason = 'x', status = 'partially_matched' where status = 'matched'`,
  },
  deposits_excess_minor_check: {
    statement: `update deposits t set excess_minor = -1, returned_minor = t.returned_minor + 1 where status = 'matched'`,
  },
  deposits_returned_minor_check: {
    statement: `update deposits t set returned_minor = -1, allocated_minor = t.amount_minor + 1 where status = 'matched'`,
  },
  deposit_adds_up: {
    statement: `update deposits t set excess_minor = 1, exception_type = 'excess', exception_reason = 'x' where status = 'matched'`,
  },
  deposit_is_somebodys_work: {
    statement: `update deposits t set exception_type = null, exception_reason = null where status = 'unmatched'`,
  },
  deposit_matched_is_placed: {
    statement: `update deposits t set allocated_minor = t.amount_minor - 1, exception_type = 'short', exception_reason = 'x' where status = 'matched'`,
  },
  deposit_returned_is_gone: {
    statement: `update deposits t set status = 'returned', allocated_minor = 0, exception_type = 'returned', exception_reason = 'x' where status = 'matched'`,
  },
  deposit_unmatched_is_whole: {
    statement: `update deposits t set excess_minor = 1 where status = 'unmatched'`,
  },
  deposits_check4: { statement: `update deposits t set exception_reason = null where status = 'unmatched'` },
  deposit_allocations_once: { copyOf: 'deposit_allocations', with: {} },
  deposit_allocations_allocated_minor_check: {
    statement: 'update deposit_allocations t set allocated_minor = 0',
  },
  deposit_allocations_excess_minor_check: { statement: 'update deposit_allocations t set excess_minor = -1' },
  deposit_allocations_shortfall_minor_check: {
    statement: 'update deposit_allocations t set shortfall_minor = -1',
  },
  deposit_allocation_of_balance_is_plain: {
    statement: 'update deposit_allocations t set transaction_id = null, excess_minor = 1',
  },
  deposit_history_pkey: { copyOf: 'deposit_history', with: {} },
  balance_top_ups_pkey: {
    copyOf: 'balance_top_ups',
    with: { bank_reference: `'other'`, deposit_id: 'null' },
  },
  balance_top_ups_customer_id_bank_reference_key: {
    copyOf: 'balance_top_ups',
    with: { id: NEW, deposit_id: 'null' },
  },
  // A deposit has the place of one top-up of a customer.
  balance_top_ups_deposit: { copyOf: 'balance_top_ups', with: { id: NEW, bank_reference: `'other'` } },
  balance_top_up_told_has_journal_entry: {
    statement: 'update balance_top_ups t set journal_entry_id = null',
  },
  balance_top_ups_amount_minor_check: { statement: 'update balance_top_ups t set amount_minor = 0' },
  // What had booked it, and what reverses it, are each of one.
  reversed_top_ups_pkey: { copyOf: 'reversed_top_ups', with: { reversal_id: NEW } },
  reversed_top_ups_reversal: { copyOf: 'reversed_top_ups', with: { id: NEW } },
  reversed_top_ups_amount_minor_check: {
    statement: 'update reversed_top_ups t set amount_minor = 0, owed_minor = 0',
  },
  reversed_top_ups_owed_minor_check: {
    statement: 'update reversed_top_ups t set owed_minor = t.amount_minor + 1',
  },
  balance_references_reference_key: { copyOf: 'balance_references', with: { customer_id: OTHER_CUSTOMER } },
  statement_files_sha256_key: { copyOf: 'statement_files', with: { id: NEW } },
  statement_files_pkey: { copyOf: 'statement_files', with: { sha256: `repeat('0', 64)` } },
  bank_statements_pkey: { copyOf: 'bank_statements', with: { position: 't.position + 1' } },
  bank_statements_file_id_position_key: { copyOf: 'bank_statements', with: { id: NEW } },
  bank_entries_pkey: { copyOf: 'bank_entries', with: {} },
  bank_entries_amount_minor_check: { statement: 'update bank_entries t set amount_minor = -1' },
  entry_details_pkey: {
    copyOf: 'entry_details',
    with: { number: 't.number + 1', deposit_id: 'null', deposit_state: `'none'` },
  },
  entry_details_entry_id_number_key: {
    copyOf: 'entry_details',
    with: { id: NEW, deposit_id: 'null', deposit_state: `'none'` },
  },
  entry_details_deposit_id_key: {
    copyOf: 'entry_details where deposit_id is not null',
    with: { id: NEW, number: 't.number + 1' },
  },
  entry_details_check: {
    statement: `update entry_details t set deposit_state = 'due' where deposit_id is not null`,
  },
  entry_details_amount_minor_check: { statement: 'update entry_details t set amount_minor = -1' },
  entry_listings_pkey: { copyOf: 'entry_listings', with: {} },
  known_remitters_customer_id_account_key: { copyOf: 'known_remitters', with: { id: NEW } },
  virtual_accounts_number: { copyOf: 'virtual_accounts', with: { id: NEW } },
  reconciliation_exceptions_deposit: {
    copyOf: `reconciliation_exceptions where deposit_id is not null and status = 'open'`,
    with: { id: NEW },
  },
  reconciliation_exceptions_log_fault: {
    statement: `update reconciliation_exceptions t set log_fault = 'audit, seal 1: altered 7'`,
  },
  reconciliation_exceptions_report: {
    statement: `update reconciliation_exceptions t set schedule_id = '01930000-0000-7000-8000-000000000001', slot = '2026-03-05', reason = 'run_failed'`,
  },
  reconciliation_exceptions_short: {
    copyOf: `reconciliation_exceptions where type = 'short'`,
    with: { id: NEW },
  },
  reconciliation_exceptions_pkey: {
    copyOf: 'reconciliation_exceptions',
    with: { deposit_id: 'null', transaction_id: NEW },
  },
  exception_is_about_something: {
    statement:
      'update reconciliation_exceptions t set deposit_id = null, transaction_id = null, entry_id = null',
  },
  exception_history_pkey: { copyOf: 'exception_history', with: {} },

  // A quote is executed once, and books balance.
  pair_positions_in_order: { statement: 'update pair_positions t set first_currency = t.second_currency' },
  transactions_pkey: { copyOf: 'transactions', with: { quote_id: NEW, reference: `'other'` } },
  transactions_customer_id_quote_id_key: { copyOf: 'transactions', with: { id: NEW, reference: `'other'` } },
  transactions_reference_key: { copyOf: 'transactions', with: { id: NEW, quote_id: NEW } },
  transaction_funded_is_covered: {
    statement: `update transactions t set received_minor = t.sell_minor - 1 where status = 'settled'`,
  },
  transaction_funding_adds_up: {
    statement: `update transactions t set received_minor = t.sell_minor + 1 where status = 'settled'`,
  },
  transactions_received_minor_check: {
    statement: 'update transactions t set received_minor = -1, shortfall_minor = t.sell_minor + 1',
  },
  transactions_shortfall_minor_check: {
    statement: `update transactions t set shortfall_minor = -1, status = 'awaiting_funds'`,
  },
  transactions_excess_minor_check: { statement: 'update transactions t set excess_minor = -1' },
  transactions_sell_minor_check: {
    statement: 'update transactions t set sell_minor = 0, received_minor = 0',
  },
  transactions_buy_minor_check: { statement: 'update transactions t set buy_minor = 0' },
  idempotency_keys_pkey: { copyOf: 'idempotency_keys', with: { fingerprint: `'other'` } },
  journal_entries_pkey: { copyOf: 'journal_entries', with: {} },
  journal_entry_balances: {
    copyOf: 'journal_entries',
    with: { id: NEW, amounts: 'array_cat(t.amounts[1:1], array_append(t.amounts[3:], t.amounts[2] + 1))' },
  },
  journal_has_open_days: {
    statement: `update ledger_closing set fenced_through = '2100-01-01', closed_through = '2100-01-01';
      insert into journal_entries (customer_id, id, kind, at, accounts, currencies, amounts)
      select customer_id, gen_random_uuid(), kind, at, accounts, currencies, amounts from journal_entries limit 1`,
  },
  ledger_days_are_fenced: { statement: `update ledger_closing set closed_through = '2100-01-01'` },
  balances_not_overdrawn: {
    statement: `update balances t set balance = 1 where account = 'customer_balance'`,
  },
  journal_is_append_only: { statement: 'delete from journal_entries' },
  audit_log_is_append_only: { statement: 'truncate audit_log' },
  log_seals_are_append_only: { statement: 'delete from log_seals' },
  log_heads_are_append_only: { statement: 'delete from log_heads' },
  log_nodes_are_append_only: { statement: 'delete from log_nodes' },
  log_exports_are_append_only: { statement: 'delete from log_exports' },
  log_archives_are_append_only: { statement: 'truncate log_archives' },
  deposit_history_is_append_only: { statement: 'update deposit_history set version = version + 100' },
  exception_history_is_append_only: { statement: 'truncate exception_history' },
  funding_instructions_are_append_only: { statement: `update funding_instructions set details = '{}'` },
  funding_instructions_pkey: { copyOf: 'funding_instructions', with: {} },
  funding_instructions_are_their_id: { copyOf: 'funding_instructions', with: { id: NEW } },
  transaction_names_its_price: { statement: 'update transactions t set price_id = null, rate = null' },
  transaction_names_its_instructions: {
    statement: 'update transactions t set instructions_id = null, instructions = null',
  },
  transaction_keeps_key_with_fingerprint: {
    statement: 'update transactions t set key_id = gen_random_uuid(), fingerprint_id = null',
  },
  quote_prices_stay: { statement: 'delete from quote_prices' },
  market_prices_stay: { statement: 'delete from market_prices' },
  quote_spreads_stay: { statement: 'delete from quote_spreads' },
  quote_has_its_rate: { statement: 'update quotes t set rate = null' },
  quotes_pkey: { copyOf: 'quotes', with: {} },
  quotes_buy_minor_check: { statement: `update quotes t set buy_minor = 0 where fixed_side = 'buy'` },
  quotes_sell_minor_check: { statement: `update quotes t set sell_minor = 0 where fixed_side = 'sell'` },
  quotes_market_minor_check: {
    statement: `update quotes t set market_minor = 0, markup_minor = -t.buy_minor where fixed_side = 'sell'`,
  },
  quotes_markup_minor_check: {
    statement: `update quotes t set market_minor = t.buy_minor - 1, markup_minor = -1 where fixed_side = 'sell'`,
  },
  quotes_check: { statement: 'update quotes t set value_date = t.trade_date - 1' },
  quotes_check1: { statement: 'update quotes t set expires_at = t.created_at' },
  quotes_check2: { statement: 'update quotes t set buy_currency = t.sell_currency' },
  quotes_check3: { statement: 'update quotes t set markup_minor = t.markup_minor + 1' },
  quotes_check4: { statement: `update quotes t set closed_at = created_at where status = 'open'` },
  quotes_check5: {
    statement: `update quotes t set transaction_id = gen_random_uuid() where status = 'open'`,
  },
  quotes_usd_minor_check: { statement: 'update quotes t set usd_minor = -1' },
  // Each part of the feed has such a key.
  events_default_pkey: { copyOf: 'events', with: {} },
  event_says_what_it_is: { copyOf: 'events', with: { type: 'null', quote_version: 'null' } },
  customer_usage_daily_usd_minor_check: { statement: 'update customer_usage t set daily_usd_minor = -1' },
  customer_usage_open_usd_minor_check: { statement: 'update customer_usage t set open_usd_minor = -1' },
  settlement_instructions_active: {
    copyOf: `settlement_instructions where status = 'active'`,
    with: { id: NEW },
  },

  // Money leaves a balance once, and four eyes are two people.
  balance_withdrawals_pkey: { copyOf: 'balance_withdrawals', with: { reference: `'other'` } },
  balance_withdrawals_id: {
    copyOf: 'balance_withdrawals',
    with: { reference: `'other'`, customer_id: OTHER_CUSTOMER },
  },
  balance_withdrawals_reference_key: { copyOf: 'balance_withdrawals', with: { id: NEW } },
  balance_withdrawals_amount_minor_check: { statement: 'update balance_withdrawals t set amount_minor = 0' },
  balance_withdrawals_check: { statement: `update balance_withdrawals t set status = 'failed'` },
  balance_withdrawals_check1: { statement: `update balance_withdrawals t set status = 'paid'` },
  approvals_pkey: { copyOf: 'approvals', with: { subject: `'other'` } },
  approvals_pending: { copyOf: 'approvals', with: { id: NEW } },
  approvals_check1: {
    statement: `update approvals t set status = 'approved', decided_by = t.proposed_by, decided_at = now()`,
  },
  approvals_withdrawn_by_who_proposed: {
    statement: `update approvals t set status = 'withdrawn', decided_by = ${NEW}, decided_at = now()`,
  },
  approvals_by_two_persons: {
    statement: `update approvals t set status = 'approved', decided_by = ${NEW}, decided_at = now(),
      proposed_by_person = (select id from persons limit 1), decided_by_person = (select id from persons limit 1)`,
  },
  approval_is_decided_by_somebody: {
    statement: `update approvals t set status = 'approved', decided_at = now()`,
  },

  four_eyes_policies_pkey: { copyOf: 'four_eyes_policies', with: {} },
  acted_amounts_pkey: { copyOf: 'acted_amounts', with: {} },
  acted_amounts_usd_minor_check: { statement: 'update acted_amounts t set usd_minor = 0' },

  // One row for each thing.
  customers_pkey: { copyOf: 'customers', with: {} },
  customer_limits_pkey: { copyOf: 'customer_limits', with: {} },
  customer_usage_pkey: { copyOf: 'customer_usage', with: {} },
  collection_accounts_pkey: { copyOf: 'collection_accounts', with: {} },
  collection_accounts_next_check: {
    statement: 'update collection_accounts t set usable_from = now()',
  },
  settlement_instructions_pkey: { copyOf: 'settlement_instructions', with: { currency: `'XTS'` } },
  balances_pkey: { copyOf: 'balances', with: {} },
  balance_references_pkey: { copyOf: 'balance_references', with: { reference: `'other'` } },
  bank_open_items_pkey: { copyOf: 'bank_open_items', with: {} },
  known_remitters_pkey: { copyOf: 'known_remitters', with: { account: `'DE2'` } },
  virtual_accounts_pkey: { copyOf: 'virtual_accounts', with: { number: `'DE13'` } },
  statement_file_parts_pkey: { copyOf: 'statement_file_parts', with: {} },
  payment_statuses_pkey: { copyOf: 'payment_statuses', with: { position: 't.position + 1' } },
  payment_statuses_file_id_position_key: { copyOf: 'payment_statuses', with: { id: NEW } },
  transaction_holds_pkey: { copyOf: 'transaction_holds', with: {} },
  reconciliation_exceptions_entry: {
    copyOf: `reconciliation_exceptions where entry_id is not null and status = 'open'`,
    with: { id: NEW, deposit_id: 'null' },
  },

  // What belongs together is there together.
  bank_statements_check: { statement: 'update bank_statements t set opening_minor = 1' },
  bank_statements_check1: { statement: 'update bank_statements t set closing_minor = 1' },
  customer_limits_daily_usd_minor_check: { statement: 'update customer_limits t set daily_usd_minor = -1' },
  customer_limits_open_usd_minor_check: { statement: 'update customer_limits t set open_usd_minor = -1' },
  customer_limits_trade_usd_minor_check: { statement: 'update customer_limits t set trade_usd_minor = -1' },
  customer_limits_max_open_quotes_check: { statement: 'update customer_limits t set max_open_quotes = 0' },
  customer_usage_last_event_sequence_check: {
    statement: 'update customer_usage t set last_event_sequence = -1',
  },
  reconciliation_exceptions_check1: { statement: `update reconciliation_exceptions t set resolution = 'x'` },
  settlement_instructions_check: {
    statement: 'update settlement_instructions t set iban = null, account_number = null',
  },
  transaction_holds_check: { statement: 'update transaction_holds t set released_at = now()' },
  transaction_holds_check1: { statement: `update transaction_holds t set release_reason = 'x'` },
};

/** Tables in which no money, and nothing that money hangs on, is kept. */
export const NOT_MONEY: Readonly<Record<string, string>> = {
  '^(audit_log|log_seals|log_heads|log_nodes|log_tips|log_exports|log_archives)$': 'what tells of the rest',
  '^(calendar_years|calendar_imports|cut_offs|date_rules)$': 'dates',
  '^(quotes_forgotten|traded_prices)$':
    'what may be deleted of old quotes, written by one function that locks',
  '^(market_|quote_(prices|spreads)$|pricing_settings$|spread_rule|pushed_swap_points$|swap_point)':
    'prices: they are copied into the quote',
  '^(persons|person_|passkeys|recovery_codes|sessions|sign_in_|roles|oauth_clients|client_|revoked_tokens|used_assertions|signing_keys|evidence_keys|key_|service_secrets)':
    'who may call',
  '^(report_|schema_(migrations|definitions|editions)$|matching_settings$|statement_mappings$)':
    'settings, and copies of what is elsewhere',
  '^(apply_failures|bank_reports_set_aside|deposit_keys|match_changes|match_walks|recalls_in_doubt|instance_heartbeats)$':
    'what is looked at again, and who is there: what comes of it has its own rules',
  '^(webhook_|operator_(events|conditions)$)': 'who is told of what, not what happened',
  '^exposure_': "the house's limits and what they are counted with; its room's tests hold them to the cent",
  '^database_mode$': 'what the database is for',
  '^sandbox_': "the sandbox's bank and its clock",
};

/** What needs no violation of its own here, with the reason. */
export const NO_LINE: Readonly<Record<string, string>> = {
  ledger_closing_pkey: 'one row, which closing locks',
  debt_days_pkey: 'sums of days that closing writes once, holding the row above',
  ledger_days_pkey: 'sums, written by `on conflict`, which fails without it',
  customer_positions_pkey: 'sums, written by `on conflict`, which fails without it',
  settlement_run_downloads_pkey: 'counts, written by `on conflict`, which fails without it',
  position_days_pkey: 'sums, written by `on conflict`, which fails without it',
};
