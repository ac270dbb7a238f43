import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { ownerOf } from '../../test/support/database.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import type { Pool } from '../database/pool.ts';

let pool: Pool;
let server: OperatorServer;

before(async () => {
  ({ pool, server } = await createOperatedSandbox({ withBank: true }));
});
after(() => server.close());

const OWN = 'GB29NWBK60161331926819';
const MAPPING = {
  delimiter: ';',
  decimalMark: ',',
  groupMark: '.',
  dateFormat: 'DD.MM.YYYY',
  account: OWN,
  currency: 'USD',
  columns: { bookingDate: 'Datum', amount: 'Betrag', remittance: ['Text'], bankReference: 'Ref' },
};
const CSV = 'Datum;Betrag;Text;Ref\n04.03.2026;1.234,50;invoice 7;PRE-1\n04.03.2026;-3,00;fee;PRE-2\n';

const preview = (content: string | Buffer, query: Record<string, string> = {}, headers = {}) =>
  server.call('POST', `/v1/operator/statements/preview?${new URLSearchParams(query)}`, content, {
    'content-type': 'application/octet-stream',
    ...headers,
  });
const tried = (mapping: object, content = CSV) => preview(content, { draftMapping: JSON.stringify(mapping) });

/** What every table holds. */
async function tables(): Promise<ReadonlyMap<string, string>> {
  const owner = ownerOf(pool);
  const { rows } = await owner.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const held = new Map<string, string>();
  for (const { name } of rows) {
    const text = `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as held from ${name} t`;
    const { rows: found } = await owner.query<{ held: string }>(text);
    held.set(name, found[0]?.held ?? '');
  }
  return held;
}

describe('a preview', () => {
  test('shows what a CSV file holds by a mapping that is kept nowhere, and books nothing', async () => {
    // The operators of tests are made with the first request.
    await preview(CSV);
    const held = await tables();
    const { status, body } = await preview(CSV, { name: 'a/may.csv', draftMapping: JSON.stringify(MAPPING) });
    assert.equal(status, 200, JSON.stringify(body));
    const { name, format, mapping, refusal, receivedBefore, statements, entries, sums } = body;
    assert.deepEqual(
      { name, format, mapping, refusal, receivedBefore, statements, entries },
      {
        ...{ name: 'may.csv', format: 'csv', mapping: null, refusal: null, receivedBefore: null },
        ...{ statements: 1, entries: 2 },
      },
    );
    const all = [
      {
        currency: 'USD',
        credits: { count: 1, amount: '1234.50' },
        debits: { count: 1, amount: '3.00' },
      },
    ];
    assert.deepEqual(sums, all);
    const [statement, ...others] = body.firstStatements;
    assert.equal(others.length, 0);
    assert.deepEqual(
      [statement.account, statement.ownAccount, statement.from, statement.opening, statement.sums],
      [OWN, true, '2026-03-04', null, all],
    );
    assert.deepEqual(
      body.firstPayments.map((each: Record<string, unknown>) => [
        ...[each.line, each.direction, each.amount, each.bookingDate],
        ...[each.remittanceText, each.bankReference],
      ]),
      [
        [2, 'credit', '1234.50', '2026-03-04', 'invoice 7', 'PRE-1'],
        [3, 'debit', '3.00', '2026-03-04', 'fee', 'PRE-2'],
      ],
    );
    await preview('this is no statement');
    await preview(camt([{ amount: '5.00' }], { account: OWN }));
    assert.deepEqual(await tables(), held);
  });

  test('reads what the import reads', async () => {
    const details = [txDtls('one pays'), txDtls('another pays')];
    const files = [
      camt(
        [
          { amount: '20.00', details },
          { amount: '7.00', direction: 'DBIT' },
        ],
        {
          ...{ account: OWN, number: '71', opening: '1.00', closing: '14.00' },
        },
      ),
      ':20:A\n:25:87654321\n:28C:3/1\n:60F:C260303USD1,\n:61:2603040304C2,NTRFNONREF//B1\n:86:somebody\n:62F:C260304USD3,\n-\n',
    ];
    for (const file of files) {
      const shown = await preview(file);
      const { body: imported } = await server.upload(file);
      assert.equal(imported.status, 'accepted', JSON.stringify(imported));
      for (const name of ['name', 'format', 'statements', 'entries']) {
        assert.equal(shown.body[name], imported[name], name);
      }
      const listed = async (what: string) =>
        (await server.call('GET', `/v1/operator/statements/${imported.fileId}/${what}`)).body.items;
      const same = (mine: object[], theirs: Record<string, unknown>[], without: string[]) =>
        assert.deepEqual(
          mine.map((each) => Object.entries(each).filter(([name]) => !without.includes(name))),
          theirs.map((each, at) =>
            Object.keys(mine[at] ?? {})
              .filter((name) => !without.includes(name))
              .map((name) => [name, each[name]]),
          ),
        );
      same(shown.body.firstPayments, await listed('entries'), []);
      same(shown.body.firstStatements, await listed('statements'), ['sums', 'importedIn']);
    }
  });

  test('says why a file would be refused, as the import does, and shows what stands before it', async () => {
    const put = (name: string) =>
      server.call('PUT', `/v1/operator/statement-mappings/${name}`, { ...MAPPING, fileNames: ['two-*'] });
    for (const name of ['kept', 'other']) assert.equal((await put(name)).status, 200);
    const refused: [content: string | Buffer, entries: number, query?: Record<string, string>][] = [
      [CSV.replace('-3,00', '3,00,0'), 1, { mapping: 'kept' }],
      [CSV.replace('Betrag', 'Summe'), 0, { mapping: 'kept' }],
      [CSV, 0, { name: 'two-fit.csv' }],
      [CSV, 0],
      [Buffer.from([0xff, 0xfe, 0x41, 0x00]), 0],
      [camt([{ amount: '5.00' }], { account: OWN, number: '72', opening: '1.00', closing: '8.00' }), 1],
    ];
    for (const [content, entries, query = {}] of refused) {
      const { body: shown } = await preview(content, query);
      const { status, body } = await server.upload(content, `?${new URLSearchParams(query)}`);
      assert.deepEqual([status, body.code], [422, 'statement_refused'], JSON.stringify(body));
      const { body: file } = await server.call('GET', `/v1/operator/statements/${body.fileId}`);
      assert.deepEqual(shown.refusal, file.refusal);
      assert.equal(shown.firstPayments.length, entries, shown.refusal.detail);
      assert.equal((await preview(content, query)).body.receivedBefore.fileId, file.fileId);
    }
  });

  test('knows the same bytes, and the same statement in another form', async () => {
    const balance = { opening: '100.00', closing: '109.00', account: OWN, number: '73', date: '2026-03-05' };
    const { body: imported } = await server.upload(camt([{ amount: '9.00', reference: 'TWIN' }], balance));
    assert.equal(imported.status, 'accepted');
    const json = (closing: string) =>
      JSON.stringify({
        statements: [
          {
            ...{ account: OWN, currency: 'USD', number: '73' },
            opening: { amount: '100.00', date: '2026-03-05' },
            closing: { amount: closing, date: '2026-03-05' },
            entries: [
              {
                ...{ amount: closing === '109.00' ? '9.00' : '10.00', direction: 'credit' },
                ...{ bookingDate: '2026-03-05', bankReference: 'TWIN' },
              },
            ],
          },
        ],
      });
    const importedIn = async (content: string) =>
      (await preview(content)).body.firstStatements.map((each: { importedIn: string }) => each.importedIn);
    assert.deepEqual(await importedIn(json('109.00')), [imported.fileId]);
    assert.deepEqual(await importedIn(json('110.00')), [null]);
  });

  test('shows the first of many', async () => {
    const lines = Array.from({ length: 120 }, (_, at) => `04.03.2026;${at + 1},00;text;MANY-${at}\n`);
    const { body } = await tried(MAPPING, `Datum;Betrag;Text;Ref\n${lines.join('')}`);
    assert.deepEqual([body.entries, body.firstPayments.length], [120, 50]);
    assert.deepEqual(body.sums[0].credits, { count: 120, amount: '7260.00' });
    const accounts = lines.map((line, at) => line.replace('text', `ACC${at}`));
    const each = { ...MAPPING, account: undefined, columns: { ...MAPPING.columns, account: 'Text' } };
    const many = await tried(each, `Datum;Betrag;Text;Ref\n${accounts.join('')}`);
    assert.deepEqual([many.body.statements, many.body.firstStatements.length], [120, 50]);
  });
});

