import { resolve } from 'node:path';
import type { RollOf } from '@firmquote/fx';
import {
  DATABASE_SETTINGS,
  type DatabaseSettings,
  type MigrationSettings,
  readDatabaseSettings,
  readMigrationSettings,
} from './database-settings.ts';
import { FEED_SETTINGS, type FeedSettings, readFeedSettings } from './feed-settings.ts';
import { KEY_SETTINGS, type KeySettings, readKeySettings } from './key-settings.ts';
import { readSecret, secretSettings } from './secret-settings.ts';
import {
  ConfigError,
  type Environment,
  oneOf,
  readSetting,
  required,
  setting,
  text,
  wholeNumber,
} from './setting.ts';
import {
  aucklandRoll,
  httpUrl,
  isOnThisMachine,
  type ListenAddress,
  listenAddress,
  ports,
  processCount,
  proxies,
  trustedProxies,
} from './setting-values.ts';
import { requireAudiencesApart, requireListenersApart } from './settings-together.ts';
import {
  type ProviderSettings,
  readPasskeys,
  readProviderSettings,
  readSessionSettings,
  type SessionSettings,
  SIGN_IN_SETTINGS,
} from './sign-in-settings.ts';
import { readTracesSettings, TRACES_SETTINGS, type TracesSettings } from './traces-settings.ts';

export type { FeedSettings } from './feed-settings.ts';
export { type Secret, secretFile } from './secret-settings.ts';
export { ConfigError, SettingUnavailable } from './setting.ts';
export type { ListenAddress } from './setting-values.ts';
export type { ProviderSettings } from './sign-in-settings.ts';

export type Mode = 'sandbox' | 'production';

/** `archive_audit` holds it too, whatever the service asks for. */
const AUDIT_RETENTION_DAYS_MIN = 365; // limit: Days for which rows of the audit trail are kept at least

/** Five years with their leap days (docs/decisions/0064-quotes-that-came-to-nothing-end.md); `forget_quotes` holds it too. */
const QUOTE_RETENTION_DAYS_MIN = 1_827; // limit: Days for which quotes that came to nothing are kept at least

