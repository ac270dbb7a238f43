import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { readAll } from '../../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../../test/support/bank-agrees.ts';
import { assertBooksBalance } from '../../../test/support/books.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { createOperatorServer, type OperatorServer } from '../../../test/support/operator-server.ts';
import { assertReconciled } from '../../../test/support/reconciled.ts';
import { createSandbox, type Sandbox, silentLogger } from '../../../test/support/sandbox.ts';
import { importFile } from '../../bank-statements/import-file.ts';
import { inTransaction, type Pool } from '../../database/pool.ts';
import { typeId } from '../../platform/ids.ts';
import { enableSandboxBank } from '../store.ts';
import { bookMovements } from './book.ts';
import { type BankRoom, deliverFiles } from './deliver-files.ts';
import { findBankFile, undeliveredFiles } from './file-store.ts';
import { depositMovement, houseAccounts } from './transaction-movements.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
let call: OperatorServer['call'];
let room: BankRoom;

before(async () => {
  ({ pool } = await createTestDatabase({ connections: 16 }));
  await enableSandboxBank(pool);
});
beforeEach(async () => {
  await pool.query('delete from sandbox_bank_jobs');
  await pool.query(
    `update sandbox_settings set auto_deposit = true, settlement = 'fast', clock_offset_ms = 0`,
  );
  sandbox = await createSandbox(pool);
  server = createOperatorServer(sandbox);
  call = server.call;
  room = { ...sandbox.desk, logger: silentLogger };
});
afterEach(async () => {
  await server.close();
  await assertBooksBalance(pool);
  await assertReconciled(pool);
  await assertBankAddsUp();
});
/** Statements follow each other without a gap, and the service has every entry once. */
async function assertBankAddsUp(): Promise<void> {
  const { rows: broken } = await pool.query(
    `select * from (
       select s.*, lag(s.closing_minor, 1, 0) over w as before, row_number() over w as place,
         (select sum(case direction when 'credit' then amount_minor else -amount_minor end)
          from sandbox_bank_entries e where e.statement_id = s.id) as moved
       from sandbox_bank_statements s window w as (partition by account_id order by number)
     ) s where s.opening_minor <> s.before or s.number <> s.place or s.closing_minor <> s.opening_minor + s.moved`,
  );
  assert.deepEqual(broken, [], 'each statement opens with what the one before closed with, and adds up');
  const { rows: unreported } = await pool.query('select name from sandbox_bank_files where told_at is null');
  assert.deepEqual(unreported, [], 'every file has been told');
  const { rows: refused } = await pool.query(
    `select name, refusal_detail from statement_files where status = 'refused'`,
  );
  assert.deepEqual(refused, [], 'and none refused');
  const { rows: counts } = await pool.query(
    `select (select count(*) from sandbox_bank_entries) as entries,
       (select count(*) from bank_entries b join entry_details e on e.entry_id = b.id
        where b.bank_reference like 'SBX%' and e.same_as is null) as known`,
  );
  assert.equal(counts[0]?.entries, counts[0]?.known, 'the service knows every entry, once');
}

/** What the bank has and what the ledger says that it has, by currency. */
async function bankAndLedger(): Promise<[Record<string, string>, Record<string, string>]> {
  const { rows } = await pool.query<{ currency: string; bank: string; ledger: string }>(
    `select a.currency, sum(case e.direction when 'credit' then e.amount_minor else -e.amount_minor end)::text as bank,
       (select coalesce(sum(b.balance), 0) from balances b where b.account = 'bank' and b.currency = a.currency)::text as ledger
     from sandbox_bank_accounts a join sandbox_bank_entries e on e.account_id = a.id
     group by a.currency order by a.currency`,
  );
  return [
    Object.fromEntries(rows.map((row) => [row.currency, row.bank])),
    Object.fromEntries(rows.map((row) => [row.currency, row.ledger])),
  ];
}

async function files(kind: string) {
  const { body, status } = await call('GET', `/v1/sandbox/bank/files?kind=${kind}&limit=200`);
  assert.equal(status, 200);
  return body.items as { fileId: string; name: string; entries: number; toldAt: string | null }[];
}

async function content(fileId: string): Promise<string> {
  const reply = await server.raw('GET', `/v1/sandbox/bank/files/${fileId}`);
  assert.deepEqual([reply.statusCode, reply.headers['content-type']], [200, 'application/xml']);
  return reply.body;
}

