import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { expireApprovals, lockApproval } from '../src/approvals/store.ts';
import { runOf } from '../src/balances/withdrawal-store.ts';
import {
  lockDeposits,
  lockDetail,
  lockDueCredits,
  lockDuePayments,
} from '../src/bank-statements/due-entry-store.ts';
import { lockDueStatuses } from '../src/bank-statements/status-store.ts';
import { holdTrading } from '../src/customers/standing.ts';
import { type Connection, inTransaction, type Pool } from '../src/database/pool.ts';
import { lockCandidates } from '../src/deposits/match-context-store.ts';
import { lockDeposit, lockTransactions } from '../src/deposits/store.ts';
import { lockClosing } from '../src/ledger/closing-store.ts';
import { newUuid, typeId } from '../src/platform/ids.ts';
import { lockRows } from '../src/transactions/change.ts';
import { debit, e2e, type Instructed, instructed, reported } from './support/bank-story.ts';
import { createTestDatabase } from './support/database.ts';
import { createOperatorServer, type OperatorServer } from './support/operator-server.ts';
import { createSandbox } from './support/sandbox.ts';
import { executionOf, expireDue } from './support/trading.ts';
import { untilLocked } from './support/waiting-for-locks.ts';

/** Rows that are decided on are held until the commit, and sweeps pass over what another instance holds. */

let pool: Pool;
let server: OperatorServer;
let trade: Instructed;
let ids: Record<'approval' | 'deposit' | 'withdrawal' | 'run' | 'debit' | 'credit' | 'status', string>;

before(async () => {
  ({ pool } = await createTestDatabase());
  const sandbox = await createSandbox(pool);
  const { desk } = sandbox;
  server = createOperatorServer(sandbox);
  const made = await instructed(pool, 2);
  trade = made[0] as Instructed;
  await reported(server, [
    debit(trade.amount, e2e('NOBODY-KNOWS-IT')),
    { amount: '12.00', currency: 'EUR', reference: 'BANKREF-X', details: [] },
  ]);
  await pool.query(
    `update entry_details e set
       payment_state = case when b.direction = 'debit' then 'due' else e.payment_state end, payment_reason = null,
       deposit_state = case when b.direction = 'credit' then 'due' else e.deposit_state end, deposit_id = null
     from bank_entries b where b.id = e.entry_id`,
  );
  const now = desk.clock.now();
  const approval = newUuid(now);
  await pool.query(
    `insert into approvals (id, kind, subject, request, reason, status, proposed_by, proposed_at)
     values ($1, 'x', 'x', '{}', 'x', 'pending', $1, now())`,
    [approval],
  );
  const status = newUuid(now);
  await pool.query(
    `insert into payment_statuses (id, file_id, position, line, level, status, state)
     select $1, id, 0, 1, 'file', 'ACTC', 'due' from statement_files limit 1`,
    [status],
  );
  const url = `/v1/operator/customers/${typeId('cus', desk.customerId)}/balances`;
  const money = { currency: 'USD', amount: '50.00', bankReference: 'T1' };
  assert.equal((await server.call('POST', `${url}/top-ups`, money)).status, 201);
  const out = { currency: 'USD', amount: '10.00', reason: 'asked by letter' };
  assert.equal(
    (await server.call('POST', `${url}/withdrawals`, out, { 'idempotency-key': 'W' })).status,
    201,
  );
  const order = { currency: 'USD', valueDate: '2026-03-04' };
  assert.equal((await server.call('POST', '/v1/operator/settlement-runs', order)).status, 201);
  const one = async (text: string) => (await pool.query<{ id: string }>(text)).rows[0]?.id ?? '';
  const entry = (direction: string) =>
    one(
      `select e.id from entry_details e join bank_entries b on b.id = e.entry_id where b.direction = '${direction}'`,
    );
  ids = {
    approval,
    status,
    deposit: await one('select id from deposits where customer_id is not null limit 1'),
    withdrawal: await one('select id from balance_withdrawals'),
    run: await one(`select id from settlement_runs where currency = 'USD'`),
    debit: await entry('debit'),
    credit: await entry('credit'),
  };
});
after(() => server.close());

/** Whether somebody holds the row. */
async function isHeld(table: string, id: string): Promise<boolean> {
  const { rowCount } = await pool.query(`select 1 from ${table} where id = $1 for update skip locked`, [id]);
  return rowCount === 0;
}

const span = () => ({
  rowsMax: 10,
  after: '00000000-0000-0000-0000-000000000000',
  upTo: null,
  now: trade.desk.clock.now(),
});

