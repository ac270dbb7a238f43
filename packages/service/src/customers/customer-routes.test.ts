import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTypeId } from '../platform/ids.ts';
import { type Reply, startTestServer } from './test-server.ts';

const server = await startTestServer();
const { call } = server;
const path = '/v1/operator/customers';

async function create(body: object = { name: 'Acme' }): Promise<Reply> {
  const created = await call('POST', path, { body });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  return created;
}

function uuid(reply: Reply): string {
  return parseTypeId('cus', reply.body.customerId) ?? assert.fail('not a customer id');
}

async function count(table: string): Promise<number> {
  const { rows } = await server.database.pool.query<{ n: number }>(`select count(*)::int as n from ${table}`);
  return rows[0]?.n ?? -1;
}

test('a new customer has settings, limits and usage', async () => {
  const created = await create({
    name: 'Müller & Söhne',
    groupName: 'gold',
    externalReference: 'crm-7',
    settings: { permittedValidities: [60, 10], requireStatusCheck: true },
  });
  assert.equal(created.headers.get('location'), `${path}/${created.body.customerId}`);
  assert.equal(created.headers.get('etag'), '"v1"');
  assert.deepEqual(created.body.settings, {
    pricingDisclosure: 'full',
    requireStatusCheck: true,
    requireIdempotencyKey: false,
    permittedValidities: [10, 60],
    amountRounding: 'half_up',
    thirdPartyPayments: 'accept',
    payerNames: [],
    paymentNetting: false,
    fundingMode: 'post_funded',
    proceedsToBalance: false,
  });
  const read = await call('GET', `${path}/${created.body.customerId}`);
  assert.deepEqual(read.body, created.body);
  const profile = await server.directory.profile(uuid(created));
  assert.equal(profile.limits.dailyUsdMinor, 1_000_000_000n);
  assert.equal(profile.limits.maxOpenQuotes, 10);
  assert.equal(profile.quotas.execute.burst, 5);
  assert.equal(profile.groupName, 'gold');
});

test('wrong fields are all named, and nothing is created', async () => {
  const before = await count('customers');
  const refused = await call('POST', path, {
    body: {
      name: 'a\u0000b',
      groupName: ' ',
      surprise: 1,
      settings: { permittedValidities: [0], colour: 'red', amountRounding: 'up' },
    },
  });
  assert.equal(refused.status, 400);
  assert.equal(refused.body.code, 'validation_failed');
  assert.deepEqual(refused.body.errors.map((error: { pointer: string }) => error.pointer).sort(), [
    '/groupName',
    '/name',
    '/settings/amountRounding',
    '/settings/colour',
    '/settings/permittedValidities/0',
    '/surprise',
  ]);
  assert.equal((await call('POST', path, { body: { name: 5 } })).body.errors[0].code, 'wrong_type');
  assert.equal(await count('customers'), before);
});

test('a change needs the version that was seen, when one is named', async () => {
  const { body } = await create();
  const one = `${path}/${body.customerId}`;
  const changed = await call('PATCH', one, {
    body: {
      name: 'Acme 2',
      groupName: 'silver',
      settings: { pricingDisclosure: 'none', thirdPartyPayments: 'hold', payerNames: ['Acme Trading'] },
    },
    headers: { 'If-Match': '"v1"' },
  });
  assert.equal(changed.status, 200);
  assert.equal(changed.headers.get('etag'), '"v2"');
  assert.equal(changed.body.settings.pricingDisclosure, 'none');
  assert.equal(changed.body.settings.thirdPartyPayments, 'hold');
  assert.deepEqual(changed.body.settings.payerNames, ['Acme Trading']);

  const late = await call('PATCH', one, { body: { name: 'x' }, headers: { 'If-Match': '"v1"' } });
  assert.equal(late.status, 412);
  assert.equal(late.body.code, 'version_mismatch');
  assert.equal(late.body.currentVersion, 2);
  const junk = await call('PATCH', one, { body: { name: 'x' }, headers: { 'If-Match': 'v1' } });
  assert.equal(junk.status, 400);
  assert.equal(junk.body.errors[0].pointer, '/header/If-Match');

  const same = await call('PATCH', one, { body: { name: 'Acme 2' } });
  assert.equal(same.body.version, 2, 'a change that changes nothing keeps the version');
  const cleared = await call('PATCH', one, { body: { groupName: null }, headers: { 'If-Match': '*' } });
  assert.equal(cleared.body.groupName, null);
  assert.equal(cleared.body.settings.pricingDisclosure, 'none', 'settings that are not named stay');
  const unchanged = await call('GET', one, { headers: { 'If-None-Match': 'W/"v9", "v3"' } });
  assert.equal(unchanged.status, 304);
  assert.equal(unchanged.headers.get('etag'), '"v3"');
});

