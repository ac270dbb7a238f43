import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { verifyLog, verifyLogProof } from '@firmquote/client/logs';
import { exportJWK, generateKeyPair } from 'jose';
import { sha256 } from '../src/audit/tree.ts';
import { loadConfig } from '../src/config.ts';
import { inTransaction } from '../src/database/pool.ts';
import { readArguments } from '../src/operator-commands.ts';
import { until } from './support/process.ts';
import { sealAll } from './support/seal-all.ts';
import { type Answer, startTestService, type TestService } from './support/service.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});

async function trail(query: string): Promise<Answer['body']['items']> {
  const answer = await service.operate('GET', `/v1/operator/audit?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.items;
}

test('a change leaves one row with who, what, before and after', async () => {
  const made = await service.operate(
    'POST',
    '/v1/operator/customers',
    { name: 'Aster GmbH' },
    { 'X-Request-Id': 'make-1' },
  );
  assert.equal(made.status, 201, made.text);
  const { customerId } = made.body;
  const changed = await service.operate(
    'PATCH',
    `/v1/operator/customers/${customerId}`,
    { name: 'Aster SE' },
    { 'X-Request-Id': 'change-1', 'If-Match': made.headers.get('ETag') ?? '' },
  );
  assert.equal(changed.status, 200, changed.text);
  const rows = await trail('requestId=change-1');
  assert.equal(rows.length, 1);
  const [row] = rows;
  assert.equal(row.operation, 'updateCustomer');
  assert.equal(row.outcome, 'done');
  assert.equal(row.resource, `/v1/operator/customers/${customerId}`);
  assert.equal(row.actor.type, 'client');
  assert.equal(row.actor.id, service.sandbox.operator.clientId);
  const [customer] = row.changes;
  assert.equal(customer.table, 'customers');
  assert.equal(customer.before.name, 'Aster GmbH');
  assert.equal(customer.after.name, 'Aster SE');
  assert.deepEqual(Object.keys(customer.before), Object.keys(customer.after));
  for (const column of Object.keys(customer.before))
    assert.notDeepEqual(customer.before[column], customer.after[column], `${column} has not changed`);
  const about = await trail(`subject=${customerId}&kind=change`);
  assert.deepEqual(
    about.map(({ operation }: { operation: string }) => operation),
    ['updateCustomer', 'createCustomer'],
  );
});

async function* linesIn(text: string): AsyncGenerator<string> {
  yield* text.split('\n');
}

test('logs are signed, proved and exported for whoever verifies them alone', async () => {
  const proving = { sha256, keys: (await service.call('GET', '/.well-known/jwks.json')).body };
  const trade = await service.call('POST', '/v1/customer/quotes', {
    body: { sellCurrency: 'EUR', buyCurrency: 'USD', fixedSide: 'sell', amount: '1000.00' },
    headers: { 'Idempotency-Key': 'logs-1' },
  });
  const executed = await service.call('POST', `/v1/customer/quotes/${trade.body.quoteId}/execute`, {
    headers: { 'Idempotency-Key': 'logs-2' },
  });
  assert.equal(executed.status, 201, executed.text);
  for (const log of ['audit', 'journal'] as const) {
    await sealAll(service.pool, log);
    const first = await service.operate('POST', `/v1/operator/audit/heads?log=${log}`);
    assert.equal(first.status, 200, first.text);
    assert.equal(first.body.log, log);
    const { items } = (await service.operate('GET', `/v1/operator/audit/heads?log=${log}`)).body;
    assert.deepEqual(items[0], first.body);
    const file = await service.operate('GET', `/v1/operator/audit/export?log=${log}`);
    assert.match(
      file.headers.get('Content-Disposition') ?? '',
      new RegExp(`^attachment; filename="firmquote-${log}-`),
    );
    const verdict = await verifyLog(linesIn(file.text), { ...proving, since: first.body });
    assert.deepEqual([verdict.ok, verdict.signed, verdict.log], [true, true, log]);
    const fileHash = createHash('sha256').update(file.text).digest();
    await until('the export is written down, since all of it has left', async () => {
      const written = 'select size from log_exports where log = $1 and from_size = 0 and sha256 = $2';
      const { rows } = await service.pool.query<{ size: string }>(written, [log, fileHash]);
      return rows[0]?.size === String(verdict.rows);
    });
    const [line = ''] = file.text.split('\n');
    const { number, entryId } = JSON.parse(line);
    const row = await service.operate(
      'GET',
      `/v1/operator/audit/inclusion?log=${log}&row=${number ?? entryId}`,
    );
    assert.equal((await verifyLogProof(row.body, proving)).ok, true, row.text);
    assert.equal(row.body.line, line);
    const grown = await service.operate(
      'GET',
      `/v1/operator/audit/consistency?log=${log}&earlier=${first.body.size}`,
    );
    assert.equal((await verifyLogProof(grown.body, proving)).ok, true, grown.text);
  }
  const refused = await service.operate('GET', '/v1/operator/audit/inclusion?row=999999');
  assert.deepEqual([refused.status, refused.body.code], [400, 'validation_failed']);
  const turned = await service.operate('GET', '/v1/operator/audit/export?fromSize=5&toSize=5');
  assert.equal(turned.body.errors[0].pointer, '/query/toSize');
  const heads = await trail('operation=signLogHead');
  assert.deepEqual(
    heads.map(({ changes }: { changes: { table: string }[] }) => changes.map(({ table }) => table)),
    [['log_heads'], ['log_heads']],
  );
});

