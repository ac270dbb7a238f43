import { bicCountry } from './iban.ts';

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
