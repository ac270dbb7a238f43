import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Static, Type } from '@firmquote/api/typebox';
import { findPair, isTimeZone } from '@firmquote/fx';
import { ConfigError } from '../../config.ts';
import { loadValue } from '../../platform/schema-values.ts';
import { type FixSessionSettings, type SessionSchedule, type TlsSettings, WEEKDAYS } from './protocol.ts';

const SESSIONS_MAX = 32; // limit: FIX sessions
const PAIRS_MAX = 200; // limit: Pairs of a FIX session
const FILE_BYTES_MAX = 1_048_576; // limit: File of FIX sessions

const SETTING = 'FIRMQUOTE_FIX_SESSIONS';
/** No separator of the protocol, and short enough for any venue. */
const CompId = Type.String({ pattern: '^[\\x21-\\x7e]{1,64}$' });
const Path = Type.String({ minLength: 1, maxLength: 4_096 });
const EnvironmentName = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$' });

const strict = { additionalProperties: false } as const;
const Tls = Type.Object(
  {
    ca: Type.Optional(Path),
    cert: Type.Optional(Path),
    key: Type.Optional(Path),
    serverName: Type.Optional(Type.String({ minLength: 1, maxLength: 253 })),
  },
  strict,
);
const Day = Type.Union(WEEKDAYS.map((day) => Type.Literal(day)));
const Time = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' });
const Schedule = Type.Object(
  {
    zone: Type.String({ minLength: 1, maxLength: 64 }),
    days: Type.Optional(Type.Array(Day, { minItems: 1, maxItems: 7, uniqueItems: true })),
    start: Time,
    end: Time,
    endDay: Type.Optional(Day),
    resetAtStart: Type.Optional(Type.Boolean()),
  },
  strict,
);
const Session = Type.Object(
  {
    host: Type.String({ pattern: '^[A-Za-z0-9.:_-]{1,253}$' }),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    tls: Type.Union([Type.Boolean(), Tls]),
    senderCompId: CompId,
    targetCompId: CompId,
    senderSubId: Type.Optional(CompId),
    targetSubId: Type.Optional(CompId),
    username: Type.Optional(CompId),
    passwordEnv: Type.Optional(EnvironmentName),
    account: Type.Optional(CompId),
    pairs: Type.Array(Type.String({ pattern: '^[A-Z]{6}$' }), { minItems: 1, maxItems: PAIRS_MAX }),
    symbols: Type.Optional(
      Type.Union([Type.Literal('EUR/USD'), Type.Literal('EURUSD'), Type.Literal('EUR-USD')]),
    ),
    mode: Type.Optional(Type.Union([Type.Literal('marketData'), Type.Literal('quotes')])),
    updates: Type.Optional(Type.Union([Type.Literal('full'), Type.Literal('incremental')])),
    quoteQuantity: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,14}(\\.[0-9]{1,4})?$' })),
    heartbeatSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 300 })),
    resetSequence: Type.Optional(Type.Boolean()),
    schedule: Type.Optional(Schedule),
    maxAgeMs: Type.Optional(Type.Integer({ minimum: 100, maximum: 60_000 })),
  },
  strict,
);
const SessionFile = Type.Object(
  { sessions: Type.Record(Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,31}$' }), Session, strict) },
  strict,
);

const DEFAULTS = { heartbeatSeconds: 30, maxAgeMs: 2_000, quoteQuantity: '1000000' } as const;

/**
 * Reads the file of FIX sessions (docs/fix.md). Passwords are not in it: it names the environment variables that hold
 * them. Relative paths inside start from its folder.
 * @throws ConfigError with one line, which never holds a password
 */
export function readSessionFile(
  path: string,
  secret: (name: string) => string | undefined,
): ReadonlyMap<string, FixSessionSettings> {
  const { sessions } = parse(path);
  const entries = Object.entries(sessions);
  if (entries.length > SESSIONS_MAX) fail(path, `there are more than ${SESSIONS_MAX} sessions`);
  return new Map(entries.map(([name, session]) => [name, settingsOf(path, name, session, secret)]));
}

function parse(path: string): Static<typeof SessionFile> {
  let content: unknown;
  try {
    if (statSync(path).size > FILE_BYTES_MAX) fail(path, `it is larger than ${FILE_BYTES_MAX} bytes`);
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    // A syntax error would quote the file.
    const code = error instanceof SyntaxError ? 'it is not JSON' : codeOf(error);
    return fail(path, `it cannot be read (${code})`);
  }
  const Value = loadValue();
  if (Value.Check(SessionFile, content)) return content;
  const [first] = Value.Errors(SessionFile, content);
  const place = first?.instancePath.split('/').filter(Boolean).join('.') || 'the file';
  // What the schema says of a field that it does not know.
  const isUnknown = first?.keyword === 'boolean';
  return fail(path, `${place} ${isUnknown ? 'is not a field of a session' : (first?.message ?? 'is wrong')}`);
}

function settingsOf(
  path: string,
  name: string,
  session: Static<typeof Session>,
  secret: (name: string) => string | undefined,
): FixSessionSettings {
  const wrong = session.pairs.find((pair, index) => {
    return findPair(pair) === undefined || session.pairs.indexOf(pair) !== index;
  });
  if (wrong !== undefined) {
    fail(path, `${name}: ${wrong} is listed twice, or is not a pair in market order such as EURUSD`);
  }
  const { tls, passwordEnv, symbols, pairs, mode, updates, schedule, ...rest } = session;
  const password = passwordEnv === undefined ? undefined : secret(passwordEnv);
  if (passwordEnv !== undefined && (password === undefined || password === '')) {
    fail(path, `${name}: the environment variable ${passwordEnv} is not set`);
  }
  // The separator would end the field, and what follows would be read as fields of the logon.
  if (password !== undefined && !/^[\x20-\x7e]{1,256}$/.test(password)) {
    fail(path, `${name}: ${passwordEnv} must hold 1 to 256 printable characters`);
  }
  return {
    ...DEFAULTS,
    ...rest,
    name,
    pairs,
    mode: mode ?? 'marketData',
    updates: updates ?? 'full',
    resetSequence: rest.resetSequence ?? false,
    symbolSeparator: (symbols ?? 'EUR/USD').slice(3, -3),
    ...(password === undefined ? {} : { password }),
    ...(schedule === undefined ? {} : { schedule: scheduleOf(path, name, schedule) }),
    ...(tls === false ? {} : { tls: tlsOf(path, name, tls === true ? {} : tls) }),
  };
}

function scheduleOf(path: string, name: string, schedule: Static<typeof Schedule>): SessionSchedule {
  const { zone, days = WEEKDAYS, endDay, resetAtStart = true, start, end } = schedule;
  if (!isTimeZone(zone)) fail(path, `${name}: schedule.zone must be a time zone such as America/New_York`);
  if (endDay !== undefined && days.length !== 1)
    fail(path, `${name}: a schedule with endDay begins on one day: name it in days`);
  return { zone, days, start, end, resetAtStart, ...(endDay === undefined ? {} : { endDay }) };
}

function tlsOf(path: string, name: string, tls: Static<typeof Tls>): TlsSettings {
  if ((tls.cert === undefined) !== (tls.key === undefined))
    fail(path, `${name}: tls needs cert and key together`);
  const file = (text: string): string => {
    const found = resolve(dirname(path), text);
    if (statSync(found, { throwIfNoEntry: false })?.isFile() !== true)
      fail(path, `${name}: there is no file ${found}`);
    return found;
  };
  return {
    ...(tls.ca === undefined ? {} : { ca: file(tls.ca) }),
    ...(tls.cert === undefined ? {} : { cert: file(tls.cert) }),
    ...(tls.key === undefined ? {} : { key: file(tls.key) }),
    ...(tls.serverName === undefined ? {} : { serverName: tls.serverName }),
  };
}

function fail(path: string, reason: string): never {
  throw new ConfigError(`${SETTING}: ${path}: ${reason}.`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}
