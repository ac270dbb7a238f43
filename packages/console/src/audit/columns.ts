import { nameInWords } from '../approvals/changes.ts';
import { decimalsOf } from '../money/amount.ts';

/** A column of a row that changed, as people read it. */
export interface ColumnInWords {
  readonly name: string;
  /** As the interface would show it: an amount in its own units, an id as others write it. */
  readonly value: (stored: string) => string;
  /** Of an amount. */
  readonly currency: string | undefined;
}

/** Columns that people know by another name. */
const NAMES: Readonly<Record<string, string>> = {
  daily_usd_minor: 'Daily volume',
  open_usd_minor: 'Open position',
  trade_usd_minor: 'Single trade',
};

/** What the ids in columns are of. */
const PREFIXES: Readonly<Record<string, string>> = {
  customer_id: 'cus',
  transaction_id: 'txn',
  deposit_id: 'dep',
  quote_id: 'quote',
  run_id: 'run',
  approval_id: 'apr',
  withdrawal_id: 'wdr',
  exception_id: 'exc',
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** The house's own rows have it in place of a customer. */
const HOUSE = /^0{8}-0{4}-0{4}-0{4}-0{12}$/;

/**
 * @param column as the database calls it
 * @param row what is known of the row that it stands in
 */
export function columnInWords(column: string, row: Readonly<Record<string, unknown>>): ColumnInWords {
  const currency = column.endsWith('_minor') ? currencyOf(column, row) : undefined;
  const bare = column.replace(/_usd_minor$|_minor$/, '').replace(/_id$/, '');
  if (column.endsWith('_minor') && currency === undefined) {
    return { name: `${nameInWords(bare)}, in the smallest unit`, value: (stored) => stored, currency };
  }
  const decimals = currency === undefined ? undefined : decimalsOf(currency);
  return {
    name: NAMES[column] ?? nameInWords(bare),
    value: (stored) => (decimals === undefined ? idInWords(column, stored) : amountOf(stored, decimals)),
    currency,
  };
}

function currencyOf(column: string, row: Readonly<Record<string, unknown>>): string | undefined {
  if (column.endsWith('_usd_minor')) return 'USD';
  const own = row[column.replace(/_minor$/, '_currency')] ?? row.currency;
  return typeof own === 'string' ? own : undefined;
}

/** `200000000` as `2000000.00`. */
function amountOf(minor: string, decimals: number): string {
  const [, sign = '', digits = ''] = /^(-?)(\d+)$/.exec(minor) ?? [];
  if (digits === '' || decimals === 0) return minor;
  const padded = digits.padStart(decimals + 1, '0');
  return `${sign}${padded.slice(0, -decimals)}.${padded.slice(-decimals)}`;
}

function idInWords(column: string, stored: string): string {
  if (!UUID.test(stored)) return stored;
  if (HOUSE.test(stored)) return 'the house';
  // The version digit says whether it is a person's.
  if (column.endsWith('_by') || column.endsWith('_person'))
    return typeId(stored[14] === '8' ? 'per' : 'cli', stored);
  const prefix = PREFIXES[column];
  return prefix === undefined ? stored : typeId(prefix, stored);
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_DIGITS = 26;

/** A UUID as the interface writes it: 26 digits to the base 32, after what it is of. */
export function typeId(prefix: string, uuid: string): string {
  let left = BigInt(`0x${uuid.replaceAll('-', '')}`);
  let digits = '';
  for (let at = 0; at < ID_DIGITS; at++) {
    digits = `${ALPHABET.charAt(Number(left & 31n))}${digits}`;
    left >>= 5n;
  }
  return `${prefix}_${digits}`;
}

/** `setCustomerLimits` as `Set customer limits`; `sweep:end_account_waits` as `Sweep: end account waits`. */
export function operationInWords(operation: string): string {
  const [, group, name = operation] = /^(\w+):(.+)$/.exec(operation) ?? [];
  const text = nameInWords(name.replaceAll('-', '_'));
  return group === undefined ? text : `${nameInWords(group)}: ${text.toLowerCase()}`;
}

/** What somebody filters by: the words that they read, or the name itself. */
export function operationOf(text: string | undefined): string | undefined {
  const given = text?.trim() ?? '';
  if (given === '') return undefined;
  const [, group, name] = /^(\w+):\s*(.+)$/.exec(given) ?? [];
  if (group !== undefined && name !== undefined)
    return `${group.toLowerCase()}:${name.replaceAll(' ', group.toLowerCase() === 'command' ? '-' : '_')}`;
  const [first = '', ...others] = given.split(/\s+/);
  if (others.length === 0 && /[A-Z]/.test(first.slice(1))) return first;
  return (
    first.toLowerCase() +
    others.map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()).join('')
  );
}
