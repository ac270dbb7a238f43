import assert from 'node:assert/strict';
import type { Pool } from '../../src/database/pool.ts';
import { commandDeposit } from '../../src/deposits/operate-deposit.ts';
import { receiveDeposit } from '../../src/deposits/receive-deposit.ts';
import { returning } from '../../src/deposits/return-deposit.ts';
import type { Payable } from './bank-story.ts';
import type { Desk } from './trading.ts';

/** Deposits that the house sends back, beside what else it pays. */

let arrivals = 0;

/** A deposit of nobody that goes back to where it came from. */
export async function returnable(pool: Pool, desk: Desk): Promise<Payable> {
  const { clock, dates } = desk;
  const room = { pool, clock, dates, usdValueOf: () => 0n };
  const bankReference = `ARRIVED-${++arrivals}`;
  const amountMinor = 20_000n;
  const { deposit } = await receiveDeposit(room, {
    account: 'GB29NWBK60161331926819',
    bankReference,
    source: 'operator',
    amountMinor,
    currency: 'EUR',
    remitterName: 'Payer Ltd',
    remitterAccount: 'DE02120300000000202051',
    remittanceText: bankReference,
    valueDate: '2026-03-04',
    receivedAt: clock.now(),
    fingerprint: '0'.repeat(64),
  });
  const order = { depositId: deposit.id, ifMatch: undefined, actor: desk.clientId, reason: 'not ours' };
  const { done } = await commandDeposit(room, order, returning, { returnedBy: 'house' });
  assert.ok(done);
  const { rows } = await pool.query('select id from deposit_returns where deposit_id = $1', [deposit.id]);
  return { desk, purpose: 'deposit_return', subjectId: rows[0].id, amountMinor };
}

/** No statement tells of the deposit: what the bank lacks of it is no work. */
export async function endOfReturn(pool: Pool, made: Payable): Promise<Record<string, unknown>> {
  const { rows: subjects } = await pool.query(
    `select r.status, r.failure, null as paid, d.id as deposit_id, d.status as deposit, d.exception_reason
     from deposit_returns r join deposits d on d.id = r.deposit_id where r.id = $1`,
    [made.subjectId],
  );
  const { deposit_id: depositId, ...subject } = subjects[0];
  const { rows: items } = await pool.query(
    `select currency, amount_minor + $2 as amount_minor from bank_open_items
     where subject_id = $1 and amount_minor + $2 <> 0`,
    [depositId, made.amountMinor.toString()],
  );
  const { rows: exceptions } = await pool.query(
    `select type, reason from reconciliation_exceptions where status = 'open' and return_id = $1 order by reason`,
    [made.subjectId],
  );
  const { rows: balances } = await pool.query(
    `select p.account, p.currency, sum(p.amount) as balance
     from journal_entries j, unnest(j.accounts, j.currencies, j.amounts) as p (account, currency, amount)
     where j.deposit_id = $1 group by 1, 2 having sum(p.amount) <> 0 order by 1, 2`,
    [depositId],
  );
  return { subject, items, exceptions, balances };
}
