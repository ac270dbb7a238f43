/**
 * What the service and its FIX gateway send each other: one JSON object a line, over the gateway's standard input and
 * output. Prices and amounts are texts, exactly as they stood in the FIX message. Instants are epoch milliseconds of
 * real time, since they come from the venue's SendingTime.
 */

export interface TlsSettings {
  /** Files in PEM form. Without `ca` the authorities that Node trusts are used. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Name in the venue's certificate, when it is not the host. */
  readonly serverName?: string;
}

export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

/** When a session is logged on. Times are `HH:MM` on the clocks of the zone. */
export interface SessionSchedule {
  readonly zone: string;
  /** On which days a session begins. */
  readonly days: readonly (typeof WEEKDAYS)[number][];
  readonly start: string;
  /** On the same day, or on the next one when it is not after the start. */
  readonly end: string;
  /** For sessions that last longer: the day on which they end. */
  readonly endDay?: (typeof WEEKDAYS)[number];
  /** Whether both sides begin each session at sequence number 1. */
  readonly resetAtStart: boolean;
}

/** MsgSeqNum of the next message in either direction. */
export interface SequenceNumbers {
  readonly nextSent: number;
  readonly nextReceived: number;
}

/** What the file of a session's numbers holds; `open` while a gateway has it. */
export function sequenceLine({ nextSent, nextReceived }: SequenceNumbers, state: 'open' | 'closed'): string {
  const digits = (value: number): string => String(value).padStart(10, '0');
  return `${digits(nextSent)} ${digits(nextReceived)} ${state.padEnd(6)}\n`;
}

/** A session as the gateway needs it: checked, and with its secrets in place. */
export interface FixSessionSettings {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsSettings;
  readonly senderCompId: string;
  readonly targetCompId: string;
  readonly senderSubId?: string;
  readonly targetSubId?: string;
  readonly username?: string;
  readonly password?: string;
  readonly heartbeatSeconds: number;
  /** Whether each logon begins at sequence number 1 (ResetSeqNumFlag=Y). */
  readonly resetSequence: boolean;
  /** `marketData` subscribes (V, W, X); `quotes` asks for a quote again and again (R, S). */
  readonly mode: 'marketData' | 'quotes';
  /** MDUpdateType: whole books (W) or changes (X). */
  readonly updates: 'full' | 'incremental';
  /** How the venue writes a pair. */
  readonly symbolSeparator: string;
  /** Six letters in market order. */
  readonly pairs: readonly string[];
  /** OrderQty of the quote requests of mode `quotes`, in the base currency. */
  readonly quoteQuantity: string;
  /** Prices whose SendingTime is further than this from the gateway's clock are refused. */
  readonly maxAgeMs: number;
  readonly account?: string;
  /** Without one the session is always logged on. */
  readonly schedule?: SessionSchedule;
}

/** FIX side, from the view of who trades: `buy` buys the base currency. */
export type Side = 'buy' | 'sell';

export interface QuoteQuery {
  /** QuoteReqID; the answers carry it. */
  readonly id: string;
  readonly pair: string;
  /** Without it the venue is asked for both sides. */
  readonly side?: Side;
  /** In the base currency, such as "1000000.00". */
  readonly quantity: string;
}

export interface OrderRequest {
  /** ClOrdID: unique for ever. The reports carry it. */
  readonly id: string;
  readonly pair: string;
  readonly side: Side;
  /** In the base currency. */
  readonly quantity: string;
  /** `quoted` takes a quote and needs `quoteId` and `price`; `limit` needs `price`. */
  readonly type: 'market' | 'limit' | 'quoted';
  readonly price?: string;
  readonly quoteId?: string;
  /** Fill what can be filled at once and drop the rest, or all or nothing. */
  readonly timeInForce: 'immediateOrCancel' | 'fillOrKill';
}

/** ExecType and OrdStatus of an execution report, in words. */
export type OrderStatus =
  | 'new'
  | 'partiallyFilled'
  | 'filled'
  | 'cancelled'
  | 'rejected'
  | 'expired'
  | 'pending'
  | 'other';

export type ServiceLine =
  | { readonly type: 'start'; readonly folder: string; readonly sessions: readonly FixSessionSettings[] }
  | { readonly type: 'requestQuote'; readonly session: string; readonly query: QuoteQuery }
  | { readonly type: 'order'; readonly session: string; readonly order: OrderRequest }
  /** Logs the session out, if it is up, and on again with these numbers. */
  | { readonly type: 'resetSequence'; readonly session: string; readonly numbers: SequenceNumbers }
  /** Ends one session. */
  | { readonly type: 'end'; readonly session: string }
  /** Ends all of them, and the gateway. */
  | { readonly type: 'stop' };

export interface TickLine {
  readonly type: 'tick';
  readonly session: string;
  readonly pair: string;
  readonly bid: string;
  readonly ask: string;
  readonly bidSize?: string;
  readonly askSize?: string;
  /** SendingTime of the message that made this price. */
  readonly sentAt: number;
}

/** The venue has no price of the pair any more: it took it back, left a side empty, or nobody knows what it has. */
export interface GoneLine {
  readonly type: 'gone';
  readonly session: string;
  readonly pair: string;
}

export interface QuoteLine {
  readonly type: 'quote';
  readonly session: string;
  readonly id: string;
  readonly quoteId: string;
  readonly pair: string;
  readonly bid?: string;
  readonly ask?: string;
  readonly bidSize?: string;
  readonly askSize?: string;
  readonly validUntil?: number;
}

export interface QuoteRefusedLine {
  readonly type: 'quoteRefused';
  readonly session: string;
  readonly id: string;
  readonly reason: string;
}

export interface ExecutionLine {
  readonly type: 'execution';
  readonly session: string;
  /** ClOrdID of the order. */
  readonly id: string;
  readonly orderId: string;
  readonly executionId: string;
  readonly status: OrderStatus;
  readonly lastQuantity?: string;
  readonly lastPrice?: string;
  readonly filledQuantity: string;
  readonly remainingQuantity: string;
  readonly averagePrice?: string;
  readonly text?: string;
  /** The report may have been seen before (PossDupFlag or PossResend). */
  readonly possibleDuplicate: boolean;
}

/** An order that did not reach the venue. What happened to it is certain: nothing. */
export interface OrderRefusedLine {
  readonly type: 'orderRefused';
  readonly session: string;
  readonly id: string;
  readonly reason: string;
}

export type SessionState = 'connecting' | 'up' | 'waiting' | 'stopped';

/** Sent at every change of state and once a second, which is also the gateway's sign of life. */
export interface StatusLine {
  readonly type: 'status';
  readonly session: string;
  readonly state: SessionState;
  /** Why the session is not up, or the venue's last complaint. Never holds a secret. */
  readonly error?: string;
  /** When the next session of the schedule begins, while none runs. */
  readonly opensAt?: number;
  readonly logons: number;
  readonly nextSent: number;
  readonly nextReceived: number;
  /** What was refused since the gateway's start, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** Ticks that a slow reader made superfluous: a newer one of their pair took their place. */
  readonly conflated: number;
}

export type VenueLine = TickLine | GoneLine | QuoteLine | QuoteRefusedLine | ExecutionLine | OrderRefusedLine;
export type GatewayLine = { readonly type: 'ready' } | StatusLine | VenueLine;

/** Longest line in either direction, in characters. */
export const LINE_LENGTH_MAX = 65_536; // limit: Characters of a line between service and FIX gateway
