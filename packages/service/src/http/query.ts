import { PAGE_SIZE_MAX } from '@firmquote/api/parameters';
import { isIsoDate } from '@firmquote/fx';
import { type FieldError, pointerTo, validationProblem } from '../problems/problem.ts';
import { pageSize } from './paging.ts';
import { DATE, INSTANT } from './sentences.ts';

/** Query string as the router gives it: a repeated parameter is an array. */
type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

const MAX_LIST_VALUES = 50; // limit: Values of one list parameter
const RFC_3339 =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

// The last millisecond of 9999: past it neither RFC 3339 nor the database has a four-digit year.
const LAST_INSTANT = 253_402_300_799_999;

/**
 * RFC 3339 instant from 1970 to 9999 to epoch milliseconds (finer digits are cut off), or undefined when it is none.
 */
export function parseRfc3339(text: string): number | undefined {
  const match = RFC_3339.exec(text);
  // The date is looked up in the calendar, because the engine's parser rolls 30 February over into March.
  if (match?.[1] === undefined || !isIsoDate(match[1])) return undefined;
  const instant = Date.parse(text);
  return instant >= 0 && instant <= LAST_INSTANT ? instant : undefined;
}

/**
 * Reads a query string parameter by parameter and gathers what is wrong; {@link QueryReader.finish} then reports all
 * of it at once. Parameters that nobody read are unknown ones, and a parameter may be repeated only where a list is read.
 */
export class QueryReader {
  readonly #query: RawQuery;
  readonly #read = new Set<string>();
  readonly #errors: FieldError[] = [];
  readonly #pointerStart: string;

  /** @param pointerStart put before names in pointers: nothing for parameters that stand in a body */
  constructor(query: unknown, pointerStart: '/query' | '/path' | '' = '/query') {
    this.#query = (query ?? {}) as RawQuery;
    this.#pointerStart = pointerStart;
  }

  text(name: string, maxLength = 200): string | undefined {
    const value = this.#single(name);
    if (value === undefined) return undefined;
    if (value.length === 0 || value.length > maxLength) {
      return this.#wrong(name, 'wrong_length', `must have 1 to ${maxLength} characters`);
    }
    if (/\p{Cc}/u.test(value))
      return this.#wrong(name, 'wrong_format', 'must not contain control characters');
    return value;
  }

  /** One of a fixed set of values. */
  choice<const T extends string>(name: string, values: readonly T[]): T | undefined {
    const value = this.#single(name);
    if (value === undefined) return undefined;
    return values.find((known) => known === value) ?? this.#notOneOf(name, values);
  }

  /** Repeated, comma separated, or both; duplicates count once. */
  list<const T extends string>(name: string, values: readonly T[]): T[] | undefined {
    const texts = this.#texts(name);
    if (texts === undefined) return undefined;
    const found = new Set<T>();
    for (const text of texts) {
      const value = values.find((known) => known === text);
      if (value === undefined) return this.#notOneOf(name, values);
      found.add(value);
    }
    return [...found];
  }

  /** A value that is known by its form only, such as a currency. */
  matching(name: string, pattern: RegExp, form: string, maxLength: number): string | undefined {
    const value = this.text(name, maxLength);
    if (value === undefined || pattern.test(value)) return value;
    return this.#wrong(name, 'wrong_format', `must be ${form}`);
  }

  /** As {@link list}, for values that are known by their form only, such as currencies. */
  listMatching(name: string, pattern: RegExp, form: string): string[] | undefined {
    const texts = this.#texts(name);
    if (texts === undefined) return undefined;
    if (texts.length > MAX_LIST_VALUES) {
      return this.#wrong(name, 'too_many', `must name at most ${MAX_LIST_VALUES} values`);
    }
    if (!texts.every((text) => pattern.test(text)))
      return this.#wrong(name, 'wrong_format', `must be ${form}`);
    return [...new Set(texts)];
  }

  /** RFC 3339 instant, as epoch milliseconds. */
  instant(name: string): number | undefined {
    const value = this.#single(name);
    if (value === undefined) return undefined;
    return parseRfc3339(value) ?? this.#wrong(name, 'wrong_format', `${INSTANT} (write + as %2B)`);
  }

  /** Calendar date `YYYY-MM-DD`. */
  date(name: string): string | undefined {
    const value = this.#single(name);
    if (value === undefined) return undefined;
    return isIsoDate(value) ? value : this.#wrong(name, 'wrong_format', DATE);
  }

  /** A whole number in decimal digits. */
  integer(name: string, minimum: number, maximum: number): number | undefined {
    const value = this.#single(name);
    if (value === undefined) return undefined;
    const number = /^(0|-?[1-9]\d{0,14})$/.test(value) ? Number.parseInt(value, 10) : Number.NaN;
    return number >= minimum && number <= maximum
      ? number
      : this.#wrong(name, 'not_permitted', `must be a whole number from ${minimum} to ${maximum}`);
  }

  /** `limit` of a list. */
  limit(): number {
    const size = pageSize(this.#single('limit'));
    if (size === undefined)
      this.#wrong('limit', 'not_permitted', `must be a whole number from 1 to ${PAGE_SIZE_MAX}`);
    return size ?? PAGE_SIZE_MAX;
  }

  cursor(): string | undefined {
    return this.#single('cursor');
  }

  /** Adds an error that only the caller can see, such as a range that ends before it begins. */
  refuse(name: string, code: string, detail: string): void {
    this.#wrong(name, code, detail);
  }

  /** What was wrong so far is told in the order of the names. */
  sortErrors(names: readonly string[]): void {
    const order = names.map((name) => `${this.#pointerStart}${pointerTo(name)}`);
    this.#errors.sort((a, b) => order.indexOf(a.pointer) - order.indexOf(b.pointer));
  }

  /** @throws Problem validation_failed with everything that was wrong, pointers as `/query/name` */
  finish(): void {
    for (const name of Object.keys(this.#query)) {
      if (!this.#read.has(name)) this.#wrong(name, 'unknown_field', 'is not a parameter of this operation');
    }
    this.throwErrors();
  }

  /** @throws Problem validation_failed with what was wrong with the parameters that were read */
  throwErrors(): void {
    if (this.#errors.length > 0) throw validationProblem(this.#errors);
  }

  #single(name: string): string | undefined {
    this.#read.add(name);
    const value = this.#query[name];
    if (value === undefined || typeof value === 'string') return value;
    return this.#wrong(name, 'repeated', 'must be given once');
  }

  #texts(name: string): string[] | undefined {
    this.#read.add(name);
    const value = this.#query[name];
    if (value === undefined) return undefined;
    return (typeof value === 'string' ? [value] : value).flatMap((text) => text.split(','));
  }

  #notOneOf(name: string, values: readonly string[]): undefined {
    return this.#wrong(name, 'not_permitted', `must be one of ${values.join(', ')}`);
  }

  #wrong(name: string, code: string, detail: string): undefined {
    const pointer = `${this.#pointerStart}${pointerTo(name)}`;
    // What is wrong with the value comes first, and then there is none to judge further.
    if (!this.#errors.some((error) => error.pointer === pointer))
      this.#errors.push({ pointer, code, detail });
    return undefined;
  }
}