describe('the bank', () => {
  test('tells at once what it books, and at the end of the day all of it again', async () => {
    const row = await sandbox.trade();
    await sandbox.advance(15);
    assert.equal((await sandbox.read(row)).status, 'settled');
    const [payout, deposit] = await files('camt.054');
    assert.ok(payout !== undefined && deposit !== undefined);
    assert.match(await content(deposit.fileId), new RegExp(`<Ustrd>${row.reference}</Ustrd>`));
    assert.match(await content(payout.fileId), new RegExp(`<EndToEndId>${row.reference}</EndToEndId>`));
    const accounts = (await call('GET', '/v1/sandbox/bank/accounts')).body.items;
    assert.deepEqual(
      accounts.map((each: Record<string, unknown>) => [each.currency, each.balance, each.statements]),
      [
        ['EUR', '-91987.01', 0],
        ['USD', '100000.00', 0],
      ],
    );
    assert.deepEqual(await files('camt.053'), []);
    await sandbox.advance(86_400);
    const [day] = await files('camt.053');
    assert.equal(day?.entries, 2);
    const { statements } = await readAll(await content(day?.fileId ?? ''));
    assert.deepEqual(
      statements.map(({ begin, end }) => [begin.currency, end.number, end.closing?.minor, end.to]),
      [
        ['EUR', 1n, -9_198_701n, '2026-03-04'],
        ['USD', 1n, 10_000_000n, '2026-03-04'],
      ],
    );
    const { rows } = await pool.query('select * from statement_files where name = $1', [day?.name]);
    assert.deepEqual(
      [rows[0]?.source, rows[0]?.status, rows[0]?.bookings, rows[0]?.new_bookings],
      ['sandbox', 'accepted', 2, 0],
    );
    const report = await call('GET', `/v1/operator/statements/${typeId('stf', rows[0]?.id)}`);
    assert.deepEqual(report.body.warnings, []);
    await assertBankAgrees(pool);
  });

  test('writes a statement for each day with movements when the clock moves over several', async () => {
    const before = (await files('camt.053')).length;
    await sandbox.controls.setBank({ settlement: 'calendar' });
    await sandbox.trade();
    await sandbox.trade({ buyCurrency: 'JPY' });
    await sandbox.advance(5 * 86_400);
    const { rows } = await pool.query<{ day: string; currency: string }>(
      `select s.day, a.currency from sandbox_bank_statements s join sandbox_bank_accounts a on a.id = s.account_id
       join sandbox_bank_files f on f.id = s.file_id order by f.sequence desc, a.currency limit 3`,
    );
    assert.deepEqual(
      rows.map((row) => [row.day, row.currency]),
      [
        ['2026-03-06', 'EUR'],
        // Midnight of the yen's value date is the afternoon of the day before.
        ['2026-03-05', 'JPY'],
        ['2026-03-04', 'USD'],
      ],
    );
    assert.equal((await files('camt.053')).length, before + 3);
  });

  test('ends the day when it is told to, and goes on with another statement', async () => {
    await sandbox.trade();
    await sandbox.advance(6);
    const first = await call('POST', '/v1/sandbox/bank/statements');
    assert.deepEqual([first.status, first.body.items.length], [200, 1]);
    assert.deepEqual((await call('POST', '/v1/sandbox/bank/statements')).body.items, []);
    await sandbox.advance(6);
    const second = await call('POST', '/v1/sandbox/bank/statements');
    assert.equal(second.body.items[0].kind, 'camt.053');
    const page = await call('GET', '/v1/sandbox/bank/files?limit=1');
    assert.deepEqual([page.body.items, page.body.hasMore], [second.body.items, true]);
    const next = await call('GET', `/v1/sandbox/bank/files?limit=1&cursor=${page.body.nextCursor}`);
    assert.notDeepEqual(next.body.items, page.body.items);
    assert.equal((await call('GET', '/v1/sandbox/bank/files/sbf_x')).status, 404);
    assert.equal((await call('GET', '/v1/sandbox/bank/files?kind=mt940')).status, 400);
  });
});

