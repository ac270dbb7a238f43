import type { Operation } from '@firmquote/api/operation';
import type { Parameter, Parameters } from '@firmquote/api/parameters';
import type { Random } from '../../../../../soak/random.ts';
import { hostileHeaders, hostileText, mangled, mutate } from './hostile.ts';
import type { Known } from './known.ts';
import { type Making, projected, validValue } from './valid.ts';
import type { Sent } from './wire.ts';

/** A request to an operation before it is written down. */
export interface Draft {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or the text of a file. */
  readonly body: unknown;
}

/** What is right by its schema may be more than a walk has time for: months of business days are done when the clock leaps over them. */
const KNOWN_GOOD: Readonly<Record<string, object>> = { moveSandboxClock: { advanceSeconds: 60 } };

/** Ids that are tried only to read. */
const READS: ReadonlySet<string> = new Set(['GET']);

/** A request that may succeed. @param documents what was read last at an address, for what replaces it */
export function validDraft(
  operation: Operation,
  making: Making,
  documents: ReadonlyMap<string, unknown>,
): Draft {
  const { method, params = {}, query = {}, body, bodyMedia, conditional, key } = operation;
  const { random } = making;
  const values = Object.fromEntries(
    Object.entries(params).map(([name, parameter]) => [name, paramValue(name, parameter, operation, making)]),
  );
  const asked = Object.entries(query as Parameters).flatMap(([name, parameter]): [string, string][] => {
    if (!parameter.isRequired && !random.chance(making.optional / 2)) return [];
    return [[name, paramValue(name, parameter, operation, making)]];
  });
  const read = documents.get(addressOf(operation.path, values));
  const example = KNOWN_GOOD[operation.id] ?? operation.example?.body;
  const isFixed = operation.id in KNOWN_GOOD;
  const isReplaced = method === 'PUT' && read !== undefined && random.chance(0.8);
  return {
    operation,
    params: values,
    query: asked,
    headers: {
      ...(method === 'POST' &&
        key !== undefined && { 'Idempotency-Key': `fuzz-${random.between(0, 2 ** 40)}` }),
      ...(conditional !== undefined && { 'If-Match': '*' }),
    },
    body:
      body === undefined || (bodyMedia !== undefined && !bodyMedia.includes('application/json'))
        ? undefined
        : isReplaced
          ? projected(body, read)
          : example !== undefined && (isFixed || random.chance(0.5))
            ? example
            : validValue(body, '', making),
  };
}

function paramValue(
  name: string,
  parameter: Parameter<unknown>,
  operation: Operation,
  making: Making,
): string {
  const { kind, schema } = parameter;
  const { known, random } = making;
  if (kind.of === 'id') {
    const ids = known.ids(kind.prefix, READS.has(operation.method));
    // What is newest is most likely to be in a state in which something can be done.
    return ids.length === 0 ? `${kind.prefix}_01jngx7z5d2m8r4v6t9k3b1c0a` : random.pick(ids);
  }
  if (kind.of === 'list' || kind.of === 'forms') {
    return [validValue((schema as { items: object }).items, name.replace(/s$/, ''), making)].flat().join(',');
  }
  return String(validValue(schema, name, making));
}

function addressOf(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

/** The request as it goes out. */
export function written({ operation, params, query, headers, body }: Draft): Sent {
  const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  const isText = typeof body === 'string';
  return {
    method: operation.method,
    path: addressOf(operation.path, params) + (search.length > 0 ? `?${search.join('&')}` : ''),
    headers: {
      ...(body !== undefined && { 'Content-Type': operation.bodyMedia?.[0] ?? 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : Buffer.from(isText ? body : (JSON.stringify(body) ?? 'null')),
  };
}

const RAW_QUERIES = [
  '%',
  '%ff',
  '%00',
  '=',
  '&&&',
  'a=b&a=c',
  'limit=0',
  'limit=-1',
  'limit=1e3',
  'limit=201',
  'cursor=x',
  'cursor=%00',
  'limit',
  '[]=1',
  'x[__proto__]=1',
  `q=${'z'.repeat(6_000)}`,
];
const RAW_SEGMENTS = [
  '%00',
  '%ff',
  '%',
  '..',
  '%2e%2e',
  '%2f',
  'a%2fb',
  '%F0%9F%98%80',
  'x'.repeat(300),
  ';',
  "'",
  '%E2%80%AE',
  ' '.replace(' ', '%20'),
];

/** The request with something in it that nobody should send. */
export function hostileSent(draft: Draft, random: Random, known: Known): Sent {
  const { operation, params, query } = draft;
  const places = [
    'headers',
    'query',
    ...(Object.keys(params).length > 0 ? ['path', 'path'] : []),
    ...(operation.body ? ['body', 'body', 'body', 'body', 'bytes'] : []),
  ];
  const place = random.pick(places);
  const sent = written(draft);
  if (place === 'headers') {
    const { Authorization, ...headers } = hostileHeaders(random);
    return {
      ...sent,
      headers: { ...sent.headers, ...headers, ...(Authorization !== undefined && { Authorization }) },
    };
  }
  if (place === 'body' && typeof draft.body !== 'string')
    return written({ ...draft, body: mutate(draft.body, random) });
  if (place === 'body' || place === 'bytes')
    return { ...sent, body: mangled(String(sent.body ?? '{}'), random) };
  if (place === 'path') return { ...sent, path: hostilePath(draft, random, known) };
  return { ...sent, path: hostileQuery(operation, sent.path, query, random) };
}

function hostilePath({ operation, params }: Draft, random: Random, known: Known): string {
  const target = random.pick(Object.keys(params));
  const raw = random.chance(0.4)
    ? random.pick(RAW_SEGMENTS)
    : random.chance(0.4)
      ? random.pick([...known.ids('cus', true), ...known.ids('txn', true), ...known.ids('quote', true), 'x'])
      : encodeURIComponent(hostileText(random).toWellFormed());
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === target ? raw : encodeURIComponent(params[name] ?? ''),
  );
}

function hostileQuery(operation: Operation, path: string, given: Draft['query'], random: Random): string {
  const names = Object.keys(operation.query ?? {}).concat(
    operation.pages === true ? ['limit', 'cursor'] : [],
  );
  const start = path.split('?', 1)[0] ?? '';
  if (names.length === 0 || random.chance(0.25)) return `${start}?${random.pick(RAW_QUERIES)}`;
  const changed = new Map(given);
  for (let left = random.between(1, 3); left > 0; left--) {
    changed.set(random.pick(names), hostileText(random).toWellFormed());
  }
  const parts = [...changed].map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  if (random.chance(0.2)) parts.push(...parts);
  return `${start}?${parts.join('&')}`;
}
