import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { tradeDateAt } from '@firmquote/fx';
import { createTestDatabase } from '../../test/support/database.ts';
import { alone, preFund, setLimits, together, USD_OF_ONE } from '../../test/support/executions.ts';
import { createDesk, type Desk, executionOf } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import type { QuoteRecord } from '../quotes/record.ts';
import { requestQuote } from '../quotes/request-quote.ts';
import { type ExecutionResult, TransactionStore } from './store.ts';

/** What holds for the executions of one batch together. */

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase());
});

describe('several executions of one batch', () => {
  const outcomesOf = (results: readonly ExecutionResult[]) => results.map(({ outcome }) => outcome);
  const LIMITS = {
    'the daily limit': (desk: Desk, minor: bigint) => setLimits(desk, { daily: minor }),
    'the open-position limit': (desk: Desk, minor: bigint) => setLimits(desk, { open: minor }),
    'the balance': preFund,
  };
  for (const [name, allow] of Object.entries(LIMITS)) {
    for (const isMixed of [false, true]) {
      const where = isMixed ? ' beside one that is refused anyway' : '';
      test(`exceed ${name} only together${where}: as many are executed as fit, to the cent`, async () => {
        for (const [allowed, fit] of [
          [3n * USD_OF_ONE, 3],
          [3n * USD_OF_ONE - 1n, 2],
          [2n * USD_OF_ONE, 2],
        ] as const) {
          const desk = await createDesk(pool);
          await allow(desk, allowed);
          const items = [];
          for (let n = 0; n < 3; n++) items.push(executionOf(desk, (await desk.quote()).id));
          if (isMixed) items.push(executionOf(desk, newUuid(desk.clock.now())));
          const batches: number[] = [];
          const transactions = new TransactionStore({
            pool,
            now: () => desk.clock.now(),
            limitDay: (now) => tradeDateAt(now),
            onBatch: (_, size) => batches.push(size),
          });
          const results = outcomesOf(await Promise.all(items.map((item) => transactions.execute(item))));
          // Decided in one statement, and once more for those that waited for their neighbours: nothing failed.
          assert.ok(batches.length <= 2, `${batches}`);
          assert.equal(results.filter((outcome) => outcome === 'created').length, fit);
          assert.equal(results.filter((outcome) => outcome === 'limit_exceeded').length, 3 - fit);
          const { rows } = await pool.query<{ n: number; usd: string }>(
            `select (select count(*)::int from transactions where customer_id = $1) as n, open_usd_minor as usd
             from customer_usage where customer_id = $1`,
            [desk.customerId],
          );
          assert.deepEqual(rows[0], { n: fit, usd: String(BigInt(fit) * USD_OF_ONE) });
        }
      });
    }
  }

  test('of two customers count for each of them alone', async () => {
    const one = await createDesk(pool);
    const two = await createDesk(pool, { clock: one.clock });
    await setLimits(one, { daily: 2n * USD_OF_ONE, open: 2n * USD_OF_ONE });
    await setLimits(two, { daily: USD_OF_ONE, open: USD_OF_ONE });
    const desks = [one, two, one, two];
    const items = [];
    for (const desk of desks) items.push(executionOf(desk, (await desk.quote()).id));
    const results = outcomesOf(await together(one, items));
    assert.deepEqual([results[0], results[2]], ['created', 'created']);
    assert.deepEqual([results[1], results[3]].sort(), ['created', 'limit_exceeded']);
  });

  test('count from nothing on the next day for the daily limit, and on for the open position', async () => {
    for (const isAlone of [true, false]) {
      const desk = await createDesk(pool);
      await setLimits(desk, { daily: USD_OF_ONE, open: 2n * USD_OF_ONE });
      await desk.execute(await desk.quote());
      const executed = async () => {
        const items = [executionOf(desk, (await desk.quote()).id)];
        if (!isAlone) items.push(executionOf(desk, newUuid(desk.clock.now())));
        const [result] = await together(desk, items);
        return [result?.outcome, result?.limit_type];
      };
      assert.deepEqual(await executed(), ['limit_exceeded', 'daily']);
      desk.clock.advance(24 * 3_600_000);
      assert.deepEqual(await executed(), ['created', null]);
      const { rows } = await pool.query(
        'select daily_usd_minor, open_usd_minor from customer_usage where customer_id = $1',
        [desk.customerId],
      );
      assert.deepEqual(rows[0], {
        daily_usd_minor: String(USD_OF_ONE),
        open_usd_minor: String(2n * USD_OF_ONE),
      });
      desk.clock.advance(24 * 3_600_000);
      assert.deepEqual(await executed(), ['limit_exceeded', 'openPosition']);
    }
  });
});

test('one text as the key of a quote and of executions of two quotes is three keys', async () => {
  const desk = await createDesk(pool);
  const key = { key: 'same', fingerprint: 'f' };
  const body = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '10.00' } as const;
  const ask = () =>
    requestQuote(desk.services, {
      customerId: desk.customerId,
      clientId: desk.clientId,
      body,
      key: { ...key, receivedAt: desk.clock.now() },
    });
  const { record: first, current } = await ask();
  assert.equal(current, undefined);
  const second = await desk.quote();
  const execute = (quote: QuoteRecord) => alone(desk, executionOf(desk, quote.id, { key }));
  for (const [round, isReplay] of [false, true].entries()) {
    for (const quote of [first, second]) {
      const result = await execute(quote);
      assert.deepEqual([result.outcome, result.replayed], ['created', isReplay], `round ${round}`);
    }
  }
  const again = await ask();
  assert.deepEqual([again.record.id, again.current?.id], [first.id, first.id]);
  const { rows } = await pool.query(
    `select operation from idempotency_keys where customer_id = $1
     union all
     select 'execute:' || quote_id from transactions where customer_id = $1 and key_id = text_id($2) order by 1`,
    [desk.customerId, key.key],
  );
  assert.deepEqual(
    rows.map(({ operation }) => operation),
    [...[first, second].map(({ id }) => `execute:${id}`).sort(), 'quotes'],
  );
});
