import { CURRENCIES } from '@firmquote/fx';

/** A made-up account, in the form that settlement instructions and collection accounts are given in. */
export interface FakeAccount {
  readonly currency: string;
  readonly bankName: string;
  readonly bankCountry: string;
  readonly bic: string;
  readonly iban: string | null;
  readonly accountNumber: string | null;
  readonly routingNumber: string | null;
  readonly rails: readonly string[];
}

/**
 * Countries whose currency is paid to IBANs: letters of the bank code and digits after it (SWIFT IBAN registry).
 * Elsewhere an account is a number.
 */
const IBAN_FORMS: Readonly<Record<string, readonly [country: string, letters: number, digits: number]>> = {
  AED: ['AE', 0, 19],
  BHD: ['BH', 4, 14],
  CHF: ['CH', 0, 17],
  CZK: ['CZ', 0, 20],
  DKK: ['DK', 0, 14],
  EUR: ['DE', 0, 18],
  GBP: ['GB', 4, 14],
  HUF: ['HU', 0, 24],
  ILS: ['IL', 0, 19],
  ISK: ['IS', 0, 22],
  JOD: ['JO', 4, 22],
  KWD: ['KW', 4, 22],
  NOK: ['NO', 0, 11],
  OMR: ['OM', 0, 19],
  PLN: ['PL', 0, 24],
  QAR: ['QA', 4, 21],
  RON: ['RO', 4, 16],
  SAR: ['SA', 0, 20],
  SEK: ['SE', 0, 20],
  TRY: ['TR', 0, 22],
};

/** Where the first two letters of a currency are no country of it. */
const COUNTRIES: Readonly<Record<string, string>> = { EUR: 'DE', CNH: 'HK', XAF: 'CM', XOF: 'SN' };

const RAILS: Readonly<Record<string, readonly string[]>> = {
  EUR: ['sepa', 'target2', 'swift'],
  GBP: ['fps', 'chaps', 'swift'],
  USD: ['fedwire', 'swift'],
};

/** The Federal Reserve's own routing number: nobody's account is reached by it by mistake. */
const US_ROUTING_NUMBER = '021001208';

/** Currencies that the sandbox trades: all that are not withdrawn. */
export const SANDBOX_CURRENCIES: readonly string[] = CURRENCIES.filter(
  (currency) => currency.validTo === undefined,
).map((currency) => currency.code);

/**
 * An account that looks like one of the currency's country and passes every check of form.
 * @param seed digits that the number is made of, repeated as often as it takes
 */
export function fakeAccount(currency: string, seed: string): FakeAccount {
  const form = IBAN_FORMS[currency];
  const bankCountry = form?.[0] ?? COUNTRIES[currency] ?? currency.slice(0, 2);
  return {
    currency,
    bankName: 'Sandbox Bank',
    bankCountry,
    bic: `FQSB${bankCountry}22XXX`,
    iban: form === undefined ? null : iban(form[0], 'FQSB'.slice(0, form[1]) + digits(seed, form[2])),
    accountNumber: form === undefined ? digits(seed, 10) : null,
    routingNumber: currency === 'USD' ? US_ROUTING_NUMBER : null,
    rails: RAILS[currency] ?? ['swift'],
  };
}

function digits(seed: string, count: number): string {
  return seed.repeat(Math.ceil(count / seed.length)).slice(0, count);
}

/** With check digits by ISO 7064 mod 97-10. */
function iban(country: string, account: string): string {
  const number = `${account}${country}00`.replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  const check = 98n - (BigInt(number) % 97n);
  return `${country}${check.toString().padStart(2, '0')}${account}`;
}
