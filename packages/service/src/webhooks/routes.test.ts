import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { startTestService, type TestService } from '../../test/support/service.ts';
import { type Receiver, startReceiver, verified } from './test-support.ts';

/** Over HTTP, with the service's own sweeps. */

const PATH = '/v1/customer/webhooks';
let service: TestService;
let receiver: Receiver;
before(async () => {
  service = await startTestService({ FIRMQUOTE_LOG_LEVEL: 'silent' });
  receiver = await startReceiver();
});

const call = (method: string, path: string, body?: unknown, headers = {}) =>
  service.call(method, path, body === undefined ? { headers } : { body, headers });

async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const deadline = performance.now() + 20_000; performance.now() < deadline; ) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`never: ${what}`);
}

async function trade(): Promise<string> {
  const body = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '1000.00' };
  const quote = await call('POST', '/v1/customer/quotes', body);
  assert.equal(quote.status, 201, quote.text);
  const done = await call('POST', `/v1/customer/quotes/${quote.body.quoteId}/execute`);
  assert.equal(done.status, 201, done.text);
  return done.body.transactionId;
}

describe('a customer', () => {
  test('has a trade told, verified by the library, and reads what was sent', async () => {
    const made = await call('POST', PATH, {
      url: receiver.url,
      types: ['transaction.created'],
      description: 'ours',
    });
    assert.equal(made.status, 201, made.text);
    const { secret, webhookId, ...shown } = made.body;
    assert.equal(made.headers.get('Location'), `${PATH}/${webhookId}`);
    assert.equal(made.headers.get('ETag'), '"v1"');
    assert.deepEqual((await call('GET', `${PATH}/${webhookId}`)).body, { webhookId, ...shown });
    const transactionId = await trade();
    const message = await until('the message', () => receiver.received[0]);
    assert.ok(verified(message, secret));
    assert.equal(message.message.data.transactionId, transactionId);
    const { items } = await until('the delivery', async () => {
      const page = await call('GET', `${PATH}/${webhookId}/deliveries?status=delivered`);
      return page.body.items.length > 0 ? page.body : undefined;
    });
    const [delivery] = items;
    assert.deepEqual([delivery.eventId, delivery.attemptCount], [message.id, 1]);
    assert.deepEqual(delivery.message, message.message);
    assert.deepEqual([delivery.attempts[0].status, delivery.attempts[0].failure], [204, null]);
    const feed = await call('GET', '/v1/customer/events?types=transaction.created');
    assert.deepEqual(delivery.message.data, feed.body.items[0].data, 'as the feed has it');
    const again = await call('POST', `${PATH}/${webhookId}/deliveries/${message.id}/replay`);
    assert.deepEqual([again.status, again.body.status], [200, 'pending'], again.text);
    await until('the replay', () => receiver.received[1]);
    const replayed = await call('POST', `${PATH}/${webhookId}/replay?status=delivered`);
    assert.equal(replayed.status, 200, replayed.text);
  });

  test('changes, tests, rotates and deletes, and its secret is shown once and kept nowhere', async () => {
    const key = { 'Idempotency-Key': 'hook-1' };
    const made = await call('POST', PATH, { url: receiver.url, asymmetric: true }, key);
    const { webhookId, secret, publicKey } = made.body;
    assert.match(publicKey, /^whpk_/);
    // The answer holds a secret, so nothing but its outcome is kept.
    const repeated = await call('POST', PATH, { url: receiver.url, asymmetric: true }, key);
    assert.ok(!repeated.text.includes(secret), repeated.text);
    const one = `${PATH}/${webhookId}`;
    const changed = await call(
      'PATCH',
      one,
      { types: ['market.closed'], status: 'disabled' },
      { 'If-Match': '"v1"' },
    );
    assert.deepEqual(
      [changed.body.status, changed.body.disabledReason, changed.body.version],
      ['disabled', 'by_owner', 2],
    );
    const stale = await call('PATCH', one, { ordering: 'resource' }, { 'If-Match': '"v1"' });
    assert.equal(stale.body.code, 'version_mismatch');
    const tested = await call('POST', `${one}/test`);
    assert.deepEqual(
      [tested.status, tested.body.status, tested.body.type],
      [200, 'delivered', 'webhook.test'],
      tested.text,
    );
    assert.equal(tested.body.message.type, 'webhook.test');
    const rotated = await call('POST', `${one}/rotate-secret`, { overlapHours: 2 });
    assert.equal(rotated.status, 200, rotated.text);
    assert.notEqual(rotated.body.secret, secret);
    assert.notEqual(rotated.body.previousSecretUntil, null);
    const { rows } = await service.pool.query<{ text: string }>(
      `select coalesce((select string_agg(e::text, '') from webhook_endpoints e), '')
         || coalesce((select string_agg(k::text, '') from idempotency_keys k), '')
         || coalesce((select string_agg(l::text, '') from audit_log l), '') as text`,
    );
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
    for (const form of [secret.slice(6), bytes.toString('hex'), Buffer.from(secret.slice(6)).toString('hex')])
      assert.ok(!rows[0]?.text.includes(form));
    assert.equal((await call('DELETE', one)).status, 204);
    assert.equal((await call('GET', one)).body.code, 'webhook_not_found');
  });

  test('is refused what is no address, what is too much, and what is not its own', async () => {
    for (const url of [
      'http://192.168.0.1/',
      'ftp://example.com/',
      'https://user@example.com/',
      'nonsense',
    ]) {
      const { status, body } = await call('POST', PATH, { url });
      assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 'validation_failed', '/url'], url);
    }
    const wrong = await call('POST', PATH, { url: receiver.url, types: ['transaction.vanished'] });
    assert.equal(wrong.body.code, 'validation_failed');
    const { body } = await call('POST', PATH, { url: receiver.url });
    const customer = await service.operate('POST', '/v1/operator/customers', { name: 'Other' });
    const { customerId } = customer.body;
    const credential = await service.operate('POST', `/v1/operator/customers/${customerId}/credentials`, {
      name: 'x',
    });
    const { clientId, clientSecret } = credential.body;
    const token = await service.token(clientId, clientSecret);
    const places = [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/rotate-secret'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['POST', '/replay'],
    ] as const;
    for (const [method, more] of places) {
      const answer = await service.call(method, `${PATH}/${body.webhookId}${more}`, {
        token,
        ...(method === 'PATCH' ? { body: {} } : {}),
      });
      assert.equal(answer.body.code, 'webhook_not_found', `${method} ${more}: ${answer.text}`);
    }
    let last = body;
    for (let made = 0; made < 20 && last.code === undefined; made++)
      last = (await call('POST', PATH, { url: receiver.url })).body;
    assert.deepEqual([last.code, last.limitType], ['limit_exceeded', 'webhooks']);
  });
});

