import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import pg from 'pg';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { createManualDesk, type ManualDesk } from '../../test/support/manual-desk.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { silentLogger } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { endTransaction } from '../payments/end-transaction.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { rematchSweep } from './rematch-deposits.ts';

let pool: Pool;
let desk: ManualDesk;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
  desk = await createManualDesk(pool);
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
});
after(() => desk.close());

const rematch = () => rematchSweep(desk.sandbox.desk, silentLogger).run();
const show = async (url: string) => (await desk.call('GET', url)).body;
const customerPath = () => `/v1/operator/customers/${typeId('cus', desk.sandbox.desk.customerId)}`;
const patchSettings = (settings: Record<string, unknown>) =>
  pool.query('update customers set settings = $2 where id = $1', [
    desk.sandbox.desk.customerId,
    JSON.stringify(settings),
  ]);

let accounts = 0;
async function account(): Promise<string> {
  await desk.close();
  desk = await createManualDesk(pool);
  const number = `GB33BUKB2020155556${String(++accounts).padStart(4, '0')}`;
  const added = await desk.call('POST', `${customerPath()}/virtual-accounts`, { currency: 'USD', number });
  assert.equal(added.status, 201);
  await rematch();
  return number;
}
/** What is looked at once more, a little later, is looked at now. */
const later = () => ownerOf(pool).query('update match_changes set due_at = now()');
async function keys(): Promise<number> {
  const { rows } = await pool.query<{ n: string }>('select count(*) as n from deposit_keys');
  return Number.parseInt(rows[0]?.n ?? '', 10);
}

