import { findPair } from '@firmquote/fx';
import * as prom from '@prometheus-io/client';
import { type Admission, WORK_KINDS } from '../http/admission.ts';
import type { ConnectionRefusal } from '../http/connections.ts';
import { setAside } from '../market/book-figures.ts';
import type { Market } from '../market/market.ts';
import type { SourceHealth } from '../market/sources/source.ts';
import { logLinesLost } from '../platform/log-output.ts';
import { DeskFigures } from './desk-figures.ts';
import { counter, gauge, type Sample } from './families.ts';
import { checkPricing, countPrices, type PricingHealthRoom } from './health.ts';
import { RequestFigures } from './request-figures.ts';

/** What price streams count of themselves. */
interface StreamFigures {
  readonly open: Readonly<Record<string, number>>;
  readonly ended: ReadonlyMap<string, number>;
  readonly prices: number;
  readonly superseded: number;
  readonly delivered: number;
}

/** What the service counts of itself, in Prometheus' form. One set for each application, so that tests do not meet. */
export class Metrics {
  readonly registry = new prom.Registry();
  readonly desk = new DeskFigures(this.registry);
  readonly #requests: RequestFigures;
  readonly #tokenRequests: prom.Counter<'outcome'>;
  readonly #connectionsRefused: prom.Counter<'reason'>;
  readonly #stalledReaders: prom.Counter;
  readonly #batchItems: prom.Histogram<'statement'>;
  readonly #batchSeconds: prom.Histogram<'statement'>;