describe('what cannot be previewed', () => {
  test('is a draft that no mapping can be, told as when it is set', async () => {
    const wrong = async (mapping: object) => {
      const { status, body } = await tried(mapping);
      assert.deepEqual([status, body.code], [400, 'validation_failed']);
      const set = await server.call('PUT', '/v1/operator/statement-mappings/wrong', mapping);
      assert.equal(set.status, 400);
      assert.deepEqual(
        body.errors,
        set.body.errors.map((error: { pointer: string }) => ({
          ...error,
          pointer: `/query/draftMapping${error.pointer}`,
        })),
      );
    };
    await wrong({ ...MAPPING, groupMark: ',' });
    await wrong({ ...MAPPING, colour: 'red', dateFormat: 'D', columns: { amount: 'Betrag' } });
    const both = await preview(CSV, { mapping: 'kept', draftMapping: JSON.stringify(MAPPING) });
    assert.deepEqual([both.status, both.body.errors[0].pointer], [400, '/query/mapping']);
    const none = await preview(CSV, { draftMapping: '{' });
    assert.deepEqual(none.body.errors, [
      { pointer: '/query/draftMapping', code: 'wrong_format', detail: 'must be JSON' },
    ]);
  });

  test('is a file by a mapping that there is not, an empty one, and one without the right', async () => {
    const unknown = await preview(CSV, { mapping: 'nothing' });
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'statement_mapping_not_found']);
    assert.equal((await preview('')).body.code, 'validation_failed');
    const large = await preview('x', {}, { 'content-length': `${256 * 1024 * 1024 + 1}` });
    assert.equal(large.body.code, 'body_too_large');
    const narrow = await preview(CSV, {}, { authorization: 'Bearer operator:deposits' });
    assert.deepEqual([narrow.status, narrow.body.requiredScope], [403, 'operator:statements']);
  });
});
