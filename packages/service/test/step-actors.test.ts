import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createCustomer, startExampleService, succeed } from './support/acceptance.ts';
import { fourEyes } from './support/four-eyes.ts';
import type { TestService } from './support/service.ts';

/** Who took the later steps of a trade: operators read it by id, customers read "operator". */

let service: TestService;
before(async () => {
  service = await startExampleService();
});

interface Step {
  readonly code: string;
  readonly actor: string;
  readonly by?: string;
  readonly approvedBy?: string;
}

async function timelines(path: string, customer: Awaited<ReturnType<typeof createCustomer>>) {
  const own = path.replace('/operator/', '/customer/');
  const [inside, outside] = [await service.operate('GET', path), await customer.get(own)];
  assert.doesNotMatch(
    outside.text,
    /"(by|approvedBy)"|per_/,
    'no name and no id of an operator leaves the house',
  );
  assert.deepEqual(
    outside.body.timeline.map(({ code, actor }: Step) => [code, actor]),
    inside.body.timeline.map(({ code, actor }: Step) => [code, actor]),
  );
  return inside.body.timeline as readonly Step[];
}

test('each step that somebody took names who did, and those of the service name nobody', async () => {
  const eyes = await fourEyes(service);
  const customer = await createCustomer(service);
  const { body: trade } = await customer.trade();
  const path = `/v1/operator/transactions/${trade.transactionId}`;
  const deposit = { bankReference: 'STEPS1', amount: trade.sellAmount, currency: trade.sellCurrency };
  const reported = { ...deposit, remitterName: 'Acme Ltd' };
  const { depositId } = (await succeed(201, service.operate('POST', '/v1/operator/deposits', reported))).body;
  const allocations = [{ transactionId: trade.transactionId }];
  const matched = await succeed(
    200,
    service.operate('POST', `/v1/operator/deposits/${depositId}/match`, { allocations, reason: 'by phone' }),
  );
  const me: string = matched.body.allocations[0].actor;
  assert.match(me, /^(per|cli)_/);
  const hold = { kind: 'review', reason: 'a question' };
  await succeed(200, service.operate('POST', `${path}/holds`, hold));
  assert.deepEqual(
    (await timelines(path, customer)).map(({ actor, by }) => [actor, by]),
    [
      ['client', undefined],
      ['operator', me],
      ['operator', me],
    ],
  );

  // From here on it takes two: who proposed it did it, and who approved it is told beside.
  await eyes.setPolicy({ unwinding: 'always' });
  const { approvalId, proposedBy } = await eyes.proposed('POST', `${path}/unwind`, { reason: 'trade_error' });
  const approved = await succeed(200, eyes.approve(approvalId));
  const last = (await timelines(path, customer)).at(-1);
  assert.deepEqual([last?.by, last?.approvedBy], [proposedBy, approved.body.decidedBy]);
  assert.notEqual(last?.by, last?.approvedBy);

  const other = eyes.buyer;
  const { body: missed } = await other.trade();
  const missedPath = `/v1/operator/transactions/${missed.transactionId}`;
  await succeed(200, service.operate('POST', '/v1/sandbox/clock', { advanceSeconds: 30 * 86_400 }));
  const steps = await timelines(missedPath, other);
  assert.ok(steps.length > 1, 'time itself has brought a step');
  assert.deepEqual(
    steps.slice(1).map(({ actor, by }) => [actor, by]),
    steps.slice(1).map(() => ['system', undefined]),
  );
});
