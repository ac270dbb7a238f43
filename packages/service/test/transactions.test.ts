import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  moveClock,
  refused,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { conforms } from './support/answers.ts';
import type { Answer, TestService } from './support/service.ts';

/** `GET /v1/customer/transactions/{transactionId}`, polled until the end: docs/interface.md#polling. */

let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

const bank = (body: Record<string, unknown>) =>
  succeed(200, service.operate('POST', '/v1/sandbox/bank', body));
const send = (reference: string, amount: string, currency = 'USD') =>
  succeed(201, service.operate('POST', '/v1/sandbox/deposits', { reference, amount, currency }));
const happen = (id: string, event: string) =>
  service.operate('POST', `/v1/sandbox/transactions/${id}/${event}`);
const order = (id: string, verb: string, body?: unknown, headers = {}) =>
  service.operate('POST', `/v1/operator/transactions/${id}/${verb}`, body, headers);

interface Trade {
  readonly id: string;
  readonly path: string;
  readonly reference: string;
  read(): Promise<Answer['body']>;
}

async function trade(body: Record<string, unknown> = {}): Promise<Trade> {
  const quote = await acme.quote(body);
  const { transactionId: id, reference } = (await acme.trade(quote.body.quoteId)).body;
  const path = `/v1/customer/transactions/${id}`;
  const read = async () => {
    const answer = await succeed(200, acme.get(path));
    conforms('transaction', answer);
    return answer.body;
  };
  return { id, path, reference, read };
}

const stages = (body: Answer['body']) =>
  body.timeline.map((entry: Record<string, unknown>) => `${entry.status} by ${entry.actor}: ${entry.code}`);

describe('a trade on its way', () => {
  test('by itself: paid in after 5 s and out 5 s later', async () => {
    await bank({ autoDeposit: true, settlement: 'fast' });
    const { read } = await trade();
    await moveClock(service, { advanceSeconds: 6 });
    const funded = await read();
    assert.deepEqual([funded.status, funded.version], ['funded', 2]);
    const { received, outstanding, excess, deposits } = funded.funding;
    assert.deepEqual([received, outstanding, excess], ['100000.00', '0.00', '0.00']);
    assert.equal(deposits.length, 1);
    const { depositId, receivedAt, ...deposit } = deposits[0];
    assert.match(depositId, /^dep_/);
    assert.ok(receivedAt > funded.createdAt);
    assert.deepEqual(deposit, {
      amount: '100000.00',
      bookedOn: '2026-03-04',
      valueDate: '2026-03-04',
      remitterName: 'Sandbox customer',
      matchedBy: 'auto',
      matchRule: 'reference_exact',
      allocatedAmount: '100000.00',
    });
    await moveClock(service, { advanceSeconds: 6 });
    const settled = await read();
    assert.deepEqual([settled.status, settled.nextPollAfterSeconds], ['settled', null]);
    assert.equal(settled.payout.status, 'paid');
    assert.ok(settled.payout.bankReference.length > 0);
    // Paid when the bank booked it, settled when its file said so.
    const reportedAfter = Date.parse(settled.settlement.settledAt) - Date.parse(settled.payout.paidAt);
    assert.ok(reportedAfter >= 0 && reportedAfter < 1_000, `told after ${reportedAfter} ms`);
    assert.deepEqual(
      settled.timeline.map((entry: { sequence: number; status: string }) => [entry.sequence, entry.status]),
      [
        [1, 'awaiting_funds'],
        [2, 'funded'],
        [3, 'settling'],
        [4, 'settled'],
      ],
    );
  });

  test('in parts, and with more than was owed', async () => {
    await bank({ autoDeposit: false, settlement: 'calendar' });
    const { reference, read } = await trade();
    await send(reference, '60000.00');
    const partly = await read();
    assert.deepEqual([partly.status, partly.funding.outstanding], ['partially_funded', '40000.00']);
    await send(`Invoice 4 / ${reference.toLowerCase()}`, '40000.50');
    const { status, funding } = await read();
    assert.deepEqual([status, funding.received, funding.excess], ['funded', '100000.00', '0.50']);
    assert.deepEqual(
      funding.deposits.map((deposit: Answer['body']) => [deposit.matchRule, deposit.allocatedAmount]),
      [
        ['reference_partial', '60000.00'],
        ['reference_excess', '40000.00'],
      ],
    );
  });

  test('a payout that fails, is tried again, and comes back', async () => {
    await bank({ autoDeposit: false, settlement: 'calendar' });
    const { id, reference, read } = await trade();
    await refused('invalid_state_transition', order(id, 'settle'), {
      from: 'awaiting_funds',
      to: 'settling',
    });
    await send(reference, '100000.00');
    await succeed(200, order(id, 'settle'));
    assert.deepEqual([(await read()).status, (await read()).payout.status], ['settling', 'sent']);
    await succeed(
      200,
      order(id, 'payout-failed', { reason: 'beneficiary_invalid', detail: 'no such account' }),
    );
    const failed = await read();
    assert.deepEqual([failed.status, failed.statusReason], ['settlement_failed', 'beneficiary_invalid']);
    assert.equal(failed.failure.code, 'beneficiary_invalid');
    await succeed(200, order(id, 'retry-payout'));
    await succeed(200, order(id, 'payout-confirmed', { bankReference: 'B 77' }));
    const settled = await read();
    assert.deepEqual([settled.status, settled.payout.bankReference], ['settled', 'B 77']);
    assert.equal(settled.failure, null);
    await succeed(200, happen(id, 'payout-returned'));
    const returned = await read();
    assert.deepEqual([returned.status, returned.payout.status], ['settlement_failed', 'returned']);
    assert.equal(returned.version, 7);
  });

  test('unwound: money that was received is owed back', async () => {
    await bank({ autoDeposit: false });
    const { id, reference, read } = await trade();
    await send(reference, '60000.00');
    const version = (await read()).version;
    const stale = order(id, 'unwind', { reason: 'trade_error' }, { 'If-Match': `"v${version - 1}"` });
    await refused('version_mismatch', stale, { currentVersion: version });
    await succeed(200, order(id, 'unwind', { reason: 'trade_error' }, { 'If-Match': `"v${version}"` }));
    const cancelled = await read();
    assert.deepEqual([cancelled.status, cancelled.statusReason], ['cancelled', 'trade_error']);
    const { amount, currency, status } = cancelled.refund;
    assert.deepEqual([amount, currency, status], ['60000.00', 'USD', 'pending']);
    assert.equal(cancelled.nextPollAfterSeconds, null);
    assert.match(stages(cancelled).at(-1), /^cancelled by operator/);
    await refused('invalid_state_transition', happen(id, 'deposit'));
    await refused('invalid_state_transition', order(id, 'unwind'));
  });

  test('a funded one is not unwound by one person alone', async () => {
    const { id, reference } = await trade();
    await send(reference, '100000.00');
    const proposal = await order(id, 'unwind');
    assert.deepEqual([proposal.status, proposal.body.kind], [202, 'unwind_transaction']);
    assert.equal(proposal.body.status, 'pending');
    await refused('already_exists', order(id, 'unwind'));
  });
});