describe('an open deposit is found by what changes', () => {
  test('a trade of its account and amount', async () => {
    const virtualAccount = await account();
    const url = await desk.arrived('700.00', { virtualAccount });
    const other = await desk.arrived('701.00', { virtualAccount });
    await later();
    assert.equal(await rematch(), 0);
    const row = await desk.sandbox.trade({ amount: '700.00' });
    assert.equal(await rematch(), 1);
    assert.deepEqual([(await show(url)).status, await desk.statusOf(row)], ['matched', 'funded']);
    assert.equal((await show(other)).version, 1);
    assert.equal(await rematch(), 0);
  });

  test('the second of two trades that it is the sum of', async () => {
    const virtualAccount = await account();
    const url = await desk.arrived('900.00', { virtualAccount });
    await desk.sandbox.trade({ amount: '400.00' });
    assert.equal(await rematch(), 0);
    await desk.sandbox.trade({ amount: '500.00' });
    assert.equal(await rematch(), 1);
    assert.equal((await show(url)).allocations[0].matchRule, 'virtual_account_group');
  });

  test('one of two trades ends, or gets its money otherwise', async () => {
    const virtualAccount = await account();
    const [first, second] = [
      await desk.sandbox.trade({ amount: '50.00' }),
      await desk.sandbox.trade({ amount: '50.00' }),
    ];
    const url = await desk.arrived('50.00', { virtualAccount });
    assert.equal((await show(url)).exception.type, 'ambiguous');
    await later();
    assert.equal(await rematch(), 0);
    await endTransaction(desk.sandbox.desk, { transactionId: first.id, ifMatch: undefined });
    assert.equal(await rematch(), 1);
    assert.equal(await desk.statusOf(second), 'funded');
    const [third, fourth] = [
      await desk.sandbox.trade({ amount: '60.00' }),
      await desk.sandbox.trade({ amount: '60.00' }),
    ];
    const unclear = await desk.arrived('60.00', { virtualAccount });
    await desk.arrived('60.00', { reference: third.reference });
    assert.equal(await rematch(), 1);
    assert.deepEqual([(await show(unclear)).status, await desk.statusOf(fourth)], ['matched', 'funded']);
  });

  test('a virtual account that is registered later, and then a trade of its owner', async () => {
    await account();
    const number = 'GB33BUKB20201555569999';
    const [url, next] = [
      await desk.arrived('80.00', { virtualAccount: number }),
      await desk.arrived('81.00', { virtualAccount: number }),
    ];
    await desk.sandbox.trade({ amount: '80.00' });
    await desk.call('POST', `${customerPath()}/virtual-accounts`, { currency: 'USD', number });
    assert.equal(await rematch(), 1);
    assert.equal((await show(url)).status, 'matched');
    await desk.sandbox.trade({ amount: '81.00' });
    assert.equal(await rematch(), 1);
    assert.equal((await show(next)).status, 'matched');
  });

  test('a customer who becomes pre-funded, or whose last open trade ends', async () => {
    const virtualAccount = await account();
    const row = await desk.sandbox.trade({ amount: '90.00' });
    const url = await desk.arrived('33.00', { virtualAccount });
    await patchSettings({ fundingMode: 'pre_funded' });
    assert.equal(await rematch(), 0);
    await endTransaction(desk.sandbox.desk, { transactionId: row.id, ifMatch: undefined });
    assert.equal(await rematch(), 1);
    assert.equal((await show(url)).allocations[0].to, 'balance');
  });

  test('a payer who becomes known: by a name, by an account', async () => {
    const virtualAccount = await account();
    await patchSettings({ thirdPartyPayments: 'hold' });
    const rows = [
      await desk.sandbox.trade({ amount: '11.00' }),
      await desk.sandbox.trade({ amount: '12.00' }),
    ];
    const from = { remitterName: 'Tescu Trading', remitterAccount: 'NO93 8601 1117 947', virtualAccount };
    const byName = await desk.arrived('11.00', from);
    const byAccount = await desk.arrived('12.00', { ...from, remitterName: 'Tescu Group' });
    assert.equal((await show(byAccount)).exception.type, 'third_party');
    await patchSettings({ thirdPartyPayments: 'hold', payerNames: ['TESCU TRADING'] });
    assert.equal(await rematch(), 1);
    assert.equal((await show(byName)).status, 'matched');
    await desk.call('POST', `${byAccount}/note`, { note: 'seen' });
    const again = await desk.arrived('12.00', { ...from, remitterName: 'Tescu Group' });
    await desk.match(byAccount, [[rows[1] as never, '1.00']]);
    assert.equal(await rematch(), 0, 'it fits no longer');
    assert.equal((await show(again)).version, 1);
    const third = await desk.sandbox.trade({ amount: '12.00' });
    assert.equal(await rematch(), 1);
    assert.equal(await desk.statusOf(third), 'funded');
  });

  test('a payer whom somebody has just said to be the customer, by a deposit that no trade is about', async () => {
    const virtualAccount = await account();
    await patchSettings({ thirdPartyPayments: 'hold' });
    const row = await desk.sandbox.trade({ amount: '17.00' });
    const from = { remitterName: 'Tescu Group', remitterAccount: 'NO93 8601 1117 947' };
    const said = await desk.arrived('16.00', from);
    const follows = await desk.arrived('17.00', { ...from, virtualAccount });
    await later();
    assert.equal(await rematch(), 0);
    assert.equal((await show(follows)).exception.type, 'third_party');
    const customerId = typeId('cus', desk.sandbox.desk.customerId);
    const topUp = { balance: { customerId }, reason: 'told by phone' };
    assert.equal((await desk.call('POST', `${said}/match`, topUp)).status, 200);
    assert.equal(await rematch(), 1);
    assert.deepEqual([(await show(follows)).status, await desk.statusOf(row)], ['matched', 'funded']);
  });

  test('rules that operators set anew', async () => {
    const setRules = (document: unknown, version: number) =>
      desk.call('PUT', '/v1/operator/matching-rules', document, { 'if-match': `"v${version}"` });
    const virtualAccount = await account();
    const { version, ...rules } = await show('/v1/operator/matching-rules');
    assert.equal((await setRules({ ...rules, groupSizeMax: 2 }, version)).status, 200);
    for (const amount of ['110.00', '220.00', '440.00']) await desk.sandbox.trade({ amount });
    const url = await desk.arrived('770.00', { virtualAccount });
    await later();
    assert.equal(await rematch(), 0);
    assert.equal((await setRules(rules, version + 1)).status, 200);
    assert.equal(await rematch(), 1);
    assert.equal((await show(url)).allocations.length, 3);
  });

  test('an account of the customer that becomes one of theirs by being registered', async () => {
    const virtualAccount = await account();
    await patchSettings({ thirdPartyPayments: 'hold' });
    const row = await desk.sandbox.trade({ amount: '13.00' });
    const iban = 'NO9386011117947';
    const from = { remitterName: 'Somebody Else', remitterAccount: iban, virtualAccount };
    const url = await desk.arrived('13.00', from);
    assert.equal((await show(url)).exception.type, 'third_party');
    assert.equal(await rematch(), 0);
    await pool.query(
      `insert into settlement_instructions (customer_id, id, currency, account_holder, iban, bic, bank_country, status, created_at)
       values ($1, $2, 'NOK', 'Acme', $3, 'DNBANOKK', 'NO', 'active', now())`,
      [desk.sandbox.desk.customerId, newUuid(desk.sandbox.desk.clock.now()), iban],
    );
    assert.equal(await rematch(), 1);
    assert.deepEqual([(await show(url)).status, await desk.statusOf(row)], ['matched', 'funded']);
  });

  test('and is found no more once a person has touched it', async () => {
    const virtualAccount = await account();
    const url = await desk.arrived('44.00', { virtualAccount });
    const before = await keys();
    await desk.call('POST', `${url}/note`, { note: 'mine' });
    assert.ok((await keys()) < before);
    await desk.sandbox.trade({ amount: '44.00' });
    await later();
    assert.equal(await rematch(), 0);
  });

  test('a trade that is committed at the same time as the deposit: it is looked at once more', async () => {
    const virtualAccount = await account();
    const url = await desk.arrived('45.00', { virtualAccount });
    await desk.sandbox.trade({ amount: '45.00' });
    // As if the trade had not seen the deposit.
    await pool.query("delete from match_changes where kind = 'trade'");
    assert.equal(await rematch(), 0);
    await later();
    assert.equal(await rematch(), 1);
    assert.equal((await show(url)).status, 'matched');
  });
});

