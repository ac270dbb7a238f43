import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk as createTradingDesk } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { listDeliveries } from './delivery-store.ts';
import { replayDelivery, replayMany, sendTest } from './make-again.ts';
import { removeEndpoint, rotateSecret, updateEndpoint } from './set-endpoint.ts';
import { createWebhookDesk, type Desk, type Receiver, startReceiver, verified } from './test-support.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

let pool: Pool;
let desk: Desk;
let customerId: string;
let receiver: Receiver;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
});
beforeEach(async () => {
  await pool.query('delete from webhook_endpoints');
  ({ customerId } = await createTradingDesk(pool));
  desk = createWebhookDesk(pool);
  receiver = await startReceiver();
});

const closed = { type: 'market.closed' } as const;
const trade = newUuid(1);
const funded = { type: 'transaction.funded', transactionId: trade, version: 2, status: 'funded' } as const;
const settling = { type: 'transaction.settling', transactionId: trade, version: 3 } as const;
const sequences = () => receiver.received.map(({ message }) => message.data.sequence);
const deliveries = async (id: string) => {
  const rows = await listDeliveries(pool, id, undefined, undefined, 100);
  return rows.reverse();
};
const failing = (status = 500) => {
  receiver.answer = (_, response) => void response.writeHead(status).end('no');
};

