import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instances, setLimits } from '../../test/support/house-limits.ts';
import { createExposure } from './room.ts';

test('the sweep tells the database what currencies are worth', async () => {
  const { pool, desks } = await instances(1);
  const [desk] = desks;
  assert.ok(desk);
  const { clock, book } = desk;
  const { sweep } = createExposure({ pool, clock, book });
  await setLimits(pool, { total: '1.00' });
  const worth = async () =>
    (
      await pool.query<{ worth: string }>(
        `select round(numerator / denominator, 5) as worth from exposure_values where currency = 'EUR'`,
      )
    ).rows;
  assert.deepEqual(await worth(), []);
  assert.equal(await sweep.run(), 0);
  assert.deepEqual(await worth(), [{ worth: '1.08491' }]);
  book.freeze('EURUSD', { units: 120_000n, scale: 5 }, { units: 120_000n, scale: 5 });
  await sweep.run();
  assert.deepEqual(await worth(), [{ worth: '1.20000' }]);
});
