import type { WithdrawalReason } from '@firmquote/api/operations/quotes';
import { plainArray } from '../database/arrays.ts';
import { Batcher } from '../database/batcher.ts';
import { IDS } from '../database/ids.ts';
import type { Pool } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { timeHex } from '../platform/ids.ts';
import { CLOSE_PARAMETERS, closeParameters } from './end-store.ts';
import { INSERT_PLACES, insertParameters } from './insert-parameters.ts';
import type { SharedPart } from './kept-parts.ts';
import type { PriceSnapshot } from './price-text.ts';
import {
  type PricedQuoteRow,
  type QuoteFigures,
  type QuoteRecord,
  type QuoteRow,
  quoteFromPriced,
  quotesFromRows,
} from './record.ts';

export const QUOTE_OPERATION = 'quotes';
/** How long a quote or a cancellation may wait to be written, for held rows as well. */
const WRITE_WAIT_LIMIT_MS = 5_000; // limit: Wait of a quote or a cancellation for its statement

export const INSERT_QUOTES = `select o.ord, o.outcome, o.open from write_quotes(${INSERT_PLACES}) o`;

interface InsertRow {
  ord: number;
  outcome: 'known' | 'customer_suspended' | 'too_many_open_quotes';
  open: string;
}

function refusalOf({ outcome, open }: InsertRow): NewQuoteOutcome {
  return outcome === 'too_many_open_quotes' ? { outcome, open: Number.parseInt(open, 10) } : { outcome };
}

export interface QuoteKey {
  readonly key: string;
  readonly fingerprint: string;
  readonly receivedAt: number;
}

export interface NewQuote {
  readonly record: QuoteRecord;
  readonly price: PriceSnapshot;
  readonly key: QuoteKey | undefined;
  /** The customer's limit of open quotes, where it is small enough to be counted exactly. */
  readonly maxOpen: number | undefined;
}

export type NewQuoteOutcome =
  /** `at` is the instant at which it was written, kept with its key. */
  | { readonly outcome: 'created'; readonly at: number }
  /** The key was used before, for this request or another one. */
  | { readonly outcome: 'known' }
  | { readonly outcome: 'customer_suspended' }
  | { readonly outcome: 'too_many_open_quotes'; readonly open: number };

export interface QuoteOfKey {
  /** Of the request that made it. */
  readonly fingerprint: string;
  /** When it was written. */
  readonly at: number;
  /** As it is now. */
  readonly record: QuoteRecord;
}

export interface QuoteId {
  readonly customerId: string;
  readonly id: string;
}

/** Quotes of any of these pairs or customers, but not of some customers. */
interface QuotesWanted {
  readonly pairs: readonly string[];
  readonly customers: readonly string[];
  readonly besides: readonly string[];
}

/** An open quote whose time is over. */
export interface DueQuote extends QuoteId {
  readonly expiresAt: number;
}

interface QuoteStoreOptions {
  readonly pool: Pool;
  /** Business time. */
  readonly now: () => number;
  readonly onBatch?: (name: string, size: number, seconds: number) => void;
  readonly figures?: QuoteFigures;
}

/** SQL of making, reading and closing quotes; lists are in `list-store.ts`, other ends in `end-store.ts`. */
export class QuoteStore {
  readonly #pool: Pool;
  readonly #now: () => number;
  readonly #figures: QuoteFigures | undefined;
  readonly #inserts: Batcher<NewQuote, NewQuoteOutcome>;
  readonly #reads: Batcher<QuoteId, QuoteRecord | undefined>;
  readonly #cancels: Batcher<QuoteId & { readonly at: number }, QuoteRecord | undefined>;
  /** What a commit of this process holds; it is not deleted as long as a quote may name it. */
  readonly #kept = new WeakSet<SharedPart>();

