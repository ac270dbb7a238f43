import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { fastify } from 'fastify';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { silentLogger } from '../../test/support/sandbox.ts';
import { inTransaction } from '../database/pool.ts';
import { UnconfirmedCommit } from '../database/session.ts';
import { VirtualClock } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import { handleErrors } from './errors.ts';
import {
  canonicalJson,
  fingerprint,
  type IdempotentHandler,
  idempotent,
  parseIdempotencyKey,
  requestKeyOf,
} from './idempotency.ts';
import { IdempotencyStore } from './idempotency-store.ts';

const { pool } = await createTestDatabase();
const clock = new VirtualClock();
const store = new IdempotencyStore(pool, clock);
const CALLER = '0195f000-0000-7000-8000-00000000000a';

let work: IdempotentHandler = async () => ({ status: 201, body: { made: 0 } });
const app = fastify();
app.decorate('logger', silentLogger);
handleErrors(app, () => 'http://localhost');
app.decorateRequest('caller', undefined);
app.addHook('onRequest', (request, _reply, done) => {
  request.caller = {
    actor: { kind: 'client', id: CALLER },
    personId: undefined,
    tokenId: CALLER,
    customerId: undefined,
    scopes: new Set(),
  };
  done();
});
const handler: IdempotentHandler = (...call) => work(...call);
// Whoever must wait is told so at once, unless a test says otherwise.
const options = { store, waitMs: 0 };
app.post('/things/:id', idempotent(options, handler));
app.post('/secrets', idempotent({ store, storeBody: false, waitMs: 0 }, handler));
/** Loses the database at what a test says. */
const losing = { at: '' as 'reserve' | 'complete' | 'release' | '', error: new Error('') };
class LosingStore extends IdempotencyStore {
  override async reserve(...call: Parameters<IdempotencyStore['reserve']>) {
    const state = await super.reserve(...call);
    if (losing.at === 'reserve') throw losing.error;
    return state;
  }

  override async complete(...call: Parameters<IdempotencyStore['complete']>) {
    if (losing.at === 'complete') throw losing.error;
    return super.complete(...call);
  }

  override async release(...call: Parameters<IdempotencyStore['release']>) {
    if (losing.at === 'release') throw losing.error;
    await super.release(...call);
  }
}
app.post('/losing/:id', idempotent({ store: new LosingStore(pool, clock) }, handler));
app.post('/patient/:id', idempotent({ store }, handler));
app.post('/key', async (request) => ({ key: requestKeyOf(request, false)?.key ?? null }));
const address = await app.listen({ host: '127.0.0.1', port: 0 });
after(() => app.close());

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Reply = { status: number; headers: Headers; body: any };

