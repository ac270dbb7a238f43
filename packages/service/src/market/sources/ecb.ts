import { readFile, stat } from 'node:fs/promises';
import { type Decimal, instantOf, isInWorkingWeek, localDateAt, type Pair } from '@firmquote/fx';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { BUILT_IN_REFERENCE } from '../ecb-reference.ts';
import { EcbXmlError, readEcbXml } from '../ecb-xml.ts';
import { type ReferenceRate, type ReferenceRates, ReferenceTable } from '../reference-rates.ts';
import { realTimers, type Timers } from './back-off.ts';
import { faultOf } from './feed.ts';
import type { PriceSource, SourceHealth, SourceState } from './source.ts';

export const ECB_DAILY_URL = 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml';

interface EcbSourceOptions {
  /** An http or https address, or the path of a file. Both the daily and the 90-day form are read. */
  readonly location: string;
  readonly clock: Clock;
  /** What the ECB publishes by. Default: the clock of this machine. */
  readonly realClock?: Clock;
  readonly logger: Logger;
  readonly timers?: Timers;
}

const NAME = 'ecb';
/** The 90-day file has about 200 kB. */
const BYTES_MAX = 2 * 1024 * 1024; // limit: File of reference rates
const FETCH_MS = 5_000; // limit: Time to fetch reference rates
const ZONE = 'Europe/Berlin';
/** Published at about 16:00 on days of the euro's settlement system. */
const PUBLISHED_FROM = '15:55';
const HOUR_MS = 3_600_000;
/** While the day's rates should be out, and after a failure. */
const SOON_MS = 10 * 60_000;

/**
 * The ECB's reference rates, read anew while newer ones may be there. A source like the others in what it reports of
 * itself, but no tick ever comes of it: the ECB publishes once a day, for information, and nobody deals at it.
 *
 * The last good rates are kept whatever happens; until the first ones, it has those that ship with the service.
 */
export class EcbSource implements PriceSource, ReferenceRates {
  readonly name = NAME;
  readonly #options: EcbSourceOptions;
  readonly #timers: Timers;
  readonly #realClock: Clock;
  #table: ReferenceTable = BUILT_IN_REFERENCE;
  #state: SourceState = 'idle';
  #callOff: () => void = () => undefined;
  #loading: Promise<void> = Promise.resolve();
  readonly #abort = new AbortController();
  #seen: { lastHeartbeatAt?: number; error?: string; errorAt?: number } = {};
  #nextAttemptMs: number | undefined;

  constructor(options: EcbSourceOptions) {
    this.#options = options;
    this.#timers = options.timers ?? realTimers;
    this.#realClock = options.realClock ?? systemClock;
  }

  get date(): string {
    return this.#table.date;
  }

  get unitsPerEuro(): ReadonlyMap<string, Decimal> {
    return this.#table.unitsPerEuro;
  }

  rate(pair: Pair): ReferenceRate | undefined {
    return this.#table.rate(pair);
  }