describe('operators', () => {
  const OPERATORS = '/v1/operator/webhooks';

  test('are told of what waits for them, in the commit of its cause', async () => {
    const hook = await startReceiver();
    const made = await service.operate('POST', OPERATORS, {
      url: hook.url,
      types: ['exception.opened', 'approval.requested'],
    });
    assert.equal(made.status, 201, made.text);
    const booked = await service.operate('POST', '/v1/operator/deposits', {
      currency: 'EUR',
      amount: '12.00',
      bankReference: 'NOBODY-KNOWS',
      remitterName: 'Nobody',
      remittanceText: 'nothing',
      valueDate: '2026-03-04',
    });
    assert.ok(booked.status < 300, booked.text);
    const message = await until('the exception', () => hook.received[0]);
    assert.ok(verified(message, made.body.secret));
    assert.equal(message.message.type, 'exception.opened');
    const { exceptionId, exceptionType } = message.message.data;
    const found = await service.operate('GET', `/v1/operator/exceptions/${exceptionId}`);
    assert.deepEqual([found.status, found.body.type], [200, exceptionType]);
    const { items } = (await service.operate('GET', `${OPERATORS}/${made.body.webhookId}/deliveries`)).body;
    assert.equal(items[0].eventId, message.id);
    assert.equal((await call('GET', `${PATH}/${made.body.webhookId}`)).body.code, 'webhook_not_found');
    assert.equal((await call('GET', OPERATORS)).status, 403);
  });

  test('see what a test was answered, and find it among the deliveries', async () => {
    const hook = await startReceiver();
    const made = await service.operate('POST', OPERATORS, { url: hook.url });
    const tested = await service.operate('POST', `${OPERATORS}/${made.body.webhookId}/test`);
    assert.deepEqual([tested.status, tested.body.status], [200, 'delivered'], tested.text);
    const { items } = (await service.operate('GET', `${OPERATORS}/${made.body.webhookId}/deliveries`)).body;
    assert.deepEqual(items[0].message, tested.body.message);
    assert.deepEqual(hook.received[0]?.message, tested.body.message);
  });
});
