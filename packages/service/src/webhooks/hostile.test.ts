import assert from 'node:assert/strict';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type Socket } from 'node:net';
import { before, beforeEach, describe, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk as createTradingDesk } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { AddressGuard } from './address-guard.ts';
import { type LoggedAttempt, listDeliveries } from './delivery-store.ts';
import { createWebhookDesk, listen, opened, startReceiver } from './test-support.ts';

/** Receivers that are slow, broken or up to something: each costs itself, and nobody else. */

/** Of hooks.example.com, for this test alone; it ends in a hundred years. */
const SELF_SIGNED = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgheyrZEptdyhuvZDN
ZFDWbVnqL+yBMN8pPxyFoqm5q3KhRANCAASVfjwaK3KXGGWYHByhBcl9PPUde0Vd
X/nBc1yAyALd/3yvTnJ1ujh3X2MHQdicyd1BsW0GnGD88clL80XD46KZ
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBrjCCAVOgAwIBAgIUHPQWI2YarYJF0sflB7BtHSb4iw0wCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRaG9va3MuZXhhbXBsZS5jb20wIBcNMjYxMTIyMjE1MjE4WhgP
MjEyNjEwMjkyMTUyMThaMBwxGjAYBgNVBAMMEWhvb2tzLmV4YW1wbGUuY29tMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAElX48GitylxhlmBwcoQXJfTz1HXtFXV/5
wXNcgMgC3f98r05ydbo4d19jB0HYnMndQbFtBpxg/PHJS/NFw+OimaNxMG8wHQYD
VR0OBBYEFOZiVw9/d/DquCC3zLApomUnPAPrMB8GA1UdIwQYMBaAFOZiVw9/d/Dq
uCC3zLApomUnPAPrMA8GA1UdEwEB/wQFMAMBAf8wHAYDVR0RBBUwE4IRaG9va3Mu
ZXhhbXBsZS5jb20wCgYIKoZIzj0EAwIDSQAwRgIhAP2Mbph5/XzEEcObvewsgiWH
4SRJZI9cD+7UYckqxWXGAiEA+oC3T0+8vlUzge9lK4MdFuVLyTfEDVT3Wb21aq50
Ico=
-----END CERTIFICATE-----`,
};

let pool: Pool;
let customerId: string;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
});
beforeEach(async () => {
  await pool.query('delete from webhook_endpoints');
  ({ customerId } = await createTradingDesk(pool));
});

const closed = { type: 'market.closed' } as const;
/** Of an answer that comes, on a machine that does much else. */
const LIMIT_MS = 3_000;
/** Of one that never comes, so that nobody waits for it. */
const SHORT_MS = 60;

/** Sends one event to the address, and answers what was written down of it. */
async function attemptTo(
  url: string,
  options: Parameters<typeof createWebhookDesk>[1] = {},
): Promise<LoggedAttempt & { state: string }> {
  const desk = createWebhookDesk(pool, { limitMs: LIMIT_MS, ...options });
  await pool.query('delete from webhook_endpoints');
  const { id } = await desk.endpoint(customerId, { url });
  await desk.notify(customerId, closed);
  await desk.send();
  const [row] = await listDeliveries(pool, id, undefined, undefined, 10);
  assert.ok(row);
  const [attempt] = JSON.parse(row.log) as LoggedAttempt[];
  assert.ok(attempt);
  return { ...attempt, state: row.status };
}

async function rawServer(handler: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    handler(socket);
  });
  return opened(server);
}

describe('an answer', () => {
  test('that never comes ends the attempt, on a connection that is half open too', async () => {
    const short = { limitMs: SHORT_MS };
    const silent = await attemptTo(await rawServer(() => undefined), short);
    assert.deepEqual([silent.failure, silent.status, silent.state], ['timeout', null, 'pending']);
    assert.ok(silent.durationMs >= SHORT_MS - 5 && silent.durationMs < 5_000, `${silent.durationMs}`);
    const dripping = await rawServer((socket) => {
      const drip = setInterval(() => socket.write('H'), 10);
      socket.on('close', () => clearInterval(drip));
    });
    assert.match((await attemptTo(dripping, short)).failure ?? '', /timeout|answer_invalid/);
    const gone = await rawServer((socket) => socket.destroy());
    assert.equal((await attemptTo(gone)).failure, 'connection_failed');
    assert.equal((await attemptTo('http://127.0.0.1:9/')).failure, 'connection_failed');
  });

  test('is judged by its head, and read no further than it is kept', async () => {
    let sent = 0;
    const huge = await listen((_, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536, 'x');
      const more = (): void => {
        while (sent < 10_000_000 && !response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) {
            response.once('drain', more);
            return;
          }
        }
      };
      more();
    });
    const attempt = await attemptTo(huge);
    assert.deepEqual([attempt.state, attempt.status, attempt.answer?.length], ['delivered', 200, 1_024]);
    assert.ok(sent < 9_000_000, `${sent} bytes were sent`);
    const endless = await listen((_, response) => void response.writeHead(500).write('it broke'));
    const { answer, failure, durationMs } = await attemptTo(endless);
    assert.deepEqual([answer, failure], ['it broke', 'status']);
    assert.ok(durationMs < 10_000, `${durationMs}`);
    const zeros = await attemptTo(
      await listen((_, response) => void response.writeHead(400).end('a\0b\xff')),
    );
    assert.equal(zeros.status, 400);
  });

  test('that leads elsewhere is followed nowhere', async () => {
    const inner = await startReceiver();
    for (const status of [301, 302, 303, 307, 308]) {
      const away = await listen(
        (_, response) => void response.writeHead(status, { location: inner.url }).end(),
      );
      const { failure, status: reported } = await attemptTo(away);
      assert.deepEqual([failure, reported], ['redirect', status]);
    }
    const upgrading = await rawServer((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')),
    );
    assert.equal((await attemptTo(upgrading)).failure, 'status');
    assert.equal(inner.received.length, 0);
  });

  test('that is no HTTP, or has endless headers, is none', async () => {
    const rubbish = await rawServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n\r\n'));
    assert.equal((await attemptTo(rubbish)).failure, 'answer_invalid');
    const headers = await rawServer((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`),
    );
    assert.match((await attemptTo(headers)).failure ?? '', /answer_invalid|connection_failed/);
  });

  test('is believed under a certificate that is good for the name alone', async () => {
    const { key, cert } = SELF_SIGNED;
    const received: string[] = [];
    const tls = createTlsServer({ key, cert }, (request, response) => {
      received.push(request.headers.host ?? '');
      request.resume();
      response.writeHead(204).end();
    });
    const port = new URL(await opened(tls)).port;
    const resolve = async () => ['127.0.0.1'];
    const limits = { guard: { resolve } };
    assert.equal((await attemptTo(`https://hooks.example.com:${port}/`, limits)).failure, 'tls_failed');
    const known = { ...limits, ca: cert };
    assert.equal((await attemptTo(`https://other.example.com:${port}/`, known)).failure, 'tls_failed');
    assert.deepEqual(received, []);
    assert.equal((await attemptTo(`https://hooks.example.com:${port}/`, known)).state, 'delivered');
    assert.deepEqual(received, [`hooks.example.com:${port}`]);
    const plain = await listen((_, response) => void response.end());
    assert.equal((await attemptTo(plain.replace('http:', 'https:'), known)).failure, 'tls_failed');
  });
});

