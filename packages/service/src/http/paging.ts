import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '@firmquote/api/parameters';
import { isIsoDate } from '@firmquote/fx';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isoInstant } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';

const MAX_CURSOR_LENGTH = 1024; // limit: Characters of a cursor

export type CursorPart = string | number | null;

/** What the parts of a place are read as: `integer` is one that stands as text, since it may be too large for a number. */
export interface PlaceParts {
  readonly text: string;
  readonly number: number;
  readonly integer: bigint;
  readonly uuid: string;
  readonly instant: string;
  readonly date: string;
}

/** The parts of a place, read. */
export type Place<Kinds extends readonly (keyof PlaceParts)[]> = {
  readonly [Index in keyof Kinds]: PlaceParts[Kinds[Index]];
};

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const READERS: {
  readonly [Kind in keyof PlaceParts]: (part: CursorPart | undefined) => PlaceParts[Kind] | undefined;
} = {
  text: (part) => (typeof part === 'string' ? part : undefined),
  number: (part) => (Number.isSafeInteger(part) ? (part as number) : undefined),
  integer: (part) => (typeof part === 'string' && /^-?\d{1,38}$/.test(part) ? BigInt(part) : undefined),
  uuid: (part) => (typeof part === 'string' && UUID.test(part) ? part : undefined),
  instant: (part) => (typeof part === 'string' && isInstant(part) ? part : undefined),
  date: (part) => (typeof part === 'string' && isIsoDate(part) ? part : undefined),
};

/** In the one form in which places hold it. */
function isInstant(text: string): boolean {
  const instant = Date.parse(text);
  return !Number.isNaN(instant) && isoInstant(instant) === text;
}

/** Which list a cursor belongs to. A cursor made for one is refused by every other. */
export interface CursorScope {
  /** Name of the list, and whose it is: `customers`, `transactions <customer uuid>`. */
  readonly list: string;
  readonly sort: string;
  /** The filters as parsed, in any order; undefined ones are as if absent. */
  readonly filters: Readonly<Record<string, unknown>>;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

interface CursorText {
  readonly v: unknown;
  readonly k: unknown;
  readonly m: unknown;
}

/**
 * Opaque places in keyset lists: `base64url({"v":1,"k":[sort key…, id],"m":HMAC-SHA-256})`. The code covers the list,
 * the sort order and the filters too (docs/interface.md#lists), so a cursor cannot be made up, nor carried to another list.
 */
export class CursorCodec {
  readonly #key: Buffer;

  /** @param key at least 32 bytes, the same on all instances */
  constructor(key: Buffer) {
    if (key.length < 32) throw new RangeError('a cursor key has at least 32 bytes');
    this.#key = key;
  }

  encode(scope: CursorScope, parts: readonly CursorPart[]): string {
    const mac = this.#mac(scope, parts).toString('base64url');
    return Buffer.from(JSON.stringify({ v: 1, k: parts, m: mac })).toString('base64url');
  }

  /** @throws Problem cursor_invalid when it is damaged, or was given for other filters or another order */
  decode(scope: CursorScope, cursor: string): readonly CursorPart[] {
    const parsed = parseCursor(cursor);
    if (parsed === undefined) throw cursorInvalid();
    // As texts: several spellings of base64url mean the same bytes, and only one of them was given out.
    const given = Buffer.from(parsed.mac);
    const expected = Buffer.from(this.#mac(scope, parsed.parts).toString('base64url'));
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw cursorInvalid();
    return parsed.parts;
  }

  /**
   * The page out of up to `limit + 1` rows: the row too many only shows that there is more.
   * @param place sort key and id of a row
   */
  page<Row, Item>(
    scope: CursorScope,
    rows: readonly Row[],
    limit: number,
    place: (row: Row) => readonly CursorPart[],
    item: (row: Row) => Item,
  ): Page<Item> {
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const hasMore = rows.length > limit && last !== undefined;
    return {
      items: shown.map(item),
      nextCursor: hasMore ? this.encode(scope, place(last)) : null,
      hasMore,
    };
  }

  #mac(scope: CursorScope, parts: readonly CursorPart[]): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify(['cursor', 1, scope.list, scope.sort, filterHash(scope.filters), parts]))
      .digest();
  }
}

/**
 * The parts of a place, as the list goes on from them. Cursors are signed, but a list may have had another order when it
 * gave one out.
 * @throws Problem cursor_invalid
 */
export function readPlace<const Kinds extends readonly (keyof PlaceParts)[]>(
  parts: readonly CursorPart[],
  kinds: Kinds,
): Place<Kinds> {
  const read: unknown[] = kinds.map((kind, index) => READERS[kind](parts[index]));
  if (parts.length !== kinds.length || read.includes(undefined)) throw cursorInvalid();
  return read as unknown as Place<Kinds>;
}

/** `limit` as a number, 1 to 200, by default 50. A text that is not one is undefined. */
export function pageSize(text: string | undefined): number | undefined {
  if (text === undefined) return PAGE_SIZE_DEFAULT;
  if (!/^[1-9]\d{0,2}$/.test(text)) return undefined;
  const size = Number.parseInt(text, 10);
  return size <= PAGE_SIZE_MAX ? size : undefined;
}

/**
 * `Link` header to the next page (RFC 8288): the request's own address with the other query parameters kept.
 * @param url path and query as requested
 * @param baseUrl put in front, without a slash at the end; without it the reference is relative, as the RFC permits
 */
export function nextPageLink(url: string, cursor: string, baseUrl = ''): string {
  const at = url.indexOf('?');
  // The URL parser escapes what could end the reference early.
  const { pathname } = new URL(at === -1 ? url : url.slice(0, at), 'http://localhost');
  const query = new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
  query.set('cursor', cursor);
  return `<${baseUrl}${pathname}?${query}>; rel="next"`;
}

/** Tells the next page in the header as well, where there is one. Answers the page. */
export function linkedPage<P extends Pick<Page<unknown>, 'nextCursor'>>(
  request: Pick<FastifyRequest, 'url'>,
  reply: Pick<FastifyReply, 'header'>,
  page: P,
): P {
  if (page.nextCursor !== null) reply.header('Link', nextPageLink(request.url, page.nextCursor));
  return page;
}

function filterHash(filters: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  given.sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(given)).digest('base64url');
}

function parseCursor(cursor: string): { parts: CursorPart[]; mac: string } | undefined {
  if (cursor.length > MAX_CURSOR_LENGTH) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  // The decoder skips what is not base64url; only the one text that the bytes encode to is a cursor.
  if (bytes.toString('base64url') !== cursor) return undefined;
  let value: Partial<CursorText> | null;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || value.v !== 1) return undefined;
  if (typeof value.m !== 'string' || !Array.isArray(value.k)) return undefined;
  const parts: CursorPart[] = [];
  for (const part of value.k as unknown[]) {
    if (part !== null && typeof part !== 'string' && typeof part !== 'number') return undefined;
    parts.push(part);
  }
  return { parts, mac: value.m };
}

function cursorInvalid(): Problem {
  return new Problem(
    'cursor_invalid',
    'The cursor is damaged, or was given for other filters or another order. Start the list again without it.',
    { field: '/query/cursor' },
  );
}