test('changes are seen at once in the process that makes them', async () => {
  const created = await create();
  assert.equal((await server.directory.profile(uuid(created))).name, 'Acme');
  await call('PATCH', `${path}/${created.body.customerId}`, { body: { name: 'Other' } });
  assert.equal((await server.directory.profile(uuid(created))).name, 'Other');
});

test('suspending stops the customer, calls the hook, and may be repeated', async () => {
  const created = await create();
  const one = `${path}/${created.body.customerId}`;
  assert.equal((await server.directory.access(uuid(created))).status, 'active');
  const first = await call('POST', `${one}/suspend`, { body: { reason: 'fraud alert' } });
  assert.equal(first.status, 200);
  assert.equal(first.body.status, 'suspended');
  assert.equal(first.body.statusReason, 'fraud alert');
  const again = await call('POST', `${one}/suspend`);
  assert.deepEqual(again.body, first.body, 'the first reason and the version stay');
  assert.deepEqual(
    server.suspended.filter((id) => id === uuid(created)),
    [uuid(created), uuid(created)],
  );
  assert.equal((await server.directory.access(uuid(created))).status, 'suspended');
  const resumed = await call('POST', `${one}/resume`);
  assert.equal(resumed.body.status, 'active');
  assert.equal(resumed.body.statusReason, null);
  assert.equal((await call('POST', `${one}/resume`)).body.version, resumed.body.version);
  assert.equal((await call('POST', `${one}/resume`, { body: { why: 'x' } })).status, 400);
});

test('the list is paged by cursor, filtered, and the cursor belongs to the filters', async () => {
  for (let i = 0; i < 5; i++) await create({ name: `Paged ${i}`, groupName: 'paged' });
  const names: string[] = [];
  let next: string | undefined = `${path}?groupName=paged&limit=2&status=active`;
  let pages = 0;
  while (next !== undefined) {
    const page: Reply = await call('GET', next);
    assert.equal(page.status, 200);
    assert.equal(page.body.hasMore, page.body.nextCursor !== null);
    names.push(...page.body.items.map((item: { name: string }) => item.name));
    const link: string | null = page.headers.get('link');
    next = link === null ? undefined : (/^<([^>]+)>; rel="next"$/.exec(link)?.[1] ?? assert.fail(link));
    pages++;
  }
  assert.equal(pages, 3);
  assert.deepEqual(names, ['Paged 4', 'Paged 3', 'Paged 2', 'Paged 1', 'Paged 0']);

  const found = async (text: string) =>
    (await call('GET', `${path}?groupName=paged&search=${encodeURIComponent(text)}`)).body.items.map(
      (item: { name: string }) => item.name,
    );
  await create({ name: '100 % fair', groupName: 'paged', externalReference: 'CRM-7' });
  assert.deepEqual(await found('PAGED 3'), ['Paged 3']);
  assert.deepEqual(await found('crm-7'), ['100 % fair']);
  assert.deepEqual(await found('%'), ['100 % fair'], 'a sign is what it is, and stands for nothing');
  assert.deepEqual(await found('nobody'), []);

  const { nextCursor } = (await call('GET', `${path}?groupName=paged&limit=2`)).body;
  for (const query of [
    `groupName=other&cursor=${nextCursor}`,
    `cursor=${nextCursor}`,
    `groupName=paged&cursor=${nextCursor}x`,
    'groupName=paged&cursor=',
  ]) {
    const refused = await call('GET', `${path}?${query}`);
    assert.equal(refused.status, 400, query);
    assert.equal(refused.body.code, 'cursor_invalid', query);
  }
});

