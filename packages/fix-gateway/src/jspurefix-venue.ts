import type {
  OrderRequest,
  QuoteQuery,
  SequenceNumbers,
  SessionState,
  StatusLine,
} from '../../service/src/market/fix/protocol.ts';
import type { BackoffOptions } from './backoff.ts';
import { Connection } from './connection.ts';
import { FieldError, type Fields, fieldsOf, instantOf } from './fields.ts';
import type { Garbled } from './framer.ts';
import type { MsgView } from './library.ts';
import { MarketData } from './market-data.ts';
import { Orders } from './orders.ts';
import { QuoteDesk } from './quote-desk.ts';
import { Refusals } from './refusals.ts';
import { ReportedPrices } from './reported-prices.ts';
import { SequenceFile } from './sequence-store.ts';
import { Symbols } from './symbols.ts';
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
  readonly #quotes: QuoteDesk;
  readonly #orders: Orders;
  #state: SessionState = 'connecting';
  #error: string | undefined;
  #logons = 0;
  #opensAt: number | undefined;
  readonly #reported: ReportedPrices;
  /** SendingTime of the message that is being read. */
  #sentAt = 0;

  constructor(context: VenueContext, backoff?: BackoffOptions) {
    const { settings, folder } = context;
    this.name = settings.name;
    this.#context = context;
    this.#now = context.now ?? Date.now;
    const symbols = new Symbols(settings.pairs, settings.symbolSeparator);
    this.#reported = new ReportedPrices(settings.name, context.emit);
    this.#marketData = new MarketData(settings, symbols, this.#refusals, (pair, price) =>
      price === undefined ? this.#reported.gone(pair) : this.#reported.price(pair, price, this.#sentAt),
    );
    this.#orders = new Orders(settings.name, symbols);
    this.#quotes = new QuoteDesk({
      settings,
      symbols,
      refusals: this.#refusals,
      reported: this.#reported,
      now: this.#now,
      emit: context.emit,
      send: (message) => this.#connection.submit('R', message),
      complain: (reason) => this.#complain(reason),
    });
    this.#sequence = new SequenceFile(sequencePath(folder, settings), this.#now);
    this.#connection = new Connection(settings, this.#sequence, this.#listener(), {
      backoff,
      now: this.#now,
    });
  }

  start(): void {
    this.#connection.start();
  }

  requestQuote(query: QuoteQuery): void {
    this.#quotes.request(query);
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
        emit(this.#orders.refused(order.id, 'the session went down before it was sent'));
      else this.#orders.sent(order.id, sequence);
    });
  }

  status(): StatusLine {
    return {
      type: 'status',
      session: this.name,
      state: this.#state,
      ...(this.#error === undefined ? {} : { error: this.#error }),
      ...(this.#opensAt === undefined ? {} : { opensAt: this.#opensAt }),
      logons: this.#logons,
      nextSent: this.#sequence.nextSent,
      nextReceived: this.#sequence.nextReceived,
      refused: this.#refusals.counts(),
      conflated: 0,
    };
  }

  tick(): void {
    this.#connection.tick();
    this.#quotes.tick(this.#connection.isUp);
    if (this.#connection.isUp) this.#subscribeAgain();
  }

  resetSequence(numbers: SequenceNumbers): void {
    this.#connection.resetNumbers(numbers);
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
      gap: () => this.#lose(),
      loggedOut: (reason: string) => this.#onState('waiting', reason, undefined),
      dropped: (reason: Garbled | 'comp_id') => this.#refusals.add(reason),
      numbersReset: () => this.#orders.newSequence(),
      state: (state: SessionState, error: string | undefined, opensAt?: number) =>
        this.#onState(state, error, opensAt),
    };
  }

  #onState(state: SessionState, error: string | undefined, opensAt: number | undefined): void {
    const wasUp = this.#state === 'up';
    this.#state = state;
    this.#opensAt = opensAt;
    if (state === 'up') this.#logons += 1;
    // While it is tried again, the reason why it must be is still of interest.
    if (error !== undefined || state === 'up' || state === 'stopped') this.#error = error;
    if (wasUp && state !== 'up') {
      this.#reported.clear();
      this.#quotes.drop();
    }
    this.#context.onStatus(this.status());
  }

  #onUp(): void {
    const { settings } = this.#context;
    if (settings.resetSequence) this.#orders.newSequence();
    if (settings.mode === 'quotes') {
      this.#quotes.begin();
      return;
    }
    for (const request of this.#marketData.subscribe(this.#now())) this.#connection.submit('V', request);
  }

  /** What the venue says of its prices is not known any more, so it is asked anew. */
  #lose(): void {
    if (this.#context.settings.mode === 'quotes') {
      this.#quotes.lose();
      return;
    }
    this.#marketData.lose();
    this.#subscribeAgain();
  }

  #subscribeAgain(): void {
    for (const request of this.#marketData.again(this.#now())) this.#connection.submit('V', request);
  }

  #onMessage(type: string, message: Fields): void {
    switch (type) {
      case 'W':
      case 'X':
        // After a logout the venue stands by nothing.
        if (this.#state === 'up') this.#onMarketData(type, message);
        return;
      case 'Y':
        this.#complain(this.#marketData.rejected(message));
        return;
      case 'S':
        this.#quotes.quote(message, this.#isCurrent(message) ? this.#sentAt : undefined);
        return;
      case 'Z':
        this.#quotes.cancelled(message);
        return;
      case 'AG':
        this.#quotes.rejected(message.text('QuoteReqID') ?? '', textOf(message));
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

  /** A message that is not taken has changed the venue's book all the same. */
  #onMarketData(type: 'W' | 'X', message: Fields): void {
    let isTaken = false;
    try {
      // Of those that were missing, the loss was noticed before.
      isTaken = message.text('PossDupFlag') === 'Y';
      if (!this.#isCurrent(message)) return;
      if (type === 'W') this.#marketData.snapshot(message);
      else this.#marketData.changes(message);
      isTaken = true;
    } finally {
      if (!isTaken && type === 'W') this.#marketData.refused(message);
      else if (!isTaken) this.#lose();
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

  #onRejected({ messageType, sequence, id, text }: Rejection): void {
    this.#complain(`message ${messageType} rejected by the venue: ${text}`);
    const order = messageType === 'D' ? this.#orders.rejected(sequence, id, text) : undefined;
    if (order !== undefined) this.#context.emit(order);
    if (messageType === 'R' && id !== undefined) this.#quotes.rejected(id, text);
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
