import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { findPair } from '@firmquote/fx';
import { ConfigError } from '../../config.ts';
import { ECB_DAILY_URL } from './ecb.ts';

/** One part of `FIRMQUOTE_SOURCES`. */
export type SourceEntry =
  | { readonly kind: 'simulated' }
  | {
      readonly kind: 'replay';
      readonly file: string;
      readonly pair: string;
      readonly speed: number | 'max';
      /** Tells several recordings of one pair apart. */
      readonly name: string | undefined;
    }
  | { readonly kind: 'oanda' | 'massive' | 'tradermade'; readonly pairs: readonly string[] }
  /** `file` describes the feed. */
  | { readonly kind: 'websocket'; readonly file: string }
  | { readonly kind: 'push'; readonly name: string }
  | { readonly kind: 'fix'; readonly session: string }
  | { readonly kind: 'ecb'; readonly location: string };

export const SETTING = 'FIRMQUOTE_SOURCES';
const REPLAY =
  /^(?<file>.+?)@(?<pair>[A-Z]{6})(?:@(?<speed>max|[1-9][0-9]{0,3}))?(?:=(?<name>[a-z0-9][a-z0-9-]{0,31}))?$/;
const REPLAYED = 'replay takes a file, not an address';
const NOT_ECB = 'what follows ecb: is neither a file nor an http or https address';
const SOURCES_MAX = 32; // limit: Price sources
const FEED_PAIRS_MAX = 100; // limit: Pairs of a feed
export const SOURCE_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

/**
 * Reads the setting.
 * @throws ConfigError with one line. What was written is repeated only where it cannot be a secret that was put there
 * by mistake.
 */
export function parseSources(text: string): SourceEntry[] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length > SOURCES_MAX) throw new ConfigError(`${SETTING} names more than ${SOURCES_MAX} sources.`);
  return parts.map(parseEntry);
}

function parseEntry(part: string): SourceEntry {
  const colon = part.indexOf(':');
  const kind = colon === -1 ? part : part.slice(0, colon);
  const rest = colon === -1 ? undefined : part.slice(colon + 1);
  switch (kind) {
    case 'simulated':
      if (rest !== undefined) throw new ConfigError(`${SETTING}: simulated takes nothing after it.`);
      return { kind };
    case 'replay':
      return parseReplay(rest ?? '');
    case 'oanda':
    case 'massive':
    case 'tradermade':
      return { kind, pairs: parsePairs(kind, rest ?? '') };
    case 'websocket':
      return {
        kind,
        file: existingFile(rest ?? '', 'websocket takes a file that describes the feed, not an address'),
      };
    case 'push':
      return { kind, name: parsePush(rest) };
    case 'fix':
      return { kind, session: parseSession(rest ?? '') };
    case 'ecb':
      return { kind, location: parseEcb(rest) };
    default:
      throw new ConfigError(
        `${SETTING}: "${kind.slice(0, 20)}" is not a source; there are simulated, replay, oanda, massive, tradermade, websocket, fix, push and ecb.`,
      );
  }
}

function parseReplay(rest: string): SourceEntry {
  requireNoAddress(rest, REPLAYED);
  const { file, pair, speed, name } = REPLAY.exec(rest)?.groups ?? {};
  if (file === undefined || pair === undefined) {
    throw new ConfigError(
      `${SETTING}: "replay:${rest}" is not "replay:<file>@<PAIR>[@<speed>][=<name>]" with a speed from 1 to 9999 or max, and a name of lower-case letters, digits and hyphens.`,
    );
  }
  requirePair(pair);
  return {
    kind: 'replay',
    file: existingFile(file, REPLAYED),
    pair,
    name,
    speed: speed === 'max' ? 'max' : Number.parseInt(speed ?? '1', 10),
  };
}

function parsePairs(kind: string, rest: string): string[] {
  const pairs = rest.split('+').map((pair) => pair.trim());
  if (!pairs.every((pair) => /^[A-Z]{6}$/.test(pair))) {
    throw new ConfigError(`${SETTING}: ${kind} needs pairs, such as ${kind}:EURUSD+USDJPY.`);
  }
  requirePairs(pairs, `${SETTING}: ${kind}`);
  return pairs;
}

/** @throws ConfigError that begins with `where` */
export function requirePairs(pairs: readonly string[], where: string): void {
  for (const pair of pairs) requirePair(pair, where);
  if (new Set(pairs).size < pairs.length) throw new ConfigError(`${where} names a pair twice.`);
  if (pairs.length > FEED_PAIRS_MAX)
    throw new ConfigError(`${where} names more than ${FEED_PAIRS_MAX} pairs.`);
}

function requirePair(pair: string, where = SETTING): void {
  if (findPair(pair) === undefined) {
    throw new ConfigError(`${where}: ${pair} is not a pair in market order, such as EURUSD.`);
  }
}

/** An address may hold a key or a password: it is not repeated. */
function requireNoAddress(file: string, wanted: string): void {
  if (/^\s*[a-z][a-z0-9+.-]*:\/\//i.test(file)) throw new ConfigError(`${SETTING}: ${wanted}.`);
}

/** The absolute path; relative ones start from the working directory. */
function existingFile(file: string, wanted: string): string {
  requireNoAddress(file, wanted);
  const path = resolve(file);
  if (file === '' || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new ConfigError(`${SETTING}: there is no file "${path}".`);
  }
  return path;
}

function parsePush(rest: string | undefined): string {
  if (rest === undefined) return 'push';
  if (!SOURCE_NAME.test(rest)) {
    throw new ConfigError(
      `${SETTING}: the name after push: has 1 to 32 lower-case letters, digits and hyphens.`,
    );
  }
  return `push:${rest}`;
}

function parseSession(name: string): string {
  if (!SOURCE_NAME.test(name)) {
    throw new ConfigError(
      `${SETTING}: the session after fix: has 1 to 32 lower-case letters, digits and hyphens.`,
    );
  }
  return name;
}

function parseEcb(rest: string | undefined): string {
  if (rest === undefined) return ECB_DAILY_URL;
  if (!/^https?:/.test(rest)) return existingFile(rest, NOT_ECB);
  const url = URL.canParse(rest) ? new URL(rest) : undefined;
  if (url === undefined || url.username !== '') {
    throw new ConfigError(`${SETTING}: ${NOT_ECB}.`);
  }
  return rest;
}
