import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  refused,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import type { TestService } from './support/service.ts';

/** What customers see of their own money: accounts that they are paid to, and deposits. */

const DEPOSITS = '/v1/customer/deposits';
let service: TestService;
let acme: Customer;
let other: Customer;
let bookings = 0;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
  other = await createCustomer(service);
});

/** A trade of so many US dollars that waits for its money. */
async function trade(customer: Customer, amount: string) {
  const { quoteId } = (await customer.quote({ ...SELL_USD, amount })).body;
  return (await customer.trade(quoteId)).body;
}

/** Money that arrives; answers its path for operators. */
async function arrive(amount: string, remittanceText: string): Promise<string> {
  const { headers } = await succeed(
    201,
    service.operate('POST', '/v1/operator/deposits', {
      bankReference: `OWN-${++bookings}`,
      amount,
      currency: 'USD',
      remitterName: 'Acme Ltd',
      remittanceText,
    }),
  );
  return headers.get('Location') ?? '';
}

async function newest(customer: Customer) {
  return (await customer.get(`${DEPOSITS}?limit=1`)).body.items[0];
}

test('accounts are shown masked, to their customer only', async () => {
  const { items } = (await acme.get('/v1/customer/accounts')).body;
  assert.deepEqual(items.map((item: { currency: string }) => item.currency).sort(), [
    'EUR',
    'GBP',
    'JPY',
    'USD',
  ]);
  const [euro] = (await acme.get('/v1/customer/accounts?currency=EUR&status=active')).body.items;
  assert.deepEqual(
    [euro.accountMasked, euro.accountType, euro.accountHolder, euro.bankCountry],
    ['DE** **** 3000', 'iban', 'Acme Ltd', 'DE'],
  );
  assert.doesNotMatch(JSON.stringify(items), /0532013|1234567|customerId/);
  const theirs = (await other.get('/v1/customer/accounts')).body.items;
  const ids = (list: { settlementInstructionId: string }[]) =>
    list.map((each) => each.settlementInstructionId);
  assert.deepEqual(
    ids(theirs).filter((each) => ids(items).includes(each)),
    [],
  );
  assert.deepEqual((await acme.get('/v1/customer/accounts?status=retired')).body.items, []);
  const [first] = ids((await acme.get('/v1/customer/accounts?limit=1')).body.items);
  assert.equal(first, items[0].settlementInstructionId);
  await refused('validation_failed', acme.get('/v1/customer/accounts?state=active'));
  await refused('insufficient_scope', service.operate('GET', '/v1/customer/accounts'));
});

test('a deposit is shown with what became of each part of it', async () => {
  const { transactionId, funding } = await trade(acme, '1000.00');
  await arrive('1200.00', funding.instructions.reference);
  const deposit = await newest(acme);
  assert.deepEqual(
    [
      deposit.status,
      deposit.amount,
      deposit.allocatedAmount,
      deposit.excessAmount,
      deposit.unallocatedAmount,
    ],
    ['matched', '1200.00', '1000.00', '200.00', '0.00'],
  );
  assert.deepEqual(deposit.allocations, [
    {
      to: 'transaction',
      transactionId,
      amount: '1000.00',
      excessAmount: '200.00',
      at: deposit.allocations[0].at,
    },
  ]);
  const url = `${DEPOSITS}/${deposit.depositId}`;
  const read = await succeed(200, acme.get(url));
  assert.deepEqual(read.body, deposit);
  const etag = read.headers.get('ETag') ?? '';
  assert.equal((await acme.get(url, { 'If-None-Match': etag })).status, 304);
  await refused('deposit_not_found', other.get(url));
  assert.deepEqual((await other.get(DEPOSITS)).body.items, []);
});

test('money that nobody knows is nobody’s, until it is placed', async () => {
  const before = (await acme.get(DEPOSITS)).body.items.length;
  const path = await arrive('77.00', 'no reference');
  assert.equal((await acme.get(DEPOSITS)).body.items.length, before);
  const { depositId } = (await service.operate('GET', path)).body;
  await refused('deposit_not_found', acme.get(`${DEPOSITS}/${depositId}`));
  await refused('deposit_not_found', acme.get(`${DEPOSITS}/dep_nonsense`));
});