test('15,000 open deposits: a new trade finds its own in one run, and few rows are read', async () => {
  const OPEN = 15_000;
  const virtualAccount = await account();
  const url = await desk.arrived('777.77', { virtualAccount });
  await later();
  await rematch();
  // As so many that arrived before: on the same account, and without anything to know them by.
  const { rows: made } = await pool.query<{ minor: string }>(
    `with first as (select * from deposits where virtual_account = $1 limit 1), made as (
       insert into deposits (id, account, bank_reference, fingerprint, source, amount_minor, currency, remitter_name, value_date,
         received_at, status, exception_type, exception_reason, customer_id, virtual_account, created_at, updated_at)
       select gen_random_uuid(), f.account, 'MANY-' || n, 'x', 'operator', 1000 + n, 'USD', f.remitter_name, f.value_date,
         f.received_at, 'unmatched', 'unmatched', 'no_reference', f.customer_id, f.virtual_account, f.created_at, f.updated_at
       from first f, generate_series(1, $2) n
       where 1000 + n <> f.amount_minor
       returning *
     ), histories as (
       insert into deposit_history (deposit_id, version, at, actor, action, detail)
       select id, 1, created_at, 'matcher', 'received', '{}' from made
     ), exceptions as (
       insert into reconciliation_exceptions (id, type, reason, deposit_id, customer_id, status, opened_at, version)
       select gen_random_uuid(), 'unmatched', 'no_reference', id, customer_id, 'open', created_at, 1 from made
     ), keys as (
       insert into deposit_keys select 'owner', customer_id::text, currency, amount_minor, id from made
     ), accounts as (
       insert into deposit_keys select 'account', virtual_account, currency, amount_minor, id from made
     )
     select sum(amount_minor) as minor from made`,
    [virtualAccount, OPEN],
  );
  const minor = made[0]?.minor ?? '0';
  await pool.query(`select post_entries($1)`, [
    JSON.stringify([
      {
        customer_id: '00000000-0000-0000-0000-000000000000',
        id: '019cb941-7241-7742-9e85-06a0bc2bd8bb',
        kind: 'deposit_received',
        at: new Date(desk.sandbox.clock.now()).toISOString(),
        accounts: ['bank', 'suspense'],
        currencies: ['USD', 'USD'],
        amounts: [minor, `-${minor}`],
      },
    ]),
  ]);
  await ownerOf(pool).query('analyze deposits, deposit_keys');
  const row = await desk.sandbox.trade({ amount: '777.77' });
  const one = new pg.Pool({ ...(pool as unknown as { options: pg.PoolConfig }).options, max: 1 });
  try {
    const read = async () => {
      await one.query('select pg_stat_force_next_flush()');
      const { rows } = await one.query<{ name: string; read: string }>(
        `select relname as name, seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_user_tables
         where relname in ('deposits', 'deposit_keys', 'transactions', 'match_changes')`,
      );
      return new Map(rows.map(({ name, read: count }) => [name, Number.parseInt(count, 10)]));
    };
    // What other connections have read before is counted when they report it: now, and not in between.
    const others = await Promise.all(Array.from({ length: 8 }, () => pool.connect()));
    for (const each of others) {
      await each.query('select pg_stat_force_next_flush()');
      each.release();
    }
    const first = await read();
    const matched = await rematchSweep({ ...desk.sandbox.desk, pool: one }, silentLogger).run();
    assert.equal(matched, 1);
    for (const [table, count] of await read()) {
      assert.ok(count - (first.get(table) ?? 0) < 100, `${count - (first.get(table) ?? 0)} rows of ${table}`);
    }
  } finally {
    await one.end();
  }
  assert.deepEqual([(await show(url)).status, await desk.statusOf(row)], ['matched', 'funded']);
});
