import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ConfigError } from '../../config.ts';
import { readFeedDefinition } from './feed-definition.ts';

const folder = mkdtempSync(join(tmpdir(), 'feeds-'));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'acme.json');
writeFileSync(join(folder, 'acme.key'), 'hunter2\n');

const MINIMAL = {
  name: 'acme',
  pairs: ['EURUSD', 'USDJPY'],
  url: 'wss://prices.acme.example/v1',
  price: { symbol: 's', bid: 'b', ask: 'a' },
};

function read(definition: unknown) {
  writeFileSync(file, typeof definition === 'string' ? definition : JSON.stringify(definition));
  return readFeedDefinition(file);
}

test('what is left out has a default', () => {
  const { name, pairs, key, needsKey, format } = read(MINIMAL);
  assert.deepEqual([name, pairs, key, needsKey], ['acme', ['EURUSD', 'USDJPY'], undefined, false]);
  assert.deepEqual(format, {
    url: MINIMAL.url,
    symbol: '{base}{quote}',
    separator: ',',
    steps: [],
    price: MINIMAL.price,
    refusals: [],
    pauses: [],
    greetings: [],
    refusalTexts: [],
    quietSeconds: 120,
  });
});

test('everything said is kept, and the key comes from its own file beside it', () => {
  const steps = [
    { after: { type: 'hello' }, send: { login: ['{key}', 1, true, null] } },
    { send: '{symbols}' },
  ];
  const { key, needsKey, format } = read({
    ...MINIMAL,
    keyFile: 'acme.key',
    symbol: '{base}/{quote}',
    steps,
    price: { ...MINIMAL.price, when: { type: 'q' }, time: 't', timeUnit: 'rfc3339' },
    quietSeconds: 0,
  });
  assert.deepEqual([key?.(), needsKey, format.steps, format.quietSeconds], ['hunter2', true, steps, 0]);
});

const WRONG: readonly (readonly [what: string, definition: unknown, message: RegExp])[] = [
  ['not JSON', '{', /is not JSON/],
  ['not an object', '[]', /must be object/],
  ['a field too many', { ...MINIMAL, token: 'hunter2' }, /\/token is not a known field/],
  ['no prices', { ...MINIMAL, price: undefined }, /price/],
  [
    'a wrong field of the price',
    { ...MINIMAL, price: { ...MINIMAL.price, last: 'l' } },
    /\/price\/last is not a known field/,
  ],
  ['a name that is none', { ...MINIMAL, name: 'Acme Ltd' }, /\/name must match/],
  ['no pairs', { ...MINIMAL, pairs: [] }, /\/pairs/],
  ['a pair that is none', { ...MINIMAL, pairs: ['USDEUR'] }, /USDEUR is not a pair in market order/],
  ['an address that is none', { ...MINIMAL, url: 'https://x' }, /\/url/],
  ['a name and password in the address', { ...MINIMAL, url: 'wss://a:hunter2@x' }, /url is not valid/],
  ['a key in the clear', { ...MINIMAL, url: 'ws://x/?k={key}' }, /must begin with wss/],
  ['no place for the pair', { ...MINIMAL, symbol: 'EUR' }, /symbol must hold/],
  ['a key file that is not there', { ...MINIMAL, keyFile: 'other.key' }, /other\.key" cannot be read/],
  ['too long', `${' '.repeat(70_000)}{}`, /longer than/],
];
for (const [what, definition, message] of WRONG) {
  test(`refused with one line: ${what}`, () => {
    assert.throws(
      () => read(definition),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, message);
        assert.ok(error.message.startsWith('FIRMQUOTE_SOURCES') && !error.message.includes('\n'));
        assert.ok(!error.message.includes('hunter2'));
        return true;
      },
    );
  });
}
