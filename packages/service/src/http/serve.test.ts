import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type Operation, operation } from '@firmquote/api/operation';
import * as parameter from '@firmquote/api/parameters';
import { pageOf } from '@firmquote/api/schema';
import { Type } from '@firmquote/api/typebox';
import { fastify } from 'fastify';
import { createTestDatabase } from '../../test/support/database.ts';
import { silentLogger } from '../../test/support/sandbox.ts';
import { VirtualClock } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { handleErrors } from './errors.ts';
import { fingerprint } from './idempotency.ts';
import { IdempotencyStore } from './idempotency-store.ts';
import { CursorCodec } from './paging.ts';
import { serve, serveRaw } from './serve.ts';

/** Operations of a made-up house, whose handlers answer with what they were given. */

const { pool } = await createTestDatabase();
const CALLER = '0195f000-0000-7000-8000-00000000000b';
const THING = '0195f000-0000-7000-8000-00000000000c';
const Anything = Type.Object({}, { additionalProperties: true });
const base = { tag: 'Operations', access: { audience: 'operator', scope: 'operator:things' } } as const;
const params = { thingId: parameter.id('txn'), size: parameter.choice(['s', 'm']) };

const listThings = operation({
  ...base,
  id: 'listThings',
  method: 'GET',
  path: '/things',
  summary: 'List things',
  query: {
    kind: parameter.list(['a', 'b']),
    since: parameter.instant(),
    day: parameter.date(),
    owner: parameter.id('cus'),
    only: parameter.strictId('cus'),
    code: parameter.form(/^[A-Z]{3}$/, 'three capital letters'),
    age: parameter.byDefault(parameter.integer(0, 10), 3),
    name: parameter.text(5),
  },
  pages: true,
  answers: { 200: pageOf(Anything) },
});
const listMany = operation({
  ...base,
  id: 'listMany',
  method: 'GET',
  path: '/many',
  summary: 'List many things',
  query: { limit: parameter.byDefault(parameter.integer(1, 300), 250) },
  pages: true,
  answers: { 200: pageOf(Anything) },
});
const getThing = operation({
  ...base,
  id: 'getThing',
  method: 'GET',
  path: '/things/{thingId}/{size}',
  summary: 'Read a thing',
  params,
  query: { must: parameter.required(parameter.text()) },
  revalidates: true,
  answers: { 200: Anything },
});
const weather = operation({
  ...base,
  id: 'getWeather',
  method: 'GET',
  path: '/weather',
  summary: 'Read the weather',
  revalidates: true,
  answers: { 200: Anything },
});
const changeThing = operation({
  ...base,
  id: 'changeThing',
  method: 'POST',
  path: '/things/{thingId}',
  summary: 'Change a thing',
  params: { thingId: params.thingId },
  body: Type.Object({ to: Type.Optional(Type.Integer()) }, { additionalProperties: false }),
  optionalBody: true,
  key: 'kept',
  conditional: 'possible',
  answers: { 200: Anything, 202: Anything },
});
const replaceThing = operation({
  ...base,
  id: 'replaceThing',
  method: 'PUT',
  path: '/things/{thingId}',
  summary: 'Replace a thing',
  params: { thingId: params.thingId },
  conditional: 'required',
  answers: { 200: Anything },
});
const orderThing = operation({
  ...base,
  id: 'orderThing',
  method: 'POST',
  path: '/things',
  summary: 'Order a thing',
  key: 'kept',
  needsKey: true,
  unlocated: true,
  answers: { 201: Anything },
});
const lendThing = operation({
  ...base,
  id: 'lendThing',
  audited: 'own',
  method: 'POST',
  path: '/lent',
  summary: 'Lend a thing',
  body: Type.Object({ to: Type.Optional(Type.Integer()) }, { additionalProperties: false }),
  optionalBody: true,
  key: 'own',
  needsKey: true,
  conditional: 'required',
  answers: { 200: Anything },
  problems: ['idempotency_key_invalid'],
});
const getLent = operation({
  ...base,
  id: 'getLent',
  method: 'GET',
  path: '/lent',
  summary: 'Read what is lent',
  revalidates: true,
  answers: { 200: Anything },
});
const returnThing = operation({
  ...base,
  id: 'returnThing',
  audited: 'nothing',
  method: 'DELETE',
  path: '/lent',
  summary: 'Return a thing',
  answers: { 200: Anything },
});
const getStatus = operation({
  id: 'getStatus',
  tag: 'Operations',
  method: 'GET',
  path: '/status',
  summary: 'Read whether it runs',
  answers: { 200: Anything },
});
const forgetful: Operation = operation({
  ...base,
  id: 'forgetful',
  method: 'DELETE',
  path: '/things',
  summary: 'Answer nothing',
  answers: { 200: Anything },
});

