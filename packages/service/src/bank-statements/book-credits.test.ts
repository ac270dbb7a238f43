import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { ownerOf } from '../../test/support/database.ts';
import { createOperatedSandbox, depositOf, type OperatorServer } from '../../test/support/operator-server.ts';
import { type Sandbox, silentLogger } from '../../test/support/sandbox.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import type { Pool } from '../database/pool.ts';
import { typeId, uuidOf } from '../platform/ids.ts';
import { bookEntries, entrySweep } from './book-entries.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;

before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox({ withBank: true }));
});
after(() => server.close());

const entriesOf = async (fileId: string, query = '') =>
  (await server.call('GET', `/v1/operator/statements/${fileId}/entries?limit=200${query}`)).body.items;

async function deposits(): Promise<{ bank_reference: string; amount_minor: string; status: string }[]> {
  const { rows } = await pool.query(
    "select bank_reference, amount_minor, status from deposits where source = 'statement' order by id",
  );
  return rows;
}

/** A credit that is due, as if the commit of its deposit had never been. Its id. */
async function unbooked(amount: string, reference: string): Promise<string> {
  await server.upload(camt([{ amount, reference }]));
  const { rows } = await pool.query(
    `update entry_details set deposit_state = 'due', deposit_id = null
     where deposit_id = (select id from deposits where bank_reference = $1) returning id`,
    [reference],
  );
  await pool.query(`update deposits set bank_reference = $1 || '-gone' where bank_reference = $1`, [
    reference,
  ]);
  return rows[0].id;
}

