import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { parseTypeId } from '../src/platform/ids.ts';
import {
  addCredential,
  type Customer,
  callsWith,
  createCustomer,
  fieldErrors,
  moveClock,
  refused,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { conforms } from './support/answers.ts';
import { ownerOf } from './support/database.ts';
import type { Answer, TestService } from './support/service.ts';

/** `GET /v1/customer/events`: the ordered, gapless feed of docs/interface.md#events. */

const EVENTS = '/v1/customer/events';
type Item = Answer['body'];
let service: TestService;

before(async () => {
  service = await startExampleService();
});

async function feed(customer: Customer, query = ''): Promise<Answer['body']> {
  const answer = await succeed(200, customer.get(`${EVENTS}?${query}`));
  conforms('events', answer);
  return answer.body;
}

/** Reads on from the last event until there is no more. */
async function readAll(customer: Customer, limit: number, types = ''): Promise<Item[]> {
  const items: Item[] = [];
  for (let after = ''; ; ) {
    const page = await feed(customer, `limit=${limit}${types}${after}`);
    assert.ok(page.items.length <= limit);
    items.push(...page.items);
    if (!page.hasMore) return items;
    after = `&after=${page.lastEventId}`;
  }
}

test('an event is what is promised, member by member', async () => {
  const acme = await createCustomer(service);
  const quote = await acme.quote({ clientReference: 'INV 1' });
  const { body } = await acme.trade(quote.body.quoteId, { clientReference: 'PO 1' });
  const { items, lastEventId, hasMore } = await feed(acme);
  assert.equal(hasMore, false);
  const ids = { quoteId: quote.body.quoteId, transactionId: body.transactionId };
  const expected = [
    [
      'quote.executed',
      { ...ids, version: 2, status: 'executed', previousStatus: 'open', clientReference: 'INV 1' },
    ],
    [
      'transaction.created',
      { ...ids, version: 1, status: 'awaiting_funds', previousStatus: null, clientReference: 'PO 1' },
    ],
  ] as const;
  assert.equal(items.length, expected.length);
  for (const [index, [type, data]] of expected.entries()) {
    const { eventId, sequence, timestamp, ...event } = items[index];
    assert.match(eventId, /^evt_/);
    assert.deepEqual([sequence, timestamp], [index + 1, body.createdAt]);
    assert.deepEqual(event, { type, data: { eventId, sequence, ...data } });
  }
  assert.equal(lastEventId, items[1].eventId);
  const end = { items: [], lastEventId, hasMore: false, missed: 0 };
  assert.deepEqual(await feed(acme, `after=${lastEventId}`), end);
  assert.equal(body.changeSequence, 2, 'the transaction names its place in the feed');
});

test('every way that a quote and a transaction can go is told', async () => {
  const acme = await createCustomer(service);
  await succeed(200, service.operate('POST', '/v1/sandbox/bank', { settlement: 'runs' }));
  const id = async (body = {}) => (await acme.quote(body)).body.quoteId;
  await acme.post(`/v1/customer/quotes/${await id()}/cancel`);
  await id({ amount: '903.00' });
  await moveClock(service, { advanceSeconds: 2 });
  await id({ validitySeconds: 10 });
  // Its end, and the time in which an execution that came before it may still be on its way.
  await moveClock(service, { advanceSeconds: 30 });
  const { transactionId, reference } = (await acme.trade()).body;
  const send = (amount: string) =>
    succeed(201, service.operate('POST', '/v1/sandbox/deposits', { reference, amount, currency: 'USD' }));
  await send('1000.00');
  await moveClock(service, { now: '2026-03-06T13:30:01.000Z' });
  await send('99000.00');
  const happen = (event: string) =>
    succeed(200, service.operate('POST', `/v1/sandbox/transactions/${transactionId}/${event}`));
  await happen('payout-failed');
  await succeed(200, service.operate('POST', `/v1/operator/transactions/${transactionId}/retry-payout`));
  await happen('settle');
  const items = await readAll(acme, 3);
  assert.deepEqual(
    items.map((item: Item) => item.type),
    [
      'quote.cancelled',
      'quote.withdrawn',
      'quote.expired',
      'quote.executed',
      'transaction.created',
      'deposit.received',
      'deposit.matched',
      'transaction.partially_funded',
      'transaction.overdue',
      'deposit.received',
      'deposit.matched',
      'transaction.value_date_changed',
      'transaction.funded',
      'transaction.settling',
      'transaction.settlement_failed',
      'transaction.settling',
      'transaction.settled',
    ],
  );
  assert.deepEqual(
    items.map((item: Item) => item.sequence),
    items.map((_, index) => index + 1),
  );
  const states = items.filter((item) => item.type.startsWith('transaction.') && item.data.previousStatus);
  for (const [index, item] of states.slice(1).entries()) {
    const { previousStatus, version } = item.data;
    const before: Item = states[index];
    if (item.type !== 'transaction.value_date_changed')
      assert.equal(previousStatus, before.data.status, `${item.type} follows ${before.type}`);
    assert.ok(version >= before.data.version);
  }
  const now = await acme.get(`/v1/customer/transactions/${transactionId}`);
  assert.deepEqual(
    [now.body.version, now.body.changeSequence],
    [items.at(-1).data.version, items.at(-1).sequence],
  );
});

describe('reading on', () => {
  test('by types', async () => {
    const acme = await createCustomer(service);
    for (let i = 0; i < 3; i++) await acme.trade();
    for (const query of [
      'types=quote.executed',
      'types=quote.executed,quote.expired',
      'types=quote.executed&types=quote.expired',
    ]) {
      const { items } = await feed(acme, query);
      assert.deepEqual(
        items.map((item: Item) => item.sequence),
        [1, 3, 5],
        query,
      );
    }
    assert.equal((await readAll(acme, 1, '&types=transaction.created')).length, 3);
    // All of the others were looked through.
    const { eventId: newest } = (await feed(acme, '')).items.at(-1);
    assert.deepEqual(await feed(acme, 'types=market.closed'), {
      items: [],
      lastEventId: newest,
      hasMore: false,
      missed: 0,
    });
  });

  test('loses nothing while trades are made at the same time', async () => {
    const acme = await createCustomer(service);
    let busy = true;
    const trading = Promise.all(Array.from({ length: 60 }, () => acme.trade())).finally(() => {
      busy = false;
    });
    const sequences: number[] = [];
    for (let after = ''; busy || sequences.length < 120; ) {
      const { items, lastEventId } = await feed(acme, `limit=200${after}`);
      sequences.push(...items.map((item: Item) => item.sequence));
      if (lastEventId !== null) after = `&after=${lastEventId}`;
    }
    await trading;
    assert.deepEqual(
      sequences,
      Array.from({ length: 120 }, (_, i) => i + 1),
    );
  });

  test('from the newest event on reads nothing of what was', async () => {
    const acme = await createCustomer(service);
    const end = { items: [], hasMore: false, missed: 0 };
    assert.deepEqual(await feed(acme, 'after=latest'), { ...end, lastEventId: null }, 'nothing was yet');
    for (let i = 0; i < 3; i++) await acme.trade();
    const { lastEventId } = await feed(acme);
    assert.deepEqual(await feed(acme, 'after=latest&types=quote.expired&limit=1'), { ...end, lastEventId });
    await acme.trade();
    const { items } = await feed(acme, `after=${lastEventId}`);
    assert.deepEqual(
      items.map((item: Item) => item.sequence),
      [7, 8],
    );
    await ownerOf(service.pool).query('delete from events where customer_id = $1', [
      parseTypeId('cus', acme.customerId),
    ]);
    assert.deepEqual(await feed(acme, 'after=latest'), { ...end, lastEventId: null }, 'nothing is kept');
  });

  test('from an event that is not of this feed is refused', async () => {
    const [acme, other] = [await createCustomer(service), await createCustomer(service)];
    await acme.trade();
    await other.trade();
    const { lastEventId } = await feed(other);
    const wrong = [lastEventId, `evt_${'0'.repeat(26)}`, 'evt_x', lastEventId.replace('evt', 'txn'), '7'];
    for (const after of wrong) await refused('cursor_invalid', acme.get(`${EVENTS}?after=${after}`));
    for (const [query, pointer] of [
      ['types=Quote', '/query/types'],
      ['types=quote.executed,quote.exploded', '/query/types'],
      ['limit=500', '/query/limit'],
      [`after=${lastEventId}&after=${lastEventId}`, '/query/after'],
      ['cursor=x', '/query/cursor'],
    ] as const) {
      assert.equal((await fieldErrors(acme.get(`${EVENTS}?${query}`)))[0]?.[0], pointer);
    }
  });

  test('events are kept for 30 days', async () => {
    const acme = await createCustomer(service);
    await acme.trade();
    const old = (await feed(acme)).items;
    await moveClock(service, { advanceSeconds: 29 * 86_400 });
    await acme.trade();
    assert.equal((await feed(acme)).items[0].sequence, 1);
    await moveClock(service, { advanceSeconds: 2 * 86_400 });
    const left = await feed(acme);
    assert.ok(left.items[0].sequence > 2, 'the oldest are gone');
    const page = await feed(acme, `after=${old[0].eventId}`);
    assert.deepEqual(page.items, left.items, 'and one who stopped there goes on at the oldest that is kept');
    assert.equal(page.missed, left.items[0].sequence - old[0].sequence - 1, 'and is told how many are gone');
    assert.equal((await feed(acme, `after=${left.items[0].eventId}`)).missed, 0);
  });

  test('who has seen all of them goes on when they are kept no longer', async () => {
    const [acme, other] = [await createCustomer(service), await createCustomer(service)];
    await acme.trade();
    const { lastEventId } = await feed(acme);
    await ownerOf(service.pool).query('delete from events where customer_id = $1', [
      parseTypeId('cus', acme.customerId),
    ]);
    const end = { items: [], lastEventId, hasMore: false, missed: 0 };
    assert.deepEqual(await feed(acme, `after=${lastEventId}`), end);
    await refused('cursor_invalid', other.get(`${EVENTS}?after=${lastEventId}`));
    await acme.trade();
    const { items, missed } = await feed(acme, `after=${lastEventId}`);
    assert.deepEqual([items.map((item: Item) => item.sequence), missed], [[3, 4], 0]);
  });
});

describe('a held page', () => {
  const wait = { Prefer: 'wait=30' };

  test('is answered by the next event', async () => {
    const acme = await createCustomer(service);
    // Eleven at once: the one that is refused shows that ten are held by now.
    const asked = Array.from({ length: 11 }, () => acme.get(EVENTS, wait));
    const first = await Promise.race(asked);
    await refused('rate_limited', first, { 'violated-policies': ['held'] });
    const { body } = await acme.trade();
    for (const answer of await Promise.all(asked)) {
      if (answer === first) continue;
      conforms('events', answer);
      assert.equal(answer.headers.get('Preference-Applied'), 'wait=30');
      assert.equal(answer.body.items.at(-1).data.transactionId, body.transactionId);
    }
    const at = await acme.get(EVENTS, wait);
    assert.equal(at.headers.get('Preference-Applied'), null, 'who is behind does not wait');
  });

  test('waits on while events are of other types', async () => {
    const acme = await createCustomer(service);
    const held = acme.get(`${EVENTS}?types=quote.cancelled`, wait);
    const all = acme.get(EVENTS, wait);
    await acme.trade();
    // Both have looked once there was something.
    await succeed(200, all);
    const { body } = await acme.quote();
    await succeed(200, acme.post(`/v1/customer/quotes/${body.quoteId}/cancel`));
    const { items } = (await succeed(200, held)).body;
    assert.deepEqual(
      items.map(({ type, sequence }: Item) => [type, sequence]),
      [['quote.cancelled', 3]],
    );
  });

  test('is for nobody who may not ask for it any more', async () => {
    const acme = await createCustomer(service);
    const { body: trade } = await acme.trade();
    const { lastEventId } = await feed(acme);
    const etag =
      (await acme.get(`/v1/customer/transactions/${trade.transactionId}`)).headers.get('ETag') ?? '';
    const credentials = `${acme.path}/credentials`;
    const ends: [code: string, end: (clientId: string) => Promise<Answer>][] = [
      ['token_invalid', (id) => succeed(200, service.operate('POST', `${credentials}/${id}/suspend`))],
      ['token_invalid', (id) => succeed(204, service.operate('POST', `${credentials}/${id}/revoke-tokens`))],
      ['token_invalid', (id) => succeed(204, service.operate('DELETE', `${credentials}/${id}`))],
      [
        'insufficient_scope',
        (id) => succeed(200, service.operate('PATCH', `${credentials}/${id}`, { scopes: ['quotes:read'] })),
      ],
      [
        'ip_not_allowed',
        (id) =>
          succeed(
            200,
            service.operate('PUT', `${credentials}/${id}/ip-allow-list`, { ipAllowList: ['192.0.2.1'] }),
          ),
      ],
    ];
    for (const [code, end] of ends) {
      const client = await addCredential(service, acme.path);
      const { get } = callsWith(service, await service.token(client.clientId, client.clientSecret));
      const held = [
        get(`/v1/customer/transactions/${trade.transactionId}`, { ...wait, 'If-None-Match': etag }),
        ...Array.from({ length: 10 }, () => get(`${EVENTS}?after=${lastEventId}`, wait)),
      ];
      // One more than are held: once it is refused, the others wait.
      const first = await Promise.race(held);
      await refused('rate_limited', first);
      await end(client.clientId);
      for (const answer of await Promise.all(held)) if (answer !== first) await refused(code, answer);
    }
  });
});