/** Every setting of the service: name, default, meaning. The documentation is generated from this table. */
export const SETTINGS = {
  FIRMQUOTE_MODE: setting(
    '`sandbox` or `production`. Production refuses to start on sandbox defaults.',
    'sandbox',
    oneOf('sandbox', 'production'),
  ),
  FIRMQUOTE_HOST: setting('Address to listen on.', '127.0.0.1', text),
  FIRMQUOTE_PORT: setting('Port to listen on; 0 takes any free one.', '4000', wholeNumber(0, 65_535)),
  FIRMQUOTE_OPERATOR_LISTEN: setting(
    'Second address to listen on, as `host:port`, for the operator API, the console, the documentation, `/openapi.json` and `/metrics`, which are then 404 at `FIRMQUOTE_HOST`. Default: one address serves all.',
    undefined,
    listenAddress,
  ),
  FIRMQUOTE_PROCESSES: setting(
    'Processes that serve the port, or `auto` for one per core; one of them has the price sources. See `docs/operations/sizing.md#more-cores`.',
    '1',
    processCount,
  ),
  FIRMQUOTE_DOCS: setting(
    '`on` or `off`: whether the documentation (`/docs`, `/llms.txt`), `/openapi.json` and `/openapi-customer.json` are served.',
    'on',
    oneOf('on', 'off'),
  ),
  FIRMQUOTE_DATA_DIR: setting(
    'Folder of the embedded database and of `sandbox.json`, closed to other users. If you set it and the database cannot be kept there, the service does not start.',
    './data',
    (value, name) => resolve(text(value, name)),
  ),
  ...DATABASE_SETTINGS,
  FIRMQUOTE_BASE_URL: setting(
    'Public address of the API, as clients see it. Default: the listening address.',
    undefined,
    httpUrl,
  ),
  FIRMQUOTE_AUTH_URL: setting(
    'Public address of the token endpoint and issuer of tokens. Default: the base URL.',
    undefined,
    httpUrl,
  ),
  FIRMQUOTE_OPERATOR_URL: setting(
    "Address at which operators' browsers reach the service. With `FIRMQUOTE_OPERATOR_LISTEN` that is not the base URL, which has no console then; `http://localhost:4001` is good for a tunnel. Default: the base URL; without one, that of `FIRMQUOTE_OPERATOR_LISTEN`.",
    undefined,
    httpUrl,
  ),
  ...SIGN_IN_SETTINGS,
  FIRMQUOTE_AUDIENCE: setting(
    'Audience of customer tokens. Default: the base URL; in a sandbox without one `urn:firmquote:sandbox`, whatever the port.',
    undefined,
    text,
  ),
  FIRMQUOTE_OPERATOR_AUDIENCE: setting(
    'Audience of operator tokens, in production another one than that of customer tokens. Default: the audience in the sandbox, audience + `/operator` in production.',
    undefined,
    text,
  ),
  ...KEY_SETTINGS,
  FIRMQUOTE_SOURCES: setting(
    'Price sources, comma separated: `simulated`, `replay:<file>@<PAIR>[@<speed>][=<name>]`, `oanda:<PAIR>+<PAIR>…`, `massive:<PAIR>+…`, `tradermade:<PAIR>+…`, `websocket:<file>`, `fix:<session>`, `push[:<name>]`, `ecb[:<file or address>]`; see `docs/market-data.md`. Default in the sandbox: `simulated,push`; required in production.',
    undefined,
    text,
  ),
  ...FEED_SETTINGS,
  FIRMQUOTE_SIMULATOR_SEED: setting('Seed of the simulated prices.', '1', wholeNumber(0, 999_999_999)),
  FIRMQUOTE_FIX_SESSIONS: setting(
    'File with the FIX sessions that `fix:<session>` names; see `docs/fix.md`.',
    undefined,
    (value, name) => resolve(text(value, name)),
  ),
  FIRMQUOTE_MARKET_HOURS: setting(
    '`calendar` follows the market week; `always` never closes. Default: `always` in the sandbox, `calendar` in production.',
    undefined,
    oneOf('calendar', 'always'),
  ),
  FIRMQUOTE_AUCKLAND_ROLL: setting(
    'Currencies and pairs, comma separated, whose trade date changes at 07:00 in Auckland; that of all others changes at 17:00 in New York. `none`: all change in New York.',
    'NZD',
    aucklandRoll,
  ),
  FIRMQUOTE_COMPOSITE: setting(
    'How several sources make one price of a pair, unless the pair has its own setting: `best` bid and offer, or the first fresh source by `priority`, in the order of `FIRMQUOTE_SOURCES`.',
    'best',
    oneOf('best', 'priority'),
  ),
  FIRMQUOTE_FIRST_PRICES: setting(
    'What happens to the first price of a pair without any history, neither an earlier price nor a reference rate. `confirm`: it is refused until a second source agrees or an operator accepts it. `believe`: it is used. Default: `believe` in the sandbox, `confirm` in production.',
    undefined,
    oneOf('believe', 'confirm'),
  ),
  FIRMQUOTE_SECOND_BARS_HOURS: setting(
    'Hours for which one-second price bars are kept. A pair has up to 3,600 an hour.',
    '2',
    wholeNumber(1, 720),
  ),
  FIRMQUOTE_MINUTE_BARS_DAYS: setting(
    'Days for which one-minute price bars are kept.',
    '90',
    wholeNumber(1, 3_650),
  ),
  FIRMQUOTE_STATEMENT_FOLDER: setting(
    'Folder to import bank statement files from; they end up in its `done` or `failed`. See `docs/statements.md`. Default: none.',
    undefined,
    (value, name) => resolve(text(value, name)),
  ),
  FIRMQUOTE_OVERDUE_GRACE_HOURS: setting(
    'Hours after the funding cut-off at which an overdue transaction is closed out at the market, counted on business days of the sold currency. Default: never automatically.',
    undefined,
    wholeNumber(0, 8_760),
  ),
  FIRMQUOTE_CLOSE_OUT_CHARGE: setting(
    'Who bears the loss of a close-out: `none` leaves it with the house, `losses` charges the customer.',
    'none',
    oneOf('none', 'losses'),
  ),
  FIRMQUOTE_APPROVAL_HOURS: setting(
    'Hours after which a proposal without a decision is `expired`.',
    '72',
    wholeNumber(1, 8_760),
  ),
  FIRMQUOTE_AUDIT_RETENTION_DAYS: setting(
    'Days for which audit rows are kept in the database. Older ones are removed once an export with them is a week old; see `docs/audit.md`. Default: for ever.',
    undefined,
    wholeNumber(AUDIT_RETENTION_DAYS_MIN, 36_500),
  ),
  FIRMQUOTE_QUOTE_RETENTION_DAYS: setting(
    'Days for which quotes without a trade are kept, at least 1827 (five years). Executed quotes stay. See `docs/operations/database.md`. Default: seven years.',
    '2557',
    wholeNumber(QUOTE_RETENTION_DAYS_MIN, 36_500),
  ),
  FIRMQUOTE_WEBHOOK_PORTS: setting(
    'Ports that webhooks may be sent to, comma separated, or `any`. Default: `any` in the sandbox, `443` in production.',
    undefined,
    ports,
  ),
  FIRMQUOTE_WEBHOOK_NETWORKS: setting(
    'Private addresses or CIDR ranges, comma separated, that webhooks may be sent to, or `none`. All other webhooks go to the public internet only, those of a sandbox also to its own machine.',
    'none',
    proxies,
  ),
  FIRMQUOTE_LOG_LEVEL: setting(
    '`trace`, `debug`, `info`, `warn`, `error` or `silent`.',
    'info',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
  ),
  FIRMQUOTE_ACCESS_LOG: setting(
    'Which requests are logged: `all`, `errors` (status 400 and above) or `off`.',
    'errors',
    oneOf('all', 'errors', 'off'),
  ),
  FIRMQUOTE_TRUST_PROXY: setting(
    'Addresses or CIDR ranges of the reverse proxies whose `X-Forwarded-For` is trusted, comma separated, or `none`. Required in production, because rate limits count by address.',
    undefined,
    trustedProxies,
  ),
  ...TRACES_SETTINGS,
} as const;

