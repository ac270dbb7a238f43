import type { PayerEvidence } from './match-context.ts';
import { type DepositRecord, houseAccounts, remitterAccount } from './record.ts';

/**
 * Why a deposit may find its place later: what it fits has come into being since (a trade of the account's customer, a
 * virtual account, a balance's reference), of two things that it could be for one is gone, its payer is known now, or a person
 * has topped up a balance with it. What rules were set to suggest, other duplicates, excess and other currencies stay a person's work.
 */
export const OPEN_REASONS = [
  'no_reference',
  'unknown_reference',
  'known_remitter',
  'several_transactions',
  'too_many_open_transactions',
  'transaction_and_balance',
  'several_balances',
  'remitter_unknown',
  'remitter_is_not_customer',
  'topped_up_by_hand',
] as const;

/** By what deposits are found again. */
export type KeyKind = 'reference' | 'account' | 'owner' | 'remitter' | 'held';

/** No rule has matched it, and nobody has touched it. */
export function isOpen(deposit: DepositRecord): boolean {
  const reasons: readonly string[] = OPEN_REASONS;
  return (
    deposit.status === 'unmatched' &&
    deposit.version === 1 &&
    deposit.exception !== null &&
    reasons.includes(deposit.exception.reason)
  );
}

/** By what an open deposit may be found again. @param evidence what was known of its payer, if it was looked up */
export function keysOf(deposit: DepositRecord, evidence: PayerEvidence | undefined): [KeyKind, string][] {
  const { references = [], accountOwner = null } = evidence ?? {};
  const remitter = remitterAccount(deposit);
  const accounts = [...new Set(houseAccounts(deposit))];
  return [
    ...references.map((each) => ['reference', each] as [KeyKind, string]),
    ...accounts.map((each) => ['account', each] as [KeyKind, string]),
    ...(accountOwner === null ? [] : [['owner', accountOwner] as [KeyKind, string]]),
    ...(remitter === undefined ? [] : [['remitter', remitter] as [KeyKind, string]]),
    ...(deposit.exception?.type === 'third_party' ? [['held', ''] as [KeyKind, string]] : []),
  ];
}
