import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { reported } from '../../test/support/bank-story.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createOperatorServer, type OperatorServer } from '../../test/support/operator-server.ts';
import { createSandbox } from '../../test/support/sandbox.ts';

const ACCOUNT = 'GB29NWBK60161331926819';
const OTHER = 'GB94BARC10201530093459';

let server: OperatorServer;

before(async () => {
  const { pool } = await createTestDatabase({ connections: 8 });
  server = createOperatorServer(await createSandbox(pool));
  const usd = (account: string, date: string) => ({ currency: 'USD', account, date });
  const entry = (reference: string, amount: string, direction: 'CRDT' | 'DBIT' = 'CRDT') => ({
    ...{ reference, amount, direction },
    currency: 'USD',
  });
  await reported(server, [entry('A', '1.00'), entry('B', '2.00', 'DBIT')], {
    ...usd(ACCOUNT, '2026-03-02'),
    ...{ opening: '10.00', closing: '9.00' },
  });
  await reported(server, [entry('C', '3.00')], { ...usd(ACCOUNT, '2026-03-03'), message: '054' });
  // Told again by the statement of its day.
  await reported(server, [entry('C', '3.00'), entry('D', '4.00')], {
    ...usd(ACCOUNT, '2026-03-03'),
    ...{ opening: '9.00', closing: '16.00' },
  });
  await reported(server, [entry('E', '5.00')], usd(OTHER, '2026-03-03'));
});
after(() => server.close());

const list = async (path: string) => {
  const { status, body } = await server.call('GET', `/v1/operator/${path}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const amounts = async (query: string): Promise<string> => {
  const { items } = await list(`statement-entries?${query}`);
  return items.map((each: { amount: string }) => each.amount.slice(0, 1)).join('');
};

describe('what banks have reported of an account', () => {
  test('is listed by the days on which it was booked, each entry once', async () => {
    for (const [query, expected] of [
      [`account=${ACCOUNT}&from=2026-03-02&to=2026-03-03`, '1234'],
      [`account=GB29%20NWBK%206016%201331%209268%2019&from=2026-03-02`, '12'],
      [`account=${ACCOUNT}&from=2026-03-03`, '34'],
      [`account=${ACCOUNT}&from=2026-03-02&to=2026-03-03&direction=debit`, '2'],
      [`account=${ACCOUNT}&from=2026-03-02&to=2026-03-03&depositState=none`, '2'],
      [`account=${ACCOUNT}&from=2026-03-04`, ''],
      [`account=${OTHER}&from=2026-03-01&to=2026-03-31`, '5'],
      ['account=nobody&from=2026-03-03', ''],
    ] as const) {
      const found = await amounts(query);
      assert.equal([...found].sort().join(''), expected, query);
    }
  });

  test('page by page', async () => {
    const query = `statement-entries?account=${ACCOUNT}&from=2026-03-02&to=2026-03-03&limit=3`;
    const first = await list(query);
    const second = await list(`${query}&cursor=${first.nextCursor}`);
    const all = [...first.items, ...second.items];
    assert.deepEqual([first.items.length, second.items.length, second.hasMore], [3, 1, false]);
    assert.equal(new Set(all.map(({ entryId }) => entryId)).size, 4);
    const dates = all.map(({ bookingDate }) => bookingDate);
    assert.deepEqual(dates, dates.toSorted());
  });

  test('is listed statement by statement', async () => {
    const query = `account-statements?account=${ACCOUNT}&from=2026-03-02&to=2026-03-03`;
    const { items } = await list(query);
    assert.deepEqual(
      items.map(({ account, to }: { account: string; to: string }) => [account, to]),
      [
        [ACCOUNT, '2026-03-02'],
        [ACCOUNT, '2026-03-03'],
      ],
    );
    const first = await list(`${query}&limit=1`);
    const second = await list(`${query}&limit=1&cursor=${first.nextCursor}`);
    assert.deepEqual([...first.items, ...second.items], items);
  });

  test('and says what is wrong with the question', async () => {
    for (const [query, pointer] of [
      ['from=2026-03-02', '/query/account'],
      [`account=${ACCOUNT}`, '/query/from'],
      [`account=${ACCOUNT}&from=2026-03-02&to=2026-03-01`, '/query/to'],
      [`account=${ACCOUNT}&from=2026-01-01&to=2026-12-31`, '/query/to'],
    ] as const) {
      for (const path of ['statement-entries', 'account-statements']) {
        const { body } = await server.call('GET', `/v1/operator/${path}?${query}`);
        assert.deepEqual([body.code, body.errors?.[0].pointer], ['validation_failed', pointer], query);
      }
    }
  });
});
