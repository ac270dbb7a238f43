import { BUILT_IN_DATE_RULES, parseDecimal } from '@firmquote/fx';
import {
  type CustomerDirectory,
  type CustomerProfile,
  DEFAULT_SETTINGS,
  NOTHING_USED,
} from '../customers/profile.ts';
import { DEFAULT_QUOTAS } from '../http/rate-limits.ts';
import { Market } from '../market/market.ts';
import { DEFAULT_PAIR_SETTINGS } from '../market/pair-settings.ts';
import { RateBook } from '../market/rate-book.ts';
import { NO_LIMITS } from '../market/test-book.ts';
import { createLogger } from '../platform/logger.ts';
import { fixedPricingDesk } from '../pricing/desk.ts';
import { DEFAULT_SETTINGS as DEFAULT_PRICING } from '../pricing/settings.ts';
import type { SpreadRule } from '../pricing/spread-book.ts';
import { spreadCandidates } from '../pricing/spread-book.ts';
import { StreamConnection, type Transport } from './connection.ts';
import type { Frame } from './frame.ts';
import { StreamHub, TURN_MS } from './hub.ts';
import type { HubOptions } from './hub-options.ts';
import { PriceReader } from './price-reader.ts';
import { requireTerms, resolvePrices } from './price-request.ts';
import { SendQueues } from './send-queues.ts';

export function decimal(text: string) {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`not a decimal: ${text}`);
  return value;
}

/** A transport that keeps what it was given and takes as much as the test says. */
export class RecordingTransport implements Transport {
  readonly kind = 'sse';
  readonly frames: Frame[] = [];
  waiting = 0;
  isEnded = false;
  isDestroyed = false;
  answersPing = true;

  write(frames: readonly Frame[]): void {
    this.frames.push(...frames);
  }

  waitingBytes(): number {
    return this.waiting;
  }

  end(bye: Frame): void {
    this.frames.push(bye);
    this.isEnded = true;
  }

  destroy(): void {
    this.isDestroyed = true;
  }

  probe(): boolean {
    return this.answersPing;
  }

  /** Data of the events of a name, and forgets everything. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
  take(event = 'price'): any[] {
    return this.frames
      .splice(0)
      .filter((frame) => frame.event === event)
      .map((frame) => JSON.parse(frame.data));
  }
}

/** Wednesday 4 March 2026, 14:30 UTC. */
const START = Date.UTC(2026, 2, 4, 14, 30);

const RULE: SpreadRule = {
  id: '0198a000-0000-7000-8000-000000000001',
  version: 1,
  customerId: undefined,
  groupName: undefined,
  pair: undefined,
  spreadBps: decimal('20.00'),
  minBps: undefined,
  maxBps: undefined,
  tenor: undefined,
  validityUpToSeconds: undefined,
  amountFromUsdMinor: 0n,
  validFrom: undefined,
  validTo: undefined,
};

function profileOf(id: string): CustomerProfile {
  return {
    id,
    name: id,
    groupName: undefined,
    status: 'active',
    settings: DEFAULT_SETTINGS,
    limits: {
      dailyUsdMinor: 1n,
      openUsdMinor: 1n,
      tradeUsdMinor: 1n,
      maxOpenQuotes: 1,
      quotas: DEFAULT_QUOTAS,
    },
    quotas: DEFAULT_QUOTAS,
    payoutCurrencies: new Set(),
    usage: NOTHING_USED,
  };
}

const CUSTOMERS: CustomerDirectory = {
  profile: profileOf,
  collectionCurrencies: () => new Set(),
};

/** A hub that beats when the test says so. */
function steppedHub(options: Pick<HubOptions, 'clock' | 'market' | 'queues' | 'now'>) {
  let running: (() => void) | undefined;
  const hub = new StreamHub({
    ...options,
    dates: { current: BUILT_IN_DATE_RULES },
    logger: createLogger('silent', { write: () => undefined }),
    every: (_ms, work) => {
      running = work;
      return () => {
        running = undefined;
      };
    },
  });
  return { hub, isRunning: () => running !== undefined, beat: () => running?.() };
}

/** A hub on a market, both on time that only the test moves. */
export function createStreamDesk(queues = new SendQueues(async () => new Map())) {
  let business = START;
  let real = 1_000_000;
  const clock = { now: () => business };
  // Tests make prices jump; what the book refuses is tested there.
  const book = new RateBook({
    clock,
    defaults: { ...DEFAULT_PAIR_SETTINGS, outlierBps: null, ...NO_LIMITS },
  });
  const market = new Market({ clock, book, hours: 'always' });
  const { hub, isRunning, beat } = steppedHub({ clock, market, queues, now: () => real });
  let rule: SpreadRule = { ...RULE };
  const pricing = fixedPricingDesk(DEFAULT_PRICING, () => spreadCandidates([rule]));
  const room = { clock, customers: CUSTOMERS, hub, market, pricing };
  return {
    book,
    market,
    hub,
    room,
    isRunning,
    tick(pair: string, bid: string, ask: string): void {
      book.apply({ pair, bid: decimal(bid), ask: decimal(ask), at: business, source: 'test' });
    },
    /** Both clocks go on, with a beat of the hub every 20 ms. */
    pass(ms: number): void {
      for (let left = ms; left > 0; left -= TURN_MS) {
        const step = Math.min(TURN_MS, left);
        business += step;
        real += step;
        beat();
      }
    },
    setRule(next: Partial<SpreadRule>): void {
      rule = { ...rule, ...next };
    },
    /** Opens a stream of prices for a customer; `check` is what is looked at again while it is open. */
    async open(
      pairs: readonly string[],
      options: { customerId?: string; check?: () => string | undefined; transport?: Transport } = {},
    ) {
      const customerId = options.customerId ?? 'customer';
      const recording = new RecordingTransport();
      const connection = new StreamConnection(customerId, options.transport ?? recording, hub.counts);
      const reader = new PriceReader(room, connection);
      const wanted = resolvePrices({ pairs }, book, (name) => name);
      const terms = await requireTerms(room, customerId, wanted);
      let isOver = false;
      hub.open(connection, {
        check: options.check ?? (() => undefined),
        follow: () => reader.follow(),
        onEnd: () => {
          isOver = true;
        },
      });
      reader.add(wanted, terms);
      hub.flush(connection);
      return { connection, reader, transport: recording, isOver: () => isOver };
    },
  };
}

/** The same with a price of EURUSD. */
export function deskWithPrice() {
  const desk = createStreamDesk();
  desk.tick('EURUSD', '1.08488', '1.08494');
  return desk;
}
