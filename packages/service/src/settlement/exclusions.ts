import { fitted } from './bank-text.ts';
import type { DuePayment } from './due-payments.ts';

/** Why something that is due is not in a run. */
export const EXCLUSIONS = [
  'customer_suspended',
  'no_account',
  'instruction_retired',
  'bank_unknown',
  'name_not_representable',
] as const;
export type Exclusion = (typeof EXCLUSIONS)[number];

/** Characters of a payee's name. */
export const NAME_MAX = 70;

/** What the database cannot tell is whether a bank could write the payee's name. */
export function exclusionOf(due: Pick<DuePayment, 'exclusion' | 'account_holder'>): Exclusion | undefined {
  if (due.exclusion !== null) return due.exclusion;
  return fitted('', due.account_holder ?? '', NAME_MAX).lost > 0 ? 'name_not_representable' : undefined;
}