  /** @param process number of the process, where a service has several */
  constructor(process?: number) {
    if (process !== undefined) this.registry.setDefaultLabels({ process: String(process) });
    const registers = [this.registry];
    prom.collectDefaultMetrics({ register: this.registry });
    this.#requests = new RequestFigures(this.registry);
    this.#tokenRequests = new prom.Counter({
      name: 'firmquote_token_requests_total',
      help: 'Answers of the token endpoint: issued, or the error code.',
      labelNames: ['outcome'],
      registers,
    });
    this.#connectionsRefused = new prom.Counter({
      name: 'firmquote_connections_refused_total',
      help: 'Connections closed on arrival: too many from one address, too many new ones from it (rate), or too many in the process.',
      labelNames: ['reason'],
      registers,
    });
    this.#stalledReaders = new prom.Counter({
      name: 'firmquote_stalled_readers_total',
      help: 'Connections closed because nobody took anything of their answer for a minute, or for 10 seconds while the service stops.',
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
    const logLines = {
      registry: this.registry,
      name: 'firmquote_log_lines_lost_total',
      help: 'Log lines lost because nobody read them in time.',
      labelNames: [],
    };
    counter(logLines, () => [[{}, logLinesLost()]]);
  }

  /**
   * @param seconds undefined for what was refused before anything was done
   * @param problemCode when it was answered with a problem
   */
  answered(
    method: string,
    route: string,
    status: number,
    seconds: number | undefined,
    problemCode?: string,
  ): void {
    this.#requests.answered(method, route, status, seconds);
    if (problemCode !== undefined) this.desk.refused(problemCode, status);
  }

  /** Once: what is refused under load, before anything else counts it. */
  watchAdmission(admission: Admission): void {
    const family = {
      registry: this.registry,
      name: 'firmquote_overload_refusals_total',
      help: 'Customer requests refused because the service could not serve them in time.',
      labelNames: ['kind'],
    };
    counter(family, () => WORK_KINDS.map((kind) => [{ kind }, admission.refusals(kind)]));
  }

  tokenAnswered(outcome: string): void {
    this.#tokenRequests.inc({ outcome });
  }

  connectionRefused(reason: ConnectionRefusal): void {
    this.#connectionsRefused.inc({ reason });
  }

  readerStalled(): void {
    this.#stalledReaders.inc();
  }

  batch(statement: string, items: number, seconds: number): void {
    this.#batchItems.observe({ statement }, items);
    this.#batchSeconds.observe({ statement }, seconds);
  }

  /** @param daysLeft days that each currency's settlement calendar still covers */
  watchCalendars(daysLeft: () => ReadonlyMap<string, number>): void {
    const help =
      'Days that the settlement calendar of a currency still covers; below 396 is less than 13 months.';
    this.#gauge('calendar_days_left', help, ['currency'], () => byLabel('currency', daysLeft()));
  }

  /** @param free bytes left for the embedded database; undefined before anybody has looked */
  watchDisk(free: () => bigint | undefined, warning: bigint): void {
    const help = 'Disk of the embedded database: bytes that are free, and below which the service warns.';
    this.#gauge('disk_bytes', help, ['state'], () => {
      const now = free();
      const known: [string, number][] = now === undefined ? [] : [['free', Number(now)]];
      return byLabel('state', [...known, ['warning', Number(warning)]]);
    });
  }

  watchStreams(figures: StreamFigures): void {
    this.#gauge('price_streams_open', 'Price streams that are open.', ['transport'], () =>
      byLabel('transport', Object.entries(figures.open)),
    );
    this.#counter('price_streams_ended', 'Price streams that ended, by reason.', ['reason'], () =>
      byLabel('reason', figures.ended),
    );
    const help = 'Prices made, events delivered to readers, prices replaced by newer ones.';
    this.#counter('price_stream_events', help, ['outcome'], () =>
      byLabel('outcome', [
        ['made', figures.prices],
        ['delivered', figures.delivered],
        ['superseded', figures.superseded],
      ]),
    );
  }

  watchMarket(market: Market): void {
    const { book } = market;
    this.#counter('price_ticks', 'Ticks accepted, and refused by reason.', ['outcome'], () =>
      byLabel('outcome', [['accepted', book.accepted], ...Object.entries(book.rejected)]),
    );
    const help = 'Ticks accepted, refused by reason, and prices withdrawn, by source.';
    this.#counter('price_source_ticks', help, ['source', 'outcome'], function* (): Generator<Sample> {
      for (const [source, { accepted, rejected, withdrawn }] of book.ticksBySource) {
        yield [{ source, outcome: 'accepted' }, accepted];
        for (const [outcome, count] of Object.entries(rejected)) yield [{ source, outcome }, count];
        yield [{ source, outcome: 'withdrawn' }, withdrawn];
      }
    });
    const halts = "Halts in force: operators' halts by scope, and pairs whose sources disagree.";
    this.#gauge('market_halts', halts, ['scope'], () =>
      byLabel('scope', [
        ['all', market.halts.all ? 1 : 0],
        ['pair', market.halts.pairs.size],
        ['customer', market.halts.customers.size],
        ['automatic', book.disagreements().length],
      ]),
    );
    const waiting = 'Pairs without a price until an operator accepts one.';
    this.#gauge('pairs_awaiting_acceptance', waiting, [], () => [[{}, book.awaitingOperator().length]]);
    const aside = 'Sources that most others contradict, counted for each pair.';
    this.#gauge('price_sources_set_aside', aside, [], () => [[{}, setAside(book.books())]]);
    this.desk.watchPrices(function* () {
      for (const code of book.quotedPairs()) {
        const pair = findPair(code);
        const reading = pair === undefined ? undefined : book.read(pair);
        if (reading !== undefined && reading.status !== 'missing') yield [code, reading.ageMs] as const;
      }
    });
  }

  watchPricing(room: PricingHealthRoom): void {
    this.#gauge('pricing_ready', 'Whether anything can be quoted, as /readyz/prices says.', [], () => [
      [{}, checkPricing(room).ready ? 1 : 0],
    ]);
    const help =
      'Quoted pairs with a current price (fresh), an old one (stale) and none (missing). A disabled pair counts while it is fresh.';
    this.#gauge('pairs', help, ['state'], () => byLabel('state', Object.entries(countPrices(room.market))));
    const open = 'Whether the market is open: while it is closed old prices are no fault.';
    this.#gauge('market_open', open, [], () => [[{}, room.market.stateNow().state === 'closed' ? 0 : 1]]);
  }

  /** @param health how each source is now, by its name */
  watchSources(health: () => Readonly<Record<string, SourceHealth>>): void {
    const bySource = (value: (source: SourceHealth) => number) => () =>
      byLabel(
        'source',
        Object.entries(health()).map(([source, state]) => [source, value(state)] as const),
      );
    this.#gauge(
      'source_running',
      'Whether the price source is running, and connected if it needs a connection; missing while it is not to run.',
      ['source'],
      () =>
        byLabel(
          'source',
          Object.entries(health()).flatMap(([source, { state }]) =>
            NOT_TO_RUN.has(state) ? [] : [[source, state === 'running' ? 1 : 0] as const],
          ),
        ),
    );
    const counted = (name: string, help: string, value: (source: SourceHealth) => number) =>
      this.#counter(name, help, ['source'], bySource(value));
    counted('source_ticks', 'Ticks that the source has passed on.', ({ ticks }) => ticks);
    counted('source_reconnects', 'Connections made after the first.', ({ reconnects = 0 }) => reconnects);
    counted(
      'source_skipped',
      'Lines and messages that could not be read.',
      ({ skippedLines = 0 }) => skippedLines,
    );
    const refused = 'Messages and prices that a FIX session refused since its gateway started, by reason.';
    this.#counter('source_refused', refused, ['source', 'reason'], function* (): Generator<Sample> {
      for (const [source, state] of Object.entries(health())) {
        for (const [reason, count] of Object.entries(state.refused ?? {})) yield [{ source, reason }, count];
      }
    });
  }

  #counter(name: string, help: string, labelNames: readonly string[], read: () => Iterable<Sample>): void {
    counter({ registry: this.registry, name: `firmquote_${name}_total`, help, labelNames }, read);
  }

  #gauge(name: string, help: string, labelNames: readonly string[], read: () => Iterable<Sample>): void {
    gauge({ registry: this.registry, name: `firmquote_${name}`, help, labelNames }, read);
  }
}

/** Outside of its schedule, played to its end, or stopped with the service. */
const NOT_TO_RUN: ReadonlySet<string> = new Set(['idle', 'ended', 'stopped']);

function* byLabel(label: string, values: Iterable<readonly [string, number]>): Generator<Sample> {
  for (const [key, value] of values) yield [{ [label]: key }, value];
}
