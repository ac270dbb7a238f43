import type { Decimal } from '@firmquote/fx';
import type { FeedFault } from './back-off.ts';

/** Best bid and offer of a pair as a vendor sent them. */
export interface VendorPrice {
  /** Six letters in market order. */
  readonly pair: string;
  readonly bid: Decimal;
  readonly ask: Decimal;
  /** When the vendor says that it was made, epoch milliseconds of real time; absent when it says nothing. */
  readonly stamp: number | undefined;
}

/** A pair that the vendor has no price of any more. */
export type GonePrice = Pick<VendorPrice, 'pair' | 'stamp'>;

/** What a connection reports to the supervisor. What one that was given up still reports is ignored. */
export interface FeedObserver {
  /** Subscribed: prices may come. */
  opened(): void;
  /** The other side is alive. A price says so too. */
  heartbeat(): void;
  price(price: VendorPrice): void;
  /** The pair is not to be dealt on: marked so by the vendor, or with one side only. What was said before is over. */
  untradable(gone: GonePrice): void;
  /**
   * Something came that cannot be read. `reason` is ours, not the vendor's text. Where it is about one pair, its price
   * is over too: the vendor has another one, and nobody knows which.
   */
  skipped(reason: string, pair?: string): void;
  /** The end of the connection, or that there will be none. */
  closed(fault: FeedFault): void;
}

export interface FeedConnection {
  /** Ends it at once. */
  close(): void;
}

/** One way of getting prices from one vendor. It connects, reads and hands on; the supervisor does the rest. */
export interface FeedTransport {
  connect(observer: FeedObserver): FeedConnection;
}

const TEXT_MAX = 120;

/** The code of a failed connection, such as ECONNREFUSED; never the message, which may hold anything. */
export function faultOf(error: unknown, what: string): FeedFault {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { kind: 'lost', text: code === undefined ? what : `${what}: ${code}` };
}

/** A vendor's own words, fit for a log line: short, printable, and without the secret should it repeat it. */
export function vendorText(text: string, secret: string): string {
  // As it is, as JSON writes it and as an address does.
  const forms =
    secret === '' ? [] : [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
  const clean = forms
    .reduce((words, form) => words.replaceAll(form, '[secret]'), text)
    .replaceAll(/[^\x20-\x7e]+/g, ' ');
  return clean.length > TEXT_MAX ? `${clean.slice(0, TEXT_MAX)}…` : clean;
}

/** The fault that an HTTP status other than success means. */
export function statusFault(status: number): FeedFault {
  if (status === 401 || status === 403) {
    return { kind: 'refused', text: `the vendor refuses the credentials (status ${status})` };
  }
  if (status === 429 || status === 503)
    return { kind: 'busy', text: `the vendor asks for a pause (status ${status})` };
  // 408 is about this one attempt; every other 4xx is about what was asked for.
  const kind = status >= 400 && status < 500 && status !== 408 ? 'refused' : 'lost';
  return { kind, text: `the vendor answered with status ${status}` };
}
