import { ConfigError, type FeedSettings, type Secret } from '../../config.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ReferenceRates } from '../reference-rates.ts';
import { EcbSource } from './ecb.ts';
import type { FeedTransport } from './feed.ts';
import { readFeedDefinition } from './feed-definition.ts';
import { FEED_PRESETS, type FeedFormat } from './feed-format.ts';
import type { FixSource } from './fix.ts';
import { createFixSources, type FixContext } from './fix-sources.ts';
import { OANDA_SILENCE_MS, oandaTransport } from './oanda.ts';
import { PushSource } from './push.ts';
import { ReplaySource } from './replay.ts';
import { SimulatedSource } from './simulated.ts';
import { SIMULATED_PAIRS } from './simulated-currencies.ts';
import type { PriceSource } from './source.ts';
import { parseSources, SETTING, type SourceEntry } from './source-text.ts';
import { SupervisedSource } from './supervised-source.ts';
import { WEBSOCKET_SILENCE_MS, webSocketTransport } from './websocket.ts';

export interface SourceContext {
  readonly clock: Clock;
  /** Of the simulated prices. */
  readonly seed: number;
  readonly logger: Logger;
  readonly feeds: FeedSettings;
  /** For sources `fix:<session>`. */
  readonly fix?: FixContext;
}

export interface Sources {
  /** In the order of the setting, which is the order of their start; reference rates come first. */
  readonly all: readonly PriceSource[];
  /** Those that take prices through the API, by name. */
  readonly pushed: ReadonlyMap<string, PushSource>;
  /** The ECB's rates, where they are configured. */
  readonly reference: ReferenceRates | undefined;
}

/**
 * The sources that a setting names, separated by commas; docs/market-data.md describes each.
 *
 * Beside sources of real prices, the simulator leaves out their pairs, and the crosses that have such a pair for a
 * leg: those are then made by the rate book from the real leg, so that no cross contradicts its legs. Pushed prices
 * leave the simulator as it is, because they may be of any pair.
 *
 * Throws ConfigError with one line on a wrong text, a missing file or secret, or a source named twice.
 */
export function createSources(text: string, context: SourceContext): Sources {
  const entries = parseSources(text);
  const ecb = entries.flatMap((entry) => (entry.kind === 'ecb' ? [ecbSource(entry.location, context)] : []));
  const [reference] = ecb;
  // Together, because they share the gateway's process.
  const sessions = entries.flatMap((entry) => (entry.kind === 'fix' ? [entry.session] : []));
  const fix = createFixSources(sessions, context.fix, context);
  const made = entries.map((entry) =>
    entry.kind === 'fix' ? fixSourceOf(fix[sessions.indexOf(entry.session)]) : sourceOf(entry, context),
  );
  const real = new Set(made.flatMap((one) => one?.pairs ?? []));
  const priced = entries.flatMap(({ kind }, index) =>
    kind === 'simulated' ? [simulatedSource(real, reference, context)] : (made[index]?.source ?? []),
  );
  // The ECB's rates first: the simulator starts around them.
  const all: PriceSource[] = [...ecb, ...priced];
  requireDistinct(all);
  if (priced.length === 0) {
    throw new ConfigError(`${SETTING} names no source of prices: ecb is for comparison only.`);
  }
  const pushed = all.filter((source) => source instanceof PushSource);
  return { all, pushed: new Map(pushed.map((source) => [source.name, source])), reference };
}

interface Made {
  readonly source: PriceSource;
  /** Pairs that the simulator must keep off. */
  readonly pairs: readonly string[];
}

