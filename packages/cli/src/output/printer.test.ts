import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import type { Io } from '../io.ts';
import { FORMATS, type Format, Printer, type View } from './printer.ts';

const ROWS = [
  {
    quoteId: 'quote_01',
    status: 'open',
    sellAmount: '1000000.00',
    sellCurrency: 'EUR',
    rate: { pair: 'EURUSD', value: '1.08271' },
    expiresAt: '2026-03-04T14:30:30.252Z',
    metadata: { note: 'a, "b"' },
    tags: ['x', 'y'],
  },
  {
    quoteId: 'quote_02',
    status: 'expired',
    sellAmount: '5.00',
    sellCurrency: 'USD',
    rate: { pair: 'EURUSD', value: '1.1' },
    expiresAt: '2026-03-04T14:31:00.000Z',
    metadata: {},
    tags: [],
  },
];
const VIEW: View = {
  columns: ['quoteId', 'status', 'sell=sellAmount sellCurrency', 'rate.value', 'expiresAt'],
};

interface Shown {
  readonly stdout: string;
  readonly stderr: string;
}

async function shown(
  work: (print: Printer) => Promise<void>,
  given: { format?: Format; fields?: readonly string[]; columns?: number; env?: Record<string, string> },
): Promise<Shown> {
  const said = { stdout: '', stderr: '' };
  const stream = (name: keyof Shown, columns: number | undefined) =>
    Object.assign(
      new Writable({
        decodeStrings: false,
        write(chunk, _encoding, done) {
          said[name] += String(chunk);
          done();
        },
      }),
      { isTTY: columns !== undefined, columns: columns ?? 0 },
    );
  const io = {
    stdout: stream('stdout', given.columns),
    stderr: stream('stderr', undefined),
    env: given.env ?? { NO_COLOR: '1' },
  } as unknown as Io;
  await work(new Printer(io, { format: given.format, fields: given.fields, color: true }));
  return said;
}

/** By format, and by whether stdout is a screen. */
const LISTS: Readonly<Record<Format, { readonly screen: string; readonly pipe: string }>> = {
  table: {
    screen: `QUOTE ID  STATUS               SELL     RATE  EXPIRES AT
quote_01  open     1,000,000.00 EUR  1.08271  2026-03-04 14:30:30Z
quote_02  expired          5.00 USD      1.1  2026-03-04 14:31:00Z
`,
    pipe: `QUOTE ID  STATUS             SELL     RATE  EXPIRES AT
quote_01  open     1000000.00 EUR  1.08271  2026-03-04T14:30:30.252Z
quote_02  expired        5.00 USD      1.1  2026-03-04T14:31:00.000Z
`,
  },
  csv: both(`quoteId,status,sellAmount,sellCurrency,rate.pair,rate.value,expiresAt,metadata.note,tags
quote_01,open,1000000.00,EUR,EURUSD,1.08271,2026-03-04T14:30:30.252Z,"a, ""b""","x, y"
quote_02,expired,5.00,USD,EURUSD,1.1,2026-03-04T14:31:00.000Z,,
`),
  ndjson: both(ROWS.map((row) => `${JSON.stringify(row)}\n`).join('')),
  json: both(`${JSON.stringify(ROWS, null, 2)}\n`),
  yaml: both(`- quoteId: quote_01
  status: open
  sellAmount: "1000000.00"
  sellCurrency: EUR
  rate:
    pair: EURUSD
    value: "1.08271"
  expiresAt: 2026-03-04T14:30:30.252Z
  metadata:
    note: a, "b"
  tags:
    - x
    - y
- quoteId: quote_02
  status: expired
  sellAmount: "5.00"
  sellCurrency: USD
  rate:
    pair: EURUSD
    value: "1.1"
  expiresAt: 2026-03-04T14:31:00.000Z
  metadata: {}
  tags: []
`),
};

function both(text: string) {
  return { screen: text, pipe: text };
}

describe('a list', () => {
  for (const format of FORMATS) {
    for (const [where, columns] of [['screen', 100] as const, ['pipe', undefined] as const]) {
      test(`as ${format} to a ${where}`, async () => {
        const { stdout } = await shown((print) => print.many(ROWS, VIEW), {
          format,
          ...(columns === undefined ? {} : { columns }),
        });
        assert.equal(stdout, LISTS[format][where]);
      });
    }
  }

  test('is the same as JSON, NDJSON and YAML, whoever reads it', async () => {
    const read = async (format: Format) =>
      (await shown((print) => print.many(ROWS, VIEW), { format })).stdout;
    assert.deepEqual(JSON.parse(await read('json')), ROWS);
    assert.deepEqual(parse(await read('yaml')), ROWS);
    assert.deepEqual(
      (await read('ndjson'))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
      ROWS,
    );
  });

  test('that is empty is said to be so on stderr, and is a list for programs', async () => {
    const view = { empty: 'There are no quotes.' };
    const table = await shown((print) => print.many([], view), { columns: 80 });
    assert.deepEqual(table, { stdout: '', stderr: 'There are no quotes.\n' });
    assert.deepEqual(await shown((print) => print.many([], view), {}), { stdout: '[]\n', stderr: '' });
  });
});