describe('an endpoint', () => {
  test('gets what happens from then on, signed as the library verifies it, and as the feed says it', async () => {
    await desk.notify(customerId, closed);
    const { id, secret } = await desk.endpoint(customerId, { url: receiver.url });
    await desk.notify(customerId, funded, { type: 'market.opened' });
    await desk.send();
    assert.deepEqual(sequences().sort(), [2, 3]);
    for (const message of receiver.received) assert.ok(verified(message, secret));
    const [first] = receiver.received.filter(({ message }) => message.data.sequence === 2);
    assert.equal(first?.message.type, 'transaction.funded');
    assert.equal(first?.message.data.transactionId, typeId('txn', trade));
    assert.equal(first?.message.data.eventId, first?.id);
    assert.match(first?.headers['content-type'] ?? '', /json/);
    const states = await deliveries(id);
    assert.deepEqual(
      states.map((row) => [row.status, row.attempts, row.next_attempt_at]),
      [
        ['delivered', 1, null],
        ['delivered', 1, null],
      ],
    );
    const { due_at, lease, sequence } = await desk.state(customerId, id);
    assert.deepEqual([due_at, lease, sequence], [null, null, '3']);
    assert.equal(await desk.dispatcher.claim(), 0, 'nothing is left to do');
  });

  test('gets again what failed, also where that could not be written down at first', async () => {
    const lost = Promise.withResolvers<void>();
    let faults = 1;
    // The connection breaks once, while another attempt is still under way.
    const unsteady = new Proxy(pool, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...given: readonly unknown[]) => {
          const isRecord = (given[0] as { readonly name?: string } | undefined)?.name === 'record_webhooks';
          if (name !== 'query' || !isRecord || faults-- <= 0) return value.apply(target, given);
          lost.resolve();
          return Promise.reject(new Error('Connection terminated unexpectedly'));
        };
      },
    });
    const broken = createWebhookDesk(pool, { pool: unsteady });
    const { id } = await broken.endpoint(customerId, { url: receiver.url });
    receiver.answer = ({ message }, response) => {
      if (message.data.sequence === 1) response.writeHead(503).end();
      else void lost.promise.then(() => response.writeHead(204).end());
    };
    await broken.notify(customerId, closed, { type: 'market.opened' });
    await broken.send();
    assert.deepEqual(
      (await deliveries(id)).map(({ status, attempts }) => [status, attempts]),
      [
        ['pending', 1],
        ['delivered', 1],
      ],
    );
  });

  test('gets the types that it wants, and the place in the feed goes on', async () => {
    const { id } = await desk.endpoint(customerId, { url: receiver.url, types: ['transaction.settling'] });
    await desk.notify(customerId, funded, closed, settling, closed);
    await desk.send();
    assert.deepEqual(sequences(), [3]);
    assert.equal((await desk.state(customerId, id)).sequence, '4');
    await updateEndpoint(desk.room, customerId, id, { types: [] }, undefined);
    await desk.notify(customerId, closed);
    await desk.send();
    assert.deepEqual(sequences(), [3, 5]);
  });

  test('is signed for by both secrets while one is replaced, by Ed25519 too where it asks for it', async () => {
    const { id, secret } = await desk.endpoint(customerId, { url: receiver.url, asymmetric: true });
    let next = '';
    await rotateSecret(desk.room, customerId, id, 1, async (_, made) => {
      next = made.secret;
    });
    await desk.notify(customerId, closed);
    await desk.send();
    const [message] = receiver.received;
    assert.ok(message && verified(message, secret, next));
    const { public_key: publicKey } = await desk.state(customerId, id);
    const signatures = message.headers['webhook-signature']?.split(' ') ?? [];
    assert.deepEqual(
      signatures.map((signature) => signature.split(',')[0]),
      ['v1', 'v1', 'v1a', 'v1a'],
    );
    const key = await crypto.subtle.importKey(
      'raw',
      Buffer.from(publicKey?.slice('whpk_'.length) ?? '', 'base64'),
      'Ed25519',
      false,
      ['verify'],
    );
    const content = `${message.id}.${message.headers['webhook-timestamp']}.${message.body}`;
    const given = Buffer.from(signatures[2]?.slice('v1a,'.length) ?? '', 'base64');
    assert.ok(await crypto.subtle.verify('Ed25519', key, given, Buffer.from(content)));
    // Its time is over.
    desk.clock.advance(HOUR_MS);
    await desk.notify(customerId, closed);
    await desk.send();
    const [, later] = receiver.received;
    assert.equal(later?.headers['webhook-signature']?.split(' ').length, 2);
  });

  test('that has moved is judged by where it is now, not by what still goes to where it was', async () => {
    const moved = await startReceiver();
    const { id } = await desk.endpoint(customerId, { url: receiver.url });
    receiver.answer = (_, response) =>
      void updateEndpoint(desk.room, customerId, id, { url: moved.url }, undefined).then(() =>
        response.writeHead(410).end(),
      );
    await desk.notify(customerId, closed);
    await desk.send();
    assert.equal((await desk.state(customerId, id)).status, 'enabled');
    assert.deepEqual(
      moved.received.map(({ message }) => message.data.sequence),
      [1],
    );
  });

  test('that wants other types while it is served gets the events of these from then on', async () => {
    const { id } = await desk.endpoint(customerId, { url: receiver.url, types: ['transaction.settling'] });
    receiver.answer = (_, response) => {
      receiver.answer = (_message, other) => void other.writeHead(204).end();
      void updateEndpoint(desk.room, customerId, id, { types: [] }, undefined)
        .then(() => desk.notify(customerId, closed))
        .then(() => response.writeHead(204).end());
    };
    await desk.notify(customerId, settling);
    await desk.send();
    assert.ok(sequences().includes(2), 'what it wants by now was passed over');
    const { sequence, due_at: dueAt } = await desk.state(customerId, id);
    assert.deepEqual([sequence, dueAt], ['2', null]);
  });

  test('whose secret is replaced while it is served is signed for by both from then on', async () => {
    const { id, secret } = await desk.endpoint(customerId, { url: receiver.url });
    let next = '';
    receiver.answer = (_, response) => {
      receiver.answer = (_message, other) => void other.writeHead(204).end();
      void rotateSecret(desk.room, customerId, id, 1, async (_connection, made) => {
        next = made.secret;
      })
        .then(() => desk.notify(customerId, closed))
        .then(() => response.writeHead(204).end());
    };
    await desk.notify(customerId, closed);
    await desk.send();
    const later = receiver.received.filter(({ message }) => message.data.sequence === 2);
    assert.equal(later.length, 1);
    for (const message of later) assert.ok(verified(message, secret, next));
    assert.ok((await deliveries(id)).every(({ status }) => status === 'delivered'));
  });

  test('that is deleted while a test of it is under way is not found', async () => {
    const { id } = await desk.endpoint(customerId, { url: receiver.url });
    receiver.answer = (_, response) =>
      void removeEndpoint(desk.room, customerId, id).then(() => response.writeHead(204).end());
    await assert.rejects(sendTest(desk.room, customerId, id), { code: 'webhook_not_found' });
  });

  test('that is deleted gets nothing, and its customer costs nothing any more', async () => {
    const news = async () => {
      const { rows } = await pool.query('select feed_news from customer_usage where customer_id = $1', [
        customerId,
      ]);
      return rows[0]?.feed_news;
    };
    const { id } = await desk.endpoint(customerId, { url: receiver.url });
    const other = await desk.endpoint(customerId, { url: receiver.url });
    await removeEndpoint(desk.room, customerId, id);
    await desk.notify(customerId, closed);
    assert.equal(await news(), true);
    await desk.send();
    assert.equal(await news(), false);
    assert.equal(receiver.received.length, 1);
    await removeEndpoint(desk.room, customerId, other.id);
    await desk.notify(customerId, closed);
    assert.equal(await news(), null);
    assert.equal(await desk.dispatcher.claim(), 0);
  });
});

