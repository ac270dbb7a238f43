import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { verifyLog, verifyLogProof } from '@firmquote/client/logs';
import { sha256 } from '../src/audit/tree.ts';
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
