import type { PriceUpdate } from '@firmquote/client';

/** What a tab and the one stream of its browser say to each other. */

export type StreamedPrice = Extract<PriceUpdate, { readonly event: 'price' }>['data'];
export type LinkState = 'connecting' | 'live' | 'reconnecting' | 'offline';

export type FromTab =
  /** @property person whose stream it is: another one is not read on for */
  | { readonly is: 'hello'; readonly person: string; readonly pairs: readonly string[] }
  /** A tab that nobody sees is sent no prices. */
  | { readonly is: 'seen'; readonly isSeen: boolean }
  /** @property gapMs at most so often; what comes between is left out, the newest stays */
  | { readonly is: 'pace'; readonly gapMs: number }
  /** The network is back: what waits is tried at once. */
  | { readonly is: 'again' }
  | { readonly is: 'bye' };

export type ToTab =
  | { readonly is: 'prices'; readonly prices: readonly AgedPrice[] }
  | { readonly is: 'link'; readonly link: HostLink };

/** @property ageMs since it came */
export interface AgedPrice {
  readonly price: StreamedPrice;
  readonly ageMs: number;
}

/**
 * @property problem why it was given up, in the service's own words
 * @property need what helps: signing in, or other rights
 */
export interface HostLink {
  readonly state: LinkState;
  readonly market: string | undefined;
  readonly problem: string | undefined;
  readonly need: 'sign-in' | 'rights' | undefined;
}
