import type { INewOrderSingle } from 'jspurefix/dist/types/FIX4.4/quickfix/index.js';
import type {
  ExecutionLine,
  OrderRefusedLine,
  OrderRequest,
  OrderStatus,
} from '../../service/src/market/fix/protocol.ts';
import { type Fields, required } from './fields.ts';
import type { Outbound } from './outbound.ts';
import { problemOf } from './request-checks.ts';
import type { Symbols } from './symbols.ts';

export const SIDE = { buy: '1', sell: '2' } as const;
const TYPE = { market: '1', limit: '2', quoted: 'D' } as const;
const TIME_IN_FORCE = { immediateOrCancel: '3', fillOrKill: '4' } as const;

/** OrdStatus (39). */
const STATUS: Readonly<Record<string, OrderStatus>> = {
  '0': 'new',
  '1': 'partiallyFilled',
  '2': 'filled',
  '4': 'cancelled',
  '6': 'pending',
  '8': 'rejected',
  A: 'pending',
  C: 'expired',
  E: 'pending',
};

/** Orders and reports that are remembered: to refuse an order's id a second time, and to pass a report on once. */
export const REMEMBERED_MAX = 10_000; // limit: Orders, and reports, that are remembered

/** Orders (D) and execution reports (8). */
export class Orders {
  readonly #session: string;
  readonly #symbols: Symbols;
  readonly #ids = new Set<string>();
  readonly #executions = new Set<string>();
  /** ClOrdID by MsgSeqNum, for rejects of the message itself. */
  readonly #bySequence = new Map<number, string>();

  constructor(session: string, symbols: Symbols) {
    this.#session = session;
    this.#symbols = symbols;
  }

  /** The message to send, or why there is none. */
  order(order: OrderRequest, now: number, account?: string): Outbound<INewOrderSingle> | OrderRefusedLine {
    const problem = this.#problemOf(order);
    if (problem !== undefined) return this.refused(order.id, problem);
    remember(this.#ids, order.id);
    return {
      ClOrdID: order.id,
      Instrument: { Symbol: this.#symbols.symbolOf(order.pair) },
      Side: SIDE[order.side],
      TransactTime: new Date(now),
      OrderQtyData: { OrderQty: order.quantity },
      OrdType: TYPE[order.type],
      Currency: order.pair.slice(0, 3),
      TimeInForce: TIME_IN_FORCE[order.timeInForce],
      ...(order.price === undefined ? {} : { Price: order.price }),
      ...(order.quoteId === undefined ? {} : { QuoteID: order.quoteId }),
      ...(account === undefined ? {} : { Account: account }),
    };
  }

  /** The order has left under this sequence number. */
  sent(id: string, sequence: number): void {
    this.#bySequence.set(sequence, id);
    const oldest = this.#bySequence.keys().next().value;
    if (this.#bySequence.size > REMEMBERED_MAX && oldest !== undefined) this.#bySequence.delete(oldest);
  }

  /** 8: undefined when this report was passed on before. Throws FieldError. */
  report(message: Fields): ExecutionLine | undefined {
    const executionId = required(message, 'ExecID');
    const line: ExecutionLine = {
      type: 'execution',
      session: this.#session,
      id: required(message, 'ClOrdID'),
      orderId: required(message, 'OrderID'),
      executionId,
      status: STATUS[required(message, 'OrdStatus')] ?? 'other',
      filledQuantity: required(message, 'CumQty'),
      remainingQuantity: required(message, 'LeavesQty'),
      ...textOf('lastQuantity', message.text('LastQty')),
      ...textOf('lastPrice', message.text('LastPx')),
      ...textOf('averagePrice', message.text('AvgPx')),
      ...textOf('text', message.text('Text')),
      possibleDuplicate: message.text('PossDupFlag') === 'Y' || message.text('PossResend') === 'Y',
    };
    // ExecID is unique within a trading day; 0 is what order status reports carry instead.
    if (executionId === '0') return line;
    const key = `${line.orderId} ${executionId}`;
    if (this.#executions.has(key)) return undefined;
    remember(this.#executions, key);
    return line;
  }

  /** A reject of the message with this number, or of the order with this id; undefined when it was no order. */
  rejected(
    sequence: number | undefined,
    id: string | undefined,
    reason: string,
  ): OrderRefusedLine | undefined {
    const known = id !== undefined && this.#ids.has(id) ? id : this.#bySequence.get(sequence ?? 0);
    return known === undefined ? undefined : this.refused(known, reason);
  }

  refused(id: string, reason: string): OrderRefusedLine {
    return { type: 'orderRefused', session: this.#session, id, reason };
  }

  /** Sequence numbers mean other messages after a reset. */
  newSequence(): void {
    this.#bySequence.clear();
  }

  #problemOf(order: OrderRequest): string | undefined {
    const { id, type, price, quoteId } = order;
    if (this.#ids.has(id)) return 'an order with this id was sent before';
    if (type !== 'market' && price === undefined) return `a ${type} order needs a price`;
    if (type === 'quoted' && quoteId === undefined) return 'a quoted order needs the id of the quote';
    return problemOf(order);
  }
}

function remember(set: Set<string>, value: string): void {
  set.add(value);
  const oldest = set.values().next().value;
  if (set.size > REMEMBERED_MAX && oldest !== undefined) set.delete(oldest);
}

function textOf<Name extends string>(name: Name, text: string | undefined): Partial<Record<Name, string>> {
  return text === undefined ? {} : ({ [name]: text } as Record<Name, string>);
}
