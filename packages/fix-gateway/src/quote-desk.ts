import type { IQuoteRequest } from 'jspurefix/dist/types/FIX4.4/quickfix/index.js';
import type {
  FixSessionSettings,
  QuoteLine,
  QuoteQuery,
  VenueLine,
} from '../../service/src/market/fix/protocol.ts';
import type { Fields } from './fields.ts';
import type { Outbound } from './outbound.ts';
import { QuoteStream } from './quote-stream.ts';
import { QuoteRequests } from './quotes.ts';
import type { Refusals } from './refusals.ts';
import type { ReportedPrices } from './reported-prices.ts';
import type { Symbols } from './symbols.ts';

export interface QuoteDeskOptions {
  readonly settings: FixSessionSettings;
  readonly symbols: Symbols;
  readonly refusals: Refusals;
  readonly reported: ReportedPrices;
  readonly now: () => number;
  readonly emit: (line: VenueLine) => void;
  /** False while the session is not up. */
  readonly send: (message: Outbound<IQuoteRequest>) => boolean;
  /** What people should know of while the session is up. */
  readonly complain: (reason: string) => void;
}

/** Quotes of a session: those that somebody asks for, and in mode `quotes` the prices of all its pairs. */
export class QuoteDesk {
  readonly #options: QuoteDeskOptions;
  readonly #requests: QuoteRequests;
  readonly #stream: QuoteStream;

  constructor(options: QuoteDeskOptions) {
    const { settings, symbols, refusals } = options;
    this.#options = options;
    this.#requests = new QuoteRequests(settings.name, symbols, refusals);
    this.#stream = new QuoteStream(
      settings,
      (query) => this.#ask(query),
      (id) => this.#requests.forget(id),
    );
  }

  /** After a logon. */
  begin(): void {
    this.#stream.begin(this.#options.now());
  }

  /** Answers with `quote` lines, or one `quoteRefused`. */
  request(query: QuoteQuery): void {
    const reason = this.#ask(query);
    const session = this.#options.settings.name;
    if (reason !== undefined) this.#options.emit({ type: 'quoteRefused', session, id: query.id, reason });
  }

  /** S. @param sentAt undefined when it is not to be taken; what it would have replaced is over all the same */
  quote(message: Fields, sentAt: number | undefined): void {
    const { reported, emit, now } = this.#options;
    const pair = this.#stream.pairOf(message.text('QuoteReqID') ?? '');
    const line = sentAt === undefined ? undefined : this.#read(message, pair);
    if (pair === undefined) {
      if (line !== undefined) emit(line);
      return;
    }
    if (line !== undefined) this.#stream.answered(line.id, now());
    const { bid, ask, bidSize, askSize, validUntil } = line ?? {};
    if (bid === undefined || ask === undefined || sentAt === undefined) {
      reported.gone(pair);
      return;
    }
    const price = { bid, ask, ...(bidSize && { bidSize }), ...(askSize && { askSize }) };
    reported.price(pair, price, sentAt, validUntil && validUntil - now());
  }

  /** One that cannot be read has taken the place of the price before it, too. @throws FieldError */
  #read(message: Fields, pair: string | undefined): QuoteLine | undefined {
    try {
      return this.#requests.quote(message, this.#options.now());
    } catch (error) {
      if (pair !== undefined) this.#options.reported.gone(pair);
      throw error;
    }
  }

  /** Z: of one request, or of whatever it means; what still stands is quoted again when it is asked for next. */
  cancelled(message: Fields): void {
    const { reported, settings } = this.#options;
    if (settings.mode !== 'quotes') return;
    const pair = this.#stream.pairOf(message.text('QuoteReqID') ?? '');
    for (const gone of pair === undefined ? reported.pairs : [pair]) reported.gone(gone);
  }

  /** A message is missing that may have cancelled or replaced a quote: none of the prices is known to stand, and each is asked for anew. */
  lose(): void {
    const { reported, now } = this.#options;
    for (const pair of reported.pairs) reported.gone(pair);
    this.#stream.askAgain(now());
  }

  /** AG, or a reject of the request itself. */
  rejected(id: string, reason: string): void {
    const { refusals, complain } = this.#options;
    const line = this.#requests.rejected(id, reason);
    if (line === undefined) refusals.add('not_requested');
    else if (this.#refused(line)) complain(`quote refused: ${reason}`);
  }

  /** Work that time brings. */
  tick(isUp: boolean): void {
    const now = this.#options.now();
    for (const line of this.#requests.expire(now)) this.#refused(line);
    if (isUp) this.#stream.tick(now);
  }

  /** The session went down. */
  drop(): void {
    for (const line of this.#requests.drop('the session went down')) this.#refused(line);
  }

  /** Whether the request was one of the stream's, whose price is over then. Others are told. */
  #refused(line: Extract<VenueLine, { type: 'quoteRefused' }>): boolean {
    const pair = this.#stream.pairOf(line.id);
    if (pair === undefined) {
      this.#options.emit(line);
      return false;
    }
    this.#stream.refused(line.id, this.#options.now());
    this.#options.reported.gone(pair);
    return true;
  }

  /** Sends a quote request; returns why it could not. */
  #ask(query: QuoteQuery): string | undefined {
    const { now, settings, send } = this.#options;
    const message = this.#requests.request(query, now(), settings.account);
    if ('type' in message) return message.reason;
    if (send(message)) return undefined;
    this.#requests.forget(query.id);
    return 'the session is not up';
  }
}
