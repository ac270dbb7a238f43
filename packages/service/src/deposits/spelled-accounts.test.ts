import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { txDtls } from '../../../bank-formats/src/test-support.ts';
import { reported } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Pool } from '../database/pool.ts';

/** An account is the same however a person writes it. */

const PATH = '/v1/operator/deposits';
let pool: Pool;
let server: OperatorServer;
before(async () => {
  ({ pool, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
});

const record = (bankReference: string, more: object) =>
  server.call('POST', PATH, {
    ...{ bankReference, amount: '700.00', currency: 'USD', remitterName: 'Payer Ltd' },
    ...more,
  });
const countOf = async (query: string) => (await server.call('GET', `${PATH}?${query}`)).body.items.length;
const spaced = (account: string) => account.replace(/(.{4})/g, '$1 ').trim();

test('of the house: one entry is one deposit, told by a person and by the statement', async () => {
  const credit = { amount: '700.00', reference: 'SPELLED-0', details: [txDtls('who pays')] };
  const [first] = await reported(server, [credit], { currency: 'USD' });
  const { account } = (await server.call('GET', `${PATH}/${first?.depositId}`)).body;
  const made = await record('SPELLED-1', { account: spaced(account) });
  assert.deepEqual([made.status, made.body.account], [201, account]);
  const again = await record('SPELLED-1', { account: account.toLowerCase() });
  assert.deepEqual([again.status, again.body.depositId], [200, made.body.depositId]);
  const [told] = await reported(server, [{ ...credit, reference: 'SPELLED-1' }], { currency: 'USD' });
  assert.equal(told?.depositId, made.body.depositId);
  assert.equal(await countOf(`account=${spaced(account)}&bankReference=SPELLED-1`), 1);
});

test('of the house that is registered nowhere, where it is an IBAN', async () => {
  const iban = 'GB33BUKB20201555555555';
  const made = await record('SPELLED-2', { account: spaced(iban) });
  assert.equal(made.body.account, iban);
  assert.equal((await record('SPELLED-3', { account: 'till 1' })).body.account, 'till 1');
});

test('that was recorded as it is written before is known by that', async () => {
  const made = await record('SPELLED-4', { account: 'GB33BUKB20201555555555' });
  const written = 'GB33 BUKB 2020 1555 5555 55';
  await pool.query('update deposits set account = $1 where bank_reference = $2', [written, 'SPELLED-4']);
  const again = await record('SPELLED-4', { account: written });
  assert.deepEqual([again.status, again.body.depositId], [200, made.body.depositId]);
});

test('of the remitter: it is found by its account as statements write it', async () => {
  const iban = 'DE02120300000000202051';
  const { account } = (await record('SPELLED-5', {})).body;
  const more = { account, remitterAccount: spaced(iban), remittanceText: 'rent of March' };
  const made = await record('SPELLED-6', more);
  assert.equal(made.body.remitterAccount, iban);
  for (const written of [iban, spaced(iban)]) {
    const { items } = (await server.call('GET', `${PATH}?remitterAccount=${written}`)).body;
    assert.deepEqual(
      items.map((each: { depositId: string }) => each.depositId),
      [made.body.depositId],
    );
  }
});
