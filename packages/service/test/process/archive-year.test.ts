import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '@firmquote/site/site-map';
import { blocksOf } from '@firmquote/site/snippet-blocks';
import { exportJWK, generateKeyPair } from 'jose';
import { openBefore, type ROWS, rowLines } from '../../src/archive-rows.ts';
import { verifyArchive } from '../../src/archive-verify.ts';
import { archiveYear } from '../../src/archive-year.ts';
import { topUpBalance } from '../../src/balances/balances.ts';
import { reverseTopUp } from '../../src/balances/reverse-top-up.ts';
import { clearDaysAndBalances } from '../../src/bank-statements/withdraw-store.ts';
import { requireMode } from '../../src/database/mode.ts';
import { inTransaction, type Pool } from '../../src/database/pool.ts';
import { commandDeposit } from '../../src/deposits/operate-deposit.ts';
import { receiveDeposit } from '../../src/deposits/receive-deposit.ts';
import { returning } from '../../src/deposits/return-deposit.ts';
import { closeDays } from '../../src/ledger/closing.ts';
import { exportYear } from '../../src/ledger/export-year.ts';
import { endTransaction } from '../../src/payments/end-transaction.ts';
import { systemClock, VirtualClock } from '../../src/platform/clock.ts';
import { typeId } from '../../src/platform/ids.ts';
import { euros, reported } from '../support/bank-story.ts';
import { keepBusyBooks } from '../support/bookkeeping.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { hledgerBalances, hledgerCheck, needsHledger, ownBalances } from '../support/hledger.ts';
import { createManualDesk } from '../support/manual-desk.ts';
import { createOperatedSandbox } from '../support/operator-server.ts';
import { spawnProgram, temporaryFolder } from '../support/process.ts';
import { sealAll } from '../support/seal-all.ts';
import { current, fund, order, trade } from '../support/stories.ts';
import { createDesk } from '../support/trading.ts';

/** What the page says, of another year in another place; the sandbox's books have no head whose keys are asked for. */
const [ARCHIVE = '', VERIFY = ''] = (
  blocksOf(readFileSync(join(ROOT, 'docs/operations/archive.md'), 'utf8')).find(
    ({ reason }) => reason === 'a drill runs it',
  )?.code ?? ''
)
  .replaceAll('2025', '2026')
  .replace(' --keys jwks.json', '')
  .split('\n');
const argumentsOf = (line: string, folder: string): string[] => {
  const words = /^npm run operator -- (.+)$/.exec(line)?.[1]?.split(' ') ?? assert.fail(line);
  return [OPERATOR, ...words.map((word) => (word === '/archives/2026' ? folder : word))];
};
const OPERATOR = join(import.meta.dirname, '../../src/operator.ts');
const signer = () => Promise.reject(new Error('nothing is signed for what is refused'));

/** Closes every day before this one. */
async function close(pool: Pool, day: string): Promise<void> {
  const clock = { now: () => Date.parse(`${day}T12:00:00Z`) };
  while ((await closeDays(pool, clock)) > 0);
  const { rows } = await pool.query('select closed_through from ledger_closing');
  assert.ok(rows[0].closed_through >= '2026-03-04');
}

const spanOf = (year: number) => ({ start: Date.UTC(year, 0, 1), end: Date.UTC(year + 1, 0, 1) });

describe('a year with much in it', () => {
  let pool: Pool;
  before(async () => {
    ({ pool } = await createTestDatabase({ connections: 8 }));
    await keepBusyBooks(pool);
  });

  test('is not archived before it is closed, nor while something is open', async (t) => {
    const folder = join(temporaryFolder(t), '2026');
    const archiving = () =>
      archiveYear({ pool, clock: systemClock, signer }, { year: 2026, folder, isSandbox: true });
    await assert.rejects(archiving(), /Not all days of 2026 are closed/);
    await close(pool, '2027-01-02');
    await assert.rejects(
      archiving(),
      /Still open from \d+ or before: \d+ transactions, \d+ refunds, \d+ deposits, .*\d+ exceptions, \d+ bankItems/,
    );
    assert.ok(!existsSync(folder) && !existsSync(`${folder}.part`), 'nothing is left of it');
  });

  test('and the one after it are journals that hledger checks, each on its own', needsHledger, async () => {
    const texts: string[] = [];
    for (const year of [2026, 2027]) {
      let text = '';
      await inTransaction(pool, async (connection) => {
        for await (const piece of exportYear(connection, year, spanOf(year), Date.UTC(2028, 0, 3)))
          text += piece;
      });
      const { status, stderr } = hledgerCheck(text);
      assert.equal(status, 0, stderr);
      texts.push(text);
    }
    const [first = '', second = ''] = texts;
    assert.match(first, /trade_executed/);
    assert.doesNotMatch(first, /opening balances/);
    assert.match(second, /2027-01-01 \* opening balances of cus_/);
    // What the year began with is what the books hold, since nothing was booked in it.
    const kept = (lines: string[]) => lines.filter((line) => !line.endsWith(',0'));
    assert.deepEqual(kept(hledgerBalances(second)), kept(await ownBalances(pool)));
    assert.deepEqual(kept(hledgerBalances(first)), kept(await ownBalances(pool)));
    const wrong = second.replace(/(opening balances of [^\n]*\n[^\n]*?)(\d)\.(\d)/, '$11$2.$3');
    assert.notEqual(wrong, second);
    assert.notEqual(hledgerCheck(wrong).status, 0, 'an amount that is another one is noticed');
  });
});

