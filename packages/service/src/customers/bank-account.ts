import { bicCountry, isBic, isIban, isIbanOf, isLei, normaliseIban } from '@firmquote/bank-formats';
import { currencyStatus } from '@firmquote/fx';
import type { FieldError } from '../problems/problem.ts';

/** How an account is named in requests. Null and absent mean the same. */
export interface AccountInput {
  readonly bic?: string | null;
  readonly iban?: string | null;
  readonly accountNumber?: string | null;
  readonly routingNumber?: string | null;
}

/** An account in electronic form. */
interface BankAccount {
  readonly bic: string | null;
  readonly iban: string | null;
  readonly accountNumber: string | null;
  readonly routingNumber: string | null;
}

/**
 * Brings an account into electronic form and adds what is wrong with it to the errors. No error repeats the number:
 * details of problems may end up in logs of the caller.
 */
export function readBankAccount(input: AccountInput, errors: FieldError[]): BankAccount {
  const account: BankAccount = {
    bic: input.bic?.toUpperCase() ?? null,
    iban: input.iban == null ? null : normaliseIban(input.iban),
    accountNumber: input.accountNumber?.replaceAll(' ', '') ?? null,
    routingNumber: input.routingNumber?.replaceAll(' ', '') ?? null,
  };
  if (account.bic !== null && !isBic(account.bic)) {
    errors.push({ pointer: '/bic', code: 'wrong_format', detail: 'must be a BIC of 8 or 11 characters' });
  }
  if (account.iban !== null && !isIban(account.iban)) {
    errors.push({
      pointer: '/iban',
      code: 'iban_invalid',
      detail: 'must be an IBAN with the right length and check digits',
    });
  }
  const { bic, iban } = account;
  if (bic !== null && iban !== null && isBic(bic) && isIban(iban) && !isIbanOf(iban, bicCountry(bic))) {
    errors.push({ pointer: '/bic', code: 'not_permitted', detail: 'must be of the country of the iban' });
  }
  // Five characters at least, because the last four are shown where the number is masked.
  if (account.accountNumber !== null && !/^[A-Za-z0-9/-]{5,34}$/.test(account.accountNumber)) {
    errors.push({
      pointer: '/accountNumber',
      code: 'wrong_format',
      detail: 'must be 5 to 34 letters, digits, dashes or slashes',
    });
  }
  if (account.routingNumber !== null && !/^[A-Za-z0-9-]{1,20}$/.test(account.routingNumber)) {
    errors.push({
      pointer: '/routingNumber',
      code: 'wrong_format',
      detail: 'must be 1 to 20 letters, digits or dashes',
    });
  }
  if (account.iban === null && account.accountNumber === null) {
    errors.push({ pointer: '/iban', code: 'required', detail: 'is required, or accountNumber instead' });
  }
  return account;
}

/** Adds an error when the country of a bank is another one than its account or BIC says. */
export function checkBankCountry(
  { bic, iban }: BankAccount,
  country: string | null,
  errors: FieldError[],
): void {
  if (country === null) return;
  const isOfIban = iban === null || !isIban(iban) || isIbanOf(iban, country);
  const isOfBic = bic === null || !isBic(bic) || bicCountry(bic) === country;
  if (isOfIban && isOfBic) return;
  errors.push({
    pointer: '/bankCountry',
    code: 'not_permitted',
    detail: 'must be the country of the iban and the bic',
  });
}

/** Adds an error when a legal entity identifier has wrong check digits. */
export function checkLei(lei: string | null, pointer: string, errors: FieldError[]): void {
  if (lei === null || isLei(lei)) return;
  errors.push({ pointer, code: 'wrong_format', detail: 'must be a LEI with the right check digits' });
}

/** Adds an error when no account can be held in the currency on a date. */
export function checkCurrency(currency: string, onDate: string, pointer: string, errors: FieldError[]): void {
  const status = currencyStatus(currency, onDate);
  if (status === 'tradable') return;
  const withdrawn = status === 'withdrawn';
  errors.push({
    pointer,
    code: withdrawn ? 'currency_withdrawn' : 'currency_not_supported',
    detail: withdrawn ? 'has been withdrawn' : 'is not a currency that is traded here',
  });
}