describe('the credits of a statement', () => {
  test('are deposits, also returns and reversals of what is not ours, but pending entries are not', async () => {
    const countBefore = (await deposits()).length;
    const returned = txDtls('AC04 closed', {
      refs: '<InstrId>PAYOUT-9</InstrId><EndToEndId>P9</EndToEndId>',
      after: '<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>',
    });
    const created = await server.upload(
      camt([
        { amount: '41.00', reference: 'RET-1', details: [returned] },
        { amount: '42.00', reference: 'RET-2', reversal: true },
        { amount: '43.00', reference: 'RET-3', status: 'PDNG' },
      ]),
    );
    const entries = await entriesOf(created.body.fileId);
    assert.deepEqual(
      entries.map((each: Record<string, unknown>) => [
        each.kind,
        each.status,
        each.paymentState,
        each.depositState,
      ]),
      [
        // The house has made no such payment, but the money is there.
        ['return', 'booked', 'unknown', 'booked'],
        ['reversal', 'booked', 'unknown', 'booked'],
        ['payment', 'pending', 'none', 'none'],
      ],
    );
    assert.deepEqual([entries[0].returnReason, entries[0].originalReference], ['AC04', 'PAYOUT-9']);
    const added = (await deposits()).slice(countBefore);
    assert.deepEqual(
      added.map((each) => [each.bank_reference, each.status]),
      [
        ['RET-1', 'unmatched'],
        ['RET-2', 'unmatched'],
      ],
    );
    // The pending one is money once it is booked.
    await server.upload(camt([{ amount: '43.00', reference: 'RET-3' }], { number: '41' }));
    assert.deepEqual(
      (await deposits()).slice(countBefore + 2).map((each) => each.bank_reference),
      ['RET-3'],
    );
  });

  test('of an unknown account are kept, and booked when the account becomes the house’s', async () => {
    const created = await server.upload(
      camt([{ amount: '9.00', currency: 'EUR', reference: 'UNK-1' }], {
        account: 'NL91ABNA0417164300',
        currency: 'EUR',
      }),
    );
    assert.equal(created.status, 201);
    assert.deepEqual(
      created.body.warnings.map((each: { code: string }) => each.code),
      ['unknown_account'],
    );
    const [entry] = await entriesOf(created.body.fileId);
    assert.equal(entry.depositState, 'unknown_account');
    const sweep = entrySweep(sandbox.desk, silentLogger);
    assert.equal(await sweep.run(), 0);
    const details = { accountHolder: 'House', iban: 'NL91ABNA0417164300', rails: [] };
    await pool.query(
      `insert into collection_accounts (currency, details, updated_at) values ('EUR', $1, now())
       on conflict (currency) do update set details = excluded.details`,
      [JSON.stringify(details)],
    );
    await sweep.run();
    await sweep.run();
    const [booked] = await entriesOf(created.body.fileId);
    assert.equal(booked.depositState, 'booked');
    const shown = await server.call('GET', `/v1/operator/statements/${created.body.fileId}`);
    assert.deepEqual(shown.body.warnings, []);
  });

  test('are what an operator has recorded by hand for the same money', async () => {
    const row = await sandbox.trade();
    const recorded = await server.call('POST', '/v1/operator/deposits', depositOf(row, 'HAND-1'));
    const created = await server.upload(camt([{ amount: '100000.00', reference: 'HAND-1' }]));
    const [entry] = await entriesOf(created.body.fileId);
    assert.deepEqual([entry.depositState, entry.depositId], ['booked', recorded.body.depositId]);
  });

  test('of two under one reference, booked by two instances at once, one is what was recorded by hand', async () => {
    const row = await sandbox.trade();
    const credit = { amount: '100000.00', reference: 'HAND-2' };
    const { fileId } = (await server.upload(camt([credit, { ...credit, booked: '2026-02-04' }]))).body;
    const [first, second] = (await entriesOf(fileId)).map((each: { entryId: string }) =>
      uuidOf('ste', each.entryId),
    );
    await pool.query(
      `update entry_details set deposit_state = 'due', deposit_id = null where id = any ($1::uuid[])`,
      [[first, second]],
    );
    await pool.query(`update deposits set bank_reference = id::text where bank_reference like 'HAND-2%'`);
    const recorded = await server.call('POST', '/v1/operator/deposits', depositOf(row, 'HAND-2'));
    const depositId = uuidOf('dep', recorded.body.depositId);
    const other = await ownerOf(pool).connect();
    await other.query('begin');
    await other.query('select from entry_details where id = $1 for update', [first]);
    await other.query('select from deposits where id = $1 for update', [depositId]);
    const booking = bookEntries(sandbox.desk, silentLogger);
    await untilLocked(pool);
    await other.query(`update entry_details set deposit_state = 'booked', deposit_id = $2 where id = $1`, [
      first,
      depositId,
    ]);
    await other.query('commit');
    other.release();
    await booking;
    await bookEntries(sandbox.desk, silentLogger);
    const { rows } = await pool.query<{ id: string; deposit_id: string }>(
      'select id, deposit_id from entry_details where id = any ($1::uuid[])',
      [[first, second]],
    );
    const depositsOf = new Map(rows.map((each) => [each.id, each.deposit_id]));
    assert.equal(depositsOf.get(first), depositId);
    assert.ok(depositsOf.get(second), 'the second one has a deposit');
    assert.notEqual(depositsOf.get(second), depositId);
  });

  test('that were paid to a virtual account find the trade of its customer, without a reference', async () => {
    const row = await sandbox.trade({ amount: '777.00' });
    const path = `/v1/operator/customers/${typeId('cus', row.customer_id)}/virtual-accounts`;
    const number = 'GB94 BARC 1020 1530 0934 59';
    const made = await server.call('POST', path, { number, currency: 'USD' });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const paidTo = (iban: string) =>
      txDtls('no reference', { parties: `<CdtrAcct><Id><IBAN>${iban}</IBAN></Id></CdtrAcct>` });
    const created = await server.upload(
      camt([
        { amount: '777.00', reference: 'VA-1', details: [paidTo('GB94BARC10201530093459')] },
        { amount: '778.00', reference: 'VA-2', details: [paidTo('GB29NWBK60161331926819')] },
      ]),
    );
    const shown = [];
    for (const { creditedAccount, depositId } of await entriesOf(created.body.fileId)) {
      const { body } = await server.call('GET', `/v1/operator/deposits/${depositId}`);
      shown.push([creditedAccount, body.virtualAccount, body.status, body.allocations[0]?.matchRule]);
    }
    assert.deepEqual(shown, [
      ['GB94BARC10201530093459', 'GB94BARC10201530093459', 'matched', 'virtual_account_exact'],
      // The account of the statement itself says nothing.
      ['GB29NWBK60161331926819', null, 'unmatched', undefined],
    ]);
  });

  test('are never lost to a reference that the bank uses twice', async () => {
    const created = await server.upload(
      camt([
        { amount: '5.00', reference: 'TWICE' },
        { amount: '6.00', reference: 'TWICE' },
        { amount: '5.00', reference: 'TWICE', booked: '2026-02-04' },
      ]),
    );
    const entries = await entriesOf(created.body.fileId);
    assert.equal(new Set(entries.map((each: { depositId: string }) => each.depositId)).size, 3);
    const sum = (await deposits()).filter((each) => each.bank_reference.startsWith('TWICE'));
    assert.deepEqual(sum.map((each) => each.amount_minor).sort(), ['500', '500', '600']);
  });

  test('that a process left behind when it ended are finished by the sweep', async () => {
    const entryId = await unbooked('44.00', 'LEFT-1');
    await bookEntries(sandbox.desk, silentLogger);
    const found = (await deposits()).filter((each) => each.bank_reference === 'LEFT-1');
    assert.equal(found.length, 1);
    const { rowCount } = await pool.query(
      "select 1 from entry_details where id = $1 and deposit_state = 'booked'",
      [entryId],
    );
    assert.equal(rowCount, 1);
  });

  test('that a sweep is at are booked when the import answers', async () => {
    const entryId = await unbooked('45.00', 'HELD-1');
    const stateOf = async () =>
      (await pool.query('select deposit_state from entry_details where id = $1', [entryId])).rows[0];
    const sweep = await ownerOf(pool).connect();
    await sweep.query('begin');
    await sweep.query('select from entry_details where id = $1 for update', [entryId]);
    const booking = bookEntries(sandbox.desk, silentLogger);
    await untilLocked(pool);
    assert.deepEqual(await stateOf(), { deposit_state: 'due' });
    // It had to give up: then the import books it.
    await sweep.query('rollback');
    sweep.release();
    await booking;
    assert.deepEqual(await stateOf(), { deposit_state: 'booked' });
    assert.equal((await deposits()).filter((each) => each.bank_reference === 'HELD-1').length, 1);
  });

  test('that came as a batch are a deposit for each payment', async () => {
    const amount = (text: string) => `<Amt Ccy="USD">${text}</Amt><CdtDbtInd>CRDT</CdtDbtInd>`;
    const created = await server.upload(
      camt([
        {
          amount: '30.00',
          reference: 'BATCH-1',
          details: [txDtls('one', { amount: amount('10.00') }), txDtls('two', { amount: amount('20.00') })],
        },
      ]),
    );
    const entries = await entriesOf(created.body.fileId);
    assert.deepEqual(
      entries.map((each: Record<string, unknown>) => [
        each.paymentNumber,
        each.amount,
        each.entryAmount,
        each.remittanceText,
      ]),
      [
        [1, '10.00', '30.00', 'one'],
        [2, '20.00', '30.00', 'two'],
      ],
    );
    const references = (await deposits())
      .map((each) => each.bank_reference)
      .filter((each) => each.startsWith('BATCH-1'));
    assert.deepEqual(references.sort(), ['BATCH-1/1', 'BATCH-1/2']);
    const collective = await server.upload(
      camt([{ amount: '30.00', reference: 'BATCH-1' }], { message: '054' }),
    );
    assert.equal(collective.body.newEntries, 0);
  });

  test('are not held up by one that cannot be booked', async () => {
    // As a fault in the rules might do: the database refuses one deposit of the batch.
    await ownerOf(pool).query(
      "alter table deposits add constraint test_fault check (bank_reference <> 'FAULT-2')",
    );
    const references = ['FAULT-1', 'FAULT-2', 'FAULT-3'];
    const created = await server.upload(
      camt(references.map((reference) => ({ amount: '61.00', reference }))),
    );
    const states = async () =>
      (await entriesOf(created.body.fileId)).map((each: { depositState: string }) => each.depositState);
    assert.deepEqual(await states(), ['booked', 'due', 'booked']);
    await ownerOf(pool).query('alter table deposits drop constraint test_fault');
    await entrySweep(sandbox.desk, silentLogger).run();
    assert.deepEqual(await states(), ['booked', 'booked', 'booked']);
  });

  test('are as old as the bank booked them, however late their file comes', async () => {
    const row = await sandbox.trade({ amount: '3907.00' });
    const day = new Date(sandbox.clock.now()).toISOString().slice(0, 10);
    await sandbox.to(row.funding_cutoff_at + 60_000);
    assert.equal((await sandbox.read(row)).status, 'overdue');
    const created = await server.upload(
      camt([{ amount: '3907.00', reference: 'AGE-1', booked: day, details: [txDtls(row.reference)] }], {
        number: '60',
      }),
    );
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const [entry] = await entriesOf(created.body.fileId);
    const deposit = await server.call('GET', `/v1/operator/deposits/${entry.depositId}`);
    assert.deepEqual(
      [deposit.body.status, deposit.body.exception, deposit.body.bookedOn],
      ['matched', null, day],
    );
    // The money was there in time, but what it pays for can no longer be paid on that day.
    const funded = await sandbox.read(row);
    assert.deepEqual(
      [funded.status, funded.status_reason, funded.value_date, funded.original_value_date],
      ['funded', null, '2026-03-09', row.value_date],
    );
  });
});