  /** Resolves after the first attempt, so that those started after it find the rates; it does not fail. */
  async start(): Promise<void> {
    if (this.#state !== 'idle') throw new Error('the ECB source was started already');
    this.#state = 'connecting';
    await this.#loadAndGoOn();
  }

  async stop(): Promise<void> {
    this.#state = 'stopped';
    this.#callOff();
    this.#nextAttemptMs = undefined;
    this.#abort.abort();
    await this.#loading;
  }

  /** Nothing to do: the rates have a date of their own, which no clock moves. */
  async refresh(): Promise<void> {}

  health(): SourceHealth {
    const pause = this.#nextAttemptMs;
    return {
      state: this.#state,
      ticks: 0,
      referenceDate: this.#table.date,
      ...this.#seen,
      ...(pause === undefined
        ? {}
        : { nextAttemptAt: Math.round(this.#options.clock.now() + pause - this.#timers.now()) }),
    };
  }

  async #loadAndGoOn(): Promise<void> {
    this.#nextAttemptMs = undefined;
    this.#loading = this.#load();
    await this.#loading;
    if (this.#state === 'stopped') return;
    const pauseMs = this.#state === 'running' && !this.#isDue() ? HOUR_MS : SOON_MS;
    this.#nextAttemptMs = this.#timers.now() + pauseMs;
    this.#callOff = this.#timers.after(pauseMs, () => void this.#loadAndGoOn());
  }

  /** Whether rates of today should be out and are not here. Holidays of the euro are asked about in vain. */
  #isDue(): boolean {
    const now = this.#realClock.now();
    const today = localDateAt(now, ZONE);
    return (
      this.#table.date < today &&
      isInWorkingWeek('EUR', today) &&
      now >= instantOf(today, PUBLISHED_FROM, ZONE)
    );
  }

  async #load(): Promise<void> {
    try {
      this.#take(await this.#read());
      this.#seen.lastHeartbeatAt = this.#options.clock.now();
      if (this.#state !== 'stopped') this.#state = 'running';
    } catch (error) {
      if (this.#state === 'stopped') return;
      // Those of the last success stay in use, with their date on every quote.
      this.#state = 'connecting';
      const reason =
        error instanceof EcbXmlError
          ? `the rates are refused: ${error.message}`
          : faultOf(error instanceof Error ? (error.cause ?? error) : error, 'the rates cannot be read').text;
      this.#seen.error = reason;
      this.#seen.errorAt = this.#options.clock.now();
      this.#options.logger.warn({ source: NAME, reason, kept: this.#table.date }, 'no new reference rates');
    }
  }

  #take(text: string): void {
    const days = readEcbXml(text).sort((a, b) => (a.date < b.date ? 1 : -1));
    const [newest] = days;
    if (newest === undefined) throw new EcbXmlError('it contains no day');
    if (newest.date > localDateAt(this.#realClock.now(), ZONE)) {
      throw new EcbXmlError(`${newest.date} is in the future`);
    }
    const first = this.#seen.lastHeartbeatAt === undefined;
    if (!first && newest.date < this.#table.date) {
      throw new EcbXmlError(`${newest.date} is older than ${this.#table.date}, which is held`);
    }
    // An unchanged table stays the same object, and with it what was made of it. A day can be corrected.
    if (!first && newest.date === this.#table.date && isSame(newest.unitsPerEuro, this.#table.unitsPerEuro))
      return;
    this.#table = new ReferenceTable(newest.date, newest.unitsPerEuro);
    this.#options.logger.info({ source: NAME, date: newest.date }, 'reference rates');
  }

  async #read(): Promise<string> {
    const { location } = this.#options;
    const bytes = /^https?:/.test(location) ? await this.#fetch(location) : await readBounded(location);
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      throw new EcbXmlError('it is not UTF-8');
    }
  }

  async #fetch(url: string): Promise<Buffer> {
    const signal = AbortSignal.any([this.#abort.signal, AbortSignal.timeout(FETCH_MS)]);
    const response = await fetch(url, { signal, headers: { Accept: 'application/xml, text/xml' } });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new EcbXmlError(`the answer has status ${response.status}`);
    }
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of response.body) {
      length += piece.length;
      if (length > BYTES_MAX) throw new EcbXmlError(`it is longer than ${BYTES_MAX} bytes`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }
}

function isSame(a: ReadonlyMap<string, Decimal>, b: ReadonlyMap<string, Decimal>): boolean {
  return (
    a.size === b.size &&
    [...a].every(([code, rate]) => rate.units === b.get(code)?.units && rate.scale === b.get(code)?.scale)
  );
}

async function readBounded(path: string): Promise<Buffer> {
  if ((await stat(path)).size > BYTES_MAX) throw new EcbXmlError(`it is longer than ${BYTES_MAX} bytes`);
  return readFile(path);
}
