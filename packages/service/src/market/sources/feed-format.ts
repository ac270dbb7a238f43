import type { EpochUnit } from './vendor-time.ts';

/** Fields of a message and the texts that they must have. Numbers are compared by their source text. */
export type Match = Readonly<Record<string, string>>;

/** JSON to send, in whose strings `{key}` and `{symbols}` are replaced. */
export type Template =
  | string
  | number
  | boolean
  | null
  | readonly Template[]
  | { readonly [name: string]: Template };

interface FeedStep {
  /** The message to wait for before sending; absent in a first step, which is sent when the connection stands. */
  readonly after?: Match;
  readonly send: Template;
}

/** How a vendor's WebSocket speaks, as data. `docs/market-data.md` explains each field to operators. */
export interface FeedFormat {
  /** Address, in which `{key}` is replaced, for vendors that want the key there. */
  readonly url: string;
  /** A pair as the vendor subscribes to it, with `{base}` and `{quote}`. */
  readonly symbol: string;
  /** What stands between two symbols in `{symbols}`. */
  readonly separator: string;
  /** What is sent, in order. After the last one prices may come. */
  readonly steps: readonly FeedStep[];
  readonly price: {
    /** What marks a message as a price; without it, every object with the symbol field is one. */
    readonly when?: Match;
    readonly symbol: string;
    readonly bid: string;
    readonly ask: string;
    /** Absent when the vendor stamps nothing: the price is then as old as its arrival. */
    readonly time?: string;
    readonly timeUnit?: EpochUnit | 'rfc3339';
  };
  /** Messages that say that the key is not accepted. */
  readonly refusals: readonly Match[];
  /** Messages that say that there are too many connections, or similar: come back later. */
  readonly pauses: readonly Match[];
  /** Texts that are no JSON and mean no harm. */
  readonly greetings: readonly string[];
  /** Parts of texts that are no JSON and say that the key is not accepted. */
  readonly refusalTexts: readonly string[];
  /** No price for so long means that the subscription is lost. 0: never. */
  readonly quietSeconds: number;
}

const QUIET_SECONDS = 120;

/** Massive (formerly Polygon.io), forex quotes: https://massive.com/docs/websocket/forex/quotes */
const MASSIVE: FeedFormat = {
  url: 'wss://socket.massive.com/forex',
  symbol: 'C.{base}-{quote}',
  separator: ',',
  steps: [
    { send: { action: 'auth', params: '{key}' } },
    {
      after: { ev: 'status', status: 'auth_success' },
      send: { action: 'subscribe', params: '{symbols}' },
    },
  ],
  price: { when: { ev: 'C' }, symbol: 'p', bid: 'b', ask: 'a', time: 't', timeUnit: 'ms' },
  refusals: [
    { ev: 'status', status: 'auth_failed' },
    { ev: 'status', status: 'not_authorized' },
  ],
  pauses: [{ ev: 'status', status: 'max_connections' }],
  greetings: [],
  refusalTexts: [],
  quietSeconds: QUIET_SECONDS,
};

/** TraderMade, WebSocket version 1: https://tradermade.com/docs/streaming-data-api */
const TRADERMADE: FeedFormat = {
  url: 'wss://marketdata.tradermade.com/feedadv',
  symbol: '{base}{quote}',
  separator: ',',
  steps: [{ send: { userKey: '{key}', symbol: '{symbols}' } }],
  price: { symbol: 'symbol', bid: 'bid', ask: 'ask', time: 'ts', timeUnit: 'ms' },
  refusals: [],
  pauses: [],
  greetings: ['Connected'],
  refusalTexts: ['key'],
  quietSeconds: QUIET_SECONDS,
};

export const FEED_PRESETS = { massive: MASSIVE, tradermade: TRADERMADE } as const;

/** The template with its placeholders replaced. Values go into strings, never into the JSON around them. */
export function fill(template: Template, values: Readonly<Record<string, string>>): Template {
  if (typeof template === 'string') {
    return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
  }
  if (typeof template !== 'object' || template === null) return template;
  if (Array.isArray(template)) return template.map((part: Template) => fill(part, values));
  return Object.fromEntries(Object.entries(template).map(([name, part]) => [name, fill(part, values)]));
}

/** The text with which the vendor subscribes to a pair. */
export function symbolOf(format: Pick<FeedFormat, 'symbol'>, pair: string): string {
  return format.symbol.replaceAll('{base}', pair.slice(0, 3)).replaceAll('{quote}', pair.slice(3));
}

/**
 * The pair of every name under which the vendor may send its price: the one that was subscribed to, and the plain
 * names, because vendors answer `C.EUR-USD` with `EUR/USD`.
 */
export function pairsBySymbol(format: FeedFormat, pairs: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const pair of pairs) {
    names.set(symbolOf(format, pair), pair);
    for (const between of ['', '/', '-', '_'])
      names.set(`${pair.slice(0, 3)}${between}${pair.slice(3)}`, pair);
  }
  return names;
}