/** Rows that are written within a second, when there are so many. */
async function soon(query: string, count: number): Promise<Answer['body']['items']> {
  let rows: Answer['body']['items'] = [];
  await until(`${count} rows of ${query}`, async () => {
    rows = await trail(query);
    return rows.length >= count;
  });
  return rows;
}

test('refusals, sign-ins and reading of what is secret or personal are told, equal ones once', async () => {
  for (let i = 0; i < 3; i++) {
    const forged = await service.call('POST', '/v1/operator/customers', {
      token: 'forged',
      body: { name: 'x' },
    });
    assert.equal(forged.status, 401);
  }
  const foreign = await service.call('GET', '/v1/operator/customers');
  assert.deepEqual([foreign.status, foreign.body.code], [403, 'insufficient_scope']);
  const [customers, list] = [
    await soon('kind=refusal&operation=createCustomer', 1),
    await soon('kind=refusal&operation=listCustomers', 1),
  ];
  assert.deepEqual(
    [...customers, ...list].map(({ outcome, actor, changes }) => [
      outcome,
      actor.type,
      actor.address,
      changes,
    ]),
    [
      ['token_invalid', 'unknown', '127.0.0.1', []],
      ['insufficient_scope', 'client', '127.0.0.1', []],
    ],
  );
  const { clientId, clientSecret } = service.sandbox.operator;
  await service.token(clientId, clientSecret);
  const [signIn] = await soon(`kind=sign_in&actor=${clientId}`, 1);
  assert.deepEqual([signIn.actor.id, signIn.outcome], [clientId, 'done']);
  await service.operate('GET', '/v1/operator/clients');
  const reads = await soon('kind=read', 2);
  assert.ok(reads.some(({ operation }: { operation: string }) => operation === 'listAudit'));
  const wrong = await fetch(`${service.baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      ...{ grant_type: 'client_credentials', client_id: clientId, client_secret: `${clientSecret}x` },
      audience: service.sandbox.audience,
    }),
  });
  assert.equal(wrong.status, 401);
  const [guess] = await soon(`kind=refusal&subject=${clientId}`, 1);
  assert.deepEqual([guess.outcome, guess.actor.type], ['invalid_client', 'unknown']);
});

test('a reader who leaves in the middle of a file has read it, and takes its room along', async () => {
  await service.pool.query(
    `insert into audit_log (at, kind, operation, resource, subjects, outcome, actor, changes)
     select now(), 'change', 'test', repeat('x', 4000), '{}', 'done', 'service', '[]'
     from generate_series(1, 3000)`,
  );
  await sealAll(service.pool, 'audit');
  for (let i = 0; i < 4; i++) {
    const end = new AbortController();
    const exported = () =>
      fetch(`${service.baseUrl}/v1/operator/audit/export`, {
        headers: { Authorization: `Bearer ${service.operatorToken}` },
        signal: end.signal,
      });
    let answer = await exported();
    // Two at once are served, and the room of who left is free when the service has seen it leave.
    for (let again = 0; answer.status === 503 && again < 200; again++) {
      await answer.text();
      answer = await exported();
    }
    assert.equal(answer.status, 200);
    await answer.body?.getReader().read();
    end.abort();
  }
  const [row] = await soon('kind=read&operation=exportLog', 1);
  assert.equal(row.resource, '/v1/operator/audit/export');
});

test('a change of many rows tells of the first, and how many there are beyond 64 kB', async () => {
  const written = 20;
  const looking = inTransaction(service.pool, async (connection) => {
    await connection.query(`set local firmquote.act = 'on'`);
    for (let version = 1; version <= written; version++) {
      await connection.query(
        `insert into matching_settings (version, document, changed_by, created_at)
         values ($1, to_json(repeat('x', $2)), '0195f000-0000-7000-8000-00000000000a', now())`,
        [1_000_000 + version, 7_000 + version],
      );
    }
    const act = {
      kind: 'change',
      operation: 'o',
      resource: '/',
      subjects: [],
      outcome: 'done',
      actor: 'service',
    };
    await connection.query('select record_act($1, false)', [JSON.stringify(act)]);
    const { rows } = await connection.query<{ changes: string }>(
      `select changes from audit_log where operation = 'o'`,
    );
    const changes = JSON.parse(rows[0]?.changes ?? '');
    // Each but the first holds two documents: what was and what is.
    assert.equal(changes.length, 7);
    assert.deepEqual(changes.at(-1), { table: 'more', rows: written - 6 });
    const { rows: values } = await connection.query<{ reported: string }>(
      `select audited_values(json_build_object('a', repeat('x', n - 2))::jsonb, '{}') ->> 'a' as reported
       from generate_series(8000, 8001) n`,
    );
    assert.equal(values[0]?.reported, 'x'.repeat(7_998));
    assert.match(values[1]?.reported ?? '', /^\(8001 characters, SHA-256 [0-9a-f]{64}\)$/);
    throw new Error('only looked at');
  });
  await assert.rejects(looking, /only looked at/);
});

test('whatever is audited is noted while something is done, and only then', async () => {
  const { rows } = await service.pool.query<{ name: string; definition: string }>(
    `select tgname as name, pg_get_triggerdef(oid) as definition from pg_trigger
     where tgfoid = 'note_audited_change'::regproc and not tgisinternal and tgparentid = 0`,
  );
  const within = `FOR EACH ROW WHEN ((current_setting('firmquote.act'::text, true) <> ''::text)) EXECUTE FUNCTION`;
  assert.ok(rows.length > 50);
  assert.deepEqual(
    rows.filter(({ definition }) => !definition.includes(within)),
    [],
  );
});

test('a secret is told as changed, and stands nowhere', async () => {
  const made = await service.call('POST', '/v1/customer/credentials', {
    body: { name: 'Second', scopes: ['quotes:read'] },
    headers: { 'Idempotency-Key': 'secret-1', 'X-Request-Id': 'secret-1' },
  });
  assert.equal(made.status, 201, made.text);
  const { clientId, clientSecret } = made.body;
  const rotated = await service.call('POST', `/v1/customer/credentials/${clientId}/secrets`, {
    body: {},
    headers: { 'Idempotency-Key': 'secret-2' },
  });
  const webhook = await service.call('POST', '/v1/customer/webhooks', {
    body: { url: 'https://example.com/hook', types: ['quote.executed'] },
    headers: { 'Idempotency-Key': 'secret-3' },
  });
  const secrets = [clientSecret, rotated.body.clientSecret, webhook.body.secret];
  assert.deepEqual(
    secrets.map((each) => typeof each),
    ['string', 'string', 'string'],
    webhook.text + rotated.text,
  );
  const { rows } = await service.pool.query<{ line: string }>('select a::text as line from audit_log a');
  for (const secret of secrets) {
    const bare = secret.replace(/^[a-z]+_((live|test)_)?/, '');
    assert.ok(!rows.some(({ line }) => line.includes(bare)), 'no secret');
    const hash = createHash('sha256').update(secret).digest('hex');
    assert.ok(!rows.some(({ line }) => line.includes(hash)), 'nor its hash');
  }
  const [row] = await trail('requestId=secret-1');
  const secret = row.changes.find(({ table }: { table: string }) => table === 'client_secrets');
  assert.equal(secret.after.secret_hash, '(hidden)');
});

test('keys of an own client are told when they change, and a call that changes nothing has a row of its own', async () => {
  const { publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const { body } = await service.call('POST', '/v1/customer/credentials', {
    body: { name: 'Third', scopes: ['quotes:read'] },
    headers: { 'Idempotency-Key': 'keys-1' },
  });
  const tables: string[][] = [];
  for (const [i, keys] of [[{ ...(await exportJWK(publicKey)), kid: 'one' }], [], []].entries()) {
    const set = await service.call('PUT', `/v1/customer/credentials/${body.clientId}/keys`, {
      body: { keys },
      headers: { 'X-Request-Id': `keys-${i}` },
    });
    assert.equal(set.status, 200, set.text);
    const [row, ...more] = await trail(`requestId=keys-${i}`);
    assert.deepEqual([row.operation, more.length], ['setOwnCredentialKeys', 0]);
    tables.push(row.changes.map(({ table }: { table: string }) => table));
  }
  assert.deepEqual(tables, [['client_keys', 'oauth_clients'], ['client_keys', 'oauth_clients'], []]);
});

test('commands of the host are told with the user of the machine', async () => {
  const config = loadConfig({
    FIRMQUOTE_DATA_DIR: await mkdtemp(join(tmpdir(), 'fq-command-')),
    DATABASE_URL: service.database.url,
  });
  const command = (...args: string[]) => readArguments(args)?.(config);
  await command('invite-person', '--email', 'carol@example.com', '--roles', 'viewer');
  const [row] = await trail('operation=command:invite-person');
  assert.deepEqual(
    [row.kind, row.actor.type, row.actor.address],
    ['change', 'command', `user ${userInfo().username}`],
  );
  assert.deepEqual(
    row.changes.map(({ table, after }: { table: string; after: { email: string } }) => [table, after.email]),
    [
      ['persons', 'carol@example.com'],
      ['person_invitations', undefined],
    ],
  );
  assert.equal(row.changes[1].after.secret_hash, '(hidden)', 'the link stays out of it');
  await command('export', '--format', 'audit', '--output', join(config.dataDir, 'audit.ndjson'));
  const [read] = await trail('operation=command:export');
  assert.equal(read.kind, 'read');
});

test('an address with what no text of the database can hold keeps no other refusal from the trail', async () => {
  const path = '/v1/operator/customers/%00';
  for (const each of [path, '/v1/operator/clients'])
    assert.equal((await service.call('GET', each, { token: 'forged' })).status, 401);
  await soon('kind=refusal&operation=listOperatorClients', 1);
  const [row] = await soon('kind=refusal&operation=getCustomer', 1);
  assert.deepEqual([row.resource, row.subjects], [path, ['\ufffd']]);
});
