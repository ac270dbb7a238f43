import assert from 'node:assert/strict';
import { before, test } from 'node:test';
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
