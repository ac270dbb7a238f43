import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { reported } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Pool } from '../database/pool.ts';

/** An account that was registered by its number, and has an IBAN since: what a person records and what statements report is one deposit. */

const IBAN = 'GB98MIDL07009312345678';
let pool: Pool;
let server: OperatorServer;
before(async () => {
  ({ pool, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
  await assertBankAgrees(pool);
});

async function register(currency: string, named: { iban: string | null; accountNumber: string }) {
  const details = { accountHolder: 'House', bankName: null, bic: null, routingNumber: null, rails: [] };
  await pool.query(
    `insert into collection_accounts (currency, details, updated_at)
     values ($1, $2, now()) on conflict (currency) do update set details = excluded.details`,
    [currency, JSON.stringify({ ...details, ...named })],
  );
}
const record = (currency: string, bankReference: string) =>
  server.call('POST', '/v1/operator/deposits', {
    ...{ bankReference, amount: '700.00', currency, remitterName: 'Payer Ltd' },
  });
const report = async (currency: string, account: string, reference: string) => {
  const credit = { amount: '700.00', currency, reference, details: [txDtls('who pays')] };
  const [entry] = await reported(server, [credit], { currency, account, message: '054' });
  return entry;
};

test('recorded under the number, and reported under the IBAN', async () => {
  const accountNumber = '4455 6677';
  await register('SEK', { iban: null, accountNumber });
  const made = await record('SEK', 'BEFORE-1');
  assert.deepEqual([made.status, made.body.account], [201, accountNumber]);
  await register('SEK', { iban: IBAN, accountNumber });
  const again = await record('SEK', 'BEFORE-1');
  assert.deepEqual([again.status, again.body.depositId], [200, made.body.depositId]);
  const entry = await report('SEK', IBAN, 'BEFORE-1');
  assert.equal(entry?.depositId, made.body.depositId);
});

test('reported under the number, and recorded under the IBAN', async () => {
  const accountNumber = '33445566';
  await register('NOK', { iban: null, accountNumber });
  const entry = await report('NOK', accountNumber, 'BEFORE-2');
  assert.ok(entry?.depositId);
  await register('NOK', { iban: 'GB15MIDL40051512345678', accountNumber });
  const made = await record('NOK', 'BEFORE-2');
  assert.deepEqual(
    [made.status, made.body.code, made.body.depositId],
    [409, 'already_exists', entry.depositId],
  );
});