let done = 0;
const app = fastify();
app.decorate('logger', silentLogger);
app.decorate('kit', {
  idempotency: new IdempotencyStore(pool, new VirtualClock()),
  cursors: new CursorCodec(Buffer.alloc(32, 1)),
  recordAct: async () => undefined,
});
handleErrors(app, () => 'http://localhost');
app.decorateRequest('caller', undefined);
app.addHook('onRequest', (request, _reply, next) => {
  request.caller = {
    actor: { kind: 'client', id: CALLER },
    personId: undefined,
    tokenId: CALLER,
    customerId: undefined,
    scopes: new Set(),
  };
  next();
});
serve(
  app,
  listThings,
  ({ query, page }) => {
    const [from] = page.place('number') ?? [0];
    const rows = Array.from({ length: page.rows }, (_, index) => from + index + 1).filter((row) => row <= 5);
    return {
      body: page.of(
        rows,
        (row) => [row],
        (row) => ({ row, query }),
      ),
    };
  },
  {
    judge({ code, name }, refuse) {
      if (code === 'ZZZ') refuse('code', 'not_known', 'must be known');
      if (name === 'x') refuse('name', 'not_known', 'must be known');
    },
  },
);
serve(app, listMany, ({ page }) => ({
  body: page.of(
    Array.from({ length: page.rows }, (_, row) => row),
    (row) => [row],
    (row) => ({ row }),
  ),
}));
serve(app, getThing, ({ params: given, query }) => ({ version: 7, body: { ...given, ...query } }));
serve(app, weather, () => ({ maxAgeSeconds: 5, body: { rain: true } }));
serve(app, changeThing, async ({ params: { thingId }, body, by, ifMatch, inCommit }) => {
  done += 1;
  const later = body.to === 2 ? { status: 202, headers: { Location: '/later' } } : undefined;
  await inCommit((number: number) => ({
    ...(later ?? { version: number }),
    body: { thingId, by, ifMatch, number },
  }))(pool, done);
});
serve(app, replaceThing, ({ ifMatch }) => ({ version: 3, body: { ifMatch } }));
serve(app, orderThing, () => ({ body: { ordered: true } }));
serve(app, forgetful, async () => undefined);
serve(app, { ...lendThing, path: '/lent/served' }, ({ key, ifMatch }) => ({
  version: 3,
  body: { ...key, ifMatch },
}));
serveRaw(app, lendThing, (_request, _reply, { key, ifMatch }) => ({ ...key, ifMatch }));
serveRaw(app, getLent, (_request, _reply, headers) => ({ has: headers.has(7), key: headers.key ?? null }));
serveRaw(app, returnThing, (_request, _reply, headers) => ({
  has: headers.has(7),
  key: headers.key ?? null,
  ifMatch: headers.ifMatch ?? null,
}));
serveRaw(app, getStatus, () => ({ runs: true }));
after(() => app.close());

async function call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, headers = {}, payload?: object) {
  const answer = await app.inject({ method, url, headers, ...(payload !== undefined && { payload }) });
  const { statusCode: status, headers: answered } = answer;
  return { status, headers: answered, body: answer.body === '' ? undefined : answer.json() };
}