describe('one object', () => {
  test('on a screen is a card', async () => {
    const { stdout } = await shown((print) => print.one(ROWS[0], VIEW), { columns: 80 });
    assert.equal(
      stdout,
      `quote id    quote_01
status      open
sell        1,000,000.00 EUR
rate value  1.08271
expires at  2026-03-04 14:30:30Z
`,
    );
  });

  test('elsewhere is JSON, and what is asked for wins over what stdout is', async () => {
    const json = await shown((print) => print.one(ROWS[0], VIEW), {});
    assert.deepEqual(JSON.parse(json.stdout), ROWS[0]);
    const table = await shown((print) => print.one(ROWS[0], VIEW), { format: 'table' });
    assert.match(table.stdout, /^quote id {4}quote_01$/m);
    const onScreen = await shown((print) => print.one(ROWS[0], VIEW), { format: 'json', columns: 80 });
    assert.equal(onScreen.stdout, json.stdout);
  });
});

test('--fields chooses members, in every format', async () => {
  const fields = ['rate.value', 'quoteId', 'gone'];
  const list = async (format: Format) =>
    (await shown((print) => print.many(ROWS, VIEW), { format, fields })).stdout;
  assert.deepEqual(JSON.parse(await list('json')), [
    { rate: { value: '1.08271' }, quoteId: 'quote_01' },
    { rate: { value: '1.1' }, quoteId: 'quote_02' },
  ]);
  assert.equal(await list('csv'), 'rate.value,quoteId,gone\n1.08271,quote_01,\n1.1,quote_02,\n');
  assert.equal(await list('table'), '   RATE  QUOTE ID  GONE\n1.08271  quote_01\n    1.1  quote_02\n');
});

test('a narrow screen shortens the widest cells; a pipe shortens nothing', async () => {
  const row = { name: 'x'.repeat(60), status: 'open' };
  const narrow = await shown((print) => print.many([row]), { columns: 30 });
  assert.deepEqual(narrow.stdout.split('\n'), [
    'NAME                    STATUS',
    `${'x'.repeat(21)}…  open`,
    '',
  ]);
  const piped = await shown((print) => print.many([row]), { format: 'table' });
  assert.match(piped.stdout, /x{60} {2}open/);
});

test('ids, amounts and times are shown whole or not at all; what has no room is named', async () => {
  const row = {
    transactionId: 'txn_01m82b8xmhe19seadxv926p9qz',
    status: 'awaiting_funds',
    amount: '1000000.00',
    currency: 'EUR',
    reason: 'the payer has sent less than what was due',
    reference: '',
    at: '2026-03-04T14:30:30.252Z',
  };
  const view: View = {
    columns: ['transactionId', 'status', 'sell=amount currency', 'reason', 'reference', 'at'],
  };
  const wide = await shown((print) => print.many([row], view), { columns: 110 });
  assert.equal(
    wide.stdout.split('\n')[1],
    'txn_01m82b8xmhe19seadxv926p9qz  awaiting_funds  1,000,000.00 EUR  the payer has sent le…  2026-03-04 14:30:30Z',
  );
  assert.equal(wide.stderr, '');
  const narrow = await shown((print) => print.many([row], view), { columns: 80 });
  assert.equal(
    narrow.stdout.split('\n')[1],
    'txn_01m82b8xmhe19seadxv926p9qz  awaiting_funds  1,000,000.00 EUR  the payer has…',
  );
  assert.match(narrow.stderr, /^No room for AT: widen the terminal, or use --fields or -o json\.$/m);
  const tiny = await shown((print) => print.many([row], view), { columns: 20 });
  assert.equal(tiny.stdout.split('\n')[1], 'txn_01m82b8xmhe19seadxv926p9qz');
});

test('wide and combined characters keep columns straight', async () => {
  const rows = [
    { name: '東京', status: 'a' },
    { name: 'é', status: 'b' },
  ];
  const { stdout } = await shown((print) => print.many(rows), { columns: 40 });
  assert.equal(stdout, 'NAME  STATUS\n東京  a\né     b\n');
});

test("others' text cannot take over the terminal", async () => {
  const evil = {
    name: '\u001b[31mred\u001b[0m',
    text: 'abc\u202edef\u2066',
    more: 'a\nb\u0007',
    zero: 'x\u200by',
  };
  const card = await shown((print) => print.one(evil), { columns: 80 });
  assert.equal(
    card.stdout,
    'name  <U+001B>[31mred<U+001B>[0m\ntext  abc<U+202E>def<U+2066>\nmore  a<U+000A>b<U+0007>\nzero  x<U+200B>y\n',
  );
  for (const format of ['json', 'ndjson'] as const) {
    const { stdout } = await shown((print) => print.one(evil), { format, columns: 80 });
    assert.doesNotMatch(stdout, /[\p{Cf}]|[^\P{Cc}\n]/u);
    assert.deepEqual(JSON.parse(stdout), evil);
  }
});

test('colours are for screens, unless somebody forbids or forces them', async () => {
  const isBold = async (env: Record<string, string>, columns?: number) => {
    const given = columns === undefined ? { env, format: 'table' as const } : { env, columns };
    return (await shown((print) => print.many(ROWS, VIEW), given)).stdout.startsWith('\u001b[1m');
  };
  assert.equal(await isBold({}, 80), true);
  assert.equal(await isBold({}), false);
  assert.equal(await isBold({ NO_COLOR: '1' }, 80), false);
  assert.equal(await isBold({ TERM: 'dumb' }, 80), false);
  assert.equal(await isBold({ CLICOLOR_FORCE: '1' }), true);
  assert.equal(await isBold({ NO_COLOR: '1', CLICOLOR_FORCE: '1' }), false);
});
