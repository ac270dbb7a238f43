import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { isNews, MemoryVersionStore, onNews, signForTest, verify, type WebhookEvent } from './webhooks.ts';

const SECRET = `whsec_${Buffer.from('a secret of some length').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('another one').toString('base64')}`;
const AT = new Date('2026-03-05T09:12:44.000Z');
const now = AT.getTime();
/** The example of the interface. */
const EVENT = {
  type: 'transaction.funded',
  timestamp: '2026-03-05T09:12:44.120Z',
  data: {
    eventId: 'evt_1',
    sequence: 1842,
    transactionId: 'txn_1',
    version: 3,
    status: 'funded',
    previousStatus: 'awaiting_funds',
    clientReference: 'INV-2291',
  },
} as unknown as WebhookEvent;

test('what is signed is an event, whatever form its headers have', async () => {
  const { body, headers } = await signForTest(EVENT, SECRET, { id: 'evt_1', at: AT });
  const titled = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  );
  const distinct = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  for (const given of [headers, new Headers(headers), titled, distinct]) {
    assert.deepEqual(await verify(body, given, SECRET, { now }), EVENT);
  }
  assert.deepEqual(await verify(new TextEncoder().encode(body), headers, [OTHER, SECRET], { now }), EVENT);
});

test('the signature is that of the standard', async () => {
  const { body, headers } = await signForTest(EVENT, SECRET, { id: 'evt_1', at: AT });
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key)
    .update(`evt_1.${now / 1_000}.${body}`)
    .digest('base64');
  assert.equal(headers['webhook-signature'], `v1,${signature}`);
  const several = { ...headers, 'webhook-signature': `v1a,AAAA v1,AAAA v1,${signature}` };
  assert.deepEqual(await verify(body, several, SECRET, { now }), EVENT);
});

describe('is refused', () => {
  for (const [name, change, secret, code] of [
    ['another body', { body: '{}' }, SECRET, 'signature_invalid'],
    ['another id', { 'webhook-id': 'evt_2' }, SECRET, 'signature_invalid'],
    ['another secret', {}, OTHER, 'signature_invalid'],
    ['no secret', {}, [], 'signature_invalid'],
    ['a secret of another form', {}, 'secret', 'secret_invalid'],
    ['another version of the scheme', { 'webhook-signature': 'v2,AAAA' }, SECRET, 'signature_invalid'],
    ['no signature', { 'webhook-signature': '' }, SECRET, 'header_missing'],
    ['two ids', { 'webhook-id': ['evt_1', 'evt_2'] }, SECRET, 'header_missing'],
    ['no time', { 'webhook-timestamp': 'now' }, SECRET, 'timestamp_invalid'],
    [
      'what is too old',
      { 'webhook-timestamp': `${now / 1_000 - 301}` },
      SECRET,
      'timestamp_out_of_tolerance',
    ],
    [
      'what is too far ahead',
      { 'webhook-timestamp': `${now / 1_000 + 301}` },
      SECRET,
      'timestamp_out_of_tolerance',
    ],
  ] as const) {
    test(name, async () => {
      const signed = await signForTest(EVENT, SECRET, { at: AT });
      const { body = signed.body, ...headers } = change as { body?: string };
      await assert.rejects(verify(body, { ...signed.headers, ...headers }, secret, { now }), {
        name: 'WebhookError',
        code,
      });
    });
  }

  test('all that comes, where the clock of the machine is wrong: it says what to do', async () => {
    const { body, headers } = await signForTest(EVENT, SECRET, { at: AT });
    const wrong = { now: now + 600_000 };
    await assert.rejects(verify(body, headers, SECRET, wrong), {
      message: 'The timestamp is off by 600 s.',
      nextStep: /this machine's clock is wrong.*firmquote\.clock\.now\(\)/,
    });
  });

  test('what is signed and is no event', async () => {
    const { body, headers } = await signForTest(['hello'], SECRET, { at: AT });
    await assert.rejects(verify(body, headers, SECRET, { now }), { code: 'body_invalid' });
  });
});

