import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { type CamtEntry, type CamtOptions, camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { e2e } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { approved, createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Pool } from '../database/pool.ts';
import { readBankReconciliation } from './bank-reconciliation.ts';

/** What is left of entries when one of the files that report them is withdrawn or corrected. */

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

const PATH = '/v1/operator/statements';
const IBAN = 'GB33BUKB20201555555555';

/** An account of the house in a currency that no other test has. */
async function accountIn(currency: string) {
  await pool.query(
    `insert into collection_accounts (currency, details, updated_at)
     values ($1, $2, now()) on conflict (currency) do update set details = excluded.details`,
    [
      currency,
      JSON.stringify({
        ...{ accountHolder: 'House', bankName: null, bic: null, iban: IBAN },
        ...{ accountNumber: null, routingNumber: null, rails: [] },
      }),
    ],
  );
  const file = (entries: readonly CamtEntry[], options: CamtOptions) =>
    camt(
      entries.map((each) => ({ ...each, currency })),
      { account: IBAN, currency, ...options },
    );
  return {
    /** @returns the id of the file, and how many of its entries were new */
    async take(entries: readonly CamtEntry[], options: CamtOptions) {
      const { status, body } = await server.upload(file(entries, options));
      assert.equal(status, 201, JSON.stringify(body));
      return { fileId: body.fileId as string, newEntries: body.newEntries as number };
    },
    /** What the bank has, and what nothing explains, in minor units. */
    async bank() {
      const [found] = await readBankReconciliation(pool, currency);
      assert.ok(found);
      return [found.bankMinor, found.unexplainedMinor];
    },
    async deposits() {
      const { rows } = await pool.query<{ shown: string }>(
        `select concat_ws(' ', amount_minor, status) as shown from deposits where currency = $1 order by amount_minor, id`,
        [currency],
      );
      return rows.map(({ shown }) => shown);
    },
    /** Texts of the entries that statements lack. */
    async missing() {
      const { rows } = await pool.query<{ text: string }>(
        `select e.remittance_text as text from entry_details e join bank_entries b on b.id = e.entry_id
         where b.currency = $1 and e.missing_since is not null order by 1`,
        [currency],
      );
      return rows.map(({ text }) => text);
    },
  };
}

async function withdraw(fileId: string): Promise<void> {
  const asked = await server.call('POST', `${PATH}/${fileId}/withdraw`, { reason: 'it was the wrong one' });
  const { status, body } = await approved(server, asked);
  assert.equal(status, 200, JSON.stringify(body));
}

const credit = (reference: string, amount = '10.00'): CamtEntry => ({
  amount,
  reference,
  details: [txDtls(reference)],
});
const details = (currency: string, parts: readonly (readonly [text: string, amount: string])[]): string[] =>
  parts.map(([text, amount]) =>
    txDtls(text, { refs: e2e(`E-${text}`), amount: `<Amt Ccy="${currency}">${amount}</Amt>` }),
  );
const DAY = { opening: '0.00', number: '7' } as const;

describe('files that report the same', () => {
  for (const order of ['the first one first', 'the last one first']) {
    test(`leave nothing in the books when both are withdrawn: ${order}`, async () => {
      const currency = order === 'the first one first' ? 'SEK' : 'HUF';
      const account = await accountIn(currency);
      const parts = [
        ['P5', '10.00'],
        ['P6', '20.00'],
      ] as const;
      const batch = { amount: '30.00', reference: 'BATCH-3', details: details(currency, parts) };
      const first = await account.take([credit('BOTH', '5.00'), batch], { message: '054' });
      const last = await account.take([credit('BOTH', '5.00'), { amount: '30.00', reference: 'BATCH-3' }], {
        ...DAY,
        closing: '35.00',
      });
      assert.equal(last.newEntries, 0);
      const files = order === 'the first one first' ? [first, last] : [last, first];
      for (const { fileId } of files) await withdraw(fileId);
      assert.deepEqual(await account.deposits(), ['500 returned', '1000 returned', '2000 returned']);
      assert.deepEqual([await account.missing(), await account.bank()], [[], [0n, 0n]]);
      const anew = await account.take([credit('BOTH', '5.00')], { ...DAY, closing: '5.00' });
      assert.equal(anew.newEntries, 1);
      assert.deepEqual(await account.bank(), [500n, 0n]);
    });
  }
});

describe('a file that is withdrawn', () => {
  test('leaves what another statement lists in that one, once', async () => {
    const account = await accountIn('CHF');
    const first = await account.take([credit('LIST-1')], { ...DAY, closing: '10.00' });
    const second = await account.take([credit('LIST-1')], { ...DAY, closing: '10.00', version: '04' });
    assert.equal(second.newEntries, 0);
    await withdraw(first.fileId);
    assert.deepEqual(await account.bank(), [1_000n, 0n]);
    await account.take([], { date: '2026-03-05', opening: '10.00', closing: '10.00', number: '8' });
    assert.deepEqual([await account.missing(), await account.bank()], [[], [1_000n, 0n]]);
    assert.deepEqual(await account.deposits(), ['1000 unmatched']);
  });

  test('leaves what a notification reported as it was before the file listed it', async () => {
    const account = await accountIn('NOK');
    await account.take([credit('LIST-2')], { message: '054' });
    const listing = await account.take([credit('LIST-2')], { ...DAY, closing: '10.00' });
    assert.equal(listing.newEntries, 0);
    await withdraw(listing.fileId);
    assert.deepEqual(await account.bank(), [1_000n, 0n]);
    await account.take([], { ...DAY, closing: '0.00', number: '8' });
    assert.deepEqual([await account.missing(), await account.bank()], [['LIST-2'], [0n, 0n]]);
  });

  test('leaves the payments of a batch whose sum another file reports', async () => {
    const account = await accountIn('PLN');
    const parts = [
      ['P1', '10.00'],
      ['P2', '20.00'],
    ] as const;
    const batch = { amount: '30.00', reference: 'BATCH-1', details: details('PLN', parts) };
    const first = await account.take([batch], { message: '054' });
    const second = await account.take([{ amount: '30.00', reference: 'BATCH-1' }], {
      ...DAY,
      closing: '30.00',
    });
    assert.equal(second.newEntries, 0);
    await withdraw(first.fileId);
    assert.deepEqual(await account.deposits(), ['1000 unmatched', '2000 unmatched']);
    assert.deepEqual(await account.bank(), [3_000n, 0n]);
  });

  test('takes the other payments of a batch away, and leaves the one that another file reports', async () => {
    const account = await accountIn('CZK');
    const parts = [
      ['P3', '10.00'],
      ['P4', '20.00'],
    ] as const;
    const batch = { amount: '30.00', reference: 'BATCH-2', details: details('CZK', parts) };
    const first = await account.take([batch], { message: '054' });
    const [one] = parts;
    const single = { amount: '10.00', reference: 'ONE', details: details('CZK', [one]) };
    assert.equal((await account.take([single], { message: '052' })).newEntries, 0);
    await withdraw(first.fileId);
    assert.deepEqual(await account.deposits(), ['1000 unmatched', '2000 returned']);
    assert.deepEqual(await account.bank(), [1_000n, 0n]);
    const listed = await account.take([single], { ...DAY, closing: '10.00' });
    assert.equal(listed.newEntries, 0, 'it is no other payment');
    assert.deepEqual(await account.deposits(), ['1000 unmatched', '2000 returned']);
    assert.deepEqual([await account.missing(), await account.bank()], [[], [1_000n, 0n]]);
  });
});

test('a statement that is corrected lists nothing any more, also of what notifications reported', async () => {
  const account = await accountIn('DKK');
  await account.take([credit('CORR-1'), credit('CORR-2')], { message: '054' });
  const wrong = await account.take([credit('CORR-1'), credit('CORR-2')], { ...DAY, closing: '20.00' });
  assert.equal(wrong.newEntries, 0);
  const right = await account.take([credit('CORR-1')], { ...DAY, closing: '10.00' });
  assert.equal(right.newEntries, 0);
  assert.deepEqual([await account.missing(), await account.bank()], [['CORR-2'], [1_000n, 0n]]);
});