describe('polling', () => {
  test('a conditional read is 304 until something changes', async () => {
    await bank({ autoDeposit: false, settlement: 'calendar' });
    const { path, reference } = await trade();
    const first = await acme.get(path);
    assert.equal(first.headers.get('ETag'), '"v1"');
    assert.equal(first.headers.get('Retry-After'), '5', 'the sandbox settles in seconds');
    const same = await acme.get(path, { 'If-None-Match': '"v1"' });
    assert.deepEqual([same.status, same.text, same.headers.get('ETag')], [304, '', '"v1"']);
    assert.equal(same.headers.get('Retry-After'), '5');
    await send(reference, '100000.00');
    const changed = await acme.get(path, { 'If-None-Match': '"v1"' });
    assert.deepEqual([changed.status, changed.headers.get('ETag')], [200, '"v2"']);
  });

  test('held reads answer as soon as the transaction changes', async () => {
    const { path, reference } = await trade();
    const started = performance.now();
    const wait = { 'If-None-Match': '"v1"', Prefer: 'wait=20' };
    // Eleven at once: the one that is refused shows that ten are held by now.
    const asked = Array.from({ length: 11 }, () => acme.get(path, wait));
    const first = await Promise.race(asked);
    await refused('rate_limited', first, { 'violated-policies': ['held'] });
    await send(reference, '100000.00');
    for (const answer of await Promise.all(asked)) {
      if (answer === first) continue;
      assert.deepEqual([answer.status, answer.body.status], [200, 'funded']);
      assert.equal(answer.headers.get('Preference-Applied'), 'wait=20');
      conforms('transaction', answer);
    }
    assert.ok(performance.now() - started < 15_000);
    const known = await acme.get(path, wait);
    assert.deepEqual(
      [known.status, known.headers.get('Preference-Applied')],
      [200, null],
      'nothing to wait for',
    );
  });

  test('a held read ends in 304, and ten at most are held', async () => {
    const { path } = await trade();
    const wait = { 'If-None-Match': '"v1"', Prefer: 'wait=1' };
    const answers = await Promise.all(Array.from({ length: 12 }, () => acme.get(path, wait)));
    const held = answers.filter((answer) => answer.status === 304);
    assert.equal(held.length, 10);
    for (const answer of held) assert.equal(answer.headers.get('Preference-Applied'), 'wait=1');
    for (const answer of answers.filter((each) => each.status !== 304)) {
      await refused('rate_limited', answer, { 'violated-policies': ['held'] });
      assert.equal(answer.headers.get('Retry-After'), '1');
    }
    const now = await acme.get(path, { 'If-None-Match': '"v1"', Prefer: 'wait=0' });
    assert.deepEqual([now.status, now.headers.get('Preference-Applied')], [304, null]);
  });

  test('one who hangs up makes room for another', async () => {
    const { path } = await trade();
    const headers = { Authorization: `Bearer ${acme.token}`, 'If-None-Match': '"v1"', Prefer: 'wait=30' };
    const leaving = Array.from({ length: 10 }, () => new AbortController());
    const held = leaving.map(({ signal }) => fetch(`${service.baseUrl}${path}`, { headers, signal }));
    for (const call of held) call.catch(() => undefined);
    const extra = { 'If-None-Match': '"v1"', Prefer: 'wait=1' };
    while ((await acme.get(path, extra)).status === 304);
    await refused('rate_limited', acme.get(path, extra));
    for (const controller of leaving) controller.abort();
    while ((await acme.get(path, extra)).status !== 304);
    assert.equal((await acme.get(path, extra)).status, 304, 'there is room again, and it stays');
  });
});

test('ids that are none, or nobody’s', async () => {
  const { id } = await trade();
  const absent = `txn_${'0'.repeat(26)}`;
  for (const wrong of [
    absent,
    'txn_',
    id.toUpperCase(),
    `${id}x`,
    id.replace('txn', 'quote'),
    '%00',
    '..%2f',
  ]) {
    await refused('transaction_not_found', acme.get(`/v1/customer/transactions/${wrong}`));
  }
});
