import type { Operation, ParamsOf, QueryOf } from '@firmquote/api/operation';
import {
  type KnownCode,
  PAGE_SIZE_DEFAULT,
  type Parameter,
  type Parameters,
} from '@firmquote/api/parameters';
import { type Currency, findCurrency, findPair, parseAmount } from '@firmquote/fx';
import type { Clock } from '../platform/clock.ts';
import { type IdPrefix, parseTypeId, uuidOf } from '../platform/ids.ts';
import { type FieldError, Problem, pointerTo, validationProblem } from '../problems/problem.ts';
import { QueryReader } from './query.ts';
import { notBefore, notLess } from './sentences.ts';

export interface ReadQuery<O extends Operation = Operation> {
  readonly query: QueryOf<O>;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Refuses what only the work can see to be wrong, such as a range that is too long: it is told with the rest. What is wrong already is undefined. */
export type Judge<O extends Operation> = (
  query: { readonly [Name in keyof QueryOf<O>]: QueryOf<O>[Name] | undefined },
  refuse: (name: string, code: string, detail: string) => void,
) => void;

/** A range of instants, `to` exclusive, in which there is none. @param now where a range without an end goes up to now */
export function refuseNoTime(
  { from, to }: { readonly from?: number | undefined; readonly to?: number | undefined },
  refuse: (name: string, code: string, detail: string) => void,
  now?: number,
): void {
  if (to === undefined && from !== undefined && now !== undefined && from >= now)
    refuse('from', 'out_of_range', 'must be in the past where there is no `to`');
  if (to !== undefined && (from ?? 0) >= to) refuse('to', 'out_of_range', 'must be later than `from`');
}

/** Refuses what was at an instant that is still to come. */
export function refuseFuture(
  clock: Clock,
  name: string,
  at: unknown,
  refuse: (name: string, code: string, detail: string) => void,
): void {
  if (typeof at === 'number' && at > clock.now()) refuse(name, 'out_of_range', 'must not be in the future');
}

/**
 * A range that ends before it begins, of instants or of days: nothing would be found, which would say that there is nothing. Ranges
 * are `from` and `to`, and `createdFrom` and `createdTo`.
 */
function refuseBackwards(
  values: Readonly<Record<string, unknown>>,
  refuse: (name: string, code: string, detail: string) => void,
): void {
  for (const [name, to] of Object.entries(values)) {
    if (to === undefined) continue;
    const start = name.replace(/^to$/, 'from').replace(/To$/, 'From');
    const from = values[start];
    if (start === name || typeof from !== typeof to) continue;
    if ((from as string | number) > (to as string | number)) refuse(name, 'before_start', notBefore(start));
  }
}

const NONE: Parameters = Object.freeze({});
const NOTHING: ReadQuery = { query: NONE, limit: PAGE_SIZE_DEFAULT, cursor: undefined };

function isEmpty(given: unknown): boolean {
  for (const _ in given as object) return false;
  return true;
}

/**
 * The parameters of the query string as declared.
 * @param pointerStart put before names in pointers: nothing for parameters that stand in a body
 * @throws Problem validation_failed with everything that is wrong: values, repetitions, what is missing or unknown
 */
export function readQuery<O extends Operation>(
  operation: O,
  given: unknown,
  judge?: Judge<O>,
  pointerStart: '/query' | '' = '/query',
): ReadQuery<O> {
  const { query: declared = NONE, pages } = operation;
  // Nothing is asked for and nothing given: pushed prices and the like pay nothing for it.
  if (declared === NONE && pages !== true && isEmpty(given)) return NOTHING as ReadQuery<O>;
  const reader = new QueryReader(given, pointerStart);
  const values: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(declared)) {
    values[name] = read(reader, name, parameter) ?? parameter.default;
  }
  const query = values as QueryOf<O>;
  const refuse = (name: string, code: string, detail: string) => reader.refuse(name, code, detail);
  // An operation's own reason is told first, and one of a name is told.
  judge?.(query, refuse);
  refuseBackwards(values, refuse);
  reader.sortErrors(Object.keys(declared));
  // What is wrong is told before what is missing.
  for (const [name, { isRequired }] of Object.entries(declared)) {
    if (isRequired && values[name] === undefined) reader.refuse(name, 'required', 'is required');
  }
  const limit = pages === true && !('limit' in declared) ? reader.limit() : ownLimit(values);
  const cursor = pages === true ? reader.cursor() : undefined;
  reader.finish();
  return { query, limit, cursor };
}

/** Of a list whose pages have a size of their own. */
function ownLimit({ limit }: Readonly<Record<string, unknown>>): number {
  return typeof limit === 'number' ? limit : PAGE_SIZE_DEFAULT;
}

