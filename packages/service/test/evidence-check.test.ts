import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { parseTypeId } from '../src/platform/ids.ts';
import { type Customer, createCustomer, EURUSD, startExampleService, succeed } from './support/acceptance.ts';
import { conforms } from './support/answers.ts';
import { createTestDatabase, ownerOf } from './support/database.ts';
import { assertQuotesFollowFromEvidence } from './support/evidence-check.ts';
import { keepAsBefore } from './support/quotes-of-before.ts';
import type { TestService } from './support/service.ts';
import { createDesk } from './support/trading.ts';

/** Evidence that is not what it should be: changed, from an older time, or none. */

const QUOTES = '/v1/customer/quotes';
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

const explained = async (customer: Customer, quoteId: string) => {
  const answer = await succeed(200, customer.get(`${QUOTES}/${quoteId}/explain`));
  conforms('explanation', answer);
  return answer.body;
};
const forOperator = async (path: string) => {
  const answer = await succeed(200, service.operate('GET', `/v1/operator/${path}`));
  conforms('operatorExplanation', answer);
  return answer.body;
};

test('operators see which numbers do not follow', async () => {
  const { quoteId } = (await acme.quote()).body;
  const restore = await rewriteEvidence(quoteId, (kept) => ({ ...kept, ask: '1.08495' }));
  const { verification, numbers } = await forOperator(`quotes/${quoteId}/explain`);
  assert.equal(verification.outcome, 'differs');
  assert.deepEqual(verification.differences[0], {
    member: 'rate',
    recorded: '1.08711',
    recomputed: '1.08712',
  });
  assert.equal(numbers.rate, '1.08711', 'what was promised is shown, not what would follow');
  await assert.rejects(assertQuotesFollowFromEvidence(service.pool), /1\.08712/);
  await restore();
});

describe('quotes from when less was kept', () => {
  test('with spread and price only, they still come out', async () => {
    const { quoteId } = (await acme.quote()).body;
    const restore = await rewriteEvidence(quoteId, ({ bid, ask, spreadBps, amountRounding }) => ({
      bid,
      ask,
      spreadBps,
      amountRounding,
    }));
    const { market, spread, steps, verification } = await explained(acme, quoteId);
    assert.deepEqual([market.ask, market.bidFrom, spread.components], [EURUSD.ask, undefined, undefined]);
    assert.equal(spread.totalBps, '20.00');
    assert.equal(steps.length, 8);
    assert.equal(verification.outcome, 'matches');
    await restore();
  });

  test('with nothing, they say so and show what they hold', async () => {
    const { quoteId } = (await acme.quote()).body;
    const restore = await rewriteEvidence(quoteId, () => ({}));
    const { numbers, spread, steps, verification } = await explained(acme, quoteId);
    assert.deepEqual([numbers.rate, numbers.marketAmount, steps], ['1.08711', '92171.00', []]);
    assert.equal(spread.totalBps, '20.00');
    assert.deepEqual(verification, {
      outcome: 'incomplete',
      detail: 'not recorded: bid, ask, spreadBps, amountRounding',
    });
    await assert.rejects(assertQuotesFollowFromEvidence(service.pool), /evidence is missing/);
    await restore();
  });

  test('with something that is no price, they say what', async () => {
    const { quoteId } = (await acme.quote()).body;
    const restore = await rewriteEvidence(quoteId, (kept) => ({ ...kept, bid: '9' }));
    const { verification } = await explained(acme, quoteId);
    assert.equal(verification.outcome, 'incomplete');
    assert.match(verification.detail, /not crossed/);
    await restore();
  });
});

test('the check that runs on every test database counts quotes, and reads more than a page of them', async () => {
  const { pool } = await createTestDatabase();
  const desk = await createDesk(pool);
  const { id } = await desk.quote();
  await pool.query(
    `insert into quotes select (jsonb_populate_record(q, jsonb_build_object('id', gen_random_uuid()))).*
     from quotes q, generate_series(1, 4500) where q.id = $1`,
    [id],
  );
  assert.equal(await assertQuotesFollowFromEvidence(pool), 4_501);
  const one = '(select max(id::text)::uuid from quotes)';
  await pool.query(
    `update quotes set buy_minor = buy_minor + 1, markup_minor = markup_minor - 1 where id = ${one}`,
  );
  await assert.rejects(assertQuotesFollowFromEvidence(pool), /buyAmount/);
  await ownerOf(pool).query(`delete from quotes where id = ${one}`);
});

/** Changes what was kept with the price of a quote; answers how to change it back. */
async function rewriteEvidence(
  quoteId: string,
  change: (kept: Record<string, unknown>) => Record<string, unknown>,
): Promise<() => Promise<void>> {
  const id = parseTypeId('quote', quoteId) ?? assert.fail();
  await keepAsBefore(ownerOf(service.pool), id);
  const { rows } = await service.pool.query<{ evidence: string }>(
    'select evidence from priced_quotes where id = $1',
    [id],
  );
  const before = rows[0]?.evidence ?? '';
  const write = async (evidence: string) => {
    const { rowCount } = await ownerOf(service.pool).query(
      'update quote_prices p set evidence = $2 from quotes q where q.id = $1 and p.id = q.price_id',
      [id, evidence],
    );
    assert.equal(rowCount, 1);
  };
  await write(JSON.stringify(change(JSON.parse(before) as Record<string, unknown>)));
  return () => write(before);
}
