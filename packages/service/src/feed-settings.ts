import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError, type Environment, readEither, readSetting, setting } from './setting.ts';

/** A key or token, read anew from its file each time, so that a replaced one needs no restart. */
export type Secret = () => string;

/** What price vendors are reached with. A vendor that no source names needs none of it. */
export interface FeedSettings {
  readonly oanda: {
    readonly url: string;
    readonly account: string | undefined;
    readonly token: Secret | undefined;
  };
  readonly massive: { readonly url: string; readonly key: Secret | undefined };
  readonly tradermade: { readonly url: string; readonly key: Secret | undefined };
  /** Of feeds that are described in a file and name no key file of their own. */
  readonly websocket: { readonly key: Secret | undefined };
}

const SECRET = /^[\x21-\x7e]{1,4096}$/;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Never part of a message, whatever is wrong with it. */
function secret(value: string, name: string): Secret {
  const trimmed = value.trim();
  if (!SECRET.test(trimmed))
    throw new ConfigError(`${name} must be one line of printable ASCII without blanks.`);
  return () => trimmed;
}

/**
 * A secret in a file. When the file cannot be read later, or holds no secret, the last one stays in use.
 * @throws ConfigError when it cannot be read now
 */
export function secretFile(path: string, name: string): Secret {
  const file = resolve(path);
  let last: string;
  try {
    last = readFileSync(file, 'utf8').trim();
  } catch {
    throw new ConfigError(`${name}: the file "${file}" cannot be read.`);
  }
  if (!SECRET.test(last))
    throw new ConfigError(`${name}: the file "${file}" must hold one line of printable ASCII.`);
  return () => {
    try {
      const now = readFileSync(file, 'utf8').trim();
      if (SECRET.test(now)) last = now;
    } catch {
      // A file that is being replaced is not there for a moment.
    }
    return last;
  };
}

/** An address of one of the schemes. Without TLS a secret would be readable on the way, except on this machine. */
function feedUrl(...schemes: readonly [secure: string, plain: string]) {
  const [secure, plain] = schemes;
  return (value: string, name: string): string => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const scheme = url?.protocol.slice(0, -1);
    if (
      url === undefined ||
      (scheme !== secure && scheme !== plain) ||
      url.username !== '' ||
      url.hash !== ''
    ) {
      throw new ConfigError(`${name} must be an address that begins with ${secure}://.`);
    }
    // A path is put behind an http address.
    if (secure === 'https' && url.search !== '') throw new ConfigError(`${name} must have no query.`);
    if (scheme === plain && !LOOPBACK.has(url.hostname)) {
      throw new ConfigError(`${name} must begin with ${secure}://; ${plain}:// is for this machine only.`);
    }
    return value.replace(/\/+$/, '');
  };
}

function account(value: string, name: string): string {
  if (!/^[\w-]{1,64}$/.test(value))
    throw new ConfigError(`${name} must be an account id such as 001-001-1234567-001.`);
  return value;
}

const https = feedUrl('https', 'http');
const wss = feedUrl('wss', 'ws');

export const FEED_SETTINGS = {
  FIRMQUOTE_OANDA_ACCOUNT: setting('Account of the source `oanda`.', undefined, account),
  FIRMQUOTE_OANDA_TOKEN: setting('Access token of the source `oanda`.', undefined, secret),
  FIRMQUOTE_OANDA_TOKEN_FILE: setting(
    'File with the access token, instead of `FIRMQUOTE_OANDA_TOKEN`. It is read again for each connection, as all such files are.',
    undefined,
    secretFile,
  ),
  FIRMQUOTE_OANDA_URL: setting(
    'Stream of the source `oanda`; `https://stream-fxpractice.oanda.com` for practice accounts.',
    'https://stream-fxtrade.oanda.com',
    https,
  ),
  FIRMQUOTE_MASSIVE_KEY: setting('Key of the source `massive`.', undefined, secret),
  FIRMQUOTE_MASSIVE_KEY_FILE: setting('File with the key of the source `massive`.', undefined, secretFile),
  FIRMQUOTE_MASSIVE_URL: setting('Address of the source `massive`.', 'wss://socket.massive.com/forex', wss),
  FIRMQUOTE_TRADERMADE_KEY: setting('Key of the source `tradermade`.', undefined, secret),
  FIRMQUOTE_TRADERMADE_KEY_FILE: setting(
    'File with the key of the source `tradermade`.',
    undefined,
    secretFile,
  ),
  FIRMQUOTE_TRADERMADE_URL: setting(
    'Address of the source `tradermade`.',
    'wss://marketdata.tradermade.com/feedadv',
    wss,
  ),
  FIRMQUOTE_WEBSOCKET_KEY: setting(
    'Key of `websocket` sources whose description names no `keyFile`.',
    undefined,
    secret,
  ),
  FIRMQUOTE_WEBSOCKET_KEY_FILE: setting('File with that key.', undefined, secretFile),
} as const;

/**
 * @throws ConfigError on a wrong value, and where a secret is given twice
 */
export function readFeedSettings(environment: Environment): FeedSettings {
  const s = FEED_SETTINGS;
  return {
    oanda: {
      url: readUrl(environment, 'FIRMQUOTE_OANDA_URL'),
      account: readSetting(environment, 'FIRMQUOTE_OANDA_ACCOUNT', s.FIRMQUOTE_OANDA_ACCOUNT),
      token: readSecret(environment, 'FIRMQUOTE_OANDA_TOKEN'),
    },
    massive: {
      url: readUrl(environment, 'FIRMQUOTE_MASSIVE_URL'),
      key: readSecret(environment, 'FIRMQUOTE_MASSIVE_KEY'),
    },
    tradermade: {
      url: readUrl(environment, 'FIRMQUOTE_TRADERMADE_URL'),
      key: readSecret(environment, 'FIRMQUOTE_TRADERMADE_KEY'),
    },
    websocket: { key: readSecret(environment, 'FIRMQUOTE_WEBSOCKET_KEY') },
  };
}

type UrlSetting = 'FIRMQUOTE_OANDA_URL' | 'FIRMQUOTE_MASSIVE_URL' | 'FIRMQUOTE_TRADERMADE_URL';

function readUrl(environment: Environment, name: UrlSetting): string {
  const value = readSetting(environment, name, FEED_SETTINGS[name]);
  if (value === undefined) throw new Error(`${name} has no default`);
  return value;
}

type SecretSetting =
  | 'FIRMQUOTE_OANDA_TOKEN'
  | 'FIRMQUOTE_MASSIVE_KEY'
  | 'FIRMQUOTE_TRADERMADE_KEY'
  | 'FIRMQUOTE_WEBSOCKET_KEY';

function readSecret(environment: Environment, name: SecretSetting): Secret | undefined {
  return readEither(environment, name, FEED_SETTINGS[name], FEED_SETTINGS[`${name}_FILE`]);
}
