import type { ProblemCode } from './problems/registry.ts';
import { type TSchema, Type } from './typebox.ts';

/**
 * Parameters of addresses: what the document says of each, how its text is read, and what a handler gets. Texts in an address
 * have no types of their own, so the kinds are few and named.
 */
export interface Parameter<Value> {
  /** Of the text in the address, for the document. Lists may be repeated or separated by commas. */
  readonly schema: TSchema;
  readonly kind: ParameterKind;
  readonly isRequired: boolean;
  readonly default?: Value;
  /** Type only: there is none at run time. */
  readonly '~value': Value;
}

export type ParameterKind =
  | { readonly of: 'text'; readonly maxLength: number }
  | { readonly of: 'choice' | 'list'; readonly values: readonly string[] }
  | { readonly of: 'segment'; readonly values: readonly string[]; readonly missing: Missing }
  | ({ readonly of: 'form'; readonly maxLength: number } & Form)
  | ({ readonly of: 'forms' } & Form)
  | { readonly of: 'integer'; readonly minimum: number; readonly maximum: number }
  | { readonly of: 'instant' | 'date' }
  | { readonly of: 'id'; readonly prefix: string; readonly isStrict?: true };

interface Form {
  readonly pattern: RegExp;
  readonly form: string;
  /** It is looked up as well. */
  readonly known?: KnownCode;
}

/** How an operation answers where a path leads to nothing. */
interface Missing {
  readonly code: ProblemCode;
  readonly detail: string;
}

/** Codes that there is a table of. */
export type KnownCode = 'currency' | 'pair';

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;
export type ValuesOf<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name]['~value'];
};

type Maybe<Value> = Parameter<Value | undefined>;

function parameter<Value>(kind: ParameterKind, schema: TSchema): Maybe<Value> {
  return { schema, kind, isRequired: false } as Maybe<Value>;
}

const about = (description: string | undefined) => (description === undefined ? {} : { description });

/** One line of text. */
export function text(maxLength = 200, description?: string): Maybe<string> {
  return parameter(
    { of: 'text', maxLength },
    Type.String({ minLength: 1, maxLength, ...about(description) }),
  );
}

/** One of the values. */
export function choice<const T extends string>(values: readonly T[], description?: string): Maybe<T> {
  return parameter({ of: 'choice', values }, Type.String({ enum: [...values], ...about(description) }));
}

/** One of the values, in a path: anything else leads to what does not exist. */
export function segment<const T extends string>(
  values: readonly T[],
  missing: Missing,
  description?: string,
): Maybe<T> {
  return parameter({ of: 'segment', values, missing }, choice(values, description).schema);
}

/** Some of the values: repeated, separated by commas, or both. */
export function list<const T extends string>(values: readonly T[], description?: string): Maybe<T[]> {
  const items = Type.String({ enum: [...values] });
  return parameter({ of: 'list', values }, Type.Array(items, about(description)));
}

/**
 * Known by its form only, such as a currency.
 * @param wanted the form in words: `a currency of three capital letters such as "USD"`
 */
export function form(pattern: RegExp, wanted: string, description?: string, maxLength = 200): Maybe<string> {
  return parameter(
    { of: 'form', pattern, form: wanted, maxLength },
    Type.String({ pattern: pattern.source, ...about(description) }),
  );
}

/** Characters of the longest of these codes, beyond which a text is too long rather than of another form. */
const CODE_MAX = 6;

export function currency(description = 'ISO 4217 code.'): Maybe<string> {
  return form(/^[A-Z]{3}$/, 'a currency of three capital letters such as "USD"', description, CODE_MAX);
}

export function pair(description = 'Six letters in market order.'): Maybe<string> {
  return form(/^[A-Z]{6}$/, 'a pair of six capital letters such as "EURUSD"', description, CODE_MAX);
}

/** As {@link currency}, for filters: one that there is not is refused, as by {@link strictId}. */
export function strictCurrency(description?: string): Maybe<string> {
  return known(currency(description), 'currency');
}

/** As {@link pair}, for filters. */
export function strictPair(): Maybe<string> {
  return known(pair(), 'pair');
}

/** As {@link strictCurrency}, for several. */
export function strictCurrencies(): Maybe<string[]> {
  return known(listMatching(/^[A-Z]{3}$/, 'an ISO 4217 code', 'ISO 4217 codes.'), 'currency');
}

/** As {@link strictPair}, for several. */
export function strictPairs(description: string): Maybe<string[]> {
  return known(listMatching(/^[A-Z]{6}$/, 'codes of six letters, such as EURUSD', description), 'pair');
}

function known<Value>({ kind, schema }: Maybe<Value>, code: KnownCode): Maybe<Value> {
  return parameter({ ...kind, known: code } as ParameterKind, schema);
}

/** As {@link list}, at most 50 values that are known by their form only, such as currencies. */
export function listMatching(pattern: RegExp, form: string, description?: string): Maybe<string[]> {
  const items = Type.String({ pattern: pattern.source });
  return parameter(
    { of: 'forms', pattern, form },
    Type.Array(items, { maxItems: 50, ...about(description) }),
  );
}

export function integer(minimum: number, maximum: number, description?: string): Maybe<number> {
  return parameter(
    { of: 'integer', minimum, maximum },
    Type.Integer({ minimum, maximum, ...about(description) }),
  );
}

/** RFC 3339; a handler gets epoch milliseconds. */
export function instant(description?: string): Maybe<number> {
  return parameter({ of: 'instant' }, Type.String({ format: 'date-time', ...about(description) }));
}

/** `YYYY-MM-DD`. */
export function date(description?: string): Maybe<string> {
  return parameter({ of: 'date' }, Type.String({ format: 'date', ...about(description) }));
}

/** An identifier such as `txn_…`; a handler gets its UUID. One that is none stands for something that does not exist. */
export function id(prefix: string, description?: string): Maybe<string> {
  return parameter(
    { of: 'id', prefix },
    Type.String({ examples: [`${prefix}_01jngx7z5d2m8r4v6t9k3b1c0a`], ...about(description) }),
  );
}

/** As {@link id}, for filters: one of the wrong form is refused, since a list without anything would say that there is nothing. */
export function strictId(prefix: string, description?: string): Maybe<string> {
  const { kind, schema } = id(prefix, description);
  return parameter({ ...kind, isStrict: true } as ParameterKind, schema);
}

export function required<Value>(given: Maybe<Value>): Parameter<Exclude<Value, undefined>> {
  return { ...given, isRequired: true } as Parameter<Exclude<Value, undefined>>;
}

export function byDefault<Value>(
  given: Maybe<Value>,
  value: Exclude<Value, undefined>,
): Parameter<Exclude<Value, undefined>> {
  return { ...given, schema: { ...given.schema, default: value }, default: value } as Parameter<
    Exclude<Value, undefined>
  >;
}

/** Items on a page, and on one where no `limit` is given. */
export const PAGE_SIZE_MAX = 200; // limit: Items on a page of a list, at most
export const PAGE_SIZE_DEFAULT = 50; // limit: Items on a page of a list, by default

/** Of every list that comes in pages. */
export const PAGE_PARAMETERS = {
  limit: byDefault(integer(1, PAGE_SIZE_MAX, 'Items on a page.'), PAGE_SIZE_DEFAULT),
  cursor: text(1024, '`nextCursor` of the previous page, with the same filters.'),
};