/** Books of one year that are closed and sealed, with nothing open. */
async function booksThatAreDone(): Promise<TestDatabase> {
  const database = await createTestDatabase({ connections: 8 });
  await requireMode(database.pool, 'sandbox');
  for (let n = 0; n < 3; n++) {
    const { desk, row } = await trade(database.pool);
    await endTransaction(desk, order(row), { reason: 'client_request' });
  }
  await close(database.pool, '2027-01-02');
  await sealAll(database.pool, 'journal');
  await sealAll(database.pool, 'audit');
  return database;
}

describe('a year that is done with', () => {
  let database: TestDatabase;
  before(async () => {
    database = await booksThatAreDone();
  });

  const environment = (home: string) => ({ DATABASE_URL: database.url, FIRMQUOTE_DATA_DIR: home });

  test('is written whole or not at all, and can be verified and read without the service', async (t) => {
    const home = temporaryFolder(t);
    const folder = join(home, '2026');
    // A lock stops it in the middle; killed there, it leaves a part that nobody takes for an archive.
    const holder = await database.owner.connect();
    t.after(() => holder.release(true));
    await holder.query('begin; lock table balance_top_ups in access exclusive mode');
    const first = spawnProgram(t, argumentsOf(ARCHIVE, folder), environment(home));
    for (let waited = 0; !existsSync(join(`${folder}.part`, 'deposit_returns.ndjson')); waited += 100) {
      assert.ok(waited < 60_000, 'it comes to the top-ups');
      await sleep(100);
    }
    first.child.kill('SIGKILL');
    await holder.query('rollback');
    assert.ok(!existsSync(folder));
    assert.equal((await verifyArchive(`${folder}.part`, undefined)).fault, 'manifest_missing');

    const done = await spawnProgram(t, argumentsOf(ARCHIVE, folder), environment(home)).ended;
    assert.equal(done.code, 0, done.stderr);
    const reported = JSON.parse(done.stdout);
    assert.deepEqual([reported.year, reported.entries], [2026, 6]);
    assert.match(reported.debits.USD, /^\d+\.\d\d$/);
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    const linesOf = (name: string) =>
      manifest.files.find((each: { name: string }) => each.name === name).lines;
    assert.deepEqual(
      [linesOf('transactions.ndjson'), linesOf('quotes.ndjson'), linesOf('deposits.ndjson')],
      [3, 3, 0],
    );
    const [quote] = readFileSync(join(folder, 'quotes.ndjson'), 'utf8').split('\n');
    assert.ok(JSON.parse(quote ?? '').evidence !== undefined, 'a quote has its evidence');
    const verdict = await verifyArchive(folder, undefined);
    assert.deepEqual(
      { ...verdict, hledger: undefined },
      { ok: true, year: 2026, files: 14, hledger: undefined },
    );
    if (needsHledger.skip === undefined) assert.equal(verdict.hledger, 'ok');
    else t.diagnostic(needsHledger.skip);

    const again = await spawnProgram(t, argumentsOf(ARCHIVE, folder), environment(home)).ended;
    assert.equal(again.code, 2, again.stderr);
    assert.match(again.stderr, /already exists/);

    for (const { name } of manifest.files) {
      const path = join(folder, name);
      const whole = readFileSync(path);
      appendFileSync(path, ' ');
      assert.deepEqual(await verifyArchive(folder, undefined), { ok: false, fault: 'altered', file: name });
      rmSync(path);
      assert.deepEqual(await verifyArchive(folder, undefined), { ok: false, fault: 'missing', file: name });
      writeFileSync(path, whole);
    }
    const verify = await spawnProgram(t, argumentsOf(VERIFY, folder), {}).ended;
    assert.deepEqual([verify.code, JSON.parse(verify.stdout).ok], [0, true]);
  });

  test('is proved to be ours by the keys of the service, and by no others', async (t) => {
    // Books of its own: heads of the others are signed.
    const { pool } = await booksThatAreDone();
    const home = temporaryFolder(t);
    const folder = join(home, '2026');
    const ours = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    const theirs = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    const keysFile = async (name: string, { publicKey }: typeof ours) => {
      const path = join(home, name);
      const keys = [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'EdDSA' }];
      writeFileSync(path, JSON.stringify({ keys }));
      return path;
    };
    const [known, others] = [await keysFile('jwks.json', ours), await keysFile('others.json', theirs)];
    await archiveYear(
      {
        pool,
        clock: systemClock,
        signer: async () => ({ kid: 'k', privateKey: ours.privateKey, verifies: () => true }),
      },
      { year: 2026, folder, isSandbox: true },
    );
    const verdictOf = async (keys: string) => {
      const words = [...argumentsOf(VERIFY, folder), '--keys', keys];
      const { code, stdout } = await spawnProgram(t, words, {}).ended;
      return [code, JSON.parse(stdout)];
    };
    const [code, { ok, year }] = await verdictOf(known);
    assert.deepEqual([code, ok, year], [0, true, 2026]);
    assert.equal((await verifyArchive(folder, undefined)).ok, true, 'without keys anybody may have made it');
    assert.deepEqual(await verdictOf(others), [
      1,
      { ok: false, fault: 'signature_wrong', file: 'sealed-journal.ndjson' },
    ]);
  });
});

