import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  fieldErrors,
  moveClock,
  refused,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { conforms } from './support/answers.ts';
import { assertBooksBalance } from './support/books.ts';
import type { Answer, TestService } from './support/service.ts';

/** `POST …/execute` and `POST …/cancel`: docs/interface.md#quote-states and docs/interface.md#execution. */

const QUOTES = '/v1/customer/quotes';
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

const cancel = (quoteId: string, headers = {}, body?: unknown) =>
  acme.post(`${QUOTES}/${quoteId}/cancel`, body, headers);
const quoteId = async (body = {}) => (await acme.quote(body)).body.quoteId as string;

/** A quote in each of the four states that end it. */
const ENDED = {
  async executed() {
    const id = await quoteId();
    await acme.trade(id);
    return id;
  },
  async cancelled() {
    const id = await quoteId();
    await succeed(200, cancel(id));
    return id;
  },
  async expired() {
    const id = await quoteId({ validitySeconds: 10 });
    await moveClock(service, { advanceSeconds: 11 });
    return id;
  },
  async withdrawn() {
    const id = await quoteId({ amount: '903.00' });
    await moveClock(service, { advanceSeconds: 1 });
    return id;
  },
} as const;

test('an execution answers the transaction that is promised, member by member', async () => {
  const quote = await acme.quote({ clientReference: 'INV-2291', metadata: { costCentre: '4410' } });
  const answer = await succeed(201, acme.execute(quote.body.quoteId, undefined, { 'If-Match': '"v1"' }));
  conforms('transaction', answer);
  const { transactionId, reference, createdAt, changeSequence, rate, payout, funding, ...rest } = answer.body;
  assert.match(transactionId, /^txn_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  assert.match(reference, /^RF\d{14}$/);
  assert.equal(answer.headers.get('Location'), `/v1/customer/transactions/${transactionId}`);
  assert.equal(answer.headers.get('ETag'), '"v1"');
  assert.deepEqual(rate, quote.body.rate);
  const { fundingMode, tenor, ...dates } = quote.body.settlement;
  const { accountHolder, ...instructions } = funding.instructions;
  assert.ok(accountHolder.length > 0 && Number.isInteger(changeSequence));
  const { destinationId, destinationMasked, ...payoutRest } = payout;
  assert.match(destinationId, /^ssi_/);
  assert.equal(destinationMasked, 'DE** **** 3000');
  assert.deepEqual(payoutRest, {
    status: 'pending',
    amount: '91987.01',
    currency: 'EUR',
    bankReference: null,
    paidAt: null,
  });
  const dueBy = dates.fundingCutoffAt;
  assert.deepEqual([instructions.reference, instructions.dueBy], [reference, dueBy]);
  for (const name of ['bankName', 'bic', 'accountNumber', 'routingNumber', 'iban', 'rails'])
    assert.ok(name in instructions, name);
  assert.deepEqual(
    { ...funding, instructions: undefined },
    {
      mode: fundingMode,
      expected: { amount: '100000.00', currency: 'USD' },
      received: '0.00',
      outstanding: '100000.00',
      excess: '0.00',
      shortfall: '0.00',
      deposits: [],
      instructions: undefined,
    },
  );
  assert.deepEqual(rest, {
    quoteId: quote.body.quoteId,
    status: 'awaiting_funds',
    statusReason: null,
    version: 1,
    sellCurrency: 'USD',
    buyCurrency: 'EUR',
    fixedSide: 'sell',
    sellAmount: '100000.00',
    buyAmount: '91987.01',
    pricing: quote.body.pricing,
    settlement: { ...dates, originalValueDate: dates.valueDate, settledAt: null },
    refund: null,
    holds: [],
    failure: null,
    clientReference: 'INV-2291',
    metadata: { costCentre: '4410' },
    timeline: [{ sequence: 1, at: createdAt, status: 'awaiting_funds', actor: 'client', code: 'executed' }],
    updatedAt: createdAt,
    nextPollAfterSeconds: 5,
  });

  const done = await acme.get(`${QUOTES}/${quote.body.quoteId}`);
  conforms('quote', done);
  const { status, executedAt, validForMs, version } = done.body;
  assert.deepEqual([status, executedAt, validForMs, version], ['executed', createdAt, 0, 2]);
  assert.equal(done.body.transactionId, transactionId);
  const read = await acme.get(answer.headers.get('Location') ?? '');
  conforms('transaction', read);
  assert.deepEqual(read.body, answer.body);
});

test("an execution's own reference and metadata take the place of the quote's", async () => {
  const id = await quoteId({ clientReference: 'INV-1', metadata: { a: '1' } });
  const { body } = await acme.trade(id, { clientReference: 'PO-7781', metadata: {} });
  assert.deepEqual([body.clientReference, body.metadata], ['PO-7781', {}]);
  assert.equal((await acme.get(`${QUOTES}/${id}`)).body.clientReference, 'INV-1');
});

test('expect: other terms stop the execution, and the quote stays open', async () => {
  const id = await quoteId();
  const actual = { sellAmount: '100000.00', buyAmount: '91987.01' };
  for (const expect of [
    { sellAmount: '100000.01' },
    { buyAmount: '91987.02' },
    { ...actual, buyAmount: '0' },
  ])
    await refused('quote_terms_mismatch', acme.execute(id, { expect }), { actual });
  assert.equal((await acme.get(`${QUOTES}/${id}`)).body.status, 'open');
  const wrong = await refused(
    'amount_precision_invalid',
    acme.execute(id, { expect: { buyAmount: '1.001' } }),
  );
  assert.equal(wrong.errors[0].pointer, '/expect/buyAmount');
  assert.deepEqual(await fieldErrors(acme.execute(id, { expect: {} })), [['/expect', 'min_properties']]);
  assert.deepEqual(await fieldErrors(acme.execute(id, { expect: { rate: '1' } })), [
    ['/expect/rate', 'unknown_field'],
  ]);
  await succeed(201, acme.execute(id, { expect: { sellAmount: '100000', buyAmount: '91987.01' } }));
});

describe('what stands against an execution, in its order', () => {
  const code = { executed: 'quote_already_executed', expired: 'quote_expired' } as const;
  for (const state of ['executed', 'cancelled', 'expired', 'withdrawn'] as const) {
    test(`the quote is ${state}`, async () => {
      const id = await ENDED[state]();
      const shown = await acme.get(`${QUOTES}/${id}`);
      conforms('quote', shown);
      assert.equal(shown.body.status, state);
      const body = await refused(
        state === 'executed' || state === 'expired' ? code[state] : `quote_${state}`,
        acme.execute(id),
      );
      if (state === 'executed') assertNames(body, shown.body.transactionId);
      else assert.deepEqual([body.requote, body.quoteStatus], [{ requoteOf: id }, state]);
      // Its version is not the reason, whichever the caller has seen.
      for (const tag of ['"v1"', '"v2"', '"v7"', '"abc"']) {
        const late = await refused(body.code, acme.execute(id, undefined, { 'If-Match': tag }));
        if (state === 'executed') assertNames(late, shown.body.transactionId);
        else assert.deepEqual([late.requote, late.quoteStatus], [{ requoteOf: id }, state]);
        if (state === 'cancelled') {
          assert.equal((await succeed(200, cancel(id, { 'If-Match': tag }))).body.status, state);
          continue;
        }
        const ended = await refused(body.code, cancel(id, { 'If-Match': tag }));
        if (state === 'executed') assertNames(ended, shown.body.transactionId);
      }
    });
  }

  test('how late it was is told in milliseconds of the arrival', async () => {
    const quote = await acme.quote({ validitySeconds: 10 });
    await moveClock(service, { advanceSeconds: 12 });
    const body = await refused('quote_expired', acme.execute(quote.body.quoteId));
    assert.equal(body.expiresAt, quote.body.expiresAt);
    const lateMs = Date.parse(body.receivedAt) - Date.parse(body.expiresAt);
    assert.ok(lateMs >= 1_900 && lateMs < 10_000, `${lateMs}`);
    assert.match(body.detail, new RegExp(` ${lateMs} ms before`));
    // Hours later nobody wants to read milliseconds.
    await moveClock(service, { advanceSeconds: 7_200 });
    const { detail } = await refused('quote_expired', acme.execute(quote.body.quoteId));
    assert.equal(detail, `The quote expired at ${quote.body.expiresAt}.`);
  });

  test('If-Match: foreign and weak tags never match, what is no tag is refused', async () => {
    const id = await quoteId();
    for (const tag of ['"v2"', 'W/"v1"', '"abc"', '"v2147483648"', '"v9999999999"']) {
      const answer = acme.execute(id, undefined, { 'If-Match': tag });
      await refused('version_mismatch', answer, { currentVersion: 1 });
    }
    for (const tag of ['v1', '1', '"v1", "v2"']) {
      const [error] = await fieldErrors(acme.execute(id, undefined, { 'If-Match': tag }));
      assert.equal(error?.[0], '/header/If-Match');
    }
    await succeed(201, acme.execute(id, undefined, { 'If-Match': '*' }));
  });

  test('requireStatusCheck: without If-Match 428', async () => {
    const careful = await createCustomer(service, { settings: { requireStatusCheck: true } });
    const { body, headers } = await careful.quote();
    await refused('precondition_required', careful.execute(body.quoteId));
    await refused('precondition_required', careful.execute(body.quoteId, undefined, { 'If-Match': '*' }));
    const checked = { 'If-Match': headers.get('ETag') ?? '' };
    await succeed(201, careful.execute(body.quoteId, undefined, checked));
  });

  test('a market that shut early, but not what was decided before', async () => {
    const [id, executed, cancelled] = [await quoteId(), await ENDED.executed(), await ENDED.cancelled()];
    await service.operate('POST', '/v1/sandbox/market', { state: 'closed' });
    await refused('market_closed', acme.execute(id), { reason: 'halt' });
    await refused('quote_already_executed', acme.execute(executed));
    await refused('quote_cancelled', acme.execute(cancelled));
    await service.operate('POST', '/v1/sandbox/market', { state: 'open' });
    await succeed(201, acme.execute(id));
  });
});

describe('cancelling', () => {
  test('is idempotent and shows the quote', async () => {
    const id = await quoteId();
    const answer = await succeed(200, cancel(id, { 'If-Match': '"v1"' }));
    conforms('quote', answer);
    assert.deepEqual([answer.body.status, answer.body.version, answer.body.validForMs], ['cancelled', 2, 0]);
    assert.ok(answer.body.cancelledAt >= answer.body.createdAt);
    assert.equal(answer.headers.get('ETag'), '"v2"');
    const again = await succeed(200, cancel(id, {}, {}));
    assert.deepEqual(again.body, answer.body);
  });

  test('comes too late for what ended otherwise', async () => {
    const executed = await ENDED.executed();
    const { body } = await acme.get(`${QUOTES}/${executed}`);
    assertNames(await refused('quote_already_executed', cancel(executed)), body.transactionId);
    await refused('quote_expired', cancel(await ENDED.expired()));
    await refused('quote_withdrawn', cancel(await ENDED.withdrawn()));
  });

  test('takes no body, and minds If-Match', async () => {
    const id = await quoteId();
    assert.deepEqual(await fieldErrors(cancel(id, {}, { reason: 'x' })), [['', 'unknown_field']]);
    await refused('version_mismatch', cancel(id, { 'If-Match': '"v2"' }), { currentVersion: 1 });
    assert.equal((await acme.get(`${QUOTES}/${id}`)).body.status, 'open');
  });
});

describe('at the same time', () => {
  test('two hundred executions of one quote make one transaction, and 199 answers name it', async () => {
    const id = await quoteId();
    const answers = await Promise.all(Array.from({ length: 200 }, () => acme.execute(id)));
    const made = answers.filter((answer) => answer.status === 201);
    assert.equal(made.length, 1);
    const transactionId = made[0]?.body.transactionId;
    for (const answer of answers.filter((each) => each.status !== 201)) {
      assertNames(await refused('quote_already_executed', answer), transactionId);
    }
    const listed = await acme.get(`/v1/customer/transactions?quoteId=${id}`);
    assert.deepEqual(
      listed.body.items.map((item: Answer['body']) => item.transactionId),
      [transactionId],
    );
    await assertBooksBalance(service.pool);
  });

  test('of an execution and a cancellation one wins, and the other is told which', async () => {
    for (let round = 0; round < 20; round++) {
      const id = await quoteId();
      const [executed, cancelled] = await Promise.all([acme.execute(id), cancel(id)]);
      const { body } = await acme.get(`${QUOTES}/${id}`);
      if (executed.status === 201) {
        assertNames(await refused('quote_already_executed', cancelled), executed.body.transactionId);
      } else {
        await refused('quote_cancelled', executed);
        assert.equal(cancelled.status, 200);
      }
      assert.equal(body.status, executed.status === 201 ? 'executed' : 'cancelled');
    }
  });
});

function assertNames(body: Answer['body'], transactionId: string): void {
  assert.equal(body.transactionId, transactionId);
  assert.equal(body.transactionUrl, `/v1/customer/transactions/${transactionId}`);
}
