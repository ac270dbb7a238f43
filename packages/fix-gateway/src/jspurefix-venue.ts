import type {
  OrderRequest,
  QuoteQuery,
  SessionState,
  StatusLine,
} from '../../service/src/market/fix/protocol.ts';
import type { BackoffOptions } from './backoff.ts';
import { Connection } from './connection.ts';
import { FieldError, type Fields, fieldsOf, instantOf } from './fields.ts';
import type { MsgView } from './library.ts';
import { MarketData } from './market-data.ts';
import { Orders } from './orders.ts';
import { QuoteStream } from './quote-stream.ts';
import { QuoteRequests } from './quotes.ts';
import { Refusals } from './refusals.ts';
import { SequenceFile } from './sequence-store.ts';
import { Symbols } from './symbols.ts';
import type { TopPrice } from './top-of-book.ts';
import { sequencePath, type Venue, type VenueContext } from './venue.ts';
import type { Rejection } from './venue-session.ts';

/** A session over jspurefix: what the messages mean is here, how the session lives is in `Connection`. */
export class JspurefixVenue implements Venue {
  readonly name: string;
  readonly #context: VenueContext;
  readonly #now: () => number;
  readonly #refusals = new Refusals();
  readonly #sequence: SequenceFile;
  readonly #connection: Connection;
  readonly #marketData: MarketData;
  readonly #quotes: QuoteRequests;
  readonly #stream: QuoteStream;
  readonly #orders: Orders;
  #state: SessionState = 'connecting';
  #error: string | undefined;
  #logons = 0;
  /** SendingTime of the message that is being read. */
  #sentAt = 0;

