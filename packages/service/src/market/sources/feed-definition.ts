import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Static, Type } from '@firmquote/api/typebox';
import { ConfigError, type Secret, secretFile } from '../../config.ts';
import { loadValue } from '../../platform/schema-values.ts';
import type { FeedFormat, Template } from './feed-format.ts';
import { requirePairs, SOURCE_NAME } from './source-text.ts';

/** A feed that is described in a file. */
interface FeedDefinition {
  readonly name: string;
  readonly pairs: readonly string[];
  readonly format: FeedFormat;
  /** Undefined when the file names none. */
  readonly key: Secret | undefined;
  /** Whether anything that is sent holds the key. */
  readonly needsKey: boolean;
}

const closed = { additionalProperties: false };
const Match = Type.Record(Type.String(), Type.String());
const FieldName = Type.String({ minLength: 1, maxLength: 100 });
const Definition = Type.Object(
  {
    name: Type.String({ pattern: SOURCE_NAME.source }),
    pairs: Type.Array(Type.String({ pattern: '^[A-Z]{6}$' }), { minItems: 1 }),
    url: Type.String({ pattern: '^wss?://' }),
    keyFile: Type.Optional(Type.String({ minLength: 1 })),
    symbol: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    separator: Type.Optional(Type.String({ maxLength: 10 })),
    steps: Type.Optional(
      Type.Array(Type.Object({ after: Type.Optional(Match), send: Type.Unknown() }, closed), {
        maxItems: 10,
      }),
    ),
    price: Type.Object(
      {
        when: Type.Optional(Match),
        symbol: FieldName,
        bid: FieldName,
        ask: FieldName,
        time: Type.Optional(FieldName),
        timeUnit: Type.Optional(
          Type.Union(['s', 'ms', 'us', 'ns', 'rfc3339'].map((unit) => Type.Literal(unit))),
        ),
      },
      closed,
    ),
    refusals: Type.Optional(Type.Array(Match, { maxItems: 20 })),
    pauses: Type.Optional(Type.Array(Match, { maxItems: 20 })),
    greetings: Type.Optional(Type.Array(Type.String(), { maxItems: 20 })),
    refusalTexts: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: 20 })),
    quietSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
  },
  closed,
);
type Definition = Static<typeof Definition>;

const FILE_BYTES_MAX = 64 * 1024; // limit: File that describes a feed
const QUIET_SECONDS = 120;

/**
 * Reads a description of a WebSocket feed (docs/market-data.md).
 * @throws ConfigError with one line that names the file
 */
export function readFeedDefinition(file: string): FeedDefinition {
  const where = `FIRMQUOTE_SOURCES: ${file}`;
  const definition = parse(readText(file, where), where);
  requirePairs(definition.pairs, where);
  const { name, pairs, url, keyFile, price } = definition;
  const steps = (definition.steps ?? []).map(({ after, send }) => ({
    send: send as Template,
    ...(after === undefined ? {} : { after }),
  }));
  const needsKey = JSON.stringify([url, steps]).includes('{key}');
  requireSafeUrl(url, needsKey, where);
  const symbol = definition.symbol ?? '{base}{quote}';
  if (!symbol.includes('{base}') || !symbol.includes('{quote}')) {
    throw new ConfigError(`${where}: symbol must hold {base} and {quote}.`);
  }
  return {
    name,
    pairs,
    needsKey,
    key: keyFile === undefined ? undefined : secretFile(resolve(dirname(file), keyFile), where),
    format: {
      url,
      symbol,
      separator: definition.separator ?? ',',
      steps,
      price: price as FeedFormat['price'],
      refusals: definition.refusals ?? [],
      pauses: definition.pauses ?? [],
      greetings: definition.greetings ?? [],
      refusalTexts: definition.refusalTexts ?? [],
      quietSeconds: definition.quietSeconds ?? QUIET_SECONDS,
    },
  };
}

function readText(file: string, where: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError(`${where} cannot be read.`);
  }
  if (text.length > FILE_BYTES_MAX) throw new ConfigError(`${where} is longer than ${FILE_BYTES_MAX} bytes.`);
  return text;
}

function parse(text: string, where: string): Definition {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ConfigError(`${where} is not JSON.`);
  }
  const Value = loadValue();
  if (Value.Check(Definition, value)) return value;
  const [error] = Value.Errors(Definition, value);
  // Fields that are not permitted are reported as a schema of `false`.
  const what = error?.keyword === 'boolean' ? 'is not a known field' : (error?.message ?? 'is not valid');
  throw new ConfigError(`${where}: ${error?.instancePath || 'it'} ${what}.`);
}

/** A key must not travel in the clear, except on this machine. */
function requireSafeUrl(url: string, needsKey: boolean, where: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || parsed.username !== '') throw new ConfigError(`${where}: url is not valid.`);
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(parsed.hostname);
  if (needsKey && parsed.protocol !== 'wss:' && !local) {
    throw new ConfigError(`${where}: a feed with a key must begin with wss://.`);
  }
}
