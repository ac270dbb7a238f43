import type { Random } from '../../../../../soak/random.ts';

/** What databases, parsers, logs, calendars and people stumble over. */

export const HOSTILE_TEXTS: readonly string[] = [
  ...[
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\u0001\u001b[31m',
    '\r\nX-Injected: 1',
    '\t',
    '\u007f',
    '\u0085',
    '\u2028',
  ],
  ...[
    '\ud800',
    '\udc00x',
    '\ufffe',
    '\ufeff',
    'e\u0301',
    'ﬃ',
    'İ',
    '👩‍👩‍👧',
    '\u202eUSD\u202c',
    '\u2066x',
    'שלום',
    '\u200b',
  ],
  ...[
    "'; drop table quotes; --",
    '" or 1=1 --',
    '\\',
    '\\u0000',
    '%',
    '%s',
    '_',
    '#{7*7}',
    '{{7*7}}',
    '<script>alert(1)</script>',
  ],
  ...[
    '../../etc/passwd',
    '..\\',
    'file:///etc/passwd',
    'http://[::1]:1/',
    'javascript:alert(1)',
    'http://169.254.169.254/',
  ],
  ...[
    'null',
    'undefined',
    'true',
    'NaN',
    'Infinity',
    '-Infinity',
    '-0',
    '0x10',
    '1e5',
    '1e400',
    '+1.00',
    ' 1.00',
    '1.00 ',
  ],
  ...[
    '1,000.00',
    '1.000,00',
    '١٢٣.٠٠',
    '１２３',
    '0',
    '0.00',
    '-1.00',
    '00.01',
    '.5',
    '5.',
    '1.00000',
    '0.00001',
    '999999999999999.9999',
  ],
  ...[
    '9999999999999999',
    '170141183460469231731687303715884105728',
    '9'.repeat(400),
    `0.${'0'.repeat(300)}1`,
  ],
  ...[
    '0000-00-00',
    '0000-01-01',
    '0001-01-01',
    '9999-12-31',
    '10000-01-01',
    '+275760-09-13',
    '2026-02-29',
    '2026-02-30',
    '2026-13-01',
    '2026-W10',
  ],
  ...[
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59-14:00',
    '+010000-01-01T00:00:00Z',
  ],
  ...[
    '-271821-04-20T00:00:00Z',
    '2026-03-06T24:00:00Z',
    '2026-03-06T23:59:60Z',
    '2026-03-06T00:00:00+14:01',
    '2026-03-06 00:00:00Z',
  ],
  ...[
    '2026-03-06T00:00:00',
    '2026-03-06T00:00:00.000000001Z',
    '2026-03-06t00:00:00z',
    '1969-12-31T23:59:59Z',
  ],
  ...[
    'USD',
    'usd',
    'XXX',
    'XAU',
    'HRK',
    'EURUSD',
    'EUREUR',
    'USDEUR',
    'ZZZZZZ',
    '*',
    'a'.repeat(41),
    'x'.repeat(201),
    'y'.repeat(5_000),
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'quote_00000000000000000000000000',
    'txn_7zzzzzzzzzzzzzzzzzzzzzzzzz',
  ],
  ...[
    'txn_8zzzzzzzzzzzzzzzzzzzzzzzzz',
    'cus_01jngx7z5d2m8r4v6t9k3b1c0a',
    '00000000-0000-0000-0000-000000000000',
  ],
];

const HOSTILE_NUMBERS: readonly number[] = [
  ...[0, -0, -1, 1, 0.1, 1.5, -1e-7, 5e-324, 1e21, 1e308, 2 ** 31, 2 ** 31 - 1, -(2 ** 31) - 1],
  ...[2 ** 53, 2 ** 53 - 1, -(2 ** 53), 2 ** 63, 253402300800000, 8.64e15, 8.64e15 + 1],
];

export function hostileText(random: Random): string {
  return random.pick(HOSTILE_TEXTS);
}

export function hostileValue(random: Random, depth = 0): unknown {
  const kind = random.next();
  if (kind < 0.5) return hostileText(random);
  if (kind < 0.72) return random.pick(HOSTILE_NUMBERS);
  if (kind < 0.84 || depth > 2) return random.pick([null, true, false]);
  if (kind < 0.92) return Array.from({ length: random.between(0, 3) }, () => hostileValue(random, depth + 1));
  const entries = Array.from({ length: random.between(0, 3) }, () => [
    hostileText(random),
    hostileValue(random, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

type Node = { readonly holder: Record<string | number, unknown>; readonly at: string | number };

function nodesOf(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string | number, unknown>;
  return Object.keys(holder).flatMap((at) => [{ holder, at }, ...nodesOf(holder[at])]);
}

/** The value with one to three places changed, left out, repeated or added. */
export function mutate(valid: unknown, random: Random): unknown {
  if (valid === undefined || random.chance(0.06)) return hostileValue(random);
  const value = structuredClone(valid);
  for (let left = random.between(1, 3); left > 0; left--) {
    const nodes = nodesOf(value);
    if (nodes.length === 0) return hostileValue(random);
    const { holder, at } = random.pick(nodes);
    const how = random.next();
    if (how < 0.6) holder[at] = hostileValue(random);
    else if (how < 0.7 && !Array.isArray(holder)) delete holder[at];
    else if (how < 0.85 && !Array.isArray(holder)) define(holder, hostileText(random), hostileValue(random));
    else if (Array.isArray(holder))
      holder.push(...Array.from({ length: random.between(1, 300) }, () => holder[at]));
    else holder[at] = [holder[at]];
  }
  return value;
}

/** `__proto__` as a member of its own. */
function define(holder: object, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}

/** JSON that is not as JSON should be: as bytes, for what no value stands for. */
export function mangled(text: string, random: Random): Buffer {
  const cut = random.between(0, text.length);
  const withMember = (member: string) => text.replace('{', `{${member}${/^\{\s*\}/.test(text) ? '' : ','}`);
  const forms: readonly (() => Buffer | string)[] = [
    () => text.slice(0, cut),
    () => `${text}x`,
    () => `${text}${text}`,
    () => `\ufeff${text}`,
    () => Buffer.from(text, 'utf16le'),
    () =>
      Buffer.concat([
        Buffer.from(text.slice(0, cut)),
        Buffer.from([0xff, 0xc3, 0x28]),
        Buffer.from(text.slice(cut)),
      ]),
    () => `${text.slice(0, cut)}\u0000${text.slice(cut)}`,
    () => withMember('"a":1,"a":2'),
    () => withMember('"__proto__":{"isAdmin":true}'),
    () => withMember('"constructor":{"prototype":{"x":1}}'),
    () => withMember(`"deep":${'['.repeat(2_000)}${']'.repeat(2_000)}`),
    () => '['.repeat(20_000),
    () => withMember('"amount":1e400'),
    () => withMember(`"amount":${'9'.repeat(400)}`),
    () => withMember(`"x":"${'x'.repeat(70_000)}"`),
    () => `"${'y'.repeat(300)}"`,
    () => text.replaceAll('"', "'"),
    () => `/* comment */${text}`,
    () => '',
    () => Buffer.alloc(random.between(1, 300), 0),
  ];
  const made = random.pick(forms)();
  return typeof made === 'string' ? Buffer.from(made) : made;
}

const TOKENS = [
  '*',
  '"v1"',
  '"v0"',
  '"v2147483648"',
  '"v9999999999"',
  '"1"',
  '"0"',
  'W/"1"',
  '"',
  '1',
  '""',
  '"9999999999999999999"',
  '"1", "2"',
  '\u00e9',
  'a'.repeat(300),
  'x y',
  "'",
];

/** By name, headers that requests may have; their values have no line ends, which Node does not send. */
export function hostileHeaders(random: Random): Record<string, string> {
  const names = [
    ...[
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'Accept',
      'Accept-Language',
      'Accept-Encoding',
      'X-Request-Id',
      'Prefer',
    ],
    ...[
      'Firmquote-Reason',
      'Last-Event-ID',
      'Range',
      'Origin',
      'Cookie',
      'X-Forwarded-For',
      'Forwarded',
      'traceparent',
      'Content-Type',
    ],
    ...[
      'Content-Encoding',
      'X-HTTP-Method-Override',
      'DPoP',
      'Sec-Fetch-Site',
      'X-CSRF-Token',
      'Authorization',
    ],
  ];
  const more: Record<string, readonly string[]> = {
    Prefer: [
      'wait=0',
      'wait=-1',
      'wait=1e9x',
      'signature',
      'wait=999999999999999999999',
      'wait="0"',
      'signature, signature',
    ],
    Accept: [
      'text/html',
      'application/xml;q=x',
      '*/*;q=0',
      'application/json;q=0.0001',
      'text/event-stream',
      ',',
    ],
    'Content-Type': [
      'text/plain',
      'application/json; charset=utf-16',
      'application/json;',
      'multipart/form-data; boundary=x',
      'application/xml',
    ],
    'Content-Encoding': ['gzip', 'br', 'identity, gzip'],
    Authorization: ['Bearer', 'Bearer x', 'Basic eDp5', 'DPoP x', `Bearer ${'a.'.repeat(500)}`, 'bearer  '],
    traceparent: ['00-0-0-0', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`, 'ff'],
    Range: ['bytes=0-', 'bytes=-1', 'bytes=9-1'],
  };
  const made: Record<string, string> = {};
  for (let left = random.between(1, 3); left > 0; left--) {
    const name = random.pick(names);
    made[name] = random.pick([...TOKENS, ...(more[name] ?? [])]);
  }
  return made;
}
