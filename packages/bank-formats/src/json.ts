import { AmbiguousJson, type Currency, DeepJson, isIsoDate, parseStrictly } from '@firmquote/fx';
import { amountOf, currencyOf, isForeignCurrency } from './amount.ts';
import { JSON_BYTES_MAX } from './limits.ts';
import { StatementRefusal, shown } from './refusal.ts';
import {
  type Balance,
  type Direction,
  type Emit,
  type EntryStatus,
  NO_DETAILS,
  type StatementEntry,
  type StatementReader,
  type TransactionKind,
} from './statement.ts';
import { accountOf, cut, nameOf, referenceOf, remittanceOf } from './text.ts';

type Fields = Readonly<Record<string, unknown>>;

const STATEMENT = [
  'account',
  'currency',
  'number',
  'reference',
  'from',
  'to',
  'opening',
  'closing',
  'entries',
];
const BALANCE = ['amount', 'date'];
const ENTRY = [
  'amount',
  'direction',
  'bookingDate',
  'valueDate',
  'status',
  'kind',
  'bankReference',
  'endToEndId',
  'uetr',
  'instructionId',
  'reference',
  'remittanceText',
  'counterpartyName',
  'counterpartyAccount',
  'creditedAccount',
  'returnReason',
];

/** The JSON form of statements, for banks and systems that have none of the others. `docs/statements.md` describes it. */
export class JsonReader implements StatementReader {
  readonly #emit: Emit;
  readonly #pieces: string[] = [];
  #length = 0;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  write(text: string): void {
    this.#length += text.length;
    if (this.#length > JSON_BYTES_MAX) {
      throw new StatementRefusal('too_large', `a JSON file of more than ${JSON_BYTES_MAX} characters`);
    }
    this.#pieces.push(text);
  }

  end(): void {
    const root = fieldsOf(parse(this.#pieces.join('').replace(/^\ufeff/, '')), '', ['statements']);
    listOf(root.statements, '/statements').forEach((each, index) => {
      this.#statement(each, `/statements/${index}`);
    });
  }

  #statement(value: unknown, pointer: string): void {
    const fields = fieldsOf(value, pointer, STATEMENT);
    const account = accountOf(textOf(fields, 'account', pointer));
    if (account === null) throw wrong('field_missing', `${pointer}/account`, 'is missing');
    const code = textOf(fields, 'currency', pointer) ?? '';
    const reference = referenceOf(textOf(fields, 'reference', pointer));
    if (isForeignCurrency(code)) {
      const entries = listOf(fields.entries, `${pointer}/entries`).length;
      const begin = { line: 1, kind: 'statement', account, currency: code, reference } as const;
      this.#emit({ type: 'set_aside', statement: { ...begin, reason: 'currency_unknown', entries } });
      return;
    }
    const currency = currencyOf(code, 1).code;
    this.#emit({ type: 'begin', statement: { line: 1, kind: 'statement', account, currency, reference } });
    listOf(fields.entries, `${pointer}/entries`).forEach((each, index) => {
      this.#emit({ type: 'entry', entry: entryOf(each, currency, `${pointer}/entries/${index}`) });
    });
    const opening = balanceOf(fields.opening, currency, `${pointer}/opening`);
    const closing = balanceOf(fields.closing, currency, `${pointer}/closing`);
    const number = textOf(fields, 'number', pointer);
    if (number !== null && !/^\d{1,18}$/.test(number))
      throw wrong('field_invalid', `${pointer}/number`, 'is no number');
    this.#emit({
      type: 'end',
      statement: {
        line: 1,
        currency,
        // Zeros are written where a bank does not number its statements: they name none of them.
        number: number === null || /^0+$/.test(number) ? null : BigInt(number),
        page: null,
        from: dateOf(fields, 'from', pointer) ?? opening?.date ?? null,
        to: dateOf(fields, 'to', pointer) ?? closing?.date ?? null,
        opening,
        closing,
        forward: [],
        totals: [],
      },
    });
  }
}

function parse(text: string): unknown {
  try {
    return parseStrictly(text, (strict) => JSON.parse(strict) as unknown);
  } catch (error) {
    if (error instanceof AmbiguousJson)
      throw new StatementRefusal('not_well_formed', 'an object holds a member twice');
    if (error instanceof DeepJson) throw new StatementRefusal('not_well_formed', `it is ${error.message}`);
    const message = error instanceof Error ? error.message : '';
    const position = /at position (\d+)/.exec(message)?.[1];
    const before = position === undefined ? text : text.slice(0, Number.parseInt(position, 10));
    throw new StatementRefusal('not_well_formed', 'the JSON cannot be parsed', before.split('\n').length);
  }
}

