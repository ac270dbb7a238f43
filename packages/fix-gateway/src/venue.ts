import { join } from 'node:path';
import type {
  FixSessionSettings,
  OrderRequest,
  QuoteQuery,
  SequenceNumbers,
  StatusLine,
  VenueLine,
} from '../../service/src/market/fix/protocol.ts';

/**
 * A FIX venue as the rest of the gateway knows it: prices come by themselves, quotes and orders on request, everything
 * as lines of texts. jspurefix is one way to reach it (`JspurefixVenue`); nothing here knows the library.
 */
export interface Venue {
  readonly name: string;
  /** Connects, and subscribes to the prices of its pairs after every logon. */
  start(): void;
  /** Answers with `quote` lines, or one `quoteRefused`. */
  requestQuote(query: QuoteQuery): void;
  /** Answers with `execution` lines, or one `orderRefused`. Without either the outcome is not known. */
  placeOrder(order: OrderRequest): void;
  status(): StatusLine;
  /** Work that time brings: requests that got no answer. To be called every second. */
  tick(): void;
  /** Logs out, if it is logged on, and on again with these numbers. */
  resetSequence(numbers: SequenceNumbers): void;
  /** Logs out and closes. */
  stop(): Promise<void>;
}

export interface VenueContext {
  readonly settings: FixSessionSettings;
  /** Folder of the sequence files. */
  readonly folder: string;
  readonly emit: (line: VenueLine) => void;
  /** Called at every change of state. */
  readonly onStatus: (line: StatusLine) => void;
  /** Epoch milliseconds of real time: venues stamp their messages with it. */
  readonly now?: () => number;
}

/** The two parties name a session; so another account never goes on with the numbers of this one. */
export function sequencePath(
  folder: string,
  { name, senderCompId, targetCompId }: FixSessionSettings,
): string {
  const safe = (text: string): string => encodeURIComponent(text).replaceAll('*', '%2A');
  return join(folder, `${safe(name)}.${safe(senderCompId)}-${safe(targetCompId)}.seq`);
}