describe('what is not taken', () => {
  test('is sent again after 0 s, 5 s, 5 min, 30 min, 2, 5, 10, 14, 20, 24 h, with the same id; then the endpoint is disabled', async () => {
    const { id, secret } = await desk.endpoint(customerId, { url: receiver.url });
    failing();
    await desk.notify(customerId, closed);
    await desk.send();
    const waits = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (const [made, seconds] of waits.entries()) {
      const [row] = await deliveries(id);
      const waited = (row?.next_attempt_at ?? 0) - desk.clock.now();
      assert.ok(Math.abs(waited / SECOND_MS - seconds) < 2, `${waited} ms instead of ${seconds} s`);
      assert.equal(row?.attempts, made + 1);
      desk.clock.advance(waited - SECOND_MS);
      await desk.send();
      assert.equal(receiver.received.length, made + 1, 'not before its time');
      desk.clock.advance(2 * SECOND_MS);
      await desk.send();
    }
    assert.equal(receiver.received.length, 10);
    assert.equal(new Set(receiver.received.map((each) => each.id)).size, 1);
    // Each is signed for its own instant.
    assert.equal(new Set(receiver.received.map((each) => each.headers['webhook-timestamp'])).size, 10);
    const [row] = await deliveries(id);
    assert.deepEqual([row?.status, row?.attempts], ['failed', 10]);
    const { status, disabled_reason: reason, due_at: dueAt } = await desk.state(customerId, id);
    assert.deepEqual([status, reason, dueAt], ['disabled', 'attempts_exhausted', null]);
    const { rows: reported } = await pool.query(
      `select type, data::jsonb ->> 'webhookId' as id from operator_events where resource = $1`,
      [id],
    );
    assert.deepEqual(reported, [{ type: 'webhook.disabled', id }]);
    // What happens meanwhile waits in the feed, and comes when it is enabled again.
    await desk.notify(customerId, closed);
    await desk.send();
    assert.equal(receiver.received.length, 10);
    receiver.answer = (_, response) => void response.writeHead(200).end();
    await updateEndpoint(desk.room, customerId, id, { status: 'enabled' }, undefined);
    await desk.send();
    assert.equal(receiver.received.length, 11);
    assert.deepEqual(
      (await deliveries(id)).map((each) => each.status),
      ['failed', 'delivered'],
    );
    const again = await replayMany(desk.room, customerId, id, {
      from: undefined,
      to: undefined,
      status: 'failed',
      after: undefined,
    });
    assert.deepEqual([again.replayed, again.hasMore], [1, false]);
    await desk.send();
    assert.equal(receiver.received[11]?.id, receiver.received[0]?.id);
    assert.ok(secret.startsWith('whsec_'));
  });

  test('410 disables at once', async () => {
    const { id } = await desk.endpoint(customerId, { url: receiver.url });
    failing(410);
    await desk.notify(customerId, closed);
    await desk.send();
    const { status, disabled_reason: reason } = await desk.state(customerId, id);
    assert.deepEqual([status, reason], ['disabled', 'gone']);
  });

  test('waits by itself where no order is asked for, and is followed by nothing of its resource where it is', async () => {
    const free = await desk.endpoint(customerId, { url: receiver.url });
    const other = await startReceiver();
    const ordered = await desk.endpoint(customerId, { url: other.url, ordering: 'resource' });
    const refuse: Receiver['answer'] = ({ message }, response) =>
      void response.writeHead(message.type === 'transaction.funded' ? 500 : 200).end();
    receiver.answer = refuse;
    other.answer = refuse;
    await desk.notify(customerId, funded, settling, closed, { ...settling, transactionId: newUuid(2) });
    await desk.send();
    await desk.notify(customerId, { ...settling, type: 'transaction.settled', version: 4 });
    await desk.send();
    assert.deepEqual(sequences().sort(), [1, 2, 3, 4, 5]);
    const places = () => other.received.map(({ message }) => message.data.sequence);
    assert.deepEqual(places().sort(), [1, 3, 4]);
    other.received.length = 0;
    desk.clock.advance(6 * SECOND_MS);
    await desk.send();
    assert.deepEqual(places(), [1]);
    other.answer = (_, response) => void response.writeHead(200).end();
    desk.clock.advance(400 * SECOND_MS);
    await desk.send();
    assert.deepEqual(places(), [1, 1, 2, 5]);
    assert.ok((await deliveries(ordered.id)).every(({ status }) => status === 'delivered'));
    assert.equal((await deliveries(free.id)).length, 5);
  });

  test('is looked at again at its time, however many are to follow it and could be sent by themselves', async () => {
    const { id } = await desk.endpoint(customerId, { url: receiver.url, ordering: 'resource' });
    failing();
    await desk.notify(customerId, funded, settling);
    await desk.dispatcher.claim();
    await desk.dispatcher.idle();
    const all = { from: undefined, to: undefined, status: undefined, after: undefined };
    assert.equal((await replayMany(desk.room, customerId, id, all)).replayed, 2);
    assert.equal(await desk.dispatcher.claim(), 1);
    await desk.dispatcher.idle();
    assert.deepEqual(sequences(), [1, 1]);
    const [first] = await deliveries(id);
    assert.equal((await desk.state(customerId, id)).due_at, first?.next_attempt_at);
    assert.equal(await desk.dispatcher.claim(), 0, 'nothing can be sent before that');
    receiver.answer = (_, response) => void response.writeHead(200).end();
    desk.clock.advance(6 * SECOND_MS);
    await desk.send();
    assert.deepEqual(sequences(), [1, 1, 1, 2]);
  });

  test('of the order nothing is left waiting when it is no longer asked for', async () => {
    const { id } = await desk.endpoint(customerId, { url: receiver.url, ordering: 'resource' });
    receiver.answer = ({ message }, response) =>
      void response.writeHead(message.type === 'transaction.funded' ? 500 : 200).end();
    await desk.notify(customerId, funded, settling);
    await desk.send();
    assert.deepEqual(sequences(), [1]);
    await updateEndpoint(desk.room, customerId, id, { ordering: 'none' }, undefined);
    await desk.send();
    assert.deepEqual(sequences(), [1, 2]);
  });
});