test('wrong query parameters are refused', async () => {
  for (const [query, pointer] of [
    ['limit=0', '/query/limit'],
    ['limit=201', '/query/limit'],
    ['limit=1e2', '/query/limit'],
    ['status=gone', '/query/status'],
    ['status=active&status=suspended', '/query/status'],
    ['limit=1&limit=2', '/query/limit'],
    ['colour=red', '/query/colour'],
    ['groupName=%00', '/query/groupName'],
  ] as const) {
    const refused = await call('GET', `${path}?${query}`);
    assert.equal(refused.status, 400, query);
    assert.equal(refused.body.errors[0].pointer, pointer, query);
  }
});

test('ids that are not those of a customer are not found, and other scopes are refused', async () => {
  const { body } = await create();
  for (const id of ['cus_01jngx7z5d2m8r4v6t9k3b1c0a', 'x', body.customerId.replace('cus_', 'ssi_')]) {
    for (const [method, rest] of [
      ['GET', ''],
      ['PATCH', ''],
      ['POST', '/suspend'],
      ['POST', '/resume'],
    ] as const) {
      const refused = await call(method, `${path}/${id}${rest}`, method === 'PATCH' ? { body: {} } : {});
      assert.equal(refused.status, 404, `${method} ${id}${rest}`);
      assert.equal(refused.body.code, 'customer_not_found');
    }
  }
  const narrow = 'operator 0195f000-0000-7000-8000-00000000000a operator:spreads';
  const refused = await call('GET', path, { token: narrow });
  assert.equal(refused.status, 403);
  assert.equal(refused.body.requiredScope, 'operator:customers');
  assert.equal((await call('GET', path, { token: 'customer x quotes:read' })).status, 401);
});

test('twenty simultaneous requests with one key make one customer', async () => {
  const before = await count('customers');
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      call('POST', path, { body: { name: 'Once' }, headers: { 'Idempotency-Key': '"one-and-only"' } }),
    ),
  );
  assert.equal(await count('customers'), before + 1);
  assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [201]);
  assert.equal(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1);
  assert.equal(new Set(answers.map((answer) => answer.headers.get('location'))).size, 1);
  assert.equal(answers.filter((answer) => answer.headers.get('idempotency-replayed') === 'true').length, 19);
});

test('a key is bound to its request, and is free again after a refusal', async () => {
  const headers = { 'Idempotency-Key': 'k-1' };
  const refused = await call('POST', path, { body: { name: '' }, headers });
  assert.equal(refused.status, 400);
  const created = await call('POST', path, { body: { name: 'A', groupName: 'g' }, headers });
  assert.equal(created.status, 201);
  const reordered = await call('POST', path, { body: { groupName: 'g', name: 'A' }, headers });
  assert.equal(reordered.headers.get('idempotency-replayed'), 'true');
  assert.equal(reordered.body.customerId, created.body.customerId);
  const other = await call('POST', path, { body: { name: 'B' }, headers });
  assert.equal(other.status, 422);
  assert.equal(other.body.code, 'idempotency_key_reused');
  const another = 'operator 0195f000-0000-7000-8000-00000000000c operator:*';
  const elsewhere = await call('POST', path, { body: { name: 'B' }, headers, token: another });
  assert.equal(elsewhere.status, 201, 'keys of different clients never meet');

  const one = `${path}/${created.body.customerId}`;
  const missing = `${path}/cus_01jngx7z5d2m8r4v6t9k3b1c0a`;
  assert.equal((await call('POST', `${missing}/suspend`, { headers })).status, 404);
  assert.equal((await call('POST', `${one}/suspend`, { headers })).headers.get('idempotency-replayed'), null);
  assert.equal(
    (await call('POST', `${one}/suspend`, { headers })).headers.get('idempotency-replayed'),
    'true',
  );
  assert.equal((await call('POST', `${missing}/suspend`, { headers })).status, 404, 'refusals are not kept');
});
