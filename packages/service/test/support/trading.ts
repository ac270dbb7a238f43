import type { NewQuoteRequest } from '@firmquote/api/operations/quotes';
import { BUILT_IN_DATE_RULES, type DateRulesSource, parseDecimal, tradeDateAt } from '@firmquote/fx';
import {
  type CustomerDirectory,
  type CustomerLimits,
  type CustomerProfile,
  DEFAULT_SETTINGS,
  NOTHING_USED,
} from '../../src/customers/profile.ts';
import type { Pool } from '../../src/database/pool.ts';
import { ExposureGuard } from '../../src/exposure/guard.ts';
import { publishValues } from '../../src/exposure/house-limits.ts';
import { EXPOSURE_LIMITS } from '../../src/exposure/limits.ts';
import { readHousePositions } from '../../src/exposure/position-store.ts';
import { KeyGate } from '../../src/http/key-gate.ts';
import { DEFAULT_QUOTAS } from '../../src/http/rate-limits.ts';
import { Market } from '../../src/market/market.ts';
import { RateBook } from '../../src/market/rate-book.ts';
import { isoInstant, VirtualClock } from '../../src/platform/clock.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { fixedPricingDesk } from '../../src/pricing/desk.ts';
import { DEFAULT_SETTINGS as DEFAULT_PRICING } from '../../src/pricing/settings.ts';
import { spreadCandidates } from '../../src/pricing/spread-book.ts';
import type { QuoteRecord } from '../../src/quotes/record.ts';
import { requestQuote } from '../../src/quotes/request-quote.ts';
import type { QuotesRoom } from '../../src/quotes/room.ts';
import { type QuoteId, QuoteStore } from '../../src/quotes/store.ts';
import { SwapPointDesk } from '../../src/swap-points/desk.ts';
import { SANDBOX_RATES } from '../../src/swap-points/sandbox-rates.ts';
import { executeQuote } from '../../src/transactions/execute-quote.ts';
import type { PricedTransaction } from '../../src/transactions/record.ts';
import type { ExecutionRoom } from '../../src/transactions/room.ts';
import { type ExecutionItem, TransactionStore } from '../../src/transactions/store.ts';

export function decimal(text: string) {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`not a decimal: ${text}`);
  return value;
}