describe('what is decided on is held until the commit', () => {
  const HOLDS: readonly (readonly [
    what: string,
    table: string,
    id: () => string,
    work: (connection: Connection) => Promise<unknown>,
  ])[] = [
    ['an approval', 'approvals', () => ids.approval, (c) => lockApproval(c, ids.approval)],
    ['a deposit', 'deposits', () => ids.deposit, (c) => lockDeposit(c, ids.deposit)],
    [
      'a deposit that an operator recorded and a credit tells of',
      'deposits',
      () => ids.deposit,
      (c) => lockDeposits(c, [ids.deposit]),
    ],
    ['the run of a withdrawal', 'settlement_runs', () => ids.run, (c) => runOf(c, ids.withdrawal)],
    [
      'a trade that a deposit names',
      'transactions',
      () => trade.row.id,
      (c) => lockCandidates(c, [trade.row.reference], []),
    ],
    [
      'a trade that an operator matches',
      'transactions',
      () => trade.row.id,
      (c) => lockTransactions(c, [trade.row.id]),
    ],
    [
      'a trade that the bank tells of',
      'transactions',
      () => trade.row.id,
      (c) => lockRows(c, [{ customerId: trade.row.customer_id, id: trade.row.id }]),
    ],
    ['an entry that a person looks at', 'entry_details', () => ids.debit, (c) => lockDetail(c, ids.debit)],
    ['a debit that is due', 'entry_details', () => ids.debit, (c) => lockDuePayments(c, 'payment', span())],
    ['a credit that is due', 'entry_details', () => ids.credit, (c) => lockDueCredits(c, span())],
    ['a status that is due', 'payment_statuses', () => ids.status, (c) => lockDueStatuses(c, span())],
  ];
  for (const [what, table, id, work] of HOLDS) {
    test(what, async () => {
      await inTransaction(pool, async (connection) => {
        assert.equal(await isHeld(table, id()), false, 'before');
        await work(connection);
        assert.equal(await isHeld(table, id()), true, 'within');
      });
      assert.equal(await isHeld(table, id()), false, 'afterwards');
    });
  }

  test('how far days are closed', async () => {
    await inTransaction(pool, async (connection) => {
      assert.ok(await lockClosing(connection, ''));
      const { rowCount } = await pool.query('select 1 from ledger_closing for update skip locked');
      assert.equal(rowCount, 0);
    });
  });
});

describe('what another instance holds is passed over, not waited for', () => {
  /** The work, while the row is held elsewhere; waiting for it would be an error. */
  async function besides<T>(
    table: string,
    where: string,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    return inTransaction(pool, async (holder) => {
      const { rowCount } = await holder.query(`select 1 from ${table} where ${where} for update`);
      assert.equal(rowCount, 1);
      return inTransaction(pool, async (connection) => {
        await connection.query(`set local lock_timeout = '500ms'`);
        return work(connection);
      });
    });
  }
  const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

  test('a debit that is due', async () => {
    const work = (c: Connection) => lockDuePayments(c, 'payment', span());
    assert.deepEqual(await besides('entry_details', `id = '${ids.debit}'`, work), []);
    assert.equal((await inTransaction(pool, work)).length, 1);
  });

  test('a credit that is due', async () => {
    const work = (c: Connection) => lockDueCredits(c, span());
    assert.deepEqual(idsOf(await besides('entry_details', `id = '${ids.credit}'`, work)), []);
    assert.deepEqual(idsOf(await inTransaction(pool, work)), [ids.credit]);
  });

  test('a status that is due', async () => {
    const work = (c: Connection) => lockDueStatuses(c, span());
    assert.deepEqual(idsOf(await besides('payment_statuses', `id = '${ids.status}'`, work)), []);
    assert.deepEqual(idsOf(await inTransaction(pool, work)), [ids.status]);
  });

  test('the closing of days', async () => {
    const work = (c: Connection) => lockClosing(c);
    assert.equal(await besides('ledger_closing', 'true', work), undefined);
    assert.ok(await inTransaction(pool, work));
  });

  test('a proposal that is being decided on', async () => {
    const later = Date.parse('2100-01-01T00:00:00Z');
    const work = (c: Connection) => expireApprovals(c, later, later, 10);
    assert.equal(await besides('approvals', `id = '${ids.approval}'`, work), 0);
    assert.equal(await inTransaction(pool, work), 1);
  });

  test('a quote that is being executed, when it runs out and when it is withdrawn', async () => {
    const { desk } = trade;
    const { store } = desk.services;
    const [held, free] = [await desk.quote(), await desk.quote()];
    const all = [held, free].map(({ id }) => ({ customerId: desk.customerId, id }));
    const withdrawn = () => store.withdraw(all, 'customer_suspended', desk.clock.now());
    assert.equal(await besides('quotes', `id = '${held.id}'`, withdrawn), 1);
    assert.equal((await store.find(desk.customerId, free.id))?.status, 'withdrawn');
    const expired = () => expireDue(store, held.expiresAt, held.expiresAt, 10);
    assert.equal(await besides('quotes', `id = '${held.id}'`, expired), 0);
    assert.equal(await expired(), 1);
    assert.equal((await store.find(desk.customerId, held.id))?.status, 'expired');
  });
});

test('an execution waits for one who is changing its quote, and is decided on what became of it', async () => {
  const { desk } = trade;
  const quote = await desk.quote();
  for (const isAlone of [true, false]) {
    const target = isAlone ? quote : await desk.quote();
    const items = [executionOf(desk, target.id)];
    if (!isAlone) items.push(executionOf(desk, newUuid(desk.clock.now())));
    let executing: Promise<{ outcome: string }[]> | undefined;
    await inTransaction(pool, async (holder) => {
      await holdTrading(holder, desk.customerId);
      await holder.query(
        `update quotes set status = 'cancelled', closed_at = created_at, version = version + 1 where id = $1`,
        [target.id],
      );
      executing = Promise.all(items.map((item) => desk.services.transactions.execute(item)));
      await untilLocked(pool);
    });
    const [result] = (await executing) ?? [];
    assert.equal(result?.outcome, 'quote_cancelled');
  }
});