async function post(path: string, key: string, body: object = {}): Promise<Reply> {
  const response = await fetch(address + path, {
    method: 'POST',
    headers: { 'Idempotency-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** A handler that counts its runs. */
function counting(answer: (run: number) => ReturnType<IdempotentHandler>) {
  const counter = { runs: 0 };
  work = () => answer(++counter.runs);
  return counter;
}

function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

test('keys come quoted or bare', () => {
  for (const [header, key] of [
    ['"abc"', 'abc'],
    ['abc', 'abc'],
    [' "a b, c" ', 'a b, c'],
    ['"a\\\\b"', 'a\\b'],
    ['a\\b', 'a\\b'],
    [`"${'x'.repeat(128)}"`, 'x'.repeat(128)],
  ] as const) {
    assert.equal(parseIdempotencyKey(header), key);
  }
  assert.equal(parseIdempotencyKey(undefined), undefined);
  for (const wrong of [
    '',
    '""',
    '"',
    'a"b',
    '"a\\"b"',
    '"a\\x"',
    '"a";p=1',
    '"a", "b"',
    'é',
    'a\tb',
    'x'.repeat(129),
    ['a'],
    ['a', 'b'],
  ]) {
    assert.throws(
      () => parseIdempotencyKey(wrong),
      (error) => error instanceof Problem && error.code === 'idempotency_key_invalid',
      String(wrong),
    );
  }
});

test('a key stands for the parameters of the request too, in whatever order', async () => {
  const counter = counting(async (run) => ({ status: 201, body: { run } }));
  const first = await post('/things/9?log=audit&size=1', 'parameters');
  assert.deepEqual([first.status, first.body], [201, { run: 1 }]);
  const again = await post('/things/9?size=1&log=audit', 'parameters');
  assert.equal(again.headers.get('Idempotency-Replayed'), 'true');
  for (const other of ['?log=journal&size=1', '?log=audit', '', '?log=audit&size=1&size=1']) {
    const refused = await post(`/things/9${other}`, 'parameters');
    assert.deepEqual([refused.status, refused.body.code], [422, 'idempotency_key_reused'], other);
  }
  assert.equal(counter.runs, 1);
});

test('a key that is sent twice is refused, one with a comma is not', async () => {
  const send = (keys: string | string[]) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const sent = httpRequest(
        `${address}/key`,
        { method: 'POST', headers: { 'Idempotency-Key': keys } },
        (response) => {
          let text = '';
          response.on('data', (part) => {
            text += part;
          });
          response.on('end', () => resolve({ status: response.statusCode, text }));
        },
      );
      sent.on('error', reject);
      sent.end();
    });
  assert.deepEqual(await send('a, b'), { status: 200, text: '{"key":"a, b"}' });
  const twice = await send(['a', 'b']);
  assert.equal(twice.status, 400);
  assert.match(twice.text, /idempotency_key_invalid/);
});

const anyJson = fc.jsonValue({ stringUnit: 'binary' });

test('a fingerprint depends on what is sent, not on how it is written', () => {
  fc.assert(
    fc.property(anyJson, anyJson, (a, b) => {
      const copy: unknown = JSON.parse(JSON.stringify(a));
      assert.deepEqual(JSON.parse(canonicalJson(a)), copy);
      assert.equal(fingerprint('/p', reversed(copy)), fingerprint('/p', a));
      const same = canonicalJson(a) === canonicalJson(b);
      assert.equal(fingerprint('/p', a) === fingerprint('/p', b), same);
    }),
  );
  assert.notEqual(fingerprint('/p', {}), fingerprint('/q', {}));
  assert.notEqual(fingerprint('/p', undefined), fingerprint('/p', null));
  assert.equal(
    canonicalJson({ b: [1, { d: 'x', c: null }], a: '"' }),
    '{"a":"\\"","b":[1,{"c":null,"d":"x"}]}',
  );
  assert.match(fingerprint('/p', {}), /^[0-9a-f]{64}$/);
});

/** The same value with the fields of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).reverse();
  return Object.fromEntries(fields.map(([name, field]) => [name, reversed(field)]));
}

test('the first answer is replayed with status, headers and body', async () => {
  const counter = counting(async (run) => ({
    status: 201,
    body: { run },
    headers: { Location: `/things/${run}` },
  }));
  const first = await post('/things/a', 'replay');
  const second = await post('/things/a', '"replay"');
  assert.deepEqual([second.status, second.body], [201, { run: 1 }]);
  assert.equal(first.headers.get('idempotency-replayed'), null);
  assert.equal(second.headers.get('idempotency-replayed'), 'true');
  assert.equal(second.headers.get('location'), '/things/1');
  assert.equal(counter.runs, 1);
  assert.deepEqual(
    (await post('/things/b', 'replay')).body,
    { run: 2 },
    'the key belongs to the ids in the path',
  );
  const reused = await post('/things/a', 'replay', { other: 1 });
  assert.deepEqual([reused.status, reused.body.code], [422, 'idempotency_key_reused']);
});

test('a second request waits for the first, and is told to come back when that takes long', async () => {
  const { opened, open } = gate();
  const counter = counting(async (run) => {
    await opened;
    return { status: 200, body: { run } };
  });
  const first = post('/things/a', 'slow');
  while (counter.runs === 0) await new Promise((resolve) => setImmediate(resolve));
  const early = await post('/things/a', 'slow');
  assert.deepEqual([early.status, early.body.code], [409, 'request_in_progress']);
  assert.equal(early.headers.get('retry-after'), '1');
  assert.equal((await post('/things/a', 'slow', { other: 1 })).status, 422);
  options.waitMs = 10_000;
  const waiting = post('/things/a', 'slow');
  open();
  assert.deepEqual((await first).body, { run: 1 });
  assert.deepEqual((await waiting).body, { run: 1 });
  assert.equal((await waiting).headers.get('idempotency-replayed'), 'true');
  assert.equal(counter.runs, 1);
  options.waitMs = 0;
});

test('a second request does not hang while the first commits what it did with its key', async () => {
  const [written, committing] = [gate(), gate()];
  const counter = counting(async (run) => ({ status: 200, body: { run } }));
  const inWork = work;
  work = async (request, keep, reply) => {
    const answer = await inWork(request, keep, reply);
    await inTransaction(pool, async (connection) => {
      await keep(connection, answer);
      written.open();
      await committing.opened;
    });
    return answer;
  };
  const first = post('/things/a', 'committing');
  await written.opened;
  const second = await post('/things/a', 'committing');
  const other = await post('/things/a', 'committing', { other: 1 });
  committing.open();
  assert.deepEqual([second.status, second.body.code], [409, 'request_in_progress']);
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
  assert.deepEqual((await first).body, { run: 1 });
  assert.deepEqual((await post('/things/a', 'committing')).body, { run: 1 });
  assert.equal(counter.runs, 1);
});

test('refusals and failures release the key', async () => {
  const counter = counting(async (run) => {
    if (run === 1) throw new Problem('limit_exceeded', 'too much');
    if (run === 2) throw new Error('bug');
    return run === 3 ? { status: 404, body: {} } : { status: 200, body: { run } };
  });
  const statuses = [];
  for (let i = 0; i < 5; i++) statuses.push((await post('/things/a', 'release')).status);
  assert.deepEqual(statuses, [422, 500, 404, 200, 200]);
  assert.equal(counter.runs, 4);
});

test('when the connection broke with a statement on it, the outcome is unknown and the key stays taken', async () => {
  counting(async () => {
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  });
  assert.equal((await post('/things/a', 'broken')).body.code, 'outcome_unknown');
  assert.equal((await post('/things/a', 'broken')).body.code, 'request_in_progress');
});

test('who is told to come again later because there is no database can do so with the same key', async () => {
  for (const [code, message] of [
    ['ECONNREFUSED', 'connect ECONNREFUSED'],
    ['57P01', 'terminating connection due to administrator command'],
    ['25006', 'cannot execute INSERT in a read-only transaction'],
    ['53100', 'could not extend file'],
    [undefined, 'Client has encountered a connection error and is not queryable'],
  ] as const) {
    const counter = counting(async (run) => {
      if (run === 1) throw Object.assign(new Error(message), code === undefined ? {} : { code });
      return { status: 201, body: { run } };
    });
    assert.equal((await post('/things/a', `later ${message}`)).body.code, 'maintenance', message);
    assert.deepEqual((await post('/things/a', `later ${message}`)).body, { run: 2 }, message);
    assert.equal(counter.runs, 2);
  }
});

test('a commit that nobody has answered for leaves its key to the database: kept with it, or free', async () => {
  const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  for (const isCommitted of [true, false]) {
    let runs = 0;
    work = async (_request, keep) => {
      const answer = { status: 201, body: { run: ++runs } };
      await inTransaction(pool, async (connection) => {
        await keep(connection, answer);
        if (!isCommitted && runs === 1) throw lost;
      });
      if (runs === 1) throw lost;
      return answer;
    };
    const key = `commit ${isCommitted}`;
    assert.equal((await post('/patient/a', key)).body.code, 'outcome_unknown');
    assert.deepEqual((await post('/patient/a', key)).body, { run: isCommitted ? 1 : 2 });
    assert.equal(runs, isCommitted ? 1 : 2);
  }
});

test('what was done is answered, also where its answer cannot be kept or its key released', async () => {
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const counter = counting(async (run) => {
    if (run === 2) throw new Problem('limit_exceeded', 'too much');
    return run === 3 ? { status: 404, body: { run } } : { status: 201, body: { run } };
  });
  Object.assign(losing, { at: 'complete', error: away });
  const done = await post('/losing/a', 'unkept');
  assert.deepEqual([done.status, done.body], [201, { run: 1 }]);
  Object.assign(losing, { at: 'release', error: away });
  const refused = await post('/losing/a', 'unreleased');
  assert.deepEqual([refused.status, refused.body.code], [422, 'limit_exceeded']);
  const missing = await post('/losing/a', 'unreleased too');
  assert.deepEqual([missing.status, missing.body], [404, { run: 3 }]);
  losing.at = '';
  assert.equal(counter.runs, 3);
  // It is written as soon as that is possible again, for which a repetition waits.
  const again = await post('/losing/a', 'unkept');
  assert.deepEqual(
    [again.status, again.body, again.headers.get('Idempotency-Replayed')],
    [201, { run: 1 }, 'true'],
  );
  assert.deepEqual((await post('/losing/a', 'unreleased')).body, { run: 4 });
  assert.deepEqual((await post('/losing/a', 'unreleased too')).body, { run: 5 });
});

test('a key that no standby has confirmed says nothing of work that was not begun', async () => {
  const counter = counting(async () => ({ status: 201, body: {} }));
  Object.assign(losing, { at: 'reserve', error: new UnconfirmedCommit('canceling wait') });
  const { status, body } = await post('/losing/a', 'unconfirmed');
  losing.at = '';
  assert.deepEqual([status, body.code, counter.runs], [503, 'outcome_unknown', 0]);
  assert.match(body.detail, /^No standby has confirmed .* may have been carried out/);
});

test('a reservation of a dead process is taken over after a minute, by the same request only', async () => {
  const wanted = {
    owner: CALLER,
    operation: 'http:POST /things/:id a',
    key: 'dead',
    fingerprint: fingerprint('/things/a', {}),
  };
  const dead = await store.reserve(wanted);
  assert.equal(dead.outcome, 'reserved');
  const counter = counting(async (run) => ({ status: 200, body: { run } }));
  clock.advance(59_000);
  assert.equal((await post('/things/a', 'dead')).status, 409);
  clock.advance(1_000);
  assert.equal((await post('/things/a', 'dead', { other: 1 })).status, 422);
  assert.equal((await post('/things/a', 'dead')).status, 200);
  assert.equal(counter.runs, 1);
  const token = dead.outcome === 'reserved' ? dead.token : 0;
  assert.equal(await store.complete({ ...wanted, token }, { status: 200, headers: {}, body: 'late' }), false);
  await store.release({ ...wanted, token });
  assert.deepEqual((await post('/things/a', 'dead')).body, { run: 1 }, 'the late one changes nothing');
  clock.followRealTime();
});

test('a key can be used anew after a day', async () => {
  const counter = counting(async (run) => ({ status: 200, body: { run } }));
  await post('/things/a', 'daily');
  clock.advance(24 * 3_600_000 - 60_000);
  assert.deepEqual((await post('/things/a', 'daily')).body, { run: 1 });
  clock.advance(60_001);
  assert.deepEqual((await post('/things/a', 'daily', { other: 1 })).body, { run: 2 });
  assert.equal(counter.runs, 2);
  clock.followRealTime();
});

test('secrets are not kept', async () => {
  const counter = counting(async () => ({
    status: 201,
    body: { secret: 'hunter2' },
    headers: { Location: '/secrets/1' },
  }));
  assert.deepEqual((await post('/secrets', 's')).body, { secret: 'hunter2' });
  const again = await post('/secrets', 's');
  assert.deepEqual(
    [again.status, again.body.code, again.body.location],
    [409, 'already_exists', '/secrets/1'],
  );
  assert.equal(counter.runs, 1);
  const { rows } = await pool.query("select * from idempotency_keys where operation like '%/secrets%'");
  assert.equal(rows.length, 1);
  assert.doesNotMatch(JSON.stringify(rows), /hunter2/);
});

test('an answer kept in the work of the handler stands and falls with it', async () => {
  await ownerOf(pool).query('create table made (run int); grant select, insert on made to public');
  let fail = true;
  let runs = 0;
  work = async (_request, keep) => {
    const answer = { status: 201, body: { run: ++runs } };
    await inTransaction(pool, async (connection) => {
      await connection.query('insert into made values ($1)', [runs]);
      await keep(connection, answer);
      if (fail) throw new Error('after the answer was kept');
    });
    return answer;
  };
  assert.equal((await post('/things/a', 'kept')).status, 500);
  fail = false;
  assert.deepEqual((await post('/things/a', 'kept')).body, { run: 2 });
  assert.deepEqual((await post('/things/a', 'kept')).body, { run: 2 });
  assert.deepEqual((await pool.query('select run from made')).rows, [{ run: 2 }]);

  // Taken over while at work: the work is undone, whoever took over does it.
  work = async (_request, keep) => {
    await pool.query(
      "update idempotency_keys set created_at = created_at + interval '61 s' where key = 'lost'",
    );
    await inTransaction(pool, async (connection) => {
      await connection.query('insert into made values (99)');
      await keep(connection, { status: 201, body: {} });
    });
    return { status: 201, body: {} };
  };
  assert.equal((await post('/things/a', 'lost')).body.code, 'request_in_progress');
  assert.deepEqual((await pool.query('select run from made')).rows, [{ run: 2 }]);
});