describe('whenever it ends', () => {
  /** An entry and its file as they are when the process was killed behind their commit. */
  async function booked(): Promise<{
    readonly id: string;
    readonly row: Awaited<ReturnType<Sandbox['trade']>>;
  }> {
    await sandbox.controls.setBank({ autoDeposit: false });
    const row = await sandbox.trade();
    const deposit = depositMovement(row, '1', BigInt(row.sell_minor), await houseAccounts(pool, ['USD']));
    const id = await inTransaction(pool, (connection) =>
      bookMovements(connection, [deposit], sandbox.clock.now()),
    );
    assert.ok(id !== undefined);
    assert.equal((await sandbox.read(row)).status, 'awaiting_funds');
    return { id, row };
  }

  const left = (id: string) =>
    pool.query(`update sandbox_bank_files set written_at = written_at - interval '1 minute' where id = $1`, [
      id,
    ]);

  async function assertFundedOnce(row: {
    customer_id: string;
    id: string;
    reference: string;
  }): Promise<void> {
    const { rows } = await pool.query('select status from deposits where remittance_text = $1', [
      row.reference,
    ]);
    assert.deepEqual(rows, [{ status: 'matched' }]);
  }

  test('a file that was not told is told later, by anybody', async () => {
    const { id, row } = await booked();
    await sandbox.runner.runDueNow();
    assert.equal(
      (await sandbox.read(row)).status,
      'awaiting_funds',
      'whoever made it may be about to tell it',
    );
    await left(id);
    await Promise.all([deliverFiles(room), deliverFiles(room), sandbox.runner.runDueNow()]);
    assert.equal((await sandbox.read(row)).status, 'funded');
    await assertFundedOnce(row);
  });

  test('a file that was taken in and not marked does nothing the second time', async () => {
    const { id, row } = await booked();
    const [file] = await undeliveredFiles(pool, [id], 1, 0);
    assert.ok(file !== undefined);
    const bytes = {
      open: async function* () {
        yield file.content;
      },
    };
    const given = {
      ...file,
      sizeBytes: file.content.length,
      bytes,
      source: 'sandbox',
      format: 'camt',
    } as const;
    assert.equal((await importFile(room, given)).outcome, 'accepted');
    await left(id);
    await sandbox.runner.runDueNow();
    assert.equal((await sandbox.read(row)).status, 'funded');
    await assertFundedOnce(row);
    assert.equal((await importFile(room, given)).outcome, 'known');
    assert.deepEqual((await findBankFile(pool, id))?.content, file.content);
  });

  test('a movement is booked once, whoever books it', async () => {
    await sandbox.controls.setBank({ autoDeposit: false });
    const row = await sandbox.trade();
    const accounts = await houseAccounts(pool, ['USD']);
    const deposit = () => depositMovement(row, '1', BigInt(row.sell_minor), accounts);
    const book = () =>
      inTransaction(pool, (connection) => bookMovements(connection, [deposit()], sandbox.clock.now()));
    const made = (await Promise.all([book(), book(), book()])).filter((each) => each !== undefined);
    assert.equal(made.length, 1);
    await deliverFiles(room, made);
    await assertFundedOnce(row);
  });
});

test('whatever happens: the bank, its statements and the ledger say the same', {
  timeout: 120_000,
}, async () => {
  const amounts = ['100000.00', '1905.00', '906.00', '908.00', '909.00', '910.01'];
  const step = fc.oneof(
    fc.record({ trade: fc.constantFrom(...amounts), into: fc.constantFrom('EUR', 'JPY', 'GBP') }),
    fc.record({ seconds: fc.constantFrom(1, 6, 3_600, 86_400, 3 * 86_400) }),
    fc.record({ mode: fc.constantFrom('fast', 'calendar') }),
    fc.record({ end: fc.constant(true) }),
    fc.record({ back: fc.constantFrom(60, 90_000) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
      for (const each of steps) {
        if ('trade' in each) await sandbox.trade({ amount: each.trade, buyCurrency: each.into });
        else if ('seconds' in each) await sandbox.advance(each.seconds);
        else if ('back' in each) await sandbox.advance(-each.back);
        else if ('mode' in each) await call('POST', '/v1/sandbox/bank', { settlement: each.mode });
        else await call('POST', '/v1/sandbox/bank/statements');
      }
      await assertBankAddsUp();
      const [bank, ledger] = await bankAndLedger();
      assert.deepEqual(bank, ledger);
    }),
    { numRuns: 10 },
  );
});
