import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type CamtEntry, type CamtOptions, camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { type Sandbox, silentLogger } from '../../test/support/sandbox.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { readBankReconciliation } from './bank-reconciliation.ts';
import { entrySweep } from './book-entries.ts';
import { adoptAccounts } from './own-accounts.ts';
import { lockImports } from './statement-store.ts';

/** An account that banks name in two ways, whose statements came before it was registered. */

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
  await assertBankAgrees(pool);
});

/** An account of the house in a currency that no other test has, and how banks name it. */
async function accountIn(currency: string, iban: string, number: string) {
  const named = async (details: object) => {
    const none = { bankName: null, bic: null, iban, accountNumber: null, routingNumber: null, rails: [] };
    await pool.query(
      `insert into collection_accounts (currency, details, updated_at)
       values ($1, $2, now()) on conflict (currency) do update set details = excluded.details`,
      [currency, JSON.stringify({ accountHolder: 'House', ...none, ...details })],
    );
    for (let turns = 0; turns < 2; turns++) await entrySweep(sandbox.desk, silentLogger).run();
  };
  const take = async (entries: readonly CamtEntry[], options: CamtOptions) => {
    const file = camt(
      entries.map((each) => ({ ...each, currency })),
      { currency, ...options },
    );
    const { status, body } = await server.upload(file);
    assert.equal(status, 201, JSON.stringify(body));
    return (await server.call('GET', `/v1/operator/statements/${body.fileId}/entries`)).body.items;
  };
  return {
    known: () => named({}),
    numbered: () => named({ accountNumber: number }),
    numberOnly: () => named({ iban: null, accountNumber: number }),
    notified: (...entries: CamtEntry[]) => take(entries, { account: iban, message: '054' }),
    notifiedByNumber: (...entries: CamtEntry[]) => take(entries, { account: number, message: '054' }),
    listed: (closing: string, ...entries: CamtEntry[]) =>
      take(entries, { account: number, opening: '0.00', closing, number: '1' }),
    async end() {
      const { rows } = await pool.query<{ minor: string }>(
        'select amount_minor as minor from deposits where currency = $1 order by amount_minor',
        [currency],
      );
      const [found] = await readBankReconciliation(pool, currency);
      return [rows.map(({ minor }) => minor), found?.bankMinor, found?.unexplainedMinor];
    },
  };
}

const credit = (reference: string, amount: string): CamtEntry => ({
  ...{ amount, reference },
  details: [txDtls(reference)],
});
const [ONE, TWO] = [credit('ADOPT-1', '10.00'), credit('ADOPT-2', '20.00')];
const ENDS = [['1000', '2000'], 3_000n, 0n];

test('what both names report is booked once, in whatever order it came', async () => {
  for (const [currency, isNotifiedFirst] of [
    ['CHF', true],
    ['SEK', false],
  ] as const) {
    const account = await accountIn(currency, 'GB33BUKB20201555555555', '98765432');
    if (isNotifiedFirst) await account.notified(ONE);
    await account.listed('30.00', ONE, TWO);
    if (!isNotifiedFirst) await account.notified(ONE);
    await account.numbered();
    assert.deepEqual(await account.end(), ENDS);
  }
});

test('a name that is added to an account with deposits brings none of them again', async () => {
  const account = await accountIn('NOK', 'GB94BARC10201530093459', '12345679');
  await account.known();
  await account.notified(ONE);
  const [listed] = await account.listed('30.00', ONE, TWO);
  assert.equal(listed.depositState, 'unknown_account');
  await account.numbered();
  assert.deepEqual(await account.end(), ENDS);
  const shown = (await server.call('GET', `/v1/operator/statement-entries/${listed.entryId}`)).body;
  assert.deepEqual([shown.new, shown.sameReason], [false, 'bank_reference']);
});

test('what may be the same is for a person to decide', async () => {
  const account = await accountIn('DKK', 'GB15MIDL40051512345678', '55779911');
  await account.known();
  await account.notified(ONE);
  const [doubt] = await account.listed('31.00', credit('ADOPT-1', '11.00'), TWO);
  await account.numbered();
  const shown = (await server.call('GET', `/v1/operator/statement-entries/${doubt.entryId}`)).body;
  assert.deepEqual(
    [shown.paymentState, shown.paymentReason, shown.depositState],
    ['mismatch', 'same_reference_other_amount', 'none'],
  );
  const { body } = await server.call('GET', `/v1/operator/exceptions/${shown.exceptionId}`);
  assert.equal(body.type, 'duplicate');
});

test('an account that is named by its IBAN from now on has what came under its number', async () => {
  const account = await accountIn('PLN', 'GB98MIDL07009312345678', '44556677');
  await account.numberOnly();
  const [notified] = await account.notifiedByNumber(ONE);
  assert.equal(notified.depositState, 'booked');
  await account.numbered();
  const [listed] = await account.listed('30.00', ONE, TWO);
  assert.equal(listed.sameAs, notified.entryId);
  assert.deepEqual(await account.end(), ENDS);
});

test('an account is adopted however many others nobody knows', async () => {
  const statements = Array.from({ length: 450 }, (_, index) => ({
    account: `8${`${index}`.padStart(9, '0')}`,
    currency: 'USD',
    entries: [{ amount: '1.00', direction: 'credit', bookingDate: '2026-03-04' }],
  }));
  const own = { ...statements[0], account: '9999999999', currency: 'CAD' };
  const { status, body } = await server.upload(
    JSON.stringify({ statements: [...statements, own] }),
    '?format=json',
  );
  assert.equal(status, 201, JSON.stringify(body));
  const account = await accountIn('CAD', '', '9999999999');
  await account.numberOnly();
  const sweep = entrySweep(sandbox.desk, silentLogger);
  for (let turns = 0; turns < 4; turns++) await sweep.run();
  assert.deepEqual((await account.end())[0], ['100']);
});

test('an account that is not the house’s any more when an import is over has nothing adopted', async () => {
  const [number, currency] = ['4400112233', 'HUF'];
  const details = (accountNumber: string) =>
    JSON.stringify({
      ...{ accountHolder: 'House', bankName: null, bic: null, iban: null, routingNumber: null, rails: [] },
      accountNumber,
    });
  const name = (accountNumber: string) =>
    pool.query(
      `insert into collection_accounts (currency, details, updated_at)
       values ($1, $2, now()) on conflict (currency) do update set details = excluded.details`,
      [currency, details(accountNumber)],
    );
  await name('4400999999');
  const file = camt([{ ...credit('ADOPT-9', '90.00'), currency }], {
    account: number,
    currency,
    message: '054',
  });
  assert.equal((await server.upload(file)).status, 201);
  await name(number);
  let adopting: ReturnType<typeof adoptAccounts> | undefined;
  await inTransaction(pool, async (connection) => {
    await lockImports(connection);
    adopting = adoptAccounts(sandbox.desk, '');
    await untilLocked(pool);
    // Somebody has noticed that it was mistyped.
    await name('4400999999');
  });
  assert.equal((await adopting)?.found, 0);
  const { rows } = await pool.query("select from deposits where currency = 'HUF'");
  assert.equal(rows.length, 0);
});