/** Draws that are small, and the same in every run. */
export function lottery(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export interface Desk {
  readonly clock: VirtualClock;
  readonly book: RateBook;
  readonly market: Market;
  readonly pool: Pool;
  readonly dates: DateRulesSource;
  readonly services: QuotesRoom & ExecutionRoom;
  readonly customerId: string;
  readonly clientId: string;
  /** Replaces parts of the customer's profile. */
  change(patch: Partial<CustomerProfile>): void;
  quote(body?: Partial<NewQuoteRequest>): Promise<QuoteRecord>;
  execute(quote: QuoteRecord): Promise<PricedTransaction>;
}

/** An execution of a quote by the desk's customer, as the store takes it. */
export function executionOf(
  desk: Pick<Desk, 'customerId' | 'clientId' | 'clock'>,
  quoteId: string,
  patch: Partial<ExecutionItem> = {},
): ExecutionItem {
  return {
    customerId: desk.customerId,
    clientId: desk.clientId,
    quoteId,
    receivedAt: desk.clock.now(),
    key: undefined,
    ifMatch: undefined,
    expectSell: undefined,
    expectBuy: undefined,
    clientReference: undefined,
    metadata: undefined,
    ...patch,
  };
}

const LIMITS: CustomerLimits = {
  dailyUsdMinor: 10n ** 15n,
  openUsdMinor: 10n ** 15n,
  tradeUsdMinor: 10n ** 14n,
  maxOpenQuotes: 100_000,
  quotas: DEFAULT_QUOTAS,
};

/** Open quotes of a customer that have not run out, as the limit of open quotes counts them. */
export async function openQuotesOf(pool: Pool, customerId: string, at: number): Promise<QuoteId[]> {
  const { rows } = await pool.query<{ id: string }>('select id from open_quotes_of($1, $2, null) as id', [
    customerId,
    isoInstant(at),
  ]);
  return rows.map(({ id }) => ({ customerId, id }));
}

/** Ends up to so many quotes whose time was over at `until`, those that ran out first; answers how many. */
export async function expireDue(store: QuoteStore, until: number, at: number, most: number): Promise<number> {
  return store.expire(await store.due(until, most), at);
}

/** Wednesday 4 March 2026, 14:30 UTC, the instant of docs/interface.md#worked-examples. */
export const EXAMPLE_INSTANT = Date.UTC(2026, 2, 4, 14, 30);

/** A customer with 20 bps on every pair who can trade EUR, USD, GBP, JPY and KWD at frozen prices. */
export async function createDesk(
  pool: Pool,
  options: { limits?: Partial<CustomerLimits>; clock?: VirtualClock } = {},
): Promise<Desk> {
  const clock = options.clock ?? new VirtualClock();
  if (options.clock === undefined) clock.set(EXAMPLE_INSTANT);
  const book = new RateBook({ clock });
  const market = new Market({ clock, book, hours: 'always' });
  book.freeze('EURUSD', decimal('1.08488'), decimal('1.08494'));
  book.freeze('GBPUSD', decimal('1.26810'), decimal('1.26818'));
  book.freeze('USDJPY', decimal('151.236'), decimal('151.240'));
  book.freeze('USDKWD', decimal('0.30711'), decimal('0.30719'));

  const customerId = newUuid(clock.now());
  const limits = { ...LIMITS, ...options.limits };
  await insertCustomer(pool, customerId, limits, clock.now());
  let profile: CustomerProfile = {
    id: customerId,
    name: 'Test customer',
    groupName: undefined,
    status: 'active',
    settings: DEFAULT_SETTINGS,
    limits,
    quotas: DEFAULT_QUOTAS,
    payoutCurrencies: new Set(CURRENCIES),
    usage: NOTHING_USED,
  };
  const rule = {
    id: '0198a000-0000-7000-8000-000000000001',
    version: 3,
    customerId: undefined,
    groupName: undefined,
    pair: undefined,
    tenor: undefined,
    validityUpToSeconds: undefined,
    amountFromUsdMinor: 0n,
    spreadBps: decimal('20.00'),
    minBps: undefined,
    maxBps: undefined,
    validFrom: undefined,
    validTo: undefined,
  };
  const candidates = spreadCandidates([rule]);
  const customers: CustomerDirectory = {
    profile: () => profile,
    collectionCurrencies: () => new Set(CURRENCIES),
  };
  const limitDay = (now: number) => tradeDateAt(now);
  const quotes = new QuoteStore({ pool, now: () => clock.now() });
  const transactions = new TransactionStore({ pool, now: () => clock.now(), limitDay });
  // Longer than a busy machine takes for any number of requests under one key.
  const gate = new KeyGate(60_000);
  const dates = { current: BUILT_IN_DATE_RULES };
  const services = {
    clock,
    timekeeper: { requireRight() {} },
    market,
    customers,
    dates,
    pricing: fixedPricingDesk(DEFAULT_PRICING, () => candidates),
    swapPoints: new SwapPointDesk({ clock, builtInRates: SANDBOX_RATES }),
    exposure: new ExposureGuard({
      ...{ clock, book, limits: { current: () => NOT_LIMITED } },
      read: (at) => readHousePositions(pool, at),
      publish: () => publishValues(pool, book),
    }),
    store: quotes,
    gate,
    scenarios: undefined,
    quotes,
    transactions,
    limitDay,
  };
  const clientId = newUuid(clock.now());
  const desk: Desk = {
    clock,
    book,
    market,
    pool,
    dates,
    services,
    customerId,
    clientId,
    change(patch) {
      profile = { ...profile, ...patch };
    },
    async quote(body) {
      const request: NewQuoteRequest = {
        sellCurrency: 'USD',
        buyCurrency: 'EUR',
        fixedSide: 'sell',
        amount: '100000.00',
        ...body,
      };
      const { record } = await requestQuote(services, {
        customerId,
        clientId,
        body: request,
        key: undefined,
      });
      return record;
    },
    async execute(quote) {
      const { transaction } = await executeQuote(services, {
        customerId,
        clientId,
        quoteId: quote.id,
        body: {},
        receivedAt: clock.now(),
        key: undefined,
        ifMatch: undefined,
      });
      return transaction;
    },
  };
  return desk;
}

const NOT_LIMITED = EXPOSURE_LIMITS.read(EXPOSURE_LIMITS.initial, 1);
const CURRENCIES = ['EUR', 'USD', 'GBP', 'JPY', 'KWD'];

async function insertCustomer(pool: Pool, id: string, limits: CustomerLimits, now: number): Promise<void> {
  const at = isoInstant(now);
  await pool.query(
    `insert into customers (id, name, created_at, updated_at) values ($1, 'Test customer', $2, $2)`,
    [id, at],
  );
  await pool.query(
    `insert into customer_limits (customer_id, daily_usd_minor, open_usd_minor, trade_usd_minor, max_open_quotes, updated_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      id,
      String(limits.dailyUsdMinor),
      String(limits.openUsdMinor),
      String(limits.tradeUsdMinor),
      limits.maxOpenQuotes,
      at,
    ],
  );
  await pool.query('insert into customer_usage (customer_id) values ($1)', [id]);
  for (const currency of CURRENCIES) {
    await pool.query(
      `insert into settlement_instructions (customer_id, id, currency, account_holder, iban, status, created_at)
       values ($1, $2, $3, 'Test customer', 'DE89370400440532013000', 'active', $4)`,
      [id, newUuid(now), currency, at],
    );
    await pool.query(
      `insert into collection_accounts (currency, details, updated_at) values ($1, $2, $3) on conflict do nothing`,
      [
        currency,
        JSON.stringify({
          accountHolder: 'Example FX Ltd',
          bankName: 'Example Bank',
          iban: 'GB29NWBK60161331926819',
        }),
        at,
      ],
    );
  }
}