describe('a version guard', () => {
  const event = (type: string, data: object) =>
    ({ ...EVENT, type, data: { ...EVENT.data, ...data } }) as WebhookEvent;

  test('lets newer versions of each resource through, once', async () => {
    const store = new MemoryVersionStore();
    const seen: boolean[] = [];
    for (const [version, transactionId] of [
      [3, 'txn_1'],
      [3, 'txn_1'],
      [2, 'txn_1'],
      [1, 'txn_2'],
      [4, 'txn_1'],
    ] as const) {
      seen.push(await isNews(event('transaction.funded', { version, transactionId }), store));
    }
    assert.deepEqual(seen, [true, false, false, true, true]);
  });

  test('tells a quote from its transaction, and lets through what has no version', async () => {
    const store = new MemoryVersionStore();
    const both = { quoteId: 'quote_1', transactionId: 'txn_1' };
    assert.ok(await isNews(event('quote.executed', { ...both, version: 2 }), store));
    assert.ok(await isNews(event('transaction.created', { ...both, version: 1 }), store));
    for (let times = 0; times < 2; times++)
      assert.ok(await isNews(event('market.closed', { version: null }), store));
  });

  test('lets through both events of a change that moves the value date and the status', async () => {
    const store = new MemoryVersionStore();
    const one = { transactionId: 'txn_1', version: 4 };
    for (const isExpected of [true, false]) {
      for (const type of ['transaction.value_date_changed', 'transaction.funded'])
        assert.equal(await isNews(event(type, one), store), isExpected, type);
    }
    const older = event('transaction.value_date_changed', { ...one, version: 3 });
    assert.equal(await isNews(older, store), false);
  });

  test('lets through events of operators, which have no version at all', async () => {
    const asked: unknown[] = [];
    const store = { advance: (...given: unknown[]) => asked.push(given) < 0 };
    const { version: _, ...data } = EVENT.data;
    const failed = { ...EVENT, type: 'payment.failed', data } as unknown as WebhookEvent;
    assert.equal(await isNews(failed, store), true);
    assert.deepEqual(asked, []);
  });

  test('is news to who sends it again while the work with it is under way, where that fails', async () => {
    const store = new MemoryVersionStore();
    const work = Promise.withResolvers<void>();
    const funded = event('transaction.funded', { version: 3, transactionId: 'txn_1' });
    const done: string[] = [];
    const first = onNews(funded, store, () => work.promise);
    const again = ['second', 'third'].map((name) => onNews(funded, store, () => done.push(name)));
    work.reject(new Error('the books are closed'));
    await assert.rejects(first, /the books are closed/);
    assert.deepEqual([await Promise.all(again), done], [[true, false], ['second']]);
  });

  test('is news again where the work with it failed, and nothing older is', async () => {
    const store = new MemoryVersionStore();
    const done: number[] = [];
    let fails = false;
    const take = (version: number) =>
      onNews(event('transaction.funded', { version, transactionId: 'txn_1' }), store, ({ data }) => {
        if (fails) throw new Error('the books are closed');
        done.push(data.version ?? 0);
      });
    assert.equal(await take(3), true);
    fails = true;
    await assert.rejects(take(4), /the books are closed/);
    fails = false;
    assert.deepEqual([await take(3), await take(4), await take(4)], [false, true, false]);
    assert.deepEqual(done, [3, 4]);
    fails = true;
    await assert.rejects(
      onNews(event('quote.executed', { version: 2, quoteId: 'quote_1' }), store, () => {
        // A newer one is done with meanwhile.
        store.advance('quote_1', 3);
        throw new Error('too late');
      }),
    );
    assert.equal(store.advance('quote_1', 3), false);
  });

  test('forgets what has not changed for longest', () => {
    const store = new MemoryVersionStore(2);
    for (const [name, version] of Object.entries({ a: 1, b: 1 })) store.advance(name, version);
    store.advance('a', 2);
    store.advance('c', 1);
    assert.deepEqual([store.advance('b', 1), store.advance('c', 1)], [true, false]);
  });
});
