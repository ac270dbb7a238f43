import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { EURUSD, fieldErrors, refused, startExampleService, succeed } from './support/acceptance.ts';
import { type FourEyes, fourEyes } from './support/four-eyes.ts';
import type { TestService } from './support/service.ts';

/** What programs do all the time, and what one person does with their files and prices. */

let service: TestService;
let eyes: FourEyes;

before(async () => {
  service = await startExampleService();
  eyes = await fourEyes(service);
  await eyes.setPolicy();
});

describe('a payment file', () => {
  let withdrawals = 0;

  /** Made by the first person, and let go by the second one. */
  async function made(): Promise<{ runId: string; files: readonly { url: string }[] }> {
    const { customer } = eyes;
    const body = { currency: 'EUR', amount: `${++withdrawals}0.00` };
    const key = { 'Idempotency-Key': `paid out ${withdrawals}` };
    await succeed(201, customer.post('/v1/customer/balances/withdrawals', body, key));
    const order = { currency: 'EUR', valueDate: '2026-03-06' };
    const { approvalId } = await eyes.proposed('POST', '/v1/operator/settlement-runs', order);
    return (await succeed(200, eyes.approve(approvalId))).body.result;
  }

  test('is taken out by another person than the one who made it', async () => {
    const { runId, files } = await made();
    const url = files[0]?.url ?? '';
    await refused('second_person_required', service.operate('GET', url));
    await refused('second_person_required', service.call('GET', url, { token: eyes.alsoFirst }));
    const { body } = await service.operate('GET', `/v1/operator/settlement-runs/${runId}`);
    assert.deepEqual(body.downloads, [], 'nobody has had it');
    const taken = await succeed(200, service.call('GET', url, { token: eyes.second }));
    assert.match(taken.text, /<GrpHdr>|customerId|endToEndId/i);
  });

  test('is sent by another person, or by two', async () => {
    const { runId } = await made();
    const path = `/v1/operator/settlement-runs/${runId}`;
    const before = (await service.operate('GET', path)).body;
    const { approvalId, effects } = await eyes.proposed('POST', `${path}/mark-sent`);
    assert.deepEqual((await service.operate('GET', path)).body, before);
    assert.deepEqual(
      effects.find(({ at }: { at: string }) => at === '/status'),
      { at: '/status', before: 'created', after: 'sent' },
    );
    await refused('second_person_required', eyes.approve(approvalId, eyes.alsoFirst));
    assert.equal((await succeed(200, eyes.approve(approvalId))).body.result.status, 'sent');
    const other = `/v1/operator/settlement-runs/${(await made()).runId}/mark-sent`;
    const sent = await succeed(200, service.call('POST', other, { token: eyes.second }));
    assert.equal(sent.body.status, 'sent');
  });
});

test('prices are pushed by programs, and by a person only where the policy lets one set them', async () => {
  const path = '/v1/operator/prices';
  const dealer = await eyes.person('approver@sandbox.example');
  const told = await refused('second_person_required', dealer('POST', path, EURUSD));
  assert.match(told.detail, /pricing take two persons/);
  const points = { source: 'bank-a', points: [{ pair: 'EURUSD', leg: 'on', bid: '0.1', ask: '0.2' }] };
  await refused('second_person_required', dealer('POST', '/v1/operator/swap-points', points));
  await succeed(200, service.operate('POST', path, EURUSD));
  // A trial would have moved the market.
  const tried = { operationId: 'pushPrices', params: {}, body: EURUSD };
  const dryRun = service.operate('POST', '/v1/operator/four-eyes/dry-run', tried);
  assert.deepEqual(await fieldErrors(dryRun), [['/operationId', 'not_permitted']]);
  await eyes.setPolicy({ pricing: 'never' });
  await succeed(200, dealer('POST', path, EURUSD));
});
