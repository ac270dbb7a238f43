import { ConfigurationError } from './errors.ts';
import type { ClientOptions, Logger, LogLevel } from './options.ts';
import { environment, REAL, type Runtime } from './runtime.ts';

export const VERSION = '0.1.0';
const LEVELS: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug'];
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Options with everything decided. */
export interface Settings {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly maxRetries: number;
  readonly maxAnswerBytes: number;
  readonly refreshMarginMs: number;
  /** What comes later counts. */
  readonly headers: readonly (Readonly<Record<string, string>> | undefined)[];
  readonly fetch: typeof globalThis.fetch;
  readonly runtime: Runtime;
  readonly log: (level: Exclude<LogLevel, 'off'>, message: string, fields: object) => void;
}

/** @throws ConfigurationError where the options cannot work */
export function settle(options: ClientOptions): Settings {
  const baseUrl = address(options.baseUrl ?? environment('FIRMQUOTE_BASE_URL'), 'baseUrl', options);
  const authUrl = options.authUrl ?? environment('FIRMQUOTE_AUTH_URL');
  const agent = `firmquote-client/${VERSION}${options.appInfo === undefined ? '' : ` ${options.appInfo}`}`;
  return {
    baseUrl,
    authUrl: authUrl === undefined ? baseUrl : address(authUrl, 'authUrl', options),
    timeoutMs: options.timeoutMs ?? 10_000,
    deadlineMs: options.deadlineMs ?? 30_000,
    maxRetries: options.maxRetries ?? 2,
    maxAnswerBytes: options.maxAnswerBytes ?? 16 * 1024 * 1024,
    refreshMarginMs: options.refreshMarginMs ?? 300_000,
    headers: [{ 'user-agent': agent }, options.headers],
    // Called without `this`, which browsers want.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    runtime: options.runtime ?? REAL,
    log: logging(options.logger, options.logLevel ?? 'warn'),
  };
}

function address(given: string | undefined, name: string, { allowInsecure }: ClientOptions): string {
  const url = URL.parse(given ?? '');
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigurationError(`${name} is ${given === undefined ? 'missing' : 'not an address'}.`, {
      code: 'base_url_invalid',
      nextStep: `Give ${name}, such as https://fx.example.com, or set FIRMQUOTE_BASE_URL.`,
    });
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname) && allowInsecure !== true) {
    throw new ConfigurationError(`${name} is not encrypted: ${url.origin}.`, {
      code: 'base_url_insecure',
      nextStep: 'Use https, or set allowInsecure if you trust the network itself.',
    });
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function logging(logger: Logger | undefined, level: LogLevel): Settings['log'] {
  const last = LEVELS.indexOf(level);
  return (each, message, fields) => {
    if (logger !== undefined && LEVELS.indexOf(each) <= last) logger[each](message, fields);
  };
}
