import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../../test/support/service.ts';

test('a repeated request for a client makes one, and its secret is kept nowhere', async () => {
  const service = await startTestService();
  const customer = await service.operate('POST', '/v1/operator/customers', { name: 'Keys' });
  const path = `/v1/operator/customers/${customer.body.customerId}/credentials`;
  const ask = () => service.operate('POST', path, { name: 'c' }, { 'Idempotency-Key': 'one' });
  const [first, ...rest] = [await ask(), ...(await Promise.all([ask(), ask(), ask()]))];
  assert.equal(first?.status, 201, first?.text);
  assert.equal(first?.headers.get('Cache-Control'), 'no-store');
  for (const again of rest) {
    assert.equal(again.status, 409, again.text);
    assert.equal(again.body.code, 'already_exists');
    assert.equal(again.body.location, first?.headers.get('Location'));
  }
  const listed = await service.operate('GET', path);
  assert.equal(listed.body.credentials.length, 1);
  const { rows } = await service.pool.query('select response_body from idempotency_keys');
  assert.ok(!JSON.stringify(rows).includes(first?.body.clientSecret));
});

test('a name that could not come back as it was given is refused', async () => {
  const service = await startTestService();
  const customer = await service.operate('POST', '/v1/operator/customers', { name: 'Names' });
  for (const name of ['a\u0000b', 'a\ud800', '\n', ' ', '']) {
    const path = `/v1/operator/customers/${customer.body.customerId}/credentials`;
    const answer = await service.operate('POST', path, { name });
    assert.equal(answer.status, 400, JSON.stringify(name));
    assert.equal(answer.body.errors[0].pointer, '/name');
  }
});
