import { readSecret, type Secret, tokenSettings } from './secret-settings.ts';
import { ConfigError, type Environment, readSetting, setting } from './setting.ts';
import { isOnThisMachine } from './setting-values.ts';

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
    if (secure === 'https' && url.search !== '') throw new ConfigError(`${name} must not have a query.`);
    if (scheme === plain && !isOnThisMachine(url)) {
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
  ...tokenSettings('FIRMQUOTE_OANDA_TOKEN', 'Access token of the source `oanda`.'),
  FIRMQUOTE_OANDA_URL: setting(
    'Stream of the source `oanda`; `https://stream-fxpractice.oanda.com` for practice accounts.',
    'https://stream-fxtrade.oanda.com',
    https,
  ),
  ...tokenSettings('FIRMQUOTE_MASSIVE_KEY', 'Key of the source `massive`.'),
  FIRMQUOTE_MASSIVE_URL: setting('Address of the source `massive`.', 'wss://socket.massive.com/forex', wss),
  ...tokenSettings('FIRMQUOTE_TRADERMADE_KEY', 'Key of the source `tradermade`.'),
  FIRMQUOTE_TRADERMADE_URL: setting(
    'Address of the source `tradermade`.',
    'wss://marketdata.tradermade.com/feedadv',
    wss,
  ),
  ...tokenSettings(
    'FIRMQUOTE_WEBSOCKET_KEY',
    'Key of `websocket` sources whose description names no `keyFile`.',
  ),
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
      token: readSecret(environment, 'FIRMQUOTE_OANDA_TOKEN', s),
    },
    massive: {
      url: readUrl(environment, 'FIRMQUOTE_MASSIVE_URL'),
      key: readSecret(environment, 'FIRMQUOTE_MASSIVE_KEY', s),
    },
    tradermade: {
      url: readUrl(environment, 'FIRMQUOTE_TRADERMADE_URL'),
      key: readSecret(environment, 'FIRMQUOTE_TRADERMADE_KEY', s),
    },
    websocket: { key: readSecret(environment, 'FIRMQUOTE_WEBSOCKET_KEY', s) },
  };
}

type UrlSetting = 'FIRMQUOTE_OANDA_URL' | 'FIRMQUOTE_MASSIVE_URL' | 'FIRMQUOTE_TRADERMADE_URL';

function readUrl(environment: Environment, name: UrlSetting): string {
  const value = readSetting(environment, name, FEED_SETTINGS[name]);
  if (value === undefined) throw new Error(`${name} has no default`);
  return value;
}