function entryOf(value: unknown, code: string, pointer: string): StatementEntry {
  const fields = fieldsOf(value, pointer, ENTRY);
  const text = (name: string) => textOf(fields, name, pointer);
  const currency = currencyOf(code, 1);
  const amount = text('amount');
  if (amount === null) throw wrong('amount_invalid', `${pointer}/amount`, 'is not an amount');
  const amountMinor = amountAt(`${pointer}/amount`, amount, currency);
  const direction = choiceOf<Direction>(text('direction'), ['credit', 'debit'], `${pointer}/direction`);
  const bookingDate = dateOf(fields, 'bookingDate', pointer);
  if (bookingDate === null) throw wrong('field_missing', `${pointer}/bookingDate`, 'is missing');
  const reference = referenceOf(text('reference'));
  const kind = choiceOf<TransactionKind>(
    text('kind') ?? 'payment',
    ['payment', 'return', 'reversal'],
    `${pointer}/kind`,
  );
  const uetr = text('uetr')?.toLowerCase() ?? null;
  if (uetr !== null && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uetr)) {
    throw wrong('field_invalid', `${pointer}/uetr`, 'is not a UETR');
  }
  const statuses: EntryStatus[] = ['booked', 'pending', 'information'];
  return {
    line: 1,
    direction,
    status: choiceOf<EntryStatus>(text('status') ?? 'booked', statuses, `${pointer}/status`),
    amountMinor,
    currency: currency.code,
    bookingDate,
    valueDate: dateOf(fields, 'valueDate', pointer) ?? bookingDate,
    bankReference: referenceOf(text('bankReference')),
    transactionCode: null,
    details: [
      {
        ...NO_DETAILS,
        kind,
        amountMinor,
        endToEndId: referenceOf(text('endToEndId')),
        uetr,
        instructionId: referenceOf(text('instructionId')),
        structuredReferences: reference === null ? [] : [reference],
        remittanceText: remittanceOf([text('remittanceText')]),
        counterpartyName: nameOf(text('counterpartyName')),
        counterpartyAccount: accountOf(text('counterpartyAccount')),
        creditedAccount: accountOf(text('creditedAccount')),
        returnReason: referenceOf(cut(text('returnReason') ?? '', 35)),
      },
    ],
  };
}

function balanceOf(value: unknown, code: string, pointer: string): Balance | null {
  if (value === undefined || value === null) return null;
  const fields = fieldsOf(value, pointer, BALANCE);
  const text = textOf(fields, 'amount', pointer) ?? '';
  const date = dateOf(fields, 'date', pointer);
  if (date === null) throw wrong('field_missing', `${pointer}/date`, 'is missing');
  const minor = amountAt(`${pointer}/amount`, text.replace(/^-/, ''), currencyOf(code, 1));
  return { minor: text.startsWith('-') ? -minor : minor, currency: code, date };
}

/** An amount, or a refusal that says where: JSON that was written by a machine has one line. */
function amountAt(pointer: string, text: string, currency: Currency): bigint {
  try {
    return amountOf(text, currency, 1);
  } catch (error) {
    throw error instanceof StatementRefusal ? wrong(error.code, pointer, error.message) : error;
  }
}

function fieldsOf(value: unknown, pointer: string, known: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrong('field_invalid', pointer || '/', 'is not an object');
  }
  for (const name of Object.keys(value)) {
    if (!known.includes(name))
      throw wrong('field_invalid', `${pointer}/${shown(name)}`, 'is not a known field');
  }
  return value as Fields;
}

function listOf(value: unknown, pointer: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong('field_invalid', pointer, 'is not a list');
  return value as readonly unknown[];
}

/** Numbers are refused too: an amount that was a float on its way is no longer exact. */
function textOf(fields: Fields, name: string, pointer: string): string | null {
  const value = fields[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw wrong('field_invalid', `${pointer}/${name}`, 'is not a string');
  return value;
}

function dateOf(fields: Fields, name: string, pointer: string): string | null {
  const text = textOf(fields, name, pointer);
  if (text !== null && !isIsoDate(text)) throw wrong('date_invalid', `${pointer}/${name}`, 'is not a date');
  return text;
}

function choiceOf<T extends string>(text: string | null, values: readonly T[], pointer: string): T {
  const found = values.find((value) => value === text);
  if (found === undefined) throw wrong('field_invalid', pointer, `must be one of ${values.join(', ')}`);
  return found;
}

function wrong(code: ConstructorParameters<typeof StatementRefusal>[0], pointer: string, detail: string) {
  return new StatementRefusal(code, `${pointer}: ${detail}`);
}
