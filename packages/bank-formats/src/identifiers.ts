import { getCountrySpecifications } from 'ibantools';

/** What stands behind the check digits, by country (SWIFT IBAN registry, ISO 13616); none of countries without IBANs. */
const STRUCTURES: ReadonlyMap<string, RegExp | undefined> = new Map(
  Object.entries(getCountrySpecifications()).map(([country, { chars: length, bban_regexp: structure }]) => [
    country,
    // Not every structure of the library says how long it is.
    length && structure ? new RegExp(`^(?=.{${length - 4}}$)(?:${structure})`) : undefined,
  ]),
);

const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;

/** The paper form with blanks and in any case, as the electronic one. */
export function normaliseIban(text: string): string {
  return text.replaceAll(' ', '').toUpperCase();
}

/**
 * Whether a text in electronic form is an IBAN: that of a country, with the length and the kinds of characters that the
 * country's have where that is known, and check digits (ISO 7064 mod 97-10). 00, 01 and 99 are never check digits, though
 * their remainder may fit. A creditor reference (`RF…`) has the form and the check digits of an IBAN, and is none.
 */
export function isIban(text: string): boolean {
  const country = text.slice(0, 2);
  if (!IBAN.test(text) || !STRUCTURES.has(country)) return false;
  if (STRUCTURES.get(country)?.test(text.slice(4)) === false) return false;
  const check = text.slice(2, 4);
  if (check === '00' || check === '01' || check === '99') return false;
  const digits = (text.slice(4) + text.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  return BigInt(digits) % 97n === 1n;
}

/** ISO 9362: four characters of the party, country, two of the place, optionally three of the branch. */
export function isBic(text: string): boolean {
  return /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(text);
}

/** Countries whose accounts have the IBAN of another one (ISO 3166-1 codes in BICs; SWIFT IBAN registry). */
const IBAN_OF: Readonly<Record<string, string>> = {
  ...{ GG: 'GB', IM: 'GB', JE: 'GB', AX: 'FI' },
  ...{
    BL: 'FR',
    GF: 'FR',
    GP: 'FR',
    MF: 'FR',
    MQ: 'FR',
    NC: 'FR',
    PF: 'FR',
    PM: 'FR',
    RE: 'FR',
    TF: 'FR',
    WF: 'FR',
    YT: 'FR',
  },
  ...{ IC: 'ES', EA: 'ES' },
};

/** The country of a bank by its BIC. */
export function bicCountry(bic: string): string {
  return bic.slice(4, 6);
}

/** Whether a bank of this country can keep an account with this IBAN. */
export function isIbanOf(iban: string, country: string): boolean {
  const ibanCountry = iban.slice(0, 2);
  return country === ibanCountry || IBAN_OF[country] === ibanCountry;
}

/** ISO 17442: 18 letters and digits and two check digits (ISO 7064 mod 97-10). */
export function isLei(text: string): boolean {
  if (!/^[A-Z0-9]{18}\d{2}$/.test(text)) return false;
  const digits = text.replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n;
}

/** `DE** **** 4321`: the country of an IBAN and the last four characters. The database's mask_account does the same. */
export function maskAccount(account: string): string {
  return `${/^[A-Z]{2}/.test(account) ? `${account.slice(0, 2)}** **** ` : '**** '}${account.slice(-4)}`;
}

/**
 * National clearing systems by country: code of the external code set of ISO 20022
 * (ExternalClearingSystemIdentification1Code), and the form of a member's number.
 */
const SYSTEMS: Readonly<Record<string, readonly [code: string, member: RegExp]>> = {
  AT: ['ATBLZ', /^\d{5}$/],
  AU: ['AUBSB', /^\d{6}$/],
  CA: ['CACPA', /^\d{9}$/],
  CH: ['CHBCC', /^\d{3,5}$/],
  CN: ['CNAPS', /^\d{12}$/],
  DE: ['DEBLZ', /^\d{8}$/],
  ES: ['ESNCC', /^\d{8,9}$/],
  GB: ['GBDSC', /^\d{6}$/],
  GR: ['GRBIC', /^\d{7}$/],
  HK: ['HKNCC', /^\d{3}$/],
  IE: ['IENCC', /^\d{6}$/],
  IN: ['INFSC', /^[A-Z]{4}0[A-Z0-9]{6}$/],
  IT: ['ITNCC', /^\d{10}$/],
  JP: ['JPZGN', /^\d{7}$/],
  NZ: ['NZNCC', /^\d{6}$/],
  PL: ['PLKNR', /^\d{8}$/],
  PT: ['PTNCC', /^\d{8}$/],
  RU: ['RUCBC', /^\d{9}$/],
  SE: ['SESBA', /^\d{4}$/],
  SG: ['SGIBG', /^\d{7}$/],
  TH: ['THCBC', /^\d{3}$/],
  TW: ['TWNCC', /^\d{7}$/],
  US: ['USABA', /^\d{9}$/],
  ZA: ['ZANCC', /^\d{6}$/],
};

/** A bank as a member of a clearing system. */
export interface ClearingMember {
  /** Undefined where the country is not known, or the number is none of its system. */
  readonly system: string | undefined;
  readonly member: string;
}

/** Dashes, as in British sort codes, are for people only. */
export function clearingMember(routingNumber: string, country: string | undefined): ClearingMember {
  const plain = routingNumber.replaceAll(/[- ]/g, '').toUpperCase();
  const [code, form] = (country === undefined ? undefined : SYSTEMS[country]) ?? [];
  return form?.test(plain) === true
    ? { system: code, member: plain }
    : { system: undefined, member: routingNumber };
}

/** Where a bank is: as it was given, or by its BIC, or by the IBAN of its account. */
export function countryOfBank(bank: {
  readonly bankCountry: string | null;
  readonly bic: string | null;
  readonly iban: string | null;
}): string | undefined {
  return bank.bankCountry ?? (bank.bic === null ? undefined : bicCountry(bank.bic)) ?? bank.iban?.slice(0, 2);
}
