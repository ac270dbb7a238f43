import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { CommandKind, Rule } from '@firmquote/api/command-kinds';
import { camt, txDtls } from '../../bank-formats/src/test-support.ts';
import { uuidOf } from '../src/platform/ids.ts';
import { createCustomer, startExampleService, succeed } from './support/acceptance.ts';
import { type FourEyes, fourEyes } from './support/four-eyes.ts';
import type { Answer, TestService } from './support/service.ts';

/** What one person does alone adds up, however it is split: over commands, kinds, customers, persons and currencies. */

const POLICY = '/v1/operator/four-eyes';
const REASON = { 'Firmquote-Reason': 'in parts' };

let service: TestService;
let eyes: FourEyes;

before(async () => {
  service = await startExampleService();
  eyes = await fourEyes(service);
});

/** Amounts above 100,000.00 USD take two in all kinds that move any. */
async function countAll(): Promise<void> {
  const { headers, body } = await succeed(200, service.operate('GET', POLICY));
  const rules = body.rules.map((rule: Rule & { kind: CommandKind }) => COUNTED(rule));
  const document = { rules, rollingHours: 24, accountWaitHours: 0 };
  const ifMatch = { 'If-Match': headers.get('ETag') ?? '' };
  const { approvalId } = await eyes.proposed('PUT', POLICY, document, ifMatch);
  await succeed(200, eyes.approve(approvalId));
  await service.database.owner.query('delete from acted_amounts');
}

const MOVE = [
  'balance_top_up recorded_deposit deposit_work withdrawal payment_confirmed payment_failed payment_retried',
  'payment_released payment_file statement_import',
]
  .join(' ')
  .split(' ');

function COUNTED(rule: Rule & { kind: CommandKind }): object {
  return MOVE.includes(rule.kind)
    ? { kind: rule.kind, needs: 'amount', fromUsd: '100000.00' }
    : { kind: rule.kind, needs: 'never', fromUsd: null };
}

let references = 0;
const topUp = (path: string, amount: string, currency = 'USD', token = service.operatorToken) =>
  service.call('POST', `${path}/balances/top-ups`, {
    token,
    headers: REASON,
    body: { currency, amount, bankReference: `TOP-${++references}` },
  });
const deposit = (remittanceText: string, amount: string, token = service.operatorToken) =>
  service.call('POST', '/v1/operator/deposits', {
    token,
    headers: REASON,
    body: {
      currency: 'USD',
      amount,
      bankReference: `DEP-${++references}`,
      remitterName: 'A',
      remittanceText,
    },
  });
const waits = async (calling: Promise<Answer>, why: RegExp): Promise<void> => {
  const before = await moved();
  const { body } = await succeed(202, calling);
  assert.match(body.why.join(' '), why);
  assert.deepEqual(await moved(), before, 'nothing moved');
  await succeed(200, eyes.reject(body.approvalId));
};
async function moved(): Promise<unknown> {
  const { rows } = await service.pool.query(
    `select (select count(*) from journal_entries) as entries, (select count(*) from deposits) as deposits,
       (select count(*) from settlement_runs) as runs, (select count(*) from acted_amounts) as acted`,
  );
  return rows[0];
}
/** Customers of what was done alone, with the amounts in cents. */
async function counted(kind: string): Promise<[string | null, string][]> {
  const { rows } = await service.pool.query<{ customer: string | null; usd: string }>(
    'select customer_id as customer, usd_minor::text as usd from acted_amounts where kind = $1 order by id',
    [kind],
  );
  return rows.map(({ customer, usd }) => [customer, usd]);
}

describe('one amount of one person', () => {
  test('over several customers', async () => {
    await countAll();
    const customers = [
      eyes.customer,
      await createCustomer(service, { settings: { fundingMode: 'pre_funded' } }),
    ];
    for (const { path } of customers) await succeed(201, topUp(path, '45000.00'));
    const third = await createCustomer(service, { settings: { fundingMode: 'pre_funded' } });
    const body = { currency: 'USD', amount: '1.00', bankReference: 'TRIED' };
    const dryRun = { operationId: 'topUpBalance', params: { customerId: third.customerId }, body };
    const tried = (await succeed(200, service.operate('POST', `${POLICY}/dry-run`, dryRun))).body;
    assert.deepEqual([tried.needsTwo, tried.why], [false, []]);
    assert.ok(tried.effects.length > 0, 'what would change is shown, however many persons it takes');
    await waits(topUp(third.path, '45000.00'), /one person has moved USD 135000\.00 alone/);
  });

  test('over several kinds, and under another client of the same person', async () => {
    await countAll();
    await succeed(201, topUp(eyes.customer.path, '40000.00'));
    const found = await succeed(201, deposit('for nobody', '40000.00'));
    const ignored = (token: string) =>
      service.call('POST', `/v1/operator/deposits/${found.body.depositId}/ignore`, {
        token,
        body: { reason: 'not ours' },
      });
    await waits(ignored(eyes.alsoFirst), /one person has moved USD 120000\.00 alone/);
    await waits(
      topUp(eyes.customer.path, '30000.00', 'USD', eyes.alsoFirst),
      /one person has moved USD 110000\.00/,
    );
  });

  test('over two persons, for one customer', async () => {
    await countAll();
    await succeed(201, topUp(eyes.customer.path, '60000.00'));
    await waits(
      topUp(eyes.customer.path, '60000.00', 'USD', eyes.second),
      /USD 120000\.00 has moved for one customer/,
    );
    // For another one the second person may.
    const other = await createCustomer(service, { settings: { fundingMode: 'pre_funded' } });
    await succeed(201, topUp(other.path, '60000.00', 'USD', eyes.second));
  });

  test('in a currency without a dollar price is above every threshold', async () => {
    await countAll();
    const sources = '/v1/operator/market/sources';
    const source = 'simulated';
    const reason = { reason: 'no prices' };
    await succeed(200, service.operate('POST', `${sources}/${source}/disable`, reason));
    await waits(topUp(eyes.customer.path, '0.01', 'NOK'), /Its worth in USD is unknown/);
    await succeed(200, service.operate('POST', `${sources}/${source}/enable`, reason));
  });
});

