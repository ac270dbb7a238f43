import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { findPair } from '@firmquote/fx';
import { ConfigError } from '../../config.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { createFixSources, type FixContext } from './fix-sources.ts';
import { ReplaySource } from './replay.ts';
import { SimulatedSource } from './simulated.ts';
import { SIMULATED_PAIRS } from './simulated-currencies.ts';
import type { PriceSource } from './source.ts';

export interface SourceContext {
  readonly clock: Clock;
  /** Of the simulated prices. */
  readonly seed: number;
  readonly logger: Logger;
  /** For sources `fix:<session>`. */
  readonly fix?: FixContext;
}

interface Replay {
  readonly file: string;
  readonly pair: string;
  readonly speed: number | 'max';
}

const SETTING = 'FIRMQUOTE_SOURCES';
const FIX = /^fix:([a-z0-9][a-z0-9-]{0,31})$/;
const REPLAY = /^replay:(?<file>.+?)@(?<pair>[A-Z]{6})(?:@(?<speed>max|[1-9][0-9]{0,3}))?$/;

/**
 * The sources that a setting names: `simulated`, `replay:<file>@<PAIR>[@<speed>]` and `fix:<session>`, separated by
 * commas. A speed is a whole factor from 1 to 9999 (default 1) or `max`; a recording loops, except at `max`. File names
 * are relative to the working directory and hold no comma.
 *
 * Beside replays and FIX sessions, the simulator leaves out their pairs, and the crosses that have such a pair for a leg: those
 * are then made by the rate book from the replayed leg, so that no cross contradicts its legs.
 *
 * Throws ConfigError with one line on a wrong text, a missing file, or a pair named twice.
 */
export function createSources(text: string, context: SourceContext): PriceSource[] {
  const parts = text.split(',').map((part) => part.trim());
  const fixNames = parts.flatMap((part) => FIX.exec(part)?.[1] ?? []);
  const replays = parts.filter((part) => part !== 'simulated' && !FIX.test(part)).map(parseReplay);
  const simulated = parts.length - replays.length - fixNames.length;
  if (simulated > 1) throw new ConfigError(`${SETTING} names simulated twice.`);
  const replayed = new Set<string>();
  for (const { pair } of replays) {
    if (replayed.has(pair)) throw new ConfigError(`${SETTING} replays ${pair} twice.`);
    replayed.add(pair);
  }
  const { clock, seed, logger } = context;
  const fixSources = createFixSources(fixNames, context.fix, context);
  for (const { pairs } of fixSources) for (const pair of pairs) replayed.add(pair);
  const sources: PriceSource[] = [
    ...replays.map((replay) => new ReplaySource({ ...replay, clock, logger })),
    ...fixSources,
  ];
  if (simulated === 1) {
    const pairs = SIMULATED_PAIRS.filter((code) => !restsOn(code, replayed));
    sources.unshift(new SimulatedSource({ clock, seed, pairs }));
  }
  return sources;
}

function parseReplay(part: string): Replay {
  const groups = REPLAY.exec(part)?.groups;
  const { file, pair, speed } = groups ?? {};
  if (file === undefined || pair === undefined) {
    throw new ConfigError(
      `${SETTING}: "${part}" is neither "simulated" nor "fix:<session>" nor "replay:<file>@<PAIR>[@<speed>]" with a speed from 1 to 9999 or max.`,
    );
  }
  if (findPair(pair) === undefined) {
    throw new ConfigError(`${SETTING}: ${pair} is not a pair in market order, such as EURUSD.`);
  }
  const path = resolve(file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new ConfigError(`${SETTING}: there is no file "${path}".`);
  }
  return { file: path, pair, speed: speed === 'max' ? 'max' : Number.parseInt(speed ?? '1', 10) };
}

/** Whether the pair itself, or a dollar leg of it, is among the codes. */
function restsOn(code: string, codes: ReadonlySet<string>): boolean {
  if (codes.has(code)) return true;
  const currencies = [code.slice(0, 3), code.slice(3)];
  if (currencies.includes('USD')) return false;
  return currencies.some((currency) => codes.has(`${currency}USD`) || codes.has(`USD${currency}`));
}
