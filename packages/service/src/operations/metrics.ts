import * as prom from '@prometheus-io/client';
import type { RateBook } from '../market/rate-book.ts';

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
  readonly #requests: prom.Counter<'method' | 'route' | 'status'>;
  readonly #seconds: prom.Histogram<'method' | 'route'>;
  /** Looked up once: finding a series by its labels costs more than counting. Routes are few, paths are not used. */
  readonly #series = new Map<
    string,
    { readonly count: { inc(): void }; readonly time: { observe(value: number): void } }
  >();
  readonly #batchItems: prom.Histogram<'statement'>;
  readonly #batchSeconds: prom.Histogram<'statement'>;

  constructor() {
    const registers = [this.registry];
    prom.collectDefaultMetrics({ register: this.registry });
    this.#requests = new prom.Counter({
      name: 'firmquote_http_requests_total',
      help: 'Answered requests.',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.#seconds = new prom.Histogram({
      name: 'firmquote_http_request_seconds',
      help: 'Time from the request head to the end of the answer.',
      labelNames: ['method', 'route'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
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
    const key = `${method} ${status} ${route}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = {
        count: this.#requests.labels({ method, route, status: String(status) }),
        time: this.#seconds.labels({ method, route }),
      };
      this.#series.set(key, series);
    }
    series.count.inc();
    series.time.observe(seconds);
  }

  batch(statement: string, items: number, seconds: number): void {
    this.#batchItems.observe({ statement }, items);
    this.#batchSeconds.observe({ statement }, seconds);
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

  watchBook(book: RateBook): void {
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
  }
}
