import type { IQuoteRequest } from 'jspurefix/dist/types/FIX4.4/quickfix/index.js';
import type { QuoteLine, QuoteQuery, QuoteRefusedLine } from '../../service/src/market/fix/protocol.ts';
import { FieldError, type Fields, instantOf, required } from './fields.ts';
import { SIDE } from './orders.ts';
import type { Outbound } from './outbound.ts';
import type { Refusals } from './refusals.ts';
import { problemOf } from './request-checks.ts';
import type { Symbols } from './symbols.ts';
import { readPrice } from './top-of-book.ts';

/** Requests whose answers are still listened to. */
export const PENDING_MAX = 1_000; // limit: Quote requests whose answers are listened to
/** A request without an answer is given up, and so is one whose stream of quotes has paused for as long. */
export const ANSWER_LIMIT_MS = 10_000; // limit: Time for the answer to a quote request

interface Pending {
  readonly query: QuoteQuery;
  deadline: number;
  isAnswered: boolean;
}

/** Quote requests (R) and their answers: quotes (S), rejects (AG), silence. */
export class QuoteRequests {
  readonly #session: string;
  readonly #symbols: Symbols;
  readonly #refusals: Refusals;
  readonly #pending = new Map<string, Pending>();

  constructor(session: string, symbols: Symbols, refusals: Refusals) {
    this.#session = session;
    this.#symbols = symbols;
    this.#refusals = refusals;
  }

  /** The message to send, or why there is none. */
  request(query: QuoteQuery, now: number, account?: string): Outbound<IQuoteRequest> | QuoteRefusedLine {
    const problem = problemOf(query);
    if (problem !== undefined) return this.#refused(query.id, problem);
    if (this.#pending.has(query.id)) return this.#refused(query.id, 'a request with this id is under way');
    if (this.#pending.size >= PENDING_MAX) return this.#refused(query.id, 'too many requests under way');
    this.#pending.set(query.id, { query, deadline: now + ANSWER_LIMIT_MS, isAnswered: false });
    const instrument = {
      Instrument: { Symbol: this.#symbols.symbolOf(query.pair) },
      // Tradeable, and to be filled in automatically.
      QuoteType: '1',
      QuoteRequestType: '2',
      OrderQtyData: { OrderQty: query.quantity },
      Currency: query.pair.slice(0, 3),
      SettlType: '0',
      TransactTime: new Date(now),
      ...(query.side === undefined ? {} : { Side: SIDE[query.side] }),
      ...(account === undefined ? {} : { Account: account }),
    };
    return { QuoteReqID: query.id, QuotReqGrp: { NoRelatedSym: [instrument] } };
  }

  /** S: undefined when it is no use, which is counted. Throws FieldError. */
  quote(message: Fields, now: number): QuoteLine | undefined {
    const id = message.text('QuoteReqID') ?? '';
    const pending = this.#pending.get(id);
    if (pending === undefined) {
      this.#refusals.add('not_requested');
      return undefined;
    }
    const { query } = pending;
    if (message.text('Symbol') !== this.#symbols.symbolOf(query.pair)) {
      this.#refusals.add('unknown_symbol');
      return undefined;
    }
    const validUntil = endOf(message);
    if (validUntil !== undefined && validUntil <= now) {
      this.#refusals.add('expired');
      return undefined;
    }
    const wantsBid = query.side !== 'buy';
    const wantsAsk = query.side !== 'sell';
    const bid = wantsBid ? this.#side(message, 'BidPx', 'BidSize') : undefined;
    const ask = wantsAsk ? this.#side(message, 'OfferPx', 'OfferSize') : undefined;
    if ((wantsBid && bid === undefined) || (wantsAsk && ask === undefined)) return undefined;
    pending.isAnswered = true;
    pending.deadline = now + ANSWER_LIMIT_MS;
    return {
      type: 'quote',
      session: this.#session,
      id,
      quoteId: required(message, 'QuoteID'),
      pair: query.pair,
      ...(bid === undefined ? {} : { bid: bid.text }),
      ...(ask === undefined ? {} : { ask: ask.text }),
      ...(bid?.size === undefined ? {} : { bidSize: bid.size }),
      ...(ask?.size === undefined ? {} : { askSize: ask.size }),
      ...(validUntil === undefined ? {} : { validUntil }),
    };
  }

  /** AG, or a reject of the message itself. */
  rejected(id: string, reason: string): QuoteRefusedLine | undefined {
    return this.#pending.delete(id) ? this.#refused(id, reason) : undefined;
  }

  /** The requests that are over: those without an answer are told. */
  expire(now: number): QuoteRefusedLine[] {
    return [...this.#pending].flatMap(([id, { deadline, isAnswered }]) => {
      if (deadline > now) return [];
      this.#pending.delete(id);
      return isAnswered ? [] : [this.#refused(id, `no answer within ${ANSWER_LIMIT_MS / 1000} s`)];
    });
  }

  /** The session went down, and its requests with it. */
  drop(reason: string): QuoteRefusedLine[] {
    const unanswered = [...this.#pending].filter(([, { isAnswered }]) => !isAnswered);
    this.#pending.clear();
    return unanswered.map(([id]) => this.#refused(id, reason));
  }

  /** Forgets a request whose answers are not wanted any more. */
  forget(id: string): void {
    this.#pending.delete(id);
  }

  #side(message: Fields, price: 'BidPx' | 'OfferPx', size: 'BidSize' | 'OfferSize') {
    if (message.text(price) === undefined) {
      this.#refusals.add('missing_side');
      return undefined;
    }
    return readPrice(message.text(price), message.text(size), (reason) => this.#refusals.add(reason));
  }

  #refused(id: string, reason: string): QuoteRefusedLine {
    return { type: 'quoteRefused', session: this.#session, id, reason };
  }
}

/** When the quote ends, where it does. @throws FieldError: one whose end cannot be read must not stand without end */
function endOf(message: Fields): number | undefined {
  const text = message.text('ValidUntilTime');
  const instant = instantOf(text);
  if (text !== undefined && instant === undefined) throw new FieldError('ValidUntilTime is not a time');
  return instant;
}