describe('what counts for a customer', () => {
  test('a deposit that is recorded by hand, by whom it is for, or by nobody', async () => {
    await countAll();
    const { body } = await eyes.buyer.trade();
    await succeed(201, deposit(body.reference, '60000.00'));
    await succeed(201, deposit('for nobody', '1.00', eyes.second));
    const customer = uuidOf('cus', eyes.buyer.customerId);
    assert.deepEqual(await counted('recorded_deposit'), [
      [customer, '6000000'],
      [null, '100'],
    ]);
    await waits(deposit(body.reference, '40001.00', eyes.second), /for one customer/);
  });

  test('an entry of a statement and work on a deposit, by whom they are for', async () => {
    await countAll();
    const { body } = await eyes.buyer.trade();
    const found = await succeed(201, deposit('for nobody', '1000.00', eyes.second));
    const { depositId } = found.body;
    const match = { allocations: [{ transactionId: body.transactionId }], reason: 'they told us' };
    const dryRun = { operationId: 'matchDeposit', params: { depositId }, body: match };
    const tried = await succeed(200, service.operate('POST', `${POLICY}/dry-run`, dryRun));
    assert.deepEqual([tried.body.needsTwo, tried.body.why], [false, []], 'one person is enough');
    assert.equal(tried.body.effects[0].after.status, 'matched');
    assert.deepEqual(await counted('deposit_work'), [], 'what was only tried is not counted');
    const matched = await service.operate('POST', `/v1/operator/deposits/${depositId}/match`, match);
    assert.equal(matched.status, 200, matched.text);
    const customer = uuidOf('cus', eyes.buyer.customerId);
    assert.deepEqual(await counted('deposit_work'), [[customer, '100000']]);
    const fee = {
      amount: '7.00',
      direction: 'DBIT',
      reference: 'FEE-2',
      details: [txDtls('paid by mistake')],
    } as const;
    const content = camt([fee], { opening: '9.00', closing: '2.00', account: eyes.usdAccount });
    const file = await succeed(201, upload(content, eyes.second));
    const { items } = (await service.operate('GET', `/v1/operator/statements/${file.body.fileId}/entries`))
      .body;
    await succeed(
      200,
      service.operate('POST', `/v1/operator/statement-entries/${items[0].entryId}/book`, {
        as: 'customer_debt',
        customerId: eyes.buyer.customerId,
        reason: 'theirs',
      }),
    );
    assert.deepEqual((await counted('deposit_work')).at(-1), [customer, '700']);
  });

  test('a statement that somebody brings, by whom its credits name', async () => {
    await countAll();
    const { body } = await eyes.buyer.trade();
    const credit = { amount: '60000.00', reference: 'IN-1', details: [txDtls(body.reference)] } as const;
    const content = (number: string, reference: string, amount = '60000.00') =>
      camt([{ ...credit, amount, reference }], {
        opening: '0.00',
        closing: amount,
        account: eyes.usdAccount,
        number,
      });
    await succeed(201, upload(content('11', 'IN-1')));
    const customer = uuidOf('cus', eyes.buyer.customerId);
    assert.deepEqual(await counted('statement_import'), [[customer, '6000000']]);
    await waits(upload(content('12', 'IN-2'), eyes.second), /for one customer/);
  });

  test('a payment file, each customer with what it is paid', async () => {
    await countAll();
    const path = '/v1/customer/balances/withdrawals';
    const wanted = { currency: 'EUR', amount: '50000.00' };
    await succeed(201, eyes.customer.post(path, wanted, { 'Idempotency-Key': 'in a file' }));
    const order = { currency: 'EUR', valueDate: '2026-03-06' };
    const made = await service.operate('POST', '/v1/operator/settlement-runs', order, REASON);
    assert.equal(made.status, 201, made.text);
    const [[customer, usd] = [null, '0'], ...others] = await counted('payment_file');
    assert.deepEqual([customer, others], [uuidOf('cus', eyes.customer.customerId), []]);
    assert.ok(BigInt(usd) > 5_000_000n, usd);
    await waits(topUp(eyes.customer.path, '50000.00', 'USD', eyes.second), /for one customer/);
  });
});

function upload(content: string, token = service.operatorToken): Promise<Answer> {
  return service.call('POST', '/v1/operator/statements', {
    token,
    body: content,
    headers: { ...REASON, 'Content-Type': 'application/octet-stream' },
  });
}
