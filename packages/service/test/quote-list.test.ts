import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  EXAMPLE_NOW,
  fieldErrors,
  moveClock,
  refused,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import type { TestService } from './support/service.ts';

/** `GET /v1/customer/quotes`: docs/interface.md#lists. */

const PATH = '/v1/customer/quotes';
let service: TestService;
let acme: Customer;
/** Ids in the order in which they were made: executed, cancelled, expired, open into yen. */
const made: string[] = [];

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
  const quote = async (body: Readonly<Record<string, unknown>> = {}) => {
    const { quoteId } = (await acme.quote(body)).body;
    made.push(quoteId);
    return quoteId as string;
  };
  await acme.trade(await quote({ validitySeconds: 10 }));
  await succeed(200, acme.post(`${PATH}/${await quote()}/cancel`));
  await quote({ validitySeconds: 10, clientReference: 'INV-7' });
  await moveClock(service, { advanceSeconds: 60 });
  await quote({ buyCurrency: 'JPY', amount: '100.00' });
});

interface Listed {
  readonly quoteId: string;
  readonly status: string;
}
const listed = async (query = '') => {
  const { body } = await succeed(200, acme.get(`${PATH}${query}`));
  return body.items.map(({ quoteId, status }: Listed) => [made.indexOf(quoteId), status]);
};

describe('the list of quotes', () => {
  test('newest first, each as it reads by itself', async () => {
    assert.deepEqual(await listed(), [
      [3, 'open'],
      [2, 'expired'],
      [1, 'cancelled'],
      [0, 'executed'],
    ]);
    const { body } = await acme.get(PATH);
    const alone = (await acme.get(`${PATH}/${made[1]}`)).body;
    assert.deepEqual(body.items[2], alone);
    assert.equal(body.hasMore, false);
  });

  test('filters', async () => {
    for (const [query, expected] of [
      ['?status=open', [3]],
      ['?status=expired&status=executed', [2, 0]],
      ['?status=cancelled,withdrawn', [1]],
      ['?pair=USDJPY', [3]],
      ['?buyCurrency=EUR&sellCurrency=USD', [2, 1, 0]],
      ['?clientReference=INV-7', [2]],
      [`?createdFrom=${new Date(Date.parse(EXAMPLE_NOW) + 60_000).toISOString()}`, [3]],
      [`?createdTo=${new Date(Date.parse(EXAMPLE_NOW) + 60_000).toISOString()}`, [2, 1, 0]],
      ['?clientReference=other', []],
    ] as const) {
      assert.deepEqual(
        (await listed(query)).map(([index]: [number]) => index),
        expected,
        query,
      );
    }
  });

  test('pages join without gaps, with a Link, and a cursor belongs to its filters', async () => {
    const ids: string[] = [];
    let next = `${PATH}?limit=3`;
    for (let page = 0; page < 3 && next !== ''; page++) {
      const answer = await succeed(200, acme.get(next));
      ids.push(...answer.body.items.map(({ quoteId }: Listed) => quoteId));
      next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('Link') ?? '')?.[1] ?? '';
      assert.equal(next !== '', answer.body.hasMore);
    }
    assert.deepEqual(ids, [...made].reverse());
    const { nextCursor } = (await acme.get(`${PATH}?limit=1&status=expired,open`)).body;
    await refused('cursor_invalid', acme.get(`${PATH}?limit=1&status=open&cursor=${nextCursor}`));
  });

  test('what is wrong is told, and nobody sees the quotes of another', async () => {
    assert.deepEqual(await fieldErrors(acme.get(`${PATH}?status=won&limit=0&pair=eurusd&x=1`)), [
      ['/query/status', 'not_permitted'],
      ['/query/pair', 'wrong_format'],
      ['/query/limit', 'not_permitted'],
      ['/query/x', 'unknown_field'],
    ]);
    const other = await createCustomer(service);
    assert.deepEqual((await other.get(PATH)).body, { items: [], nextCursor: null, hasMore: false });
    const { nextCursor } = (await acme.get(`${PATH}?limit=1`)).body;
    await refused('cursor_invalid', other.get(`${PATH}?limit=1&cursor=${nextCursor}`));
    await refused('token_missing', service.call('GET', PATH, { token: null }));
  });

  test('a rare kind ends a page early instead of reading everything, and goes on', async () => {
    const busy = await createCustomer(service);
    const wanted = (await busy.quote({ clientReference: 'needle' })).body.quoteId;
    const uuid = (
      await service.pool.query<{ id: string }>(`select id from quotes where client_reference = 'needle'`)
    ).rows[0]?.id;
    // Six thousand newer quotes, copied in one statement.
    await service.pool.query(
      `insert into quotes select (jsonb_populate_record(q, jsonb_build_object(
           'id', overlay(overlay(q.id::text placing lpad(to_hex(n), 12, '0') from 25) placing 'ffff' from 1),
           'client_reference', null))).*
         from quotes q, generate_series(1, 6000) n where q.id = $1`,
      [uuid],
    );
    const first = (await succeed(200, busy.get(`${PATH}?clientReference=needle`))).body;
    assert.deepEqual([first.items.length, first.hasMore], [0, true]);
    const second = (await succeed(200, busy.get(`${PATH}?clientReference=needle&cursor=${first.nextCursor}`)))
      .body;
    assert.deepEqual([second.items.map(({ quoteId }: Listed) => quoteId), second.hasMore], [[wanted], false]);
  });
});