export interface Config extends DatabaseSettings, KeySettings {
  readonly mode: Mode;
  readonly host: string;
  readonly port: number;
  readonly operatorListen: ListenAddress | undefined;
  /** How many processes serve the port. */
  readonly processes: number;
  readonly docs: 'on' | 'off';
  readonly dataDir: string;
  /** The folder was named, and is not the default. */
  readonly isDataDirChosen: boolean;
  readonly baseUrl: string | undefined;
  readonly authUrl: string | undefined;
  readonly operatorUrl: string | undefined;
  /** How long sessions of persons last. */
  readonly sessions: SessionSettings;
  /** The OpenID Connect provider that persons sign in with. */
  readonly provider: ProviderSettings | undefined;
  /** Persons sign in with passkeys. */
  readonly passkeys: boolean;
  readonly audience: string | undefined;
  readonly operatorAudience: string | undefined;
  readonly sources: string;
  readonly feeds: FeedSettings;
  readonly simulatorSeed: number;
  readonly marketHours: 'calendar' | 'always';
  /** When the trade date of a pair changes. */
  readonly rollOf: RollOf;
  readonly composite: 'best' | 'priority';
  readonly firstPrices: 'believe' | 'confirm';
  readonly secondBarsHours: number;
  readonly minuteBarsDays: number;
  readonly fixSessions: string | undefined;
  /** Secrets under names that a session file gives, such as passwords; in the environment, a file or from a command, as all are. */
  readonly secret: (name: string) => string | undefined;
  readonly statementFolder: string | undefined;
  readonly overdueGraceHours: number | undefined;
  readonly closeOutCharge: 'none' | 'losses';
  readonly approvalHours: number;
  /** Undefined: the audit trail is kept for ever. */
  readonly auditRetentionDays: number | undefined;
  readonly quoteRetentionDays: number;
  readonly webhookPorts: readonly number[] | undefined;
  readonly webhookNetworks: readonly string[];
  readonly logLevel: string;
  readonly accessLog: 'all' | 'errors' | 'off';
  readonly trustProxy: readonly string[];
  /** Undefined: no traces are made. */
  readonly traces: TracesSettings | undefined;
}

