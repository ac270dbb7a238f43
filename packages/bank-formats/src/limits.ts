/** What a statement file may be at most. */
export const FILE_BYTES_MAX = 256 * 1024 * 1024; // limit: Statement file
/** A file in these formats is read as a whole. */
export const JSON_BYTES_MAX = 16 * 1024 * 1024; // limit: Statement file in JSON
export const ENTRIES_MAX = 500_000; // limit: Entries of a file
export const STATEMENTS_MAX = 10_000; // limit: Statements of a file
/** Payments in one entry of the bank. */
export const DETAILS_MAX = 20_000; // limit
/** A statement may be of so many days after today: some banks date one before a holiday by the next business day. */
export const STATEMENT_AHEAD_DAYS_MAX = 7; // limit: How far ahead a statement may be dated
/** Balances of later days that a statement may be held against. */
export const FORWARD_MAX = 366;
/** XML: nested elements, elements of one payment or header, and characters between two marks. */
export const DEPTH_MAX = 64; // limit: Nested elements of XML
export const NODES_MAX = 20_000; // limit: Elements of one payment or header in XML
export const XML_TEXT_MAX = 1024 * 1024; // limit: Characters between two marks of XML
/** A line of MT940 (a record of CSV has a limit of its own), and the lines of one field of MT940. */
export const LINE_LENGTH_MAX = 16 * 1024; // limit: Characters of a line of MT940
export const FIELD_LINES_MAX = 200; // limit: Lines of a field of MT940
/** What is kept of a text. Longer ones are cut, as no payment reference lies behind. */
export const REMITTANCE_MAX = 4_000; // limit: Characters kept of a remittance text
export const NAME_MAX = 140; // limit: Characters kept of a name
export const REFERENCE_MAX = 140; // limit: Characters kept of a reference