describe('what was sent', () => {
  test('is sent once more, one by one or for a time, also what was never sent', async () => {
    const early = await desk.endpoint(customerId, { url: receiver.url });
    await desk.notify(customerId, funded, settling, closed);
    const { id } = await desk.endpoint(customerId, {
      url: receiver.url,
      types: ['transaction.funded', 'market.closed'],
    });
    await removeEndpoint(desk.room, customerId, early.id);
    const all = { from: undefined, to: undefined, status: undefined, after: undefined };
    const { replayed, last } = await replayMany(desk.room, customerId, id, all);
    assert.equal(replayed, 2);
    await desk.send();
    assert.deepEqual(sequences().sort(), [1, 3]);
    const [first] = await deliveries(id);
    assert.ok(first);
    const row = await replayDelivery(desk.room, customerId, id, first.event_id);
    assert.deepEqual([row.status, row.attempts], ['pending', 0]);
    await desk.send();
    assert.deepEqual(sequences(), [1, 3, 1]);
    const beyond = { ...all, after: typeId('evt', last ?? '') };
    assert.equal((await replayMany(desk.room, customerId, id, beyond)).replayed, 0);
    assert.equal((await replayMany(desk.room, customerId, id, { ...all, to: 1 })).replayed, 0);
    assert.equal(
      (await replayMany(desk.room, customerId, id, { ...all, from: Date.now() + HOUR_MS })).replayed,
      0,
    );
    const unknown = replayDelivery(desk.room, customerId, id, newUuid(1));
    await assert.rejects(unknown, { code: 'webhook_not_found' });
  });

  test('begins anew, whatever comes of an attempt that was under way when that was ordered', async () => {
    const { id } = await desk.endpoint(customerId, { url: receiver.url });
    failing();
    await desk.notify(customerId, closed);
    await desk.send();
    const [first] = await deliveries(id);
    receiver.answer = (_, response) => {
      failing();
      void replayDelivery(desk.room, customerId, id, first?.event_id ?? '').then(() =>
        response.writeHead(500).end(),
      );
    };
    desk.clock.advance(6 * SECOND_MS);
    await desk.send();
    const [row] = await deliveries(id);
    assert.deepEqual([row?.status, row?.attempts], ['pending', 1]);
    assert.ok((row?.next_attempt_at ?? 0) - desk.clock.now() < 6 * SECOND_MS, 'the series goes on');
    assert.equal(receiver.received.length, 3);
  });

  test("goes on after an event of its own feed, operators' too, and after no other one", async () => {
    const kinds = ['exception.opened', 'approval.requested', 'payment.failed'];
    const { id } = await desk.endpoint(null, { url: receiver.url, types: kinds });
    for (const kind of kinds) await pool.query("select notify_operators($1, now(), 'x', '{}')", [kind]);
    await desk.send();
    const types = () => receiver.received.map(({ message }) => message.type);
    assert.deepEqual(types().sort(), [...kinds].sort());
    // Those of one millisecond have their places in any order.
    const { rows } = await pool.query<{ id: string }>(
      'select id from operator_events order by place desc limit 3',
    );
    const all = { from: undefined, to: undefined, status: undefined, after: undefined };
    const after = { ...all, after: typeId('evt', rows[2]?.id ?? '') };
    assert.equal((await replayMany(desk.room, null, id, after)).replayed, 2);

    const own = await desk.endpoint(customerId, { url: receiver.url });
    await desk.notify(customerId, closed);
    await desk.send();
    for (const [owner, endpoint] of [
      [null, id],
      [customerId, own.id],
    ] as const) {
      const foreign = { ...all, after: typeId('evt', newUuid(Date.now())) };
      await assert.rejects(replayMany(desk.room, owner, endpoint, foreign), { code: 'cursor_invalid' });
    }
  });

  test('a test is sent at once, and told with its answer', async () => {
    const { id, secret } = await desk.endpoint(customerId, { url: receiver.url });
    receiver.answer = (_, response) => void response.writeHead(418).end('a teapot');
    const row = await sendTest(desk.room, customerId, id);
    assert.equal(row.status, 'failed');
    const [attempt] = JSON.parse(row.log);
    assert.deepEqual([attempt.status, attempt.failure, attempt.answer], [418, 'status', 'a teapot']);
    assert.ok(verified(receiver.received[0] ?? assert.fail(), secret));
    await assert.rejects(replayDelivery(desk.room, customerId, id, row.event_id), {
      code: 'webhook_not_found',
    });
  });
});

