export { bankAddress, type PostalAddress } from './bank-address.ts';
export { type Adjustment, bankText, fitted } from './bank-text.ts';
export { type Conditions, TOLERABLE, type Tolerate } from './check.ts';
export { clearingMember, countryOfBank } from './clearing-systems.ts';
export {
  CSV_DATE_FORMATS,
  type CsvColumns,
  type CsvDateFormat,
  type CsvMapping,
  fitsName,
  mappingErrors,
} from './csv-mapping.ts';
export { CsvRecords, type CsvRefusal } from './csv-records.ts';
export type { ByteSource } from './decode.ts';
export * from './entry.ts';
export { bicCountry, isBic, isIban, isIbanOf, isLei, maskAccount, normaliseIban } from './iban.ts';
export { FILE_BYTES_MAX, REFERENCE_MAX, REMITTANCE_MAX } from './limits.ts';
export * from './pain001.ts';
export { type Choice, formatOf, readStatements } from './read-statements.ts';
export { REFUSAL_CODES, type RefusalCode, StatementRefusal } from './refusal.ts';
export { compact, cut } from './text.ts';
export { at, textAt, type XmlHandler, type XmlNode, XmlTrees } from './xml.ts';