test('of a payment for several customers each sees its own part', async () => {
  const mine = await trade(acme, '300.00');
  const theirs = await trade(other, '200.00');
  const path = await arrive('500.00', 'rent and wages');
  const allocations = [
    { transactionId: mine.transactionId, amount: '300.00' },
    { transactionId: theirs.transactionId, amount: '200.00' },
  ];
  await succeed(200, service.operate('POST', `${path}/match`, { allocations, reason: 'told by phone' }));
  for (const [customer, made, amount] of [
    [acme, mine, '300.00'],
    [other, theirs, '200.00'],
  ] as const) {
    const part = await newest(customer);
    assert.deepEqual(
      [part.status, part.amount, part.allocatedAmount, part.remittanceText],
      ['matched', amount, amount, null],
    );
    assert.deepEqual(
      part.allocations.map((each: { transactionId: string }) => each.transactionId),
      [made.transactionId],
    );
    assert.deepEqual((await customer.get(`${DEPOSITS}/${part.depositId}`)).body, part);
  }
});

test('what goes back is shown with its payment', async () => {
  const { funding } = await trade(acme, '400.00');
  const path = await arrive('450.00', funding.instructions.reference);
  await succeed(
    200,
    service.operate('POST', `${path}/return`, {
      amount: '50.00',
      account: {
        accountHolder: 'Acme Ltd',
        accountNumber: '9876543210',
        routingNumber: '021000021',
      },
      reason: 'paid too much',
    }),
  );
  const deposit = await newest(acme);
  assert.deepEqual(
    [deposit.status, deposit.allocatedAmount, deposit.excessAmount, deposit.returnedAmount],
    ['matched', '400.00', '0.00', '50.00'],
  );
  const [back] = deposit.returns;
  assert.deepEqual(
    [back.amount, back.status, back.destinationMasked, back.paidAt],
    ['50.00', 'pending', '**** 3210', null],
  );
});

test('what the remitter’s bank takes back stays the customer’s', async () => {
  const { funding } = await trade(acme, '410.00');
  const path = await arrive('410.00', funding.instructions.reference);
  const back = { returnedBy: 'remitter_bank', reason: 'recalled' };
  await succeed(200, service.operate('POST', `${path}/return`, back));
  const deposit = await newest(acme);
  assert.deepEqual(
    [deposit.status, deposit.amount, deposit.returnedAmount, deposit.allocations],
    ['returned', '410.00', '410.00', []],
  );
  const { items } = (await acme.get('/v1/customer/events?limit=200')).body;
  const told = items.findLast((each: { type: string }) => each.type === 'deposit.unmatched');
  assert.equal(told.data.depositId, deposit.depositId);
  assert.deepEqual((await acme.get(`${DEPOSITS}/${deposit.depositId}`)).body, deposit);
  const { customerId } = (await service.operate('GET', path)).body;
  const found = (await service.operate('GET', `/v1/operator/deposits?customerId=${customerId}`)).body.items;
  assert.equal(found[0].depositId, deposit.depositId);
});

test('the list goes page by page, newest first, within what is asked for', async () => {
  const all = (await acme.get(DEPOSITS)).body.items;
  const paged = [];
  let path = `${DEPOSITS}?limit=1&currency=USD`;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { items, nextCursor } = (await acme.get(path)).body;
    paged.push(...items);
    cursor = nextCursor;
    path = `${DEPOSITS}?limit=1&currency=USD&cursor=${cursor}`;
  }
  assert.deepEqual(paged, all);
  assert.deepEqual((await acme.get(`${DEPOSITS}?currency=JPY`)).body.items, []);
  const since = encodeURIComponent(all[0].receivedAt);
  assert.ok((await acme.get(`${DEPOSITS}?from=${since}`)).body.items.length >= 1);
  await refused(
    'validation_failed',
    acme.get(`${DEPOSITS}?from=2026-03-05T00:00:00Z&to=2026-03-04T00:00:00Z`),
  );
});