/**
 * The parameters of the path as declared. An identifier of the wrong form becomes one that nothing has.
 * @throws Problem validation_failed where another value is not of its form, and what is declared where it leads to nothing
 */
export function readParams<O extends Operation>(operation: O, given: unknown): ParamsOf<O> {
  const { params } = operation;
  if (params === undefined) return NONE as ParamsOf<O>;
  const texts = given as Readonly<Record<string, string>>;
  const reader = new QueryReader(texts, '/path');
  const values = Object.entries(params).map(([name, parameter]) => {
    const { kind } = parameter;
    const text = texts[name] ?? '';
    if (kind.of === 'id') return [name, uuidOf(kind.prefix as IdPrefix, text)];
    if (kind.of !== 'segment') return [name, read(reader, name, parameter)];
    if (!kind.values.includes(text)) throw new Problem(kind.missing.code, kind.missing.detail);
    return [name, text];
  });
  reader.throwErrors();
  return Object.fromEntries(values) as ParamsOf<O>;
}

/**
 * An amount of the currency that another parameter names.
 * @param errors what is wrong is added to them
 * @returns minor units; undefined where none is given or it is wrong
 */
function amountOf(
  errors: FieldError[],
  name: string,
  text: string | undefined,
  currency: Currency | undefined,
  currencyName: string,
): bigint | undefined {
  if (text === undefined) return undefined;
  const pointer = `/query${pointerTo(name)}`;
  if (currency === undefined) {
    errors.push({ pointer, code: 'required', detail: `needs ${currencyName}` });
    return undefined;
  }
  const parsed = parseAmount(text, currency);
  if (parsed.ok) return parsed.minor;
  errors.push({ pointer, code: 'wrong_format', detail: `must be an amount of ${currency.code}` });
  return undefined;
}

/**
 * The smallest and the largest amount that are looked for.
 * @param errors what is wrong is added to them
 */
export function amountsOf(
  errors: FieldError[],
  [least, most]: readonly [least: string, most: string],
  query: Readonly<Record<string, unknown>>,
  currency: Currency | undefined,
  currencyName: string,
): readonly [least: bigint | undefined, most: bigint | undefined] {
  const [from, to] = [least, most].map((name) =>
    amountOf(errors, name, query[name] as string | undefined, currency, currencyName),
  );
  if (from !== undefined && to !== undefined && from > to)
    errors.push({ pointer: `/query${pointerTo(most)}`, code: 'out_of_range', detail: notLess(least) });
  return [from, to];
}

/** For what only the work can see, such as a day that is past. */
export function queryProblem(name: string, code: string, detail: string): Problem {
  return validationProblem([{ pointer: `/query${pointerTo(name)}`, code, detail }]);
}

function read(reader: QueryReader, name: string, { kind }: Parameter<unknown>): unknown {
  switch (kind.of) {
    case 'text':
      return reader.text(name, kind.maxLength);
    case 'choice':
    case 'segment':
      return reader.choice(name, kind.values);
    case 'list':
      return reader.list(name, kind.values);
    case 'form': {
      const code = reader.matching(name, kind.pattern, kind.form, kind.maxLength);
      return areKnown(reader, name, kind.known, code === undefined ? [] : [code]) ? code : undefined;
    }
    case 'forms': {
      const codes = reader.listMatching(name, kind.pattern, kind.form);
      return areKnown(reader, name, kind.known, codes ?? []) ? codes : undefined;
    }
    case 'integer':
      return reader.integer(name, kind.minimum, kind.maximum);
    case 'instant':
      return reader.instant(name);
    case 'date':
      return reader.date(name);
    case 'id': {
      const text = reader.text(name, 64);
      if (text === undefined) return undefined;
      const isWrong = kind.isStrict === true && parseTypeId(kind.prefix as IdPrefix, text) === undefined;
      if (isWrong) reader.refuse(name, 'wrong_format', `must be an id that begins with ${kind.prefix}_`);
      return isWrong ? undefined : uuidOf(kind.prefix as IdPrefix, text);
    }
  }
}

const KNOWN: Readonly<Record<KnownCode, { find: (code: string) => unknown; detail: string }>> = {
  currency: { find: findCurrency, detail: 'must be a currency code, such as EUR' },
  pair: { find: findPair, detail: 'must be a pair of currencies in market order, such as EURUSD' },
};

function areKnown(
  reader: QueryReader,
  name: string,
  known: KnownCode | undefined,
  codes: readonly string[],
): boolean {
  if (known === undefined || codes.every((code) => KNOWN[known].find(code) !== undefined)) return true;
  reader.refuse(name, 'wrong_format', KNOWN[known].detail);
  return false;
}
