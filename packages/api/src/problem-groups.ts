import type { ProblemCode } from './problems/registry.ts';

export type Codes = readonly ProblemCode[];

/** What can be wrong with the currencies, the day and the amount of a trade, and with its price. */
export const TERMS: Codes = [
  'same_currency',
  'currency_not_supported',
  'currency_withdrawn',
  'pair_not_supported',
  'pair_not_enabled',
  'tenor_not_supported',
  'value_date_invalid',
  'cutoff_passed',
  'amount_precision_invalid',
  'amount_below_minimum',
  'price_unavailable',
];
/** Of what a customer is given as a price. */
export const PRICED: Codes = [...TERMS, 'amount_above_maximum', 'pricing_not_configured'];
/** A change of something that has states and versions. */
export const CHANGE: Codes = ['invalid_state_transition', 'version_mismatch'];
/** A change that replaces what was read before. */
export const REPLACE: Codes = ['precondition_required', 'version_mismatch'];
/** The key is looked at by the use case itself. */
export const KEYED: Codes = ['idempotency_key_invalid', 'idempotency_key_reused', 'request_in_progress'];
export const TRADE: Codes = ['transaction_not_found', ...CHANGE];
export const PAYMENT: Codes = ['withdrawal_not_found', ...CHANGE];
export const EXCEPTION: Codes = ['exception_not_found', ...CHANGE];
export const RUN: Codes = ['settlement_run_not_found', ...CHANGE];
/** What takes two persons above a limit may be proposed already. */
export const DEPOSIT: Codes = ['deposit_not_found', 'already_exists', ...CHANGE];
export const DEPOSIT_RETURN: Codes = ['deposit_not_found', 'deposit_return_not_found', ...CHANGE];
export const ENTRY: Codes = ['statement_entry_not_found', 'invalid_state_transition', 'already_exists'];
export const FILE_COMMAND: Codes = ['statement_file_not_found', 'invalid_state_transition', 'already_exists'];
export const NEW_MONEY: Codes = ['currency_not_supported', 'amount_precision_invalid'];
export const WITHDRAW: Codes = [
  ...NEW_MONEY,
  'amount_below_minimum',
  'limit_exceeded',
  'settlement_instructions_missing',
];
export const STREAM: Codes = [
  ...NEW_MONEY,
  'pair_not_supported',
  'amount_below_minimum',
  'amount_above_maximum',
  'pricing_not_configured',
  'too_many_streams',
  'too_many_pairs',
  'price_unavailable',
];
export const CURRENCY: Codes = ['currency_not_supported', 'currency_withdrawn'];