/**
 * Reads and checks every setting at once.
 * @throws ConfigError with one line for the first wrong one, also for unknown `FIRMQUOTE_` names (a typing slip
 * in a name must not silently run with a default).
 */
export function loadConfig(environment: Environment): Config {
  refuseUnknown(environment);
  const s = SETTINGS;
  const mode = required(environment, 'FIRMQUOTE_MODE', s.FIRMQUOTE_MODE);
  const sources = readSetting(environment, 'FIRMQUOTE_SOURCES', s.FIRMQUOTE_SOURCES);
  const keys = readKeySettings(environment);
  const provider = readProviderSettings(environment);
  const baseUrl = readSetting(environment, 'FIRMQUOTE_BASE_URL', s.FIRMQUOTE_BASE_URL);
  const authUrl = readSetting(environment, 'FIRMQUOTE_AUTH_URL', s.FIRMQUOTE_AUTH_URL);
  const operatorUrl = readSetting(environment, 'FIRMQUOTE_OPERATOR_URL', s.FIRMQUOTE_OPERATOR_URL);
  const trustProxy = readSetting(environment, 'FIRMQUOTE_TRUST_PROXY', s.FIRMQUOTE_TRUST_PROXY);
  if (mode === 'production')
    requireForProduction({ ...keys, sources, baseUrl, authUrl, operatorUrl, trustProxy });
  const config: Config = {
    mode,
    sources: sources ?? 'simulated,push',
    feeds: readFeedSettings(environment),
    ...keys,
    baseUrl,
    ...readDatabaseSettings(environment, mode),
    host: required(environment, 'FIRMQUOTE_HOST', s.FIRMQUOTE_HOST),
    port: required(environment, 'FIRMQUOTE_PORT', s.FIRMQUOTE_PORT),
    operatorListen: readSetting(environment, 'FIRMQUOTE_OPERATOR_LISTEN', s.FIRMQUOTE_OPERATOR_LISTEN),
    processes: required(environment, 'FIRMQUOTE_PROCESSES', s.FIRMQUOTE_PROCESSES),
    docs: required(environment, 'FIRMQUOTE_DOCS', s.FIRMQUOTE_DOCS),
    isDataDirChosen: environment.FIRMQUOTE_DATA_DIR !== undefined,
    dataDir: required(environment, 'FIRMQUOTE_DATA_DIR', s.FIRMQUOTE_DATA_DIR),
    authUrl,
    operatorUrl,
    sessions: readSessionSettings(environment),
    provider,
    passkeys: readPasskeys(environment, provider !== undefined),
    audience: readSetting(environment, 'FIRMQUOTE_AUDIENCE', s.FIRMQUOTE_AUDIENCE),
    operatorAudience: readSetting(environment, 'FIRMQUOTE_OPERATOR_AUDIENCE', s.FIRMQUOTE_OPERATOR_AUDIENCE),
    ...readMarketSettings(environment, mode),
    secret: (name) =>
      readSecret(
        environment,
        name,
        secretSettings(name, '', (value) => value),
      ),
    ...readDeskSettings(environment),
    webhookPorts: webhookPortsOf(environment, mode),
    webhookNetworks: required(environment, 'FIRMQUOTE_WEBHOOK_NETWORKS', s.FIRMQUOTE_WEBHOOK_NETWORKS),
    logLevel: required(environment, 'FIRMQUOTE_LOG_LEVEL', s.FIRMQUOTE_LOG_LEVEL),
    accessLog: required(environment, 'FIRMQUOTE_ACCESS_LOG', s.FIRMQUOTE_ACCESS_LOG),
    trustProxy: trustProxy ?? [],
    traces: readTracesSettings(environment),
  };
  requireListenersApart(config);
  requireAudiencesApart(config);
  return config;
}

