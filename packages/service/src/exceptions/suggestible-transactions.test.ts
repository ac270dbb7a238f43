import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { depositFor } from '../../test/support/deposits.ts';
import { createDesk, type Desk } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { receiveDeposit } from '../deposits/receive-deposit.ts';
import type { DepositRecord } from '../deposits/record.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { suggestFor } from './suggest.ts';

/** Which trades are looked at for a deposit; how they are weighed is in suggest.test.ts. */

let pool: Pool;
let desk: Desk;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 4 }));
  desk = await createDesk(pool);
});

const traded = async (...amounts: readonly string[]) => {
  const rows: TransactionRow[] = [];
  for (const amount of amounts) rows.push(await desk.execute(await desk.quote({ amount })));
  return rows;
};
/** A deposit of nobody that names nothing. */
async function arrived(like: TransactionRow, amountMinor: bigint, remittanceText = 'thanks') {
  const patch = { amountMinor, remittanceText, remitterName: null };
  return (await receiveDeposit(desk, depositFor(like, desk, patch))).deposit;
}
const suggested = async (deposit: DepositRecord) =>
  (await suggestFor(pool, deposit)).map(({ row }) => row.sell_minor);

test('a deposit that names nothing is for what misses its amount, or up to one percent more', async () => {
  const [like] = await traded('999.99', '1000.00', '1009.99', '1010.00', '1010.01');
  assert.ok(like);
  assert.deepEqual(await suggested(await arrived(like, 100_000n)), ['100000', '100999', '101000']);
});

test('and not for what has its money, or is sold in another currency', async () => {
  const [paid] = await traded('2000.00', '2001.00');
  assert.ok(paid);
  await desk.execute(await desk.quote({ sellCurrency: 'EUR', buyCurrency: 'USD', amount: '2000.00' }));
  await receiveDeposit(desk, depositFor(paid, desk));
  assert.deepEqual(await suggested(await arrived(paid, 200_000n)), ['200100']);
});

test('one that names a trade is for that one, whatever is missing', async () => {
  const [named] = await traded('3000.00');
  assert.ok(named);
  const deposit = await arrived(named, 310_000n, 'see you');
  assert.deepEqual(await suggested(deposit), []);
  const naming = { ...deposit, remittanceText: named.reference };
  assert.deepEqual(await suggested(naming), ['300000']);
});
