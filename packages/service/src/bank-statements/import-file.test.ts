import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type CamtEntry, camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';

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
const entriesReported = async () =>
  (
    await pool.query(
      `select count(*)::int as n from bank_entries b
       where exists (select from entry_details e where e.entry_id = b.id and e.same_as is null)`,
    )
  ).rows[0].n;

describe('a statement file', () => {
  test('books its credits as deposits, which find their trades', async () => {
    const row = await sandbox.trade();
    const text = `INV 5 ${row.reference}`;
    const parties =
      '<Dbtr><Pty><Nm>Acme Ltd</Nm></Pty></Dbtr><DbtrAcct><Id><IBAN>DE75512108001245126199</IBAN></Id></DbtrAcct>';
    const file = camt(
      [
        {
          amount: '100000.00',
          reference: 'BANK-1',
          details: [txDtls(text, { refs: '<EndToEndId>E2E-1</EndToEndId>', parties })],
        },
        { amount: '12.50', direction: 'DBIT', reference: 'BANK-2', details: [txDtls('Account fee')] },
      ],
      { opening: '5.00', closing: '99992.50', number: '40' },
    );
    const created = await server.upload(file, '?name=day.xml');
    assert.equal(created.status, 201, JSON.stringify(created.body));
    assert.equal(created.headers.location, `/v1/operator/statements/${created.body.fileId}`);
    assert.deepEqual(
      [
        created.body.status,
        created.body.format,
        created.body.statements,
        created.body.entries,
        created.body.newEntries,
      ],
      ['accepted', 'camt', 1, 2, 2],
    );
    assert.deepEqual(
      created.body.warnings.map((each: { code: string }) => each.code),
      // Nobody has said yet what the account fee is.
      ['not_booked'],
    );
    const [credit, debit] = await entriesOf(created.body.fileId);
    assert.deepEqual(
      [
        credit.amount,
        credit.direction,
        credit.depositState,
        credit.counterpartyName,
        credit.endToEndId,
        credit.line,
      ],
      ['100000.00', 'credit', 'booked', 'Acme Ltd', 'E2E-1', 12],
    );
    assert.deepEqual(
      [debit.amount, debit.direction, debit.depositState, debit.depositId],
      ['12.50', 'debit', 'none', null],
    );
    const deposit = await server.call('GET', `/v1/operator/deposits/${credit.depositId}`);
    assert.deepEqual(
      [deposit.body.status, deposit.body.source, deposit.body.bankReference, deposit.body.remitterName],
      ['matched', 'statement', 'BANK-1', 'Acme Ltd'],
    );
    assert.deepEqual(deposit.body.account, 'GB29NWBK60161331926819');
    assert.equal((await sandbox.read(row)).status, 'funded');

    const again = await server.upload(file, '?name=day-again.xml');
    assert.equal(again.status, 200);
    assert.deepEqual(
      [again.body.fileId, again.body.attempts, again.body.name],
      [created.body.fileId, 2, 'day.xml'],
    );
    assert.equal((await deposits()).length, 1);

    const shown = await server.call('GET', `/v1/operator/statements/${created.body.fileId}`);
    assert.equal(shown.body.sha256, created.body.sha256);
    const list = await server.call('GET', `/v1/operator/statements/${created.body.fileId}/statements`);
    assert.deepEqual(
      list.body.items.map((each: Record<string, unknown>) => [
        each.number,
        each.ownAccount,
        each.opening,
        each.newEntries,
      ]),
      [['40', true, { amount: '5.00', currency: 'USD', date: '2026-03-04' }, 2]],
    );
  });

  test('that reports an entry once more books it once, in whatever format', async () => {
    const countBefore = (await deposits()).length;
    const reported = await entriesReported();
    const first: CamtEntry = { amount: '70.00', reference: 'OVER-1', details: [txDtls('FIRST PAYMENT')] };
    const second: CamtEntry = {
      amount: '80.00',
      details: [txDtls('SECOND  PAYMENT', { refs: '<EndToEndId>TWO</EndToEndId>' })],
    };
    const intraday = await server.upload(camt([first], { message: '054', version: '02' }));
    assert.equal(intraday.body.newEntries, 1);
    const later = await server.upload(
      camt([first, second], { message: '054', version: '02', created: '2026-03-04T19:00:00Z' }),
    );
    assert.deepEqual([later.body.entries, later.body.newEntries], [2, 1]);
    // The same two, a third and the second again: two equal payments of one day are two.
    const endOfDay = await server.upload(
      camt([first, second, { amount: '90.00', reference: 'OVER-3' }, second], {
        opening: '0.00',
        closing: '320.00',
      }),
    );
    assert.deepEqual([endOfDay.body.entries, endOfDay.body.newEntries], [4, 2]);
    const mt940 = [
      ':20:STMT',
      ':25:GB29NWBK60161331926819',
      ':28C:77/1',
      ':60F:C260304USD0,',
      ':61:2603040304C70,NTRFNONREF//OVER-1',
      ':86:166?00CREDIT?20SVWZ+FIRST PAYMENT',
      ':61:2603040304C80,NTRFNONREF',
      ':86:166?00CREDIT?20EREF+TWO?21 SVWZ+SECOND PAYMENT',
      ':61:2603040304C80,NTRFNONREF',
      ':86:166?00CREDIT?20EREF+TWO?21 SVWZ+SECOND PAYMENT',
      ':61:2603040304C90,NTRFNONREF//OVER-3',
      ':62F:C260304USD320,',
      '-',
    ].join('\r\n');
    const other = await server.upload(mt940);
    assert.deepEqual([other.body.format, other.body.entries, other.body.newEntries], ['mt940', 4, 0]);
    assert.equal((await entriesReported()) - reported, 4);
    const added = (await deposits()).slice(countBefore);
    assert.deepEqual(added.map((each) => each.amount_minor).sort(), ['7000', '8000', '8000', '9000']);
  });

  test('is refused whole, with line and reason, and kept', async () => {
    const reported = await entriesReported();
    const wrong = camt([
      { amount: '1.00', reference: 'NO-1' },
      { amount: '1.005', reference: 'NO-2' },
    ]);
    const refused = await server.upload(wrong, '?name=..%2F..%2Fetc%2Fwrong.xml');
    assert.equal(refused.status, 422);
    assert.deepEqual(
      [refused.body.code, refused.body.reason, refused.body.line],
      ['statement_refused', 'amount_precision_invalid', 11],
    );
    const file = await server.call('GET', `/v1/operator/statements/${refused.body.fileId}`);
    assert.deepEqual(
      [file.body.status, file.body.name, file.body.refusal.reason, file.body.entries],
      ['refused', 'wrong.xml', 'amount_precision_invalid', 0],
    );
    assert.equal(await entriesReported(), reported, 'nothing of it is booked');
    const bytes = await server.raw('GET', `/v1/operator/statements/${refused.body.fileId}/file`);
    assert.equal(bytes.payload, wrong);
    assert.equal(bytes.headers['content-type'], 'application/octet-stream');
    const list = await server.call('GET', '/v1/operator/statements?status=refused');
    assert.equal(list.body.items[0].fileId, refused.body.fileId);
    assert.equal(
      (await server.upload(wrong)).body.fileId,
      refused.body.fileId,
      'a second attempt is the same file',
    );
    const twice = await server.call('GET', `/v1/operator/statements/${refused.body.fileId}`);
    assert.equal(twice.body.attempts, 2);
  });

  test('shows the statements that are missing before it', async () => {
    const day = (number: string, date: string, opening: string, closing: string) =>
      server.upload(camt([], { account: 'MISSING1', currency: 'USD', number, date, opening, closing }));
    await day('1', '2025-01-02', '0.00', '0.00');
    const third = await day('3', '2025-01-06', '0.00', '0.00');
    const codes = (body: { warnings: { code: string; detail: string }[] }) =>
      body.warnings.map((each) => each.code);
    assert.deepEqual(codes(third.body), ['unknown_account', 'sequence_gap']);
    assert.match(third.body.warnings[1].detail, /Statement 2 /);
    await day('2', '2025-01-05', '0.00', '0.00');
    const filled = await server.call('GET', `/v1/operator/statements/${third.body.fileId}`);
    assert.deepEqual(codes(filled.body), ['unknown_account'], 'the gap is gone when the statement comes');
    const differs = await day('4', '2025-01-07', '3.00', '3.00');
    assert.deepEqual(codes(differs.body), ['unknown_account', 'opening_differs']);
    const nextYear = await day('1', '2026-01-05', '3.00', '3.00');
    assert.deepEqual(codes(nextYear.body), ['unknown_account'], 'banks begin again with 1');
  });

  test('brought by two at the same time is one file and booked once', async () => {
    const file = camt([{ amount: '33.00', reference: 'RACE-1' }]);
    const overlapping = camt([{ amount: '33.00', reference: 'RACE-1' }], { message: '054' });
    const replies = await Promise.all([
      server.upload(file),
      server.upload(file),
      server.upload(overlapping),
      server.upload(file),
    ]);
    assert.equal(new Set(replies.map((each) => each.body.fileId)).size, 2);
    assert.equal(
      replies.reduce((sum, each) => sum + (each.status === 201 ? each.body.newEntries : 0), 0),
      1,
    );
    assert.equal((await deposits()).filter((each) => each.bank_reference === 'RACE-1').length, 1);
  });
});