describe('parameters', () => {
  test('arrive as what they stand for', async () => {
    const query = `kind=a,b&kind=a&since=2026-03-04T00:00:00Z&day=2026-03-04&owner=${typeId('cus', THING)}&code=EUR&name=y`;
    const { body } = await call('GET', `/things?${query}`);
    const since = Date.UTC(2026, 2, 4);
    const expected = {
      kind: ['a', 'b'],
      since,
      day: '2026-03-04',
      owner: THING,
      code: 'EUR',
      age: 3,
      name: 'y',
    };
    assert.deepEqual(body.items[0].query, expected);
  });

  test('are refused all at once: wrong, repeated, unknown', async () => {
    const query = 'kind=c&since=now&day=2026-02-30&code=eur&age=11&name=longer&name=x&limit=0&more=1';
    const { status, body } = await call('GET', `/things?${query}`);
    assert.equal(status, 400);
    const pointers = body.errors.map((error: { pointer: string }) => error.pointer).sort();
    assert.deepEqual(
      pointers,
      ['age', 'code', 'day', 'kind', 'limit', 'more', 'name', 'since'].map((name) => `/query/${name}`),
    );
  });

  test('are refused with what only the handler can judge, in the order in which they are declared', async () => {
    const { body } = await call('GET', '/things?more=1&name=x&age=11&code=ZZZ&only=cus_1');
    assert.deepEqual(
      body.errors.map(({ pointer, code }: Record<string, string>) => [pointer, code]),
      [
        ['/query/only', 'wrong_format'],
        ['/query/code', 'not_known'],
        ['/query/age', 'not_permitted'],
        ['/query/name', 'not_known'],
        ['/query/more', 'unknown_field'],
      ],
    );
  });

  test('are asked for where they are required', async () => {
    const { body } = await call('GET', `/things/${typeId('txn', THING)}/s`);
    assert.deepEqual(body.errors, [{ pointer: '/query/must', code: 'required', detail: 'is required' }]);
  });

  test('of the path: an id of the wrong form names nothing that there is', async () => {
    const { body } = await call('GET', '/things/%00/m?must=x');
    assert.deepEqual(body, { thingId: 'ffffffff-ffff-ffff-ffff-ffffffffffff', size: 'm', must: 'x' });
    const wrong = await call('GET', `/things/${typeId('txn', THING)}/xl?must=x`);
    assert.equal(wrong.body.errors[0].pointer, '/path/size');
  });
});

describe('what an operation does not take', () => {
  test('of the query is refused, also by handlers that answer themselves', async () => {
    for (const [method, path] of [
      ['GET', '/weather'],
      ['GET', '/lent'],
      ['DELETE', '/lent'],
    ] as const) {
      const { status, body } = await call(method, `${path}?pretty=1`);
      assert.deepEqual(
        [status, body.errors?.[0]?.pointer, body.errors?.[0]?.code],
        [400, '/query/pretty', 'unknown_field'],
      );
    }
  });

  test('of the query is passed over where anybody may read: probes and caches put in what they like', async () => {
    assert.deepEqual((await call('GET', '/status?at=1')).body, { runs: true });
  });

  test('of a body is refused, and nothing is as good as an empty one', async () => {
    const headers = { 'idempotency-key': 'none-taken' };
    const { status, body } = await call('POST', '/things', headers, { colour: 'red' });
    assert.deepEqual(
      [status, body.errors],
      [400, [{ pointer: '', code: 'unknown_field', detail: 'must be empty' }]],
    );
    assert.equal((await call('POST', '/things', headers, {})).status, 201);
    const put = (payload?: object) =>
      call('PUT', `/things/${typeId('txn', THING)}`, { 'if-match': '"v2"' }, payload);
    assert.equal((await put({ to: 1 })).status, 400);
    assert.equal((await put()).status, 200);
  });
});

describe('pages', () => {
  test('may be larger than usual, and of another size each time', async () => {
    const first = await call('GET', '/many?limit=300');
    assert.equal(first.body.items.length, 300);
    const next = await call('GET', `/many?cursor=${first.body.nextCursor}`);
    assert.equal(next.body.items.length, 250);
    assert.equal((await call('GET', '/many?limit=301')).body.errors[0].code, 'not_permitted');
  });

  test('follow each other, each with a link to the next', async () => {
    const first = await call('GET', '/things?limit=2&kind=a');
    assert.deepEqual([first.body.items.length, first.body.hasMore], [2, true]);
    assert.match(String(first.headers.link), /cursor=.*rel="next"/);
    const next = await call('GET', `/things?limit=3&kind=a&cursor=${first.body.nextCursor}`);
    assert.deepEqual(
      next.body.items.map(({ row }: { row: number }) => row),
      [3, 4, 5],
    );
    assert.deepEqual([next.body.hasMore, next.body.nextCursor, next.headers.link], [false, null, undefined]);
  });

  test('belong to their filters', async () => {
    const { body } = await call('GET', '/things?limit=2&kind=a');
    const other = await call('GET', `/things?kind=b&cursor=${body.nextCursor}`);
    assert.equal(other.body.code, 'cursor_invalid');
  });
});