describe('instances', () => {
  test('never serve an endpoint at the same time, and what one leaves behind another one makes', async () => {
    const { id } = await desk.endpoint(customerId, { url: receiver.url });
    const others = Array.from({ length: 3 }, () => createWebhookDesk(pool));
    let atOnce = 0;
    let most = 0;
    receiver.answer = (_, response) => {
      most = Math.max(most, ++atOnce);
      setTimeout(() => {
        atOnce--;
        response.writeHead(200).end();
      }, 2);
    };
    await desk.notify(customerId, ...Array.from({ length: 60 }, () => closed));
    const claimed = await Promise.all([desk, ...others].map(({ dispatcher }) => dispatcher.claim()));
    assert.equal(
      claimed.reduce((sum, each) => sum + each),
      1,
    );
    await Promise.all([desk, ...others].map(({ dispatcher }) => dispatcher.idle()));
    assert.equal(receiver.received.length, 60);
    assert.equal(new Set(receiver.received.map((each) => each.id)).size, 60);
    assert.ok(most > 1 && most <= 10, `${most} at once`);

    // One that is gone: it has claimed, and nobody hears of it again.
    await desk.notify(customerId, closed);
    await pool.query('select claim_webhooks(now(), gen_random_uuid(), now() + $1::interval, 10, 10)', [
      '60 seconds',
    ]);
    const [other] = others;
    assert.ok(other);
    await other.send();
    assert.equal(receiver.received.length, 60);
    other.clock.advance(61 * SECOND_MS);
    await other.send();
    assert.equal(receiver.received.length, 61);
    assert.equal((await desk.state(customerId, id)).lease, null);
  });

  test('who has lost its lease writes nothing, and stops', async () => {
    const { id } = await desk.endpoint(customerId, { url: receiver.url, ordering: 'resource' });
    receiver.answer = (_, response) => {
      void pool
        .query('update webhook_endpoints set lease = gen_random_uuid() where id = $1', [id])
        .then(() => response.writeHead(200).end());
    };
    await desk.notify(customerId, funded, settling);
    await desk.dispatcher.claim();
    await desk.dispatcher.idle();
    assert.deepEqual(await deliveries(id), []);
    assert.equal((await desk.state(customerId, id)).sequence, '0');
  });
});
