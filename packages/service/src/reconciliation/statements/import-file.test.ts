import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createTestDatabase } from '../../../test/support/database.ts';
import {
  createOperatorServer,
  depositOf,
  type OperatorServer,
} from '../../../test/support/operator-server.ts';
import { createSandbox, type Sandbox, silentLogger } from '../../../test/support/sandbox.ts';
import type { Pool } from '../../database/pool.ts';
import { typeId } from '../../platform/ids.ts';
import { enableSandboxBank } from '../../sandbox/store.ts';
import { bookAllCredits, creditSweep } from './book-credits.ts';
import { type CamtEntry, camt, txDtls } from './test-support.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;

before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
  await enableSandboxBank(pool);
  sandbox = await createSandbox(pool);
  server = createOperatorServer(sandbox);
});
after(() => server.close());

const upload = (content: string | Buffer, query = '') =>
  server.call('POST', `/v1/operator/statements${query}`, content, { 'content-type': 'application/xml' });
const entriesOf = async (fileId: string, query = '') =>
  (await server.call('GET', `/v1/operator/statements/${fileId}/entries?limit=200${query}`)).body.items;

async function deposits(): Promise<{ bank_reference: string; amount_minor: string; status: string }[]> {
  const { rows } = await pool.query(
    "select bank_reference, amount_minor, status from deposits where source = 'statement' order by id",
  );
  return rows;
}
const bookings = async () =>
  (await pool.query('select count(*)::int as n from statement_bookings')).rows[0].n;

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
    const created = await upload(file, '?name=day.xml');
    assert.equal(created.status, 201, JSON.stringify(created.body));
    assert.equal(created.headers.location, `/v1/operator/statements/${created.body.fileId}`);
    assert.deepEqual(
      [
        created.body.status,
        created.body.format,
        created.body.statements,
        created.body.bookings,
        created.body.newBookings,
      ],
      ['accepted', 'camt', 1, 2, 2],
    );
    assert.deepEqual(created.body.warnings, []);
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

    const again = await upload(file, '?name=day-again.xml');
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
        each.newBookings,
      ]),
      [['40', true, { amount: '5.00', currency: 'USD', date: '2026-03-04' }, 2]],
    );
  });

  test('that tells of an entry once more books it once, in whatever format', async () => {
    const countBefore = (await deposits()).length;
    const told = await bookings();
    const first: CamtEntry = { amount: '70.00', reference: 'OVER-1', details: [txDtls('FIRST PAYMENT')] };
    const second: CamtEntry = {
      amount: '80.00',
      details: [txDtls('SECOND  PAYMENT', { refs: '<EndToEndId>TWO</EndToEndId>' })],
    };
    const intraday = await upload(camt([first], { message: '054', version: '02' }));
    assert.equal(intraday.body.newBookings, 1);
    const later = await upload(
      camt([first, second], { message: '054', version: '02', created: '2026-03-04T19:00:00Z' }),
    );
    assert.deepEqual([later.body.bookings, later.body.newBookings], [2, 1]);
    // The same two, a third and the second again: two equal payments of one day are two.
    const endOfDay = await upload(
      camt([first, second, { amount: '90.00', reference: 'OVER-3' }, second], {
        opening: '0.00',
        closing: '320.00',
      }),
    );
    assert.deepEqual([endOfDay.body.bookings, endOfDay.body.newBookings], [4, 2]);
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
    const other = await upload(mt940);
    assert.deepEqual([other.body.format, other.body.bookings, other.body.newBookings], ['mt940', 4, 0]);
    assert.equal((await bookings()) - told, 4);
    const added = (await deposits()).slice(countBefore);
    assert.deepEqual(added.map((each) => each.amount_minor).sort(), ['7000', '8000', '8000', '9000']);
  });

  test('is refused whole, with line and reason, and kept', async () => {
    const told = await bookings();
    const wrong = camt([
      { amount: '1.00', reference: 'NO-1' },
      { amount: '1.005', reference: 'NO-2' },
    ]);
    const refused = await upload(wrong, '?name=..%2F..%2Fetc%2Fwrong.xml');
    assert.equal(refused.status, 422);
    assert.deepEqual(
      [refused.body.code, refused.body.reason, refused.body.line],
      ['statement_refused', 'amount_precision_invalid', 11],
    );
    const file = await server.call('GET', `/v1/operator/statements/${refused.body.fileId}`);
    assert.deepEqual(
      [file.body.status, file.body.name, file.body.refusal.reason, file.body.bookings],
      ['refused', 'wrong.xml', 'amount_precision_invalid', 0],
    );
    assert.equal(await bookings(), told, 'nothing of it is booked');
    const bytes = await server.raw('GET', `/v1/operator/statements/${refused.body.fileId}/file`);
    assert.equal(bytes.payload, wrong);
    assert.equal(bytes.headers['content-type'], 'application/octet-stream');
    const list = await server.call('GET', '/v1/operator/statements?status=refused');
    assert.equal(list.body.items[0].fileId, refused.body.fileId);
    assert.equal((await upload(wrong)).body.fileId, refused.body.fileId, 'a second attempt is the same file');
    const twice = await server.call('GET', `/v1/operator/statements/${refused.body.fileId}`);
    assert.equal(twice.body.attempts, 2);
  });

  test('keeps returns, reversals and pending entries apart from deposits', async () => {
    const countBefore = (await deposits()).length;
    const returned = txDtls('AC04 closed', {
      refs: '<InstrId>PAYOUT-9</InstrId><EndToEndId>P9</EndToEndId>',
      after: '<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>',
    });
    const created = await upload(
      camt([
        { amount: '41.00', reference: 'RET-1', details: [returned] },
        { amount: '42.00', reference: 'RET-2', reversal: true },
        { amount: '43.00', reference: 'RET-3', status: 'PDNG' },
      ]),
    );
    const entries = await entriesOf(created.body.fileId);
    assert.deepEqual(
      entries.map((each: Record<string, unknown>) => [each.kind, each.status, each.depositState]),
      [
        ['return', 'booked', 'none'],
        ['reversal', 'booked', 'none'],
        ['payment', 'pending', 'none'],
      ],
    );
    assert.deepEqual([entries[0].returnReason, entries[0].originalReference], ['AC04', 'PAYOUT-9']);
    assert.equal((await deposits()).length, countBefore);
    // The pending one is money once it is booked.
    await upload(camt([{ amount: '43.00', reference: 'RET-3' }], { number: '41' }));
    assert.deepEqual(
      (await deposits()).slice(countBefore).map((each) => each.bank_reference),
      ['RET-3'],
    );
  });

  test('of an unknown account is kept, and booked when the account becomes the house’s', async () => {
    const created = await upload(
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
    const sweep = creditSweep(sandbox.desk);
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

  test('takes what an operator has recorded by hand for the same money', async () => {
    const row = await sandbox.trade();
    const recorded = await server.call('POST', '/v1/operator/deposits', depositOf(row, 'HAND-1'));
    const created = await upload(camt([{ amount: '100000.00', reference: 'HAND-1' }]));
    const [entry] = await entriesOf(created.body.fileId);
    assert.deepEqual([entry.depositState, entry.depositId], ['booked', recorded.body.depositId]);
  });

  test('never loses money to a reference that the bank uses twice', async () => {
    const created = await upload(
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

  test('shows the statements that are missing before it', async () => {
    const day = (number: string, date: string, opening: string, closing: string) =>
      upload(camt([], { account: 'MISSING1', currency: 'USD', number, date, opening, closing }));
    await day('1', '2026-01-02', '0.00', '0.00');
    const third = await day('3', '2026-01-06', '0.00', '0.00');
    const codes = (body: { warnings: { code: string; detail: string }[] }) =>
      body.warnings.map((each) => each.code);
    assert.deepEqual(codes(third.body), ['unknown_account', 'sequence_gap']);
    assert.match(third.body.warnings[1].detail, /Statement 2 /);
    await day('2', '2026-01-05', '0.00', '0.00');
    const filled = await server.call('GET', `/v1/operator/statements/${third.body.fileId}`);
    assert.deepEqual(codes(filled.body), ['unknown_account'], 'the gap is gone when the statement comes');
    const differs = await day('4', '2026-01-07', '3.00', '3.00');
    assert.deepEqual(codes(differs.body), ['unknown_account', 'opening_differs']);
    const nextYear = await day('1', '2027-01-04', '3.00', '3.00');
    assert.deepEqual(codes(nextYear.body), ['unknown_account'], 'banks begin again with 1');
  });

  test('brought by two at the same time is one file and booked once', async () => {
    const file = camt([{ amount: '33.00', reference: 'RACE-1' }]);
    const overlapping = camt([{ amount: '33.00', reference: 'RACE-1' }], { message: '054' });
    const replies = await Promise.all([upload(file), upload(file), upload(overlapping), upload(file)]);
    assert.equal(new Set(replies.map((each) => each.body.fileId)).size, 2);
    assert.equal(
      replies.reduce((sum, each) => sum + (each.status === 201 ? each.body.newBookings : 0), 0),
      1,
    );
    assert.equal((await deposits()).filter((each) => each.bank_reference === 'RACE-1').length, 1);
  });

  test('whose credits were left behind by a process that ended is finished by the sweep', async () => {
    await upload(camt([{ amount: '44.00', reference: 'LEFT-1' }]));
    const { rows } = await pool.query(
      `update statement_entries set deposit_state = 'due', deposit_id = null
       where deposit_id = (select id from deposits where bank_reference = 'LEFT-1') returning id`,
    );
    // As if the commit of the deposit had never been.
    await pool.query("update deposits set bank_reference = 'LEFT-1-gone' where bank_reference = 'LEFT-1'");
    await bookAllCredits(sandbox.desk, silentLogger);
    const found = (await deposits()).filter((each) => each.bank_reference === 'LEFT-1');
    assert.equal(found.length, 1);
    const { rowCount } = await pool.query(
      "select 1 from statement_entries where id = $1 and deposit_state = 'booked'",
      [rows[0].id],
    );
    assert.equal(rowCount, 1);
  });

  test('splits a batch into its payments', async () => {
    const amount = (text: string) => `<Amt Ccy="USD">${text}</Amt><CdtDbtInd>CRDT</CdtDbtInd>`;
    const created = await upload(
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
        each.bookingAmount,
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
    assert.deepEqual(references, ['BATCH-1/1', 'BATCH-1/2']);
    const collective = await upload(camt([{ amount: '30.00', reference: 'BATCH-1' }], { message: '054' }));
    assert.equal(collective.body.newBookings, 0);
  });
});

describe('CSV files', () => {
  const mapping = {
    fileNames: ['umsatz-*.csv'],
    delimiter: ';',
    decimalMark: ',',
    groupMark: '.',
    dateFormat: 'DD.MM.YYYY',
    account: 'GB29NWBK60161331926819',
    currency: 'USD',
    columns: { bookingDate: 'Datum', amount: 'Betrag', remittance: ['Text'], bankReference: 'Ref' },
  };
  const csv = 'Datum;Betrag;Text;Ref\n04.03.2026;1.234,50;"a ""b"";c";CSV-1\n04.03.2026;-3,00;fee;CSV-2\n';

  test('are read by the mapping that is named, or that their names fit', async () => {
    const missing = await upload(csv, '?name=other.csv');
    assert.deepEqual([missing.status, missing.body.reason], [422, 'format_unknown']);
    const wrong = await server.call('PUT', '/v1/operator/statement-mappings/house', {
      ...mapping,
      groupMark: ',',
    });
    assert.deepEqual([wrong.status, wrong.body.errors[0].pointer], [400, '/groupMark']);
    const set = await server.call('PUT', '/v1/operator/statement-mappings/house', mapping);
    assert.deepEqual([set.status, set.body.version], [200, 1]);
    const unknown = await upload(csv, '?mapping=nothing');
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'statement_mapping_not_found']);
    // The bytes that were refused before are taken in now.
    const created = await upload(csv, '?name=umsatz-march.csv');
    assert.deepEqual(
      [created.status, created.body.fileId, created.body.mapping],
      [201, missing.body.fileId, 'house'],
    );
    const entries = await entriesOf(created.body.fileId);
    assert.deepEqual(
      entries.map((each: Record<string, unknown>) => [
        each.amount,
        each.direction,
        each.remittanceText,
        each.line,
      ]),
      [
        ['1234.50', 'credit', 'a "b";c', 2],
        ['3.00', 'debit', 'fee', 3],
      ],
    );
    assert.equal((await server.call('DELETE', '/v1/operator/statement-mappings/house')).status, 204);
    assert.equal((await server.call('GET', '/v1/operator/statement-mappings/house')).status, 404);
  });
});

describe('the routes', () => {
  test('page through entries and files', async () => {
    const entries = Array.from({ length: 5 }, (_, index) => ({
      amount: `${index + 1}.00`,
      reference: `PAGE-${index}`,
    }));
    const { body } = await upload(camt(entries));
    const path = `/v1/operator/statements/${body.fileId}/entries?limit=2`;
    const seen: string[] = [];
    for (let next = path; next !== ''; ) {
      const page = await server.call('GET', next);
      seen.push(...page.body.items.map((each: { amount: string }) => each.amount));
      next = page.body.nextCursor === null ? '' : `${path}&cursor=${page.body.nextCursor}`;
    }
    assert.deepEqual(seen, ['1.00', '2.00', '3.00', '4.00', '5.00']);
    const files = await server.call('GET', '/v1/operator/statements?limit=1');
    assert.deepEqual([files.body.items.length, files.body.hasMore], [1, true]);
    const second = await server.call(
      'GET',
      `/v1/operator/statements?limit=1&cursor=${files.body.nextCursor}`,
    );
    assert.notEqual(second.body.items[0].fileId, files.body.items[0].fileId);
  });

  test('refuse what makes no sense', async () => {
    const narrow = { authorization: 'Bearer operator:deposits' };
    const forbidden = await server.call('GET', '/v1/operator/statements', undefined, narrow);
    assert.deepEqual([forbidden.status, forbidden.body.requiredScope], [403, 'operator:statements']);
    for (const path of ['stf_nothing', typeId('stf', '0195f000-0000-7000-8000-00000000000a')]) {
      for (const below of ['', '/entries', '/statements', '/file']) {
        const reply = await server.call('GET', `/v1/operator/statements/${path}${below}`);
        assert.deepEqual([reply.status, reply.body.code], [404, 'statement_file_not_found'], path + below);
      }
    }
    assert.equal((await upload('')).body.code, 'validation_failed');
    assert.equal((await upload('x', '?format=pdf')).body.code, 'validation_failed');
    assert.equal((await upload('x', '?colour=red')).body.code, 'validation_failed');
    const binary = await upload(Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 1, 2]));
    assert.deepEqual([binary.status, binary.body.reason], [422, 'format_unknown']);
  });
});