describe('answers', () => {
  test('bring their version, and are not sent again to who has it', async () => {
    const path = `/things/${typeId('txn', THING)}/s?must=x`;
    assert.equal((await call('GET', path)).headers.etag, '"v7"');
    const again = await call('GET', path, { 'if-none-match': '"v7"' });
    assert.deepEqual([again.status, again.body], [304, undefined]);
    assert.equal((await call('GET', path, { 'if-none-match': '"v6"' })).status, 200);
  });

  test('without a version are known by their content', async () => {
    const { headers, body } = await call('GET', '/weather');
    assert.deepEqual(body, { rain: true });
    assert.deepEqual(
      [headers['content-type'], headers['cache-control'], headers.vary],
      ['application/json; charset=utf-8', 'private, max-age=5', 'Authorization'],
    );
    const again = await call('GET', '/weather', { 'if-none-match': `"x", ${headers.etag}` });
    assert.deepEqual([again.status, again.body, again.headers.etag], [304, undefined, headers.etag]);
    assert.equal(again.headers['cache-control'], 'private, max-age=5');
    assert.equal((await call('GET', '/weather', { 'if-none-match': '"x"' })).status, 200);
  });

  test('are made in the commit, kept under the key, and replayed', async () => {
    const path = `/things/${typeId('txn', THING)}`;
    const headers = { 'idempotency-key': 'k1', 'if-match': '"v3"' };
    const first = await call('POST', path, headers);
    assert.deepEqual(first.body, { thingId: THING, by: CALLER, ifMatch: 3, number: 1 });
    assert.deepEqual([first.status, first.headers.etag], [200, '"v1"']);
    const again = await call('POST', path, headers);
    assert.deepEqual([again.body, again.headers['idempotency-replayed'], done], [first.body, 'true', 1]);
    assert.equal((await call('POST', path, headers, { to: 1 })).body.code, 'idempotency_key_reused');
    assert.equal((await call('POST', path, {}, { to: 2 })).status, 202);
    assert.equal((await call('POST', path, {}, { to: 'x' })).body.code, 'validation_failed');
  });

  test('are refused to who does not say what it has read, where that is required', async () => {
    const path = `/things/${typeId('txn', THING)}`;
    const refused = await call('PUT', path);
    assert.deepEqual([refused.status, refused.body.code], [428, 'precondition_required']);
    assert.deepEqual((await call('PUT', path, { 'if-match': '"v2"' })).body, { ifMatch: 2 });
    assert.deepEqual((await call('PUT', path, { 'if-match': '*' })).body, { ifMatch: '*' });
  });

  test('are refused to who sends no key, where one is needed', async () => {
    const refused = await call('POST', '/things');
    assert.deepEqual([refused.status, refused.body.code], [400, 'idempotency_key_required']);
    assert.deepEqual(refused.body.errors[0].pointer, '/header/Idempotency-Key');
    for (const replayed of [undefined, 'true']) {
      const answer = await call('POST', '/things', { 'idempotency-key': 'k2' });
      assert.deepEqual([answer.status, answer.headers['idempotency-replayed']], [201, replayed]);
    }
  });

  test('are never left out', async () => {
    assert.equal((await call('DELETE', '/things')).status, 500);
  });
});

describe('key and conditions', () => {
  test('are handed to handlers that keep their answers themselves', async () => {
    for (const path of ['/lent', '/lent/served']) {
      const code = async (headers: object) => (await call('POST', path, headers)).body.code;
      assert.equal(await code({ 'if-match': '"v3"' }), 'idempotency_key_required');
      assert.equal(await code({ 'idempotency-key': '', 'if-match': '"v3"' }), 'idempotency_key_invalid');
      assert.equal(await code({ 'idempotency-key': 'k' }), 'precondition_required');
      assert.equal(await code({ 'idempotency-key': 'k', 'if-match': 'v3' }), 'validation_failed');
      const headers = { 'idempotency-key': '"k"', 'if-match': '"v3"' };
      const { body } = await call('POST', path, headers, { to: 1 });
      assert.deepEqual(body, { key: 'k', fingerprint: fingerprint(path, { to: 1 }), ifMatch: 3 });
    }
  });

  test('say whether a version is known', async () => {
    const has = async (tags: string) => (await call('GET', '/lent', { 'if-none-match': tags })).body.has;
    assert.deepEqual([await has('"v7"'), await has('"v6", W/"v7"'), await has('"v6"')], [true, true, false]);
  });

  test('are as good as not sent where they are not declared', async () => {
    const headers = { 'idempotency-key': '"', 'if-match': 'v3', 'if-none-match': '*' };
    assert.deepEqual((await call('DELETE', '/lent', headers)).body, { has: false, key: null, ifMatch: null });
    assert.equal((await call('GET', '/lent', headers)).body.key, null);
  });
});

test('what changes something is not served past the audit trail', () => {
  for (const declared of [orderThing, forgetful]) {
    assert.throws(() => serveRaw(app, declared, () => undefined), /would leave no row in the audit trail/);
  }
  assert.doesNotThrow(() => serveRaw(fastify(), { ...forgetful, audited: 'nothing' }, () => undefined));
});