test('what did not become an archive counts for no retention of the trail', async (t) => {
  const { pool } = await booksThatAreDone();
  const folder = join(temporaryFolder(t), '2026');
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const exported = async () => {
    const { rows } = await pool.query<{ log: string }>('select log from log_exports order by log');
    return rows.map(({ log }) => log);
  };
  const signing = { kid: 'k', privateKey, verifies: () => true };
  const archive = (named: () => Promise<typeof signing>) =>
    archiveYear({ pool, clock: systemClock, signer: named }, { year: 2026, folder, isSandbox: true });
  // Somebody else puts a folder there while the logs are written.
  const taken = archive(async () => {
    mkdirSync(join(folder, 'of-somebody-else'), { recursive: true });
    return signing;
  });
  await assert.rejects(taken, /ENOTEMPTY|EEXIST/);
  assert.deepEqual(await exported(), [], 'the file may be lost, and with it the rows');
  rmSync(folder, { recursive: true });
  await archive(async () => signing);
  assert.deepEqual(await exported(), ['journal']);
});

test('a trade of the first moment of a year is there with its quote of the year before, and with its entry', async () => {
  const { pool } = await createTestDatabase();
  const clock = new VirtualClock();
  const at = (instant: string) => clock.set(Date.parse(instant));
  at('2026-12-31T23:59:50Z');
  const desk = await createDesk(pool, { clock });
  const [kept, executed] = [await desk.quote(), await desk.quote()];
  const last = await desk.execute(kept);
  at('2027-01-01T00:00:05Z');
  const first = await desk.execute(executed);
  const archived = (year: number) =>
    inTransaction(pool, async (connection) => {
      const idsOf = async (name: 'transactions' | 'quotes') => {
        let text = '';
        for await (const piece of rowLines(connection, name, spanOf(year))) text += piece;
        return [...text.matchAll(/^\{"customer_id":"[^"]+","id":"([^"]+)"/gm)].map(([, id]) => id);
      };
      let entries = 0;
      const sums = { book: () => void entries++, keep: () => undefined };
      for await (const _ of exportYear(connection, year, spanOf(year), Date.UTC(2028, 0, 3), sums));
      return { trades: await idsOf('transactions'), quotes: await idsOf('quotes'), entries };
    });
  const entries = 1;
  assert.deepEqual(await archived(2026), { trades: [last.id], quotes: [kept.id], entries });
  assert.deepEqual(await archived(2027), { trades: [first.id], quotes: [executed.id], entries });
});

/** The rows of a table in the archive of a year. */
function rowsIn(pool: Pool, name: keyof typeof ROWS, year: number): Promise<Record<string, unknown>[]> {
  return inTransaction(pool, async (connection) => {
    let text = '';
    for await (const piece of rowLines(connection, name, spanOf(year))) text += piece;
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  });
}

describe('money that moved', () => {
  test('is in the archive of the year in which it was booked, also where it was received before', async () => {
    const { pool } = await createTestDatabase();
    const clock = new VirtualClock();
    clock.set(Date.parse('2027-01-02T09:00:00Z'));
    const desk = await createDesk(pool, { clock });
    const { deposit } = await receiveDeposit(desk, {
      ...{
        account: 'house',
        bankReference: 'LATE',
        source: 'operator',
        currency: 'USD',
        fingerprint: 'LATE',
      },
      ...{ remitterName: null, remitterAccount: null, remittanceText: null, valueDate: '2026-12-31' },
      ...{ amountMinor: 500n, receivedAt: Date.parse('2026-12-31T15:00:00Z') },
    });
    const booked: (string | null)[] = [];
    const sums = {
      book: ({ depositId }: { depositId: string | null }) => void booked.push(depositId),
      keep: () => undefined,
    };
    await inTransaction(pool, async (connection) => {
      for await (const _ of exportYear(connection, 2027, spanOf(2027), Date.UTC(2028, 0, 3), sums));
    });
    assert.deepEqual(booked, [deposit.id]);
    const ids = async (year: number) => (await rowsIn(pool, 'deposits', year)).map(({ id }) => id);
    assert.deepEqual([await ids(2026), await ids(2027)], [[], [deposit.id]]);
  });

  test('in and out of balances, and back to remitters, is there with its references', async (t) => {
    const { pool } = await createTestDatabase({ connections: 24 });
    const manual = await createManualDesk(pool);
    t.after(() => manual.close());
    const { desk } = manual.sandbox;
    const money = { customerId: desk.customerId, currency: 'USD', amountMinor: 10_000n };
    await inTransaction(pool, (connection) =>
      topUpBalance(connection, { ...money, bankReference: 'BY-HAND' }, desk.clock.now()),
    );
    for (const [bankReference, at] of [
      ['WRONG', desk.clock.now()],
      ['OF-BEFORE', Date.UTC(2025, 11, 30)],
    ] as const) {
      await inTransaction(pool, (connection) => topUpBalance(connection, { ...money, bankReference }, at));
      await reverseTopUp(
        { pool, clock: desk.clock },
        { customerId: desk.customerId, bankReference, reason: 'wrong', by: desk.clientId },
      );
    }
    const customer = `/v1/operator/customers/${typeId('cus', desk.customerId)}`;
    const out = { currency: 'USD', amount: '10.00', reason: 'asked by letter' };
    const withdrawal = await manual.call('POST', `${customer}/balances/withdrawals`, out, {
      'idempotency-key': 'out',
    });
    assert.equal(withdrawal.status, 201, JSON.stringify(withdrawal.body));
    const { deposit } = await receiveDeposit(desk, {
      ...{
        account: 'house',
        bankReference: 'BACK',
        source: 'operator',
        currency: 'USD',
        fingerprint: 'BACK',
      },
      ...{ remitterName: null, remitterAccount: null, remittanceText: null, valueDate: '2026-03-04' },
      ...{ amountMinor: 700n, receivedAt: desk.clock.now() },
    });
    const back = { depositId: deposit.id, ifMatch: undefined, actor: desk.clientId, reason: 'not ours' };
    const account = { accountHolder: 'Payer', iban: 'DE02120300000000202051' };
    await commandDeposit(desk, back, returning, { returnedBy: 'house', account });
    const [topUps, withdrawals, returns] = await Promise.all(
      (['balance_top_ups', 'balance_withdrawals', 'deposit_returns'] as const).map((name) =>
        rowsIn(pool, name, 2026),
      ),
    );
    assert.deepEqual(
      topUps?.map((row) => [row.bank_reference, row.amount_minor]),
      [['BY-HAND', 10_000]],
    );
    const reversed = async (year: number) =>
      (await rowsIn(pool, 'reversed_top_ups', year)).map((row) => row.bank_reference);
    assert.deepEqual(
      [await reversed(2025), (await reversed(2026)).sort(), await reversed(2027)],
      [['OF-BEFORE'], ['OF-BEFORE', 'WRONG'], []],
      'in the years of both of its entries, once',
    );
    assert.deepEqual(
      withdrawals?.map((row) => row.reference),
      [withdrawal.body.reference],
    );
    assert.deepEqual(
      returns?.map((row) => [row.deposit_id, row.iban]),
      [[deposit.id, account.iban]],
    );
    assert.match(String(returns?.[0]?.reference), /^RF\d{14}$/);
    assert.deepEqual(await rowsIn(pool, 'balance_withdrawals', 2027), []);
  });
});

describe('what banks have reported', () => {
  test('is in the archive of its year, also where the statement does not say of which days it is', async (t) => {
    const { pool, server } = await createOperatedSandbox();
    t.after(() => server.close());
    await trade(pool);
    const balances = { opening: '0.00', closing: '0.00' };
    await reported(server, [], { currency: 'EUR', number: '1', ...balances });
    await reported(server, [], { currency: 'EUR', number: '2', date: '2026-03-05', ...balances });
    // Notifications have no balances, and most name no days; this one came a year later.
    await reported(server, [{ amount: '5.00', booked: '2025-12-31' }], { message: '054', currency: 'EUR' });
    const { rows } = await pool.query<{ id: string; withdrawn: boolean }>(
      `select id, number = 2 as withdrawn from bank_statements order by number`,
    );
    await inTransaction(pool, (connection) =>
      clearDaysAndBalances(
        connection,
        rows.filter(({ withdrawn }) => withdrawn).map(({ id }) => id),
      ),
    );
    const archived = async (year: number) =>
      (await rowsIn(pool, 'bank_statements', year)).map(({ number }) => number);
    assert.deepEqual(
      [await archived(2025), await archived(2026), await archived(2027)],
      [[null], [1, 2], []],
    );
  });
});

test('a trade that was cancelled is open while its money is to go back', async () => {
  const { pool } = await createTestDatabase();
  const { desk, row } = await trade(pool);
  await fund(desk, row, 4_000_000n);
  await endTransaction(desk, order(row), { reason: 'client_request' });
  assert.equal((await current(desk, row)).status, 'cancelled');
  const { transactions, refunds } = await openBefore(pool, spanOf(2026).end);
  assert.deepEqual([transactions, refunds], [undefined, 1]);
  assert.deepEqual(await openBefore(pool, spanOf(2025).end), {});
});

test('a year is done with what was paid too much and has been refunded', async (t) => {
  const { pool } = await createTestDatabase({ connections: 8 });
  const desk = await createManualDesk(pool);
  t.after(() => desk.close());
  const row = await desk.small();
  await desk.arrived('5100.00', { remittanceText: row.reference });
  const path = `/v1/operator/transactions/${typeId('txn', row.id)}`;
  const open = async () => {
    const { deposits, refunds, exceptions } = await openBefore(pool, spanOf(2026).end);
    return { deposits, refunds, exceptions };
  };
  const post = async (verb: string, body: object = {}) =>
    assert.equal((await desk.call('POST', `${path}/${verb}`, body)).status, 200);
  const nothing = { deposits: undefined, refunds: undefined, exceptions: undefined };
  assert.deepEqual(await open(), { ...nothing, exceptions: 1 }, 'nobody has decided yet');
  await post('refund-excess');
  assert.deepEqual(await open(), { ...nothing, refunds: 1 });
  await post('refund-failed', { detail: 'account closed' });
  assert.equal((await open()).deposits, 1, 'the customer has to get it still');
  await post('retry-refund');
  await post('refund-paid', { bankReference: 'OUT-1' });
  assert.deepEqual(await open(), nothing);
});

describe('a year at whose end the bank has told of more than the ledger has', () => {
  test('is not archived, and told is where they differ', async (t) => {
    const { pool, server } = await createOperatedSandbox();
    t.after(() => server.close());
    const { desk, row } = await trade(pool);
    await endTransaction(desk, order(row), { reason: 'client_request' });
    const statement = (number: string, opening: bigint, closing: bigint) =>
      reported(server, [], { currency: 'GBP', number, opening: euros(opening), closing: euros(closing) });
    // What came in between is in a statement that nobody has brought.
    await statement('1', 0n, 0n);
    await statement('3', 700n, 700n);
    await close(pool, '2027-01-02');
    const folder = join(temporaryFolder(t), '2026');
    const archiving = () =>
      archiveYear({ pool, clock: systemClock, signer }, { year: 2026, folder, isSandbox: true });
    await assert.rejects(archiving(), /Bank and ledger differ in GBP\./);
    assert.ok(!existsSync(folder) && !existsSync(`${folder}.part`), 'nothing is left of it');
  });
});
