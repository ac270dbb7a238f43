/** How sure a match is by each rule, of 100. Allocations keep the rule's name with it. */
export const RULE_SCORES = {
  reference_exact: 100,
  references_split: 98,
  reference_short_tolerated: 92,
  reference_partial: 85,
  reference_excess: 85,
  virtual_account_exact: 95,
  virtual_account_group: 88,
  balance_top_up: 100,
  virtual_account_top_up: 90,
  top_up_by_hand: 100,
} as const;
export type RuleName = keyof typeof RULE_SCORES;

/** How much each reason for or against a suggested trade counts; a suggestion's score is their sum, within 0 and 100. */
export const REASON_WEIGHTS = {
  reference: 50,
  amount_exact: 30,
  amount_within_tolerance: 22,
  amount_part: 5,
  virtual_account: 25,
  known_remitter: 25,
  remitter_name: 15,
  amount_too_large: -10,
  remitter_name_differs: -5,
  wrong_currency: -60,
  expects_nothing: -50,
  overdue: -5,
} as const;
export type SuggestionReason = keyof typeof REASON_WEIGHTS;