/** What production must be given, because no default of a sandbox is good enough for it. */
function requireForProduction({
  keyEncryption,
  sources,
  baseUrl,
  authUrl,
  operatorUrl,
  trustProxy,
}: Pick<Config, 'keyEncryption' | 'baseUrl' | 'authUrl' | 'operatorUrl'> & {
  readonly sources: string | undefined;
  readonly trustProxy: readonly string[] | undefined;
}): void {
  if (keyEncryption.current === undefined) {
    throw new ConfigError(
      'FIRMQUOTE_KEY_ENCRYPTION_KEY is required in production: it encrypts the token signing keys.',
    );
  }
  if (!sources)
    throw new ConfigError('FIRMQUOTE_SOURCES is required in production: there is no price source.');
  requireRealPrices(sources);
  if (!baseUrl)
    throw new ConfigError('FIRMQUOTE_BASE_URL is required in production: it is the audience of tokens.');
  for (const [name, url] of Object.entries({
    FIRMQUOTE_BASE_URL: baseUrl,
    FIRMQUOTE_AUTH_URL: authUrl,
    FIRMQUOTE_OPERATOR_URL: operatorUrl,
  })) {
    // A tunnel to this machine ends there, and is what protects the way.
    const isTunnel = name === 'FIRMQUOTE_OPERATOR_URL' && url !== undefined && isOnThisMachine(new URL(url));
    if (url?.startsWith('http:') && !isTunnel)
      throw new ConfigError(`${name} must begin with https:// in production: it carries tokens and secrets.`);
  }
  if (trustProxy === undefined) {
    throw new ConfigError(
      'FIRMQUOTE_TRUST_PROXY is required in production: the addresses of the proxies in front of the service, or none. Rate limits count by address.',
    );
  }
}

/** Nothing else would tell: simulated and recorded prices come into the book as if each were of this moment, and a quote at one is firm. */
function requireRealPrices(sources: string): void {
  const [, kind] = /(?:^|,)\s*(simulated|replay)\s*(?:[:,]|$)/.exec(sources) ?? [];
  if (kind === 'simulated')
    throw new ConfigError('FIRMQUOTE_SOURCES must not name the simulated source in production.');
  if (kind === 'replay')
    throw new ConfigError(
      'FIRMQUOTE_SOURCES must not name a recording (replay) in production: customers would trade at prices of another day.',
    );
}

/** How prices are made and kept. */
type MarketSettings = Pick<
  Config,
  | 'simulatorSeed'
  | 'marketHours'
  | 'rollOf'
  | 'composite'
  | 'firstPrices'
  | 'secondBarsHours'
  | 'minuteBarsDays'
  | 'fixSessions'
>;

function readMarketSettings(environment: Environment, mode: Mode): MarketSettings {
  const s = SETTINGS;
  return {
    simulatorSeed: required(environment, 'FIRMQUOTE_SIMULATOR_SEED', s.FIRMQUOTE_SIMULATOR_SEED),
    marketHours:
      readSetting(environment, 'FIRMQUOTE_MARKET_HOURS', s.FIRMQUOTE_MARKET_HOURS) ??
      (mode === 'sandbox' ? 'always' : 'calendar'),
    rollOf: required(environment, 'FIRMQUOTE_AUCKLAND_ROLL', s.FIRMQUOTE_AUCKLAND_ROLL),
    composite: required(environment, 'FIRMQUOTE_COMPOSITE', s.FIRMQUOTE_COMPOSITE),
    firstPrices:
      readSetting(environment, 'FIRMQUOTE_FIRST_PRICES', s.FIRMQUOTE_FIRST_PRICES) ??
      (mode === 'sandbox' ? 'believe' : 'confirm'),
    secondBarsHours: required(environment, 'FIRMQUOTE_SECOND_BARS_HOURS', s.FIRMQUOTE_SECOND_BARS_HOURS),
    minuteBarsDays: required(environment, 'FIRMQUOTE_MINUTE_BARS_DAYS', s.FIRMQUOTE_MINUTE_BARS_DAYS),
    fixSessions: readSetting(environment, 'FIRMQUOTE_FIX_SESSIONS', s.FIRMQUOTE_FIX_SESSIONS),
  };
}

