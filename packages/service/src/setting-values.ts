import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { findCurrency, findPair, type RollOf, rollingInAuckland } from '@firmquote/fx';
import { ConfigError, quoted } from './setting.ts';

/** How values of settings are read. Each throws ConfigError with one line that names the setting. */

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** More than this many processes have their limit in the database. */
const PROCESSES_MAX = 64; // limit: Processes of a service

/** How many processes, or `auto`: one for each core. */
export function processCount(text: string, name: string): number {
  if (text === 'auto') return Math.min(availableParallelism(), PROCESSES_MAX);
  const count = /^\d{1,2}$/.test(text) ? Number.parseInt(text, 10) : 0;
  if (count >= 1 && count <= PROCESSES_MAX) return count;
  throw new ConfigError(
    `${name} must be a whole number from 1 to ${PROCESSES_MAX}, or auto, not ${quoted(text)}.`,
  );
}

/** As it is written, since links and tokens have it so: `URL` would read `https:host` and blanks as what was meant. */
const HTTP_URL = /^https?:\/\/[^\s\\]+$/;

export function httpUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.username || url?.password)
    throw new ConfigError(`${name} must be an http or https address without user and password.`);
  if (!url || !HTTP_URL.test(text) || url.search || url.hash) {
    throw new ConfigError(
      `${name} must be an http:// or https:// address without query, not ${quoted(text)}.`,
    );
  }
  return text.replace(/\/+$/, '');
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What goes there stays on this machine, and needs no TLS. */
export function isOnThisMachine({ hostname }: URL): boolean {
  return LOOPBACK.has(hostname);
}

export function base64Key(text: string, name: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32)
    throw new ConfigError(`${name} must be 32 random bytes in base64 (openssl rand -base64 32).`);
  return key;
}

export function proxies(value: string, name: string): readonly string[] {
  if (value.trim() === 'none') return [];
  return value.split(',').map((part) => {
    const [address = '', prefix, ...more] = part.trim().split('/');
    const bits = isIP(address) === 6 ? 128 : 32;
    const isPrefix =
      prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number.parseInt(prefix, 10) <= bits);
    if (isIP(address) === 0 || !isPrefix || more.length > 0) {
      throw new ConfigError(
        `${name} must be addresses or CIDR ranges, comma separated, or none, not ${quoted(value)}.`,
      );
    }
    return part.trim();
  });
}

/** Who is trusted may say where a request comes from, which limits and allow-lists go by. */
export function trustedProxies(value: string, name: string): readonly string[] {
  const given = proxies(value, name);
  const every = given.find((each) => /\/0+$/.test(each));
  if (every === undefined) return given;
  throw new ConfigError(
    `${name} must not be every address (${every}): callers could then say where they come from. Name those of the proxies.`,
  );
}

/** `host:port`; an IPv6 address stands in brackets. */
export function listenAddress(text: string, name: string): ListenAddress {
  const match = /^(?:\[([^\]]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text);
  const port = Number.parseInt(match?.[3] ?? '', 10);
  const host = match?.[1] ?? match?.[2];
  if (host === undefined || port > 65_535)
    throw new ConfigError(`${name} must be host:port, such as 10.0.0.5:4001, not ${quoted(text)}.`);
  return { host, port };
}

/** Currencies and pairs whose trade date changes in Auckland, or `none`. */
export function aucklandRoll(text: string, name: string): RollOf {
  if (text.trim() === 'none') return rollingInAuckland([]);
  const codes = text.split(',').map((code) => code.trim());
  if (!codes.every((code) => findCurrency(code) !== undefined || findPair(code) !== undefined)) {
    throw new ConfigError(
      `${name} must be currencies and pairs, comma separated, such as NZD or NZDUSD, or none, not ${quoted(text)}.`,
    );
  }
  return rollingInAuckland(codes);
}

/** Ports, comma separated, or `any`, which is undefined. */
export function ports(text: string, name: string): readonly number[] | undefined {
  if (text.trim() === 'any') return undefined;
  return text.split(',').map((part) => {
    const port = /^\d{1,5}$/.test(part.trim()) ? Number.parseInt(part, 10) : 0;
    if (port >= 1 && port <= 65_535) return port;
    throw new ConfigError(`${name} must be ports, comma separated, or any, not ${quoted(text)}.`);
  });
}
