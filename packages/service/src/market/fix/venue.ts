import type {
  ExecutionLine,
  OrderRefusedLine,
  OrderRequest,
  QuoteLine,
  QuoteQuery,
  VenueLine,
} from './protocol.ts';

/** The process that held the session ended: what became of the order is to be asked of the venue. */
interface OrderUnknown {
  readonly type: 'orderUnknown';
  readonly id: string;
  readonly reason: string;
}

export type OrderUpdate = ExecutionLine | OrderRefusedLine | OrderUnknown;

/** Requests and orders that are waited for, each. */
const WAITING_MAX = 1_000; // limit: FIX quote requests, and orders, that are waited for

export class QuoteRefusedError extends Error {
  override readonly name = 'QuoteRefusedError';
}

interface Waiting {
  readonly resolve: (quote: QuoteLine) => void;
  readonly reject: (error: Error) => void;
}

type Send = (request: { readonly query: QuoteQuery } | { readonly order: OrderRequest }) => boolean;

/** Quotes and orders of one FIX session, for whoever deals with the venue. */
export class FixVenue {
  readonly #send: Send;
  readonly #onUnclaimed: (line: ExecutionLine) => void;
  readonly #quotes = new Map<string, Waiting>();
  readonly #orders = new Map<string, (update: OrderUpdate) => void>();

  /**
   * `send` answers whether there is a gateway to send to. `onUnclaimed` gets executions that nobody waits for,
   * such as those of orders that were sent before a restart.
   */
  constructor(send: Send, onUnclaimed: (line: ExecutionLine) => void) {
    this.#send = send;
    this.#onUnclaimed = onUnclaimed;
  }

  /** The venue's first quote. Rejects with QuoteRefusedError, within some ten seconds at the latest. */
  requestQuote(query: QuoteQuery): Promise<QuoteLine> {
    return new Promise((resolve, reject) => {
      if (this.#quotes.size >= WAITING_MAX)
        return reject(new QuoteRefusedError('too many requests under way'));
      if (this.#quotes.has(query.id)) return reject(new QuoteRefusedError('this id is under way'));
      if (!this.#send({ query })) return reject(new QuoteRefusedError('the FIX gateway is not running'));
      this.#quotes.set(query.id, { resolve, reject });
    });
  }

  /**
   * Sends an order; `onUpdate` hears of it until it is filled, rejected, cancelled, expired or unknown. An id is sent
   * once: after `orderUnknown` an order must not be repeated under a new one before the venue was asked.
   */
  placeOrder(order: OrderRequest, onUpdate: (update: OrderUpdate) => void): void {
    const refuse = (reason: string) => onUpdate({ type: 'orderRefused', session: '', id: order.id, reason });
    if (this.#orders.size >= WAITING_MAX) {
      refuse('too many orders under way');
      return;
    }
    if (this.#orders.has(order.id)) {
      refuse('an order with this id is under way');
      return;
    }
    if (!this.#send({ order })) {
      refuse('the FIX gateway is not running');
      return;
    }
    this.#orders.set(order.id, onUpdate);
  }

  /** Lines of the gateway for this session. */
  take(line: Exclude<VenueLine, { type: 'tick' | 'gone' }>): void {
    switch (line.type) {
      case 'quote':
      case 'quoteRefused': {
        const waiting = this.#quotes.get(line.id);
        this.#quotes.delete(line.id);
        if (line.type === 'quote') waiting?.resolve(line);
        else waiting?.reject(new QuoteRefusedError(line.reason));
        return;
      }
      case 'execution':
      case 'orderRefused': {
        const onUpdate = this.#orders.get(line.id);
        if (line.type === 'orderRefused' || isFinal(line)) this.#orders.delete(line.id);
        if (onUpdate !== undefined) onUpdate(line);
        else if (line.type === 'execution') this.#onUnclaimed(line);
      }
    }
  }

  /** The gateway's process ended. */
  lost(reason: string): void {
    const quotes = [...this.#quotes.values()];
    const orders = [...this.#orders];
    this.#quotes.clear();
    this.#orders.clear();
    for (const { reject } of quotes) reject(new QuoteRefusedError(reason));
    for (const [id, onUpdate] of orders) onUpdate({ type: 'orderUnknown', id, reason });
  }
}

function isFinal({ status }: ExecutionLine): boolean {
  return status === 'filled' || status === 'cancelled' || status === 'rejected' || status === 'expired';
}
