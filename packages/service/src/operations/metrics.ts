import * as prom from '@prometheus-io/client';
import type { Market } from '../market/market.ts';
import type { RateBook } from '../market/rate-book.ts';
import type { SourceHealth } from '../market/sources/source.ts';
import { checkPricing, countPrices, type PricingServices } from './health.ts';
import { RequestFigures } from './request-figures.ts';

/** What price streams count of themselves. */
export interface StreamFigures {
  readonly open: Readonly<Record<string, number>>;
  readonly ended: ReadonlyMap<string, number>;
  readonly prices: number;
  readonly superseded: number;
  readonly delivered: number;
}

/** What the service counts of itself, in Prometheus' form. One set for each application, so that tests do not meet. */
export class Metrics {
  readonly registry = new prom.Registry();
  readonly #requests: RequestFigures;
  readonly #tokenRequests: prom.Counter<'outcome'>;
  readonly #batchItems: prom.Histogram<'statement'>;
  readonly #batchSeconds: prom.Histogram<'statement'>;

  constructor() {
    const registers = [this.registry];
    prom.collectDefaultMetrics({ register: this.registry });
    this.#requests = new RequestFigures(this.registry);
    this.#tokenRequests = new prom.Counter({
      name: 'firmquote_token_requests_total',
      help: 'Answers of the token endpoint: issued, or the code of the error.',
      labelNames: ['outcome'],
      registers,
    });
    this.#batchItems = new prom.Histogram({
      name: 'firmquote_batch_items',
      help: 'Requests that one statement carried.',
      labelNames: ['statement'],
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers,
    });
    this.#batchSeconds = new prom.Histogram({
      name: 'firmquote_batch_seconds',
      help: 'Time of one statement with its commit.',
      labelNames: ['statement'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
      registers,
    });
  }

  answered(method: string, route: string, status: number, seconds: number): void {
    this.#requests.answered(method, route, status, seconds);
  }

  tokenAnswered(outcome: string): void {
    this.#tokenRequests.inc({ outcome });
  }

  batch(statement: string, items: number, seconds: number): void {
    this.#batchItems.observe({ statement }, items);
    this.#batchSeconds.observe({ statement }, seconds);
  }

  /** @param daysLeft days that each currency's settlement calendar still covers */
  watchCalendars(daysLeft: () => ReadonlyMap<string, number>): void {
    const days = new prom.Gauge({
      name: 'firmquote_calendar_days_left',
      help: 'Days that the settlement calendar of a currency still covers; below 396 is less than 13 months.',
      labelNames: ['currency'],
      registers: [this.registry],
      collect: () => {
        for (const [currency, left] of daysLeft()) days.set({ currency }, left);
      },
    });
  }

  /** @param free bytes left for the embedded database; undefined before anybody has looked */
  watchDisk(free: () => bigint | undefined, warning: bigint): void {
    const bytes = new prom.Gauge({
      name: 'firmquote_disk_bytes',
      help: 'Disk of the embedded database: bytes that are free, and below which the service warns.',
      labelNames: ['what'],
      registers: [this.registry],
      collect: () => {
        const now = free();
        if (now !== undefined) bytes.set({ what: 'free' }, Number(now));
        bytes.set({ what: 'warning' }, Number(warning));
      },
    });
  }

  watchStreams(figures: StreamFigures): void {
    const registers = [this.registry];
    const open = new prom.Gauge({
      name: 'firmquote_price_streams_open',
      help: 'Price streams that are open.',
      labelNames: ['transport'],
      registers,
      collect: () => {
        for (const [transport, count] of Object.entries(figures.open)) open.set({ transport }, count);
      },
    });
    const ended = new prom.Gauge({
      name: 'firmquote_price_streams_ended',
      help: 'Price streams that ended since the start, by reason.',
      labelNames: ['reason'],
      registers,
      collect: () => {
        for (const [reason, count] of figures.ended) ended.set({ reason }, count);
      },
    });
    const events = new prom.Gauge({
      name: 'firmquote_price_stream_events',
      help: 'Since the start: prices made, events delivered to readers, prices that a newer one took the place of.',
      labelNames: ['outcome'],
      registers,
      collect: () => {
        events.set({ outcome: 'made' }, figures.prices);
        events.set({ outcome: 'delivered' }, figures.delivered);
        events.set({ outcome: 'superseded' }, figures.superseded);
      },
    });
  }

  #watchBook(book: RateBook): void {
    const ticks = new prom.Gauge({
      name: 'firmquote_price_ticks',
      help: 'Ticks taken and refused since the start, by reason.',
      labelNames: ['outcome'],
      registers: [this.registry],
      collect: () => {
        ticks.set({ outcome: 'accepted' }, book.accepted);
        for (const [reason, count] of Object.entries(book.rejected)) ticks.set({ outcome: reason }, count);
      },
    });
    const bySource = new prom.Gauge({
      name: 'firmquote_price_source_ticks',
      help: 'Since the start, by source: ticks taken, refused by reason, and prices taken back.',
      labelNames: ['source', 'outcome'],
      registers: [this.registry],
      collect: () => {
        for (const [source, { accepted, rejected, withdrawn }] of book.ticksBySource) {
          bySource.set({ source, outcome: 'accepted' }, accepted);
          for (const [outcome, count] of Object.entries(rejected)) bySource.set({ source, outcome }, count);
          bySource.set({ source, outcome: 'withdrawn' }, withdrawn);
        }
      },
    });
  }

  watchMarket(market: Market): void {
    this.#watchBook(market.book);
    const halts = new prom.Gauge({
      name: 'firmquote_market_halts',
      help: 'Halts in force: ordered by operators by scope, and pairs whose sources disagree.',
      labelNames: ['scope'],
      registers: [this.registry],
      collect: () => {
        halts.set({ scope: 'all' }, market.halts.all ? 1 : 0);
        halts.set({ scope: 'pair' }, market.halts.pairs.size);
        halts.set({ scope: 'customer' }, market.halts.customers.size);
        halts.set({ scope: 'automatic' }, market.book.disagreements().length);
      },
    });
  }

  watchPricing(services: PricingServices): void {
    const registers = [this.registry];
    const ready: prom.Gauge = new prom.Gauge({
      name: 'firmquote_pricing_ready',
      help: 'Whether anything can be quoted, as /readyz/prices says.',
      registers,
      collect: () => {
        ready.set(checkPricing(services).ready ? 1 : 0);
      },
    });
    const pairs = new prom.Gauge({
      name: 'firmquote_pairs',
      help: 'Pairs of the book with a current price (fresh), an old one (stale) and none (missing).',
      labelNames: ['price'],
      registers,
      collect: () => {
        for (const [price, count] of Object.entries(countPrices(services.market)))
          pairs.set({ price }, count);
      },
    });
  }

  /** @param health how each source is now, by its name */
  watchSources(health: () => Readonly<Record<string, SourceHealth>>): void {
    const registers = [this.registry];
    const gauge = (name: string, help: string, value: (source: SourceHealth) => number): void => {
      const metric = new prom.Gauge({
        name,
        help,
        labelNames: ['source'],
        registers,
        collect: () => {
          for (const [source, state] of Object.entries(health())) metric.set({ source }, value(state));
        },
      });
    };
    gauge(
      'firmquote_source_running',
      'Whether the price source runs, and is connected where it connects.',
      (source) => (source.state === 'running' ? 1 : 0),
    );
    gauge(
      'firmquote_source_ticks',
      'Ticks that the source has handed on since the start.',
      ({ ticks }) => ticks,
    );
    gauge(
      'firmquote_source_reconnects',
      'Connections made after the first one.',
      ({ reconnects = 0 }) => reconnects,
    );
    gauge(
      'firmquote_source_skipped',
      'Lines and messages that could not be read.',
      ({ skippedLines = 0 }) => skippedLines,
    );
  }
}
