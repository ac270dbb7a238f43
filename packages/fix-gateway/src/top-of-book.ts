import { compare, type Decimal, parsePrice } from '@firmquote/fx';
import { type Fields, required } from './fields.ts';
import type { Refusal } from './refusals.ts';

/** A venue that sends more than this for one side of a pair does not send a top of book. */
export const ENTRIES_MAX = 64; // limit: Entries on a side of a book

export interface TopPrice {
  readonly bid: string;
  readonly ask: string;
  readonly bidSize?: string;
  readonly askSize?: string;
}

interface Entry {
  readonly price: Decimal;
  readonly text: string;
  readonly size: string | undefined;
}

type Refuse = (reason: Refusal) => void;

const BID = '0';
const OFFER = '1';
const DELETE = '2';
/** Of entries without MDEntryID: there is one on each side. */
const ONLY = '';

/** The entry that is meant may be named by either of them. */
function idsOf(entry: Fields): string[] {
  return [entry.text('MDEntryRefID'), entry.text('MDEntryID')].flatMap((id) => id ?? []);
}

/** Reads one price and its size; undefined, and refused, when they make no price. */
export function readPrice(
  price: string | undefined,
  size: string | undefined,
  refuse: Refuse,
): Entry | undefined {
  const value = price === undefined ? undefined : parsePrice(price);
  if (price === undefined || value === undefined || value.units <= 0n) {
    refuse('bad_price');
    return undefined;
  }
  // The size may be left out (FIX 4.4); one of zero means that nobody deals there.
  const amount = size === undefined ? undefined : parsePrice(size);
  if (size !== undefined && (amount === undefined || amount.units <= 0n)) {
    refuse(amount?.units === 0n ? 'zero_size' : 'bad_size');
    return undefined;
  }
  return { price: value, text: price, size };
}

/** The best bid and offer of one pair, from snapshots (W) and changes (X). Prices stay the texts that they came as. */
export class TopOfBook {
  readonly #sides = { bid: new Map<string, Entry>(), ask: new Map<string, Entry>() };
  readonly #refuse: Refuse;

  constructor(refuse: Refuse) {
    this.#refuse = refuse;
  }

  /** W: what was there before is gone. */
  replace(entries: readonly Fields[]): void {
    this.clear();
    for (const entry of entries) this.#put(entry, true);
  }

  /** One entry of X. @throws FieldError when it does not say which side it is of */
  change(entry: Fields): void {
    if (entry.text('MDUpdateAction') !== DELETE) {
      this.#put(entry);
      return;
    }
    const ids = idsOf(entry);
    const side = this.#sideOf(entry);
    for (const id of ids) side?.delete(id);
    // Without ids there is one entry on each side.
    if (ids.length === 0) side?.delete(ONLY);
  }

  /** Whether the entry that is meant, by either of its ids, is in the book. */
  holds(entry: Fields): boolean {
    return this.#holderOf(idsOf(entry)) !== undefined;
  }

  clear(): void {
    this.#sides.bid.clear();
    this.#sides.ask.clear();
  }

  /** Undefined, and refused, while a side is missing. */
  top(): TopPrice | undefined {
    const bid = best(this.#sides.bid, 1);
    const ask = best(this.#sides.ask, -1);
    if (bid === undefined || ask === undefined) {
      this.#refuse('missing_side');
      return undefined;
    }
    return {
      bid: bid.text,
      ask: ask.text,
      ...(bid.size === undefined ? {} : { bidSize: bid.size }),
      ...(ask.size === undefined ? {} : { askSize: ask.size }),
    };
  }

  #put(entry: Fields, isSnapshot = false): void {
    const side = this.#sideOf(entry);
    // Trades, opening prices and the like were not asked for.
    if (side === undefined) return;
    const id = entry.text('MDEntryID') ?? ONLY;
    const old = entry.text('MDEntryRefID');
    if (old !== undefined) side.delete(old);
    if ((entry.text('MDEntryPositionNo') ?? '1') !== '1') {
      // Nor were deeper levels. One that was at the top is there no more.
      if (id !== ONLY) side.delete(id);
      return;
    }
    const read = readPrice(entry.text('MDEntryPx'), entry.text('MDEntrySize'), this.#refuse);
    const before = side.get(id);
    // A snapshot's entries need no ids (FIX 4.4), and it may hold more levels than were asked for.
    if (isSnapshot && id === ONLY && before !== undefined && !isBetter(entry, read, before)) return;
    // A price that cannot be used has still taken the place of the one before.
    side.delete(id);
    if (read === undefined) return;
    if (side.size >= ENTRIES_MAX) {
      this.#refuse('too_many_entries');
      return;
    }
    side.set(id, read);
  }

  /**
   * Undefined for what was not asked for. Changes and deletions may leave the type out, which an entry keeps (FIX 4.4, MDEntryType).
   * @throws FieldError when nobody knows which side it is
   */
  #sideOf(entry: Fields): Map<string, Entry> | undefined {
    const ids = idsOf(entry);
    const isNamedDeletion = entry.text('MDUpdateAction') === DELETE && ids.length > 0;
    const holder = entry.text('MDEntryType') === undefined ? this.#holderOf(ids) : undefined;
    // What is not here need not be deleted.
    if (holder !== undefined || (isNamedDeletion && entry.text('MDEntryType') === undefined)) return holder;
    const type = required(entry, 'MDEntryType');
    return type === BID ? this.#sides.bid : type === OFFER ? this.#sides.ask : undefined;
  }

  #holderOf(ids: readonly string[]): Map<string, Entry> | undefined {
    const { bid, ask } = this.#sides;
    return [bid, ask].find((side) => ids.some((id) => side.has(id)));
  }
}

function isBetter(fields: Fields, entry: Entry | undefined, than: Entry): boolean {
  if (entry === undefined) return false;
  const order = compare(entry.price, than.price);
  return fields.text('MDEntryType') === BID ? order > 0 : order < 0;
}

function best(entries: ReadonlyMap<string, Entry>, sign: 1 | -1): Entry | undefined {
  let found: Entry | undefined;
  for (const entry of entries.values()) {
    if (found === undefined || compare(entry.price, found.price) * sign > 0) found = entry;
  }
  return found;
}