/** What operators' work goes by: statements, overdue trades, approvals, how long records are kept. */
type DeskSettings = Pick<
  Config,
  | 'statementFolder'
  | 'overdueGraceHours'
  | 'closeOutCharge'
  | 'approvalHours'
  | 'auditRetentionDays'
  | 'quoteRetentionDays'
>;

function readDeskSettings(environment: Environment): DeskSettings {
  const s = SETTINGS;
  return {
    statementFolder: readSetting(environment, 'FIRMQUOTE_STATEMENT_FOLDER', s.FIRMQUOTE_STATEMENT_FOLDER),
    overdueGraceHours: readSetting(
      environment,
      'FIRMQUOTE_OVERDUE_GRACE_HOURS',
      s.FIRMQUOTE_OVERDUE_GRACE_HOURS,
    ),
    closeOutCharge: required(environment, 'FIRMQUOTE_CLOSE_OUT_CHARGE', s.FIRMQUOTE_CLOSE_OUT_CHARGE),
    approvalHours: required(environment, 'FIRMQUOTE_APPROVAL_HOURS', s.FIRMQUOTE_APPROVAL_HOURS),
    auditRetentionDays: readSetting(
      environment,
      'FIRMQUOTE_AUDIT_RETENTION_DAYS',
      s.FIRMQUOTE_AUDIT_RETENTION_DAYS,
    ),
    quoteRetentionDays: required(
      environment,
      'FIRMQUOTE_QUOTE_RETENTION_DAYS',
      s.FIRMQUOTE_QUOTE_RETENTION_DAYS,
    ),
  };
}

/** What migrating needs; nothing else has to be set. @throws as {@link loadConfig} */
export function loadMigrationSettings(environment: Environment): MigrationSettings | undefined {
  refuseUnknown(environment);
  return readMigrationSettings(environment, required(environment, 'FIRMQUOTE_MODE', SETTINGS.FIRMQUOTE_MODE));
}

function webhookPortsOf(environment: Environment, mode: Mode): readonly number[] | undefined {
  const given = readSetting(environment, 'FIRMQUOTE_WEBHOOK_PORTS', SETTINGS.FIRMQUOTE_WEBHOOK_PORTS);
  const isSet = environment.FIRMQUOTE_WEBHOOK_PORTS !== undefined;
  return isSet || mode === 'sandbox' ? given : [443];
}

const OWN_PREFIX = 'FIRMQUOTE_';
const TEST_PREFIX = 'FIRMQUOTE_TEST_';
/** What programs that use the service read, and the quickstart exports. */
const OF_CLIENTS =
  /^FIRMQUOTE_(CLIENT_ID|CLIENT_SECRET(_FILE)?|PRIVATE_KEY_FILE|KEY_ID|TOKEN|PROFILE|OUTPUT)$/;

function refuseUnknown(environment: Environment): void {
  for (const name of Object.keys(environment)) {
    if (name.startsWith(OWN_PREFIX) && !name.startsWith(TEST_PREFIX) && !(name in SETTINGS)) {
      const next = OF_CLIENTS.test(name)
        ? ', but of programs that use it: unset it, or use another terminal.'
        : '.';
      throw new ConfigError(`${name} is not a setting of this service${next}`);
    }
  }
}
