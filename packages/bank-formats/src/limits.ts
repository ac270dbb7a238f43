/** What a statement file may be at most. */
export const FILE_BYTES_MAX = 256 * 1024 * 1024;
/** A file in these formats is read as a whole. */
export const JSON_BYTES_MAX = 16 * 1024 * 1024;
export const ENTRIES_MAX = 500_000;
export const STATEMENTS_MAX = 10_000;
/** Payments in one booking of the bank. */
export const DETAILS_MAX = 20_000;
/** A statement may be of so many days after today: some banks date one before a holiday by the next business day. */
export const STATEMENT_AHEAD_DAYS_MAX = 7;
/** Balances of later days that a statement may be held against. */
export const FORWARD_MAX = 366;
/** XML: nested elements, elements of one payment or header, and characters between two marks. */
export const DEPTH_MAX = 64;
export const NODES_MAX = 20_000;
export const XML_TEXT_MAX = 1024 * 1024;
/** A line of MT940 (a record of CSV has a limit of its own), and the lines of one field of MT940. */
export const LINE_LENGTH_MAX = 16 * 1024;
export const FIELD_LINES_MAX = 200;
/** What is kept of a text. Longer ones are cut, as no payment reference lies behind. */
export const REMITTANCE_MAX = 4_000;
export const NAME_MAX = 140;
export const REFERENCE_MAX = 140;
