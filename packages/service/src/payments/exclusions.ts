import type { Exclusion } from '@firmquote/api/operations/settlement-runs';
import { bicCountry, fitted, isIbanOf } from '@firmquote/bank-formats';
import type { DuePayment } from './due-payments.ts';

/** Those that lie in an account, and that nobody would hear of: as the database knows them, and as {@link exclusionOf} finds them. */
export const IN_DATABASE = [
  'no_account',
  'instruction_retired',
  'bank_unknown',
] as const satisfies readonly Exclusion[];
export const OF_ACCOUNTS: readonly Exclusion[] = [
  ...IN_DATABASE,
  'bank_country_differs',
  'name_not_representable',
];

type Payee = Pick<DuePayment, 'exclusion' | 'account_holder' | 'iban' | 'bic' | 'bank_country'>;

/** Characters of a payee's name. */
export const NAME_MAX = 70; // limit: Characters of a name in a payment file

/** What the database cannot know is whether the bank is where the account is, and could write the payee's name. */
export function exclusionOf(due: Payee): Exclusion | undefined {
  if (due.exclusion !== null) return due.exclusion;
  // Instructions of before may contradict themselves: such a payment would come back, or go astray.
  const { iban, bic, bank_country: country } = due;
  const isOfOneCountry =
    iban === null ||
    ((bic === null || isIbanOf(iban, bicCountry(bic))) && (country === null || isIbanOf(iban, country)));
  if (!isOfOneCountry) return 'bank_country_differs';
  return fitted('', due.account_holder ?? '', NAME_MAX).lost > 0 ? 'name_not_representable' : undefined;
}