  constructor({ pool, now, onBatch, figures }: QuoteStoreOptions) {
    this.#pool = pool;
    this.#now = now;
    this.#figures = figures;
    const batcher = <In, Out>(
      name: string,
      maxInFlight: number,
      run: (items: readonly In[]) => Promise<readonly Out[]>,
      keyOf?: (item: In) => string,
    ) =>
      new Batcher<In, Out>({
        name,
        run,
        maxInFlight,
        maxBatch: 256, // limit: Quotes written, cancelled or read by one statement
        maxQueue: 20_000, // limit: Quotes that wait for a statement of each kind
        onBatch: (size, seconds) => onBatch?.(name, size, seconds),
        ...(keyOf === undefined ? {} : { locks: { keyOf, waitLimitMs: WRITE_WAIT_LIMIT_MS } }),
      });
    // One at a time: whoever waits for it makes the next batch large, and batches do not share the database's cores.
    this.#inserts = batcher<NewQuote, NewQuoteOutcome>(
      'write_quotes',
      1,
      (items) => this.#insert(items),
      ({ record }) => record.customerId,
    );
    this.#reads = batcher('read_quotes', 2, (items) => this.#read(items));
    this.#cancels = batcher<QuoteId & { readonly at: number }, QuoteRecord | undefined>(
      'cancel_quotes',
      1,
      (items) => this.#cancel(items),
      ({ customerId }) => customerId,
    );
  }

  /** Writes a quote durably, in one commit with those that arrive at the same time. */
  insert(quote: NewQuote): Promise<NewQuoteOutcome> {
    return this.#inserts.submit(quote);
  }

  find(customerId: string, id: string): Promise<QuoteRecord | undefined> {
    return this.#reads.submit({ customerId, id });
  }

  /** With its price as the database holds it now, and not as it is remembered: for who checks it. */
  async findKept(customerId: string, id: string): Promise<QuoteRecord | undefined> {
    const { rows } = await this.#pool.query<PricedQuoteRow>(
      'select * from priced_quotes where customer_id = $1 and id = $2 limit 1',
      [customerId, id],
    );
    return rows[0] && quoteFromPriced(rows[0]);
  }

  /** open → cancelled, or undefined when the quote was not open. */
  cancel(customerId: string, id: string, at: number): Promise<QuoteRecord | undefined> {
    return this.#cancels.submit({ customerId, id, at });
  }

  /**
   * Takes back those of the given quotes that are still open, with their events; answers how many.
   * Passes over quotes that somebody else is just changing, and over customers whom somebody holds, instead of waiting.
   */
  async withdraw(ids: readonly QuoteId[], reason: WithdrawalReason, at: number): Promise<number> {
    const { rows } = await this.#pool.query<{ closed: number }>({
      name: 'close_quotes',
      text: `select count(*)::int as closed from close_quotes(${CLOSE_PARAMETERS})`,
      values: closeParameters(ids, 'withdrawn', reason, at, true),
    });
    const closed = rows[0]?.closed ?? 0;
    this.#figures?.quotesEnded('withdrawn', closed);
    return closed;
  }

  /** Up to so many open quotes whose time was over at `until`, those that ran out first, from one of these ends on. */
  async due(until: number, most: number, since?: number): Promise<DueQuote[]> {
    const { rows } = await this.#pool.query<Pick<Row<'quotes'>, 'customer_id' | 'id' | 'expires_at'>>({
      name: 'due_quotes',
      text: 'select * from due_quotes($1, $2, $3)',
      values: [since === undefined ? '-infinity' : isoInstant(since), isoInstant(until), most],
    });
    return rows.map((row) => ({ customerId: row.customer_id, id: row.id, expiresAt: row.expires_at }));
  }

  /**
   * Moves those of the given quotes that are open to expired, in one commit with their events; answers how many. Passes over quotes and
   * customers that somebody else is just changing.
   */
  async expire(quotes: readonly QuoteId[], at: number): Promise<number> {
    if (quotes.length === 0) return 0;
    const { rows } = await this.#pool.query<{ expired: number }>({
      name: 'expire_quotes',
      text: 'select expire_quotes($1, $2, $3, $4) as expired',
      values: [
        plainArray(quotes.map(({ customerId }) => customerId)),
        plainArray(quotes.map(({ id }) => id)),
        isoInstant(at),
        timeHex(at),
      ],
    });
    const expired = rows[0]?.expired ?? 0;
    this.#figures?.quotesEnded('expired', expired);
    return expired;
  }

  /** When the next open quote runs out, epoch milliseconds. */
  async nextExpiry(): Promise<number | undefined> {
    const { rows } = await this.#pool.query<{ due: number }>(
      `select q.expires_at as due from (select * from ends_of_open_quotes() order by since limit 1) e
       cross join lateral (
         select x.expires_at from current_quotes x where x.status = 'open' and x.expires_at >= e.since and x.expires_at < e.before
         order by x.expires_at limit 1) q`,
    );
    return rows[0]?.due;
  }

  /** The pairs of which there are open quotes that have not run out. */
  async openPairs(at: number): Promise<string[]> {
    const { rows } = await this.#pool.query<Pick<Row<'quotes'>, 'pair'>>(
      'select distinct pair from open_quotes_after($1)',
      [isoInstant(at)],
    );
    return rows.map(({ pair }) => pair);
  }

  /** Open quotes that have not run out. */
  async openUnder(
    { pairs, customers, besides }: QuotesWanted,
    at: number,
    limit: number,
  ): Promise<QuoteId[]> {
    const { rows } = await this.#pool.query<Pick<Row<'quotes'>, 'customer_id' | 'id'>>(
      `select customer_id, id from open_quotes_after($1)
       where (pair = any ($2) or customer_id = any ($3::uuid[])) and customer_id <> all ($4::uuid[]) limit $5`,
      [isoInstant(at), pairs, customers, besides, limit],
    );
    return rows.map((row) => ({ customerId: row.customer_id, id: row.id }));
  }

  /** The quote first made under a key that is still kept. */
  async byKey(customerId: string, key: string): Promise<QuoteOfKey | undefined> {
    const { rows } = await this.#pool.query<QuoteRow & { fingerprint: string; written_at: number }>(
      `select k.fingerprint, k.created_at as written_at, q.* from idempotency_keys k
       join current_quotes q on q.customer_id = k.customer_id and q.id = k.quote_id
       where k.customer_id = $1 and k.operation = $2 and k.key = $3 and k.expires_at > $4`,
      [customerId, QUOTE_OPERATION, key, isoInstant(this.#now())],
    );
    const row = rows[0];
    if (row === undefined) return undefined;
    const [record] = await quotesFromRows(this.#pool, [row]);
    return record && { fingerprint: row.fingerprint, at: row.written_at, record };
  }

  async #insert(items: readonly NewQuote[]): Promise<readonly NewQuoteOutcome[]> {
    const markets = new Set(items.map(({ price }) => price.market));
    const spreads = new Set(items.map(({ price }) => price.spread));
    const isUnknown = (part: SharedPart) => !this.#kept.has(part);
    const unknown = { markets: [...markets].filter(isUnknown), spreads: [...spreads].filter(isUnknown) };
    const at = this.#now();
    const { rows } = await this.#pool
      .query<InsertRow>({
        name: 'write_quotes',
        text: INSERT_QUOTES,
        values: insertParameters(items, unknown, at),
      })
      .catch((error: unknown) => {
        // Sent again with each quote: whatever went wrong, it is not for want of a price.
        for (const part of [...markets, ...spreads]) this.#kept.delete(part);
        throw error;
      });
    for (const part of [...unknown.markets, ...unknown.spreads]) this.#kept.add(part);
    const created: NewQuoteOutcome = { outcome: 'created', at };
    const outcomes: NewQuoteOutcome[] = items.map(() => created);
    for (const row of rows) {
      outcomes[row.ord] = refusalOf(row);
    }
    for (const { outcome } of outcomes) this.#figures?.quoted(outcome);
    return outcomes;
  }

  async #read(ids: readonly QuoteId[]): Promise<readonly (QuoteRecord | undefined)[]> {
    const { rows } = await this.#pool.query<QuoteRow>({
      name: 'read_quotes',
      // With a limit, the planner uses the index; without, it may read all of a table that was small when it planned.
      text: `select q.* from ${IDS} as i (customer_id, id)
             cross join lateral (
               select * from current_quotes x where x.customer_id = i.customer_id and x.id = i.id limit 1) q`,
      values: [ids.map((each) => each.customerId), ids.map((each) => each.id)],
    });
    const found = new Map((await quotesFromRows(this.#pool, rows)).map((record) => [record.id, record]));
    return ids.map(({ customerId, id }) => {
      const record = found.get(id);
      return record?.customerId === customerId ? record : undefined;
    });
  }

  async #cancel(items: readonly (QuoteId & { at: number })[]): Promise<readonly (QuoteRecord | undefined)[]> {
    const at = items.reduce((latest, item) => Math.max(latest, item.at), 0);
    const unique = [...new Map(items.map((item) => [item.id, item])).values()];
    const { rows } = await this.#pool.query<QuoteRow>({
      name: 'cancel_quotes',
      text: `select * from close_quotes(${CLOSE_PARAMETERS})`,
      values: closeParameters(unique, 'cancelled', null, at, false),
    });
    const closed = await quotesFromRows(this.#pool, rows);
    this.#figures?.quotesEnded('cancelled', closed.length);
    const byId = new Map(closed.map((record) => [record.id, record]));
    return items.map((item) => {
      const record = byId.get(item.id);
      byId.delete(item.id);
      return record;
    });
  }
}