const production = { allowsHttp: false, allowsLoopback: false, networks: [], ports: [443] };

describe('an address', () => {
  test('is on the public internet, whatever it is written as', () => {
    const guard = new AddressGuard({ ...production, ports: undefined });
    const closedOnes = [
      ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
      ...['192.0.0.8', '198.18.0.1', '224.0.0.1', '255.255.255.255', '203.0.113.9', '192.88.99.1'],
      ...['::', '::1', 'fe80::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '::ffff:10.0.0.1', '::ffff:8.8.8.8'],
      ...[
        '64:ff9b::a00:1',
        '2002:7f00:1::',
        '2001:db8::1',
        '2001:0:7f00:1::',
        '::127.0.0.1',
        'fec0::1',
        '100::1',
      ],
    ];
    for (const address of closedOnes) assert.equal(guard.allows(address), false, address);
    for (const address of ['8.8.8.8', '1.1.1.1', '2606:4700::1111', '172.32.0.1', '100.128.0.1', '11.0.0.1'])
      assert.equal(guard.allows(address), true, address);
    const written = [
      ...[
        'https://127.0.0.1/',
        'https://127.1/',
        'https://0x7f.1/',
        'https://2130706433/',
        'https://017700000001/',
      ],
      ...['https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'https://169.254.169.254/latest/meta-data'],
      ...[
        'http://example.com/',
        'ftp://example.com/',
        'https://user:word@example.com/',
        'https://example.com/#a',
      ],
      ...['not an address', 'https://', 'file:///etc/passwd'],
    ];
    for (const url of written) assert.notEqual(guard.wrongWith(url), undefined, url);
    assert.equal(guard.wrongWith('https://example.com/hooks?tenant=4'), undefined);
  });

  test('has a port that is allowed, and the sandbox reaches this machine and no other private one', () => {
    const guard = new AddressGuard(production);
    assert.match(guard.wrongWith('https://example.com:22/') ?? '', /443/);
    assert.equal(guard.wrongWith('https://example.com/'), undefined);
    const sandbox = new AddressGuard({
      ...production,
      ports: undefined,
      allowsHttp: true,
      allowsLoopback: true,
    });
    assert.equal(sandbox.wrongWith('http://127.0.0.1:8099/'), undefined);
    assert.equal(sandbox.wrongWith('http://[::1]:8099/'), undefined);
    assert.match(sandbox.wrongWith('http://192.168.0.4/') ?? '', /public/);
    const inner = new AddressGuard({ ...production, networks: ['10.7.0.0/16', 'fd00:7::/64'] });
    assert.deepEqual(
      [inner.allows('10.7.3.4'), inner.allows('10.8.3.4'), inner.allows('fd00:7::9')],
      [true, false, true],
    );
  });

  const resolvingTo = (...answers: readonly (readonly string[])[]) => {
    let asked = 0;
    const guard = {
      allowsLoopback: false,
      resolve: async () => answers[Math.min(asked++, answers.length - 1)] ?? [],
    };
    return { guard, asked: () => asked };
  };

  test('of a name is looked at when it is sent to: all that the name has', async () => {
    const inner = await startReceiver();
    const port = new URL(inner.url).port;
    const url = `http://hooks.example.com:${port}/`;
    const attempt = await attemptTo(url, resolvingTo(['127.0.0.1']));
    assert.deepEqual([attempt.failure, attempt.state], ['address_not_allowed', 'pending']);
    const mixed = resolvingTo(['8.8.8.8', '127.0.0.1']);
    assert.equal((await attemptTo(url, mixed)).failure, 'address_not_allowed');
    assert.equal((await attemptTo(url, resolvingTo([]))).failure, 'name_not_found');
    assert.equal(
      (await attemptTo(`http://localhost:${port}/`, { guard: { allowsLoopback: false } })).failure,
      'address_not_allowed',
    );
    assert.equal(inner.received.length, 0);
  });

  test('is held against what is allowed now, whatever was when the endpoint was set', async () => {
    const guard = new AddressGuard({ ...production, resolve: async () => ['8.8.8.8'] });
    const of = (url: string) => guard.addressOf(new URL(url));
    assert.deepEqual(await of('https://example.com/'), { address: '8.8.8.8' });
    for (const wider of ['https://example.com:8443/', 'http://example.com/', 'http://example.com:443/'])
      assert.deepEqual(await of(wider), { refusal: 'address_not_allowed' }, wider);
  });

  test('is the one that was looked at, though the name has another one by then', async () => {
    const receiver = await startReceiver();
    const { guard, asked } = resolvingTo(['127.0.0.1'], ['127.0.0.2'], ['10.0.0.1']);
    const desk = createWebhookDesk(pool, { limitMs: 3_000, guard: { ...guard, allowsLoopback: true } });
    await desk.endpoint(customerId, { url: `http://hooks.example.com:${new URL(receiver.url).port}/` });
    await desk.notify(customerId, closed, closed, closed);
    await desk.send();
    assert.equal(receiver.received.length, 3);
    assert.equal(asked(), 1, 'once for all connections of a turn');
    // The next turn looks again, and finds it turned inwards.
    await desk.notify(customerId, closed);
    await desk.send();
    await desk.notify(customerId, closed);
    await desk.send();
    assert.equal(receiver.received.length, 3);
    assert.ok(desk.outcomes.includes('address_not_allowed'));
  });
});

describe('others', () => {
  test('are not delayed: slow endpoints have places of their own', async () => {
    const waiting: Socket[] = [];
    const silent = await rawServer((socket) => void waiting.push(socket));
    const quick = await startReceiver();
    const desk = createWebhookDesk(pool, { limitMs: 20_000 });
    const slow = await Promise.all(
      Array.from({ length: 20 }, () => desk.endpoint(customerId, { url: silent })),
    );
    await pool.query('update webhook_endpoints set is_slow = true where id = any ($1::uuid[])', [
      slow.map(({ id }) => id),
    ]);
    const { customerId: other } = await createTradingDesk(pool);
    await desk.endpoint(other, { url: quick.url });
    await desk.notify(customerId, ...Array.from({ length: 50 }, () => closed));
    await desk.notify(other, closed, closed);
    const begun = performance.now();
    await desk.dispatcher.claim();
    while (quick.received.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    assert.ok(performance.now() - begun < 5_000);
    while (waiting.length < 20) await new Promise((resolve) => setTimeout(resolve, 2));
    // Who was slow is asked one at a time until it shows that it can take more.
    assert.equal(waiting.length, 20);
    for (const socket of waiting) socket.destroy();
    await desk.dispatcher.stop();
  });

  test('are served while one is being refused: a turn ends, and what was not begun is sent later', async () => {
    const receiver = await startReceiver();
    const desk = createWebhookDesk(pool);
    const { id } = await desk.endpoint(customerId, { url: receiver.url });
    receiver.answer = (_, response) => void response.writeHead(503).end();
    await desk.notify(customerId, ...Array.from({ length: 450 }, () => closed));
    await desk.send();
    const { sequence } = await desk.state(customerId, id);
    const waiting = await listDeliveries(pool, id, ['pending'], undefined, 500);
    assert.ok(
      waiting.length >= 200 && waiting.length <= 300,
      `${waiting.length} wait, and the feed is read no further`,
    );
    assert.equal(Number.parseInt(sequence, 10), waiting.length);
    receiver.answer = (_, response) => void response.writeHead(200).end();
    desk.clock.advance(6_000);
    await desk.send();
    assert.equal(new Set(receiver.received.map((each) => each.id)).size, 450);
    assert.equal((await desk.state(customerId, id)).sequence, '450');
  });

  test('are served while the service stops: attempts under way end, and nothing is lost', async () => {
    const receiver = await startReceiver();
    const desk = createWebhookDesk(pool);
    const { id } = await desk.endpoint(customerId, { url: receiver.url });
    const begun = Promise.withResolvers<void>();
    receiver.answer = (_, response) => {
      begun.resolve();
      setTimeout(() => response.writeHead(200).end(), 20);
    };
    await desk.notify(customerId, ...Array.from({ length: 80 }, () => closed));
    await desk.dispatcher.claim();
    await begun.promise;
    await desk.dispatcher.stop();
    const taken = new Set(receiver.received.map((each) => each.id)).size;
    assert.ok(taken < 80);
    const { lease, due_at: dueAt } = await desk.state(customerId, id);
    assert.deepEqual([lease, dueAt !== null], [null, true]);
    const next = createWebhookDesk(pool);
    await next.send();
    const ids = receiver.received.map((each) => each.id);
    assert.deepEqual([new Set(ids).size, ids.length], [80, 80]);
  });
});