/** Undefined for those that need to know of the others. */
function sourceOf(entry: Exclude<SourceEntry, { kind: 'fix' }>, context: SourceContext): Made | undefined {
  const { clock, logger } = context;
  switch (entry.kind) {
    case 'replay':
      return { source: new ReplaySource({ ...entry, clock, logger }), pairs: [entry.pair] };
    case 'oanda':
      return { source: oandaSource(entry.pairs, context), pairs: entry.pairs };
    case 'massive':
    case 'tradermade': {
      const { url, key } = context.feeds[entry.kind];
      const secret = requireSetting(key, entry.kind, `FIRMQUOTE_${entry.kind.toUpperCase()}_KEY`);
      const format = { ...FEED_PRESETS[entry.kind], url };
      return webSocketSource(entry.kind, format, entry.pairs, secret, context);
    }
    case 'websocket': {
      const { name, format, pairs, key, needsKey } = readFeedDefinition(entry.file);
      const given = key ?? context.feeds.websocket.key;
      const source = `websocket:${name}`;
      const secret = needsKey ? requireSetting(given, source, 'FIRMQUOTE_WEBSOCKET_KEY') : () => '';
      return webSocketSource(source, format, pairs, secret, context);
    }
    case 'push':
      return { source: new PushSource(entry.name, clock), pairs: [] };
    case 'simulated':
    case 'ecb':
      return undefined;
  }
}

function fixSourceOf(source: FixSource | undefined): Made | undefined {
  return source && { source, pairs: [...source.pairs] };
}

function ecbSource(location: string, { clock, logger }: SourceContext): EcbSource {
  return new EcbSource({ location, clock, logger });
}

function simulatedSource(
  real: ReadonlySet<string>,
  anchor: ReferenceRates | undefined,
  { clock, seed }: SourceContext,
): PriceSource {
  const pairs = SIMULATED_PAIRS.filter((code) => !restsOn(code, real));
  return new SimulatedSource({ clock, seed, pairs, ...(anchor === undefined ? {} : { anchor }) });
}

function oandaSource(pairs: readonly string[], context: SourceContext): PriceSource {
  const { url, account, token } = context.feeds.oanda;
  const transport = oandaTransport({
    baseUrl: url,
    account: requireSetting(account, 'oanda', 'FIRMQUOTE_OANDA_ACCOUNT'),
    token: requireSetting(token, 'oanda', 'FIRMQUOTE_OANDA_TOKEN'),
    pairs,
  });
  return supervised('oanda', transport, OANDA_SILENCE_MS, context);
}

function webSocketSource(
  name: string,
  format: FeedFormat,
  pairs: readonly string[],
  key: Secret,
  context: SourceContext,
): Made {
  const transport = webSocketTransport({ format, key, pairs });
  const quietMs = format.quietSeconds === 0 ? undefined : format.quietSeconds * 1000;
  return { source: supervised(name, transport, WEBSOCKET_SILENCE_MS, context, quietMs), pairs };
}

function supervised(
  name: string,
  transport: FeedTransport,
  silenceMs: number,
  { clock, logger }: SourceContext,
  quietMs?: number,
): PriceSource {
  const options = { name, transport, clock, logger, silenceMs };
  return new SupervisedSource(quietMs === undefined ? options : { ...options, quietMs });
}

function requireSetting<T>(value: T | undefined, source: string, setting: string): T {
  if (value === undefined) throw new ConfigError(`${setting} is required: ${SETTING} names ${source}.`);
  return value;
}

function requireDistinct(sources: readonly PriceSource[]): void {
  const names = new Set<string>();
  for (const { name } of sources) {
    if (names.has(name)) {
      const hint = name.startsWith('replay:')
        ? ' Give each recording a name: replay:<file>@<PAIR>=<name>.'
        : '';
      throw new ConfigError(`${SETTING} names ${name} twice.${hint}`);
    }
    names.add(name);
  }
}

/** Whether the pair itself, or a dollar leg of it, is among the codes. */
function restsOn(code: string, codes: ReadonlySet<string>): boolean {
  if (codes.has(code)) return true;
  const currencies = [code.slice(0, 3), code.slice(3)];
  if (currencies.includes('USD')) return false;
  return currencies.some((currency) => codes.has(`${currency}USD`) || codes.has(`USD${currency}`));
}