  constructor(context: VenueContext, backoff?: BackoffOptions) {
    const { settings, folder } = context;
    this.name = settings.name;
    this.#context = context;
    this.#now = context.now ?? Date.now;
    const symbols = new Symbols(settings.pairs, settings.symbolSeparator);
    this.#marketData = new MarketData(settings, symbols, this.#refusals, (pair, price) =>
      this.#tell(pair, price),
    );
    this.#quotes = new QuoteRequests(settings.name, symbols, this.#refusals);
    this.#orders = new Orders(settings.name, symbols);
    this.#stream = new QuoteStream(
      settings,
      (query) => this.#askFor(query),
      (id) => this.#quotes.forget(id),
    );
    this.#sequence = new SequenceFile(sequencePath(folder, settings));
    this.#connection = new Connection(settings, this.#sequence, this.#listener(), backoff);
  }

  start(): void {
    this.#connection.start();
  }

  requestQuote(query: QuoteQuery): void {
    const refused = this.#askFor(query);
    if (refused !== undefined) {
      this.#context.emit({ type: 'quoteRefused', session: this.name, id: query.id, reason: refused });
    }
  }

  placeOrder(order: OrderRequest): void {
    const { emit, settings } = this.#context;
    if (!this.#connection.isUp) {
      emit(this.#orders.refused(order.id, 'the session is not up'));
      return;
    }
    const message = this.#orders.order(order, this.#now(), settings.account);
    if ('type' in message) {
      emit(message);
      return;
    }
    this.#connection.submit('D', message, (sequence) => {
      if (sequence === undefined)
        emit(this.#orders.refused(order.id, 'the session went down before it left'));
      else this.#orders.sent(order.id, sequence);
    });
  }

  status(): StatusLine {
    return {
      type: 'status',
      session: this.name,
      state: this.#state,
      ...(this.#error === undefined ? {} : { error: this.#error }),
      logons: this.#logons,
      nextSent: this.#sequence.nextSent,
      nextReceived: this.#sequence.nextReceived,
      refused: this.#refusals.counts(),
      conflated: 0,
    };
  }

  tick(): void {
    const now = this.#now();
    for (const line of this.#quotes.expire(now)) {
      if (!this.#stream.refused(line.id, now)) this.#context.emit(line);
    }
    if (this.#connection.isUp) this.#stream.tick(now);
  }

  stop(): Promise<void> {
    return this.#connection.stop();
  }

  #listener() {
    return {
      up: () => this.#onUp(),
      message: (type: string, view: MsgView) => this.#onMessage(type, fieldsOf(view)),
      malformed: (type: string, error: unknown) => {
        this.#refusals.add('malformed');
        const reason = error instanceof FieldError ? error.message : 'it cannot be read';
        this.#complain(`message ${type} from the venue: ${reason}`);
      },
      rejected: (rejection: Rejection) => this.#onRejected(rejection),
      dropped: (reason: 'checksum' | 'comp_id') => this.#refusals.add(reason),
      state: (state: SessionState, error: string | undefined) => this.#onState(state, error),
    };
  }

  #onState(state: SessionState, error: string | undefined): void {
    const wasUp = this.#state === 'up';
    this.#state = state;
    if (state === 'up') this.#logons += 1;
    // While it is tried again, the reason why it must be is still of interest.
    if (error !== undefined || state === 'up' || state === 'stopped') this.#error = error;
    if (wasUp && state !== 'up') {
      for (const line of this.#quotes.drop('the session went down')) {
        if (!this.#stream.refused(line.id, this.#now())) this.#context.emit(line);
      }
    }
    this.#context.onStatus(this.status());
  }

  #onUp(): void {
    const { settings } = this.#context;
    if (settings.resetSequence) this.#orders.newSequence();
    if (settings.mode === 'quotes') {
      this.#stream.begin(this.#now());
      return;
    }
    for (const request of this.#marketData.subscribe(`md-${this.#now().toString(36)}`)) {
      this.#connection.submit('V', request);
    }
  }

  #onMessage(type: string, message: Fields): void {
    switch (type) {
      case 'W':
        if (this.#isCurrent(message)) this.#marketData.snapshot(message);
        return;
      case 'X':
        if (this.#isCurrent(message)) this.#marketData.changes(message);
        return;
      case 'Y':
        this.#complain(this.#marketData.rejected(message));
        return;
      case 'S':
        if (this.#isCurrent(message)) this.#onQuote(message);
        return;
      case 'AG':
        this.#onQuoteRejected(message.text('QuoteReqID') ?? '', textOf(message));
        return;
      case '8': {
        const line = this.#orders.report(message);
        if (line === undefined) this.#refusals.add('repeated');
        else this.#context.emit(line);
        return;
      }
      case 'j':
        this.#onRejected({
          messageType: message.text('RefMsgType') ?? '',
          sequence: numberOf(message.text('RefSeqNum')),
          id: message.text('BusinessRejectRefID'),
          text: textOf(message),
        });
        return;
    }
  }

  /** Prices must be of now: not sent again, and stamped within the limit of our own clock. */
  #isCurrent(message: Fields): boolean {
    if (message.text('PossDupFlag') === 'Y' || message.text('PossResend') === 'Y') {
      this.#refusals.add('repeated');
      return false;
    }
    const sentAt = instantOf(message.text('SendingTime'));
    if (sentAt === undefined) {
      this.#refusals.add('no_sending_time');
      return false;
    }
    if (Math.abs(this.#now() - sentAt) > this.#context.settings.maxAgeMs) {
      this.#refusals.add('stale');
      return false;
    }
    this.#sentAt = sentAt;
    return true;
  }

  #onQuote(message: Fields): void {
    const now = this.#now();
    const line = this.#quotes.quote(message, now);
    if (line === undefined) return;
    if (!this.#stream.isOwn(line.id)) {
      this.#context.emit(line);
      return;
    }
    this.#stream.answered(line.id, now);
    const { bid, ask, bidSize, askSize } = line;
    if (bid === undefined || ask === undefined) return;
    this.#tell(line.pair, { bid, ask, ...(bidSize && { bidSize }), ...(askSize && { askSize }) });
  }

  #onQuoteRejected(id: string, reason: string): void {
    const line = this.#quotes.rejected(id, reason);
    if (line === undefined) {
      this.#refusals.add('not_requested');
      return;
    }
    if (this.#stream.refused(id, this.#now())) this.#complain(`quote refused: ${reason}`);
    else this.#context.emit(line);
  }

  #onRejected({ messageType, sequence, id, text }: Rejection): void {
    this.#complain(`message ${messageType} rejected by the venue: ${text}`);
    const order = messageType === 'D' ? this.#orders.rejected(sequence, id, text) : undefined;
    if (order !== undefined) this.#context.emit(order);
    if (messageType === 'R' && id !== undefined) this.#onQuoteRejected(id, text);
  }

  /** Sends a quote request; returns why it could not. */
  #askFor(query: QuoteQuery): string | undefined {
    if (!this.#connection.isUp) return 'the session is not up';
    const message = this.#quotes.request(query, this.#now(), this.#context.settings.account);
    if ('type' in message) return message.reason;
    this.#connection.submit('R', message);
    return undefined;
  }

  #tell(pair: string, price: TopPrice): void {
    this.#context.emit({ type: 'tick', session: this.name, pair, ...price, sentAt: this.#sentAt });
  }

  /** What people should know of while the session is up. It goes out with the next second's status. */
  #complain(error: string): void {
    this.#error = error;
  }
}

function textOf(message: Fields): string {
  return message.text('Text') ?? 'no reason given';
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number.parseInt(text, 10) : undefined;
}
