import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { camt } from '../../../bank-formats/src/test-support.ts';
import { ownerOf } from '../../test/support/database.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import type { Pool } from '../database/pool.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';

let pool: Pool;
let server: OperatorServer;

before(async () => {
  ({ pool, server } = await createOperatedSandbox({ withBank: true }));
});
after(() => server.close());

const entriesOf = async (fileId: string, query = '') =>
  (await server.call('GET', `/v1/operator/statements/${fileId}/entries?limit=200${query}`)).body.items;

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
    const missing = await server.upload(csv, '?name=other.csv');
    assert.deepEqual([missing.status, missing.body.reason], [422, 'format_unknown']);
    const wrong = await server.call('PUT', '/v1/operator/statement-mappings/house', {
      ...mapping,
      groupMark: ',',
    });
    assert.deepEqual([wrong.status, wrong.body.errors[0].pointer], [400, '/groupMark']);
    const misnamed = await server.call('PUT', '/v1/operator/statement-mappings/The%20House', mapping);
    assert.deepEqual(
      [misnamed.status, misnamed.body.errors],
      [
        400,
        [
          {
            pointer: '/path/name',
            code: 'wrong_format',
            detail: 'must be 1 to 40 characters of a-z, 0-9, - and _',
          },
        ],
      ],
    );
    const set = await server.call('PUT', '/v1/operator/statement-mappings/house', mapping);
    assert.deepEqual([set.status, set.body.version, set.headers.etag], [200, 1, '"v1"']);
    const read = await server.call('GET', '/v1/operator/statement-mappings/house');
    assert.equal(read.headers.etag, '"v1"');
    const replaced = (tag: string) =>
      server.call('PUT', '/v1/operator/statement-mappings/house', mapping, { 'if-match': tag });
    assert.deepEqual([(await replaced('"v1"')).body.version, (await replaced('"v1"')).status], [2, 412]);
    const unknown = await server.upload(csv, '?mapping=nothing');
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'statement_mapping_not_found']);
    // The bytes that were refused before are taken in now.
    const created = await server.upload(csv, '?name=umsatz-march.csv');
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
    const { body } = await server.upload(camt(entries));
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

  test('give the bytes of a file, whatever type is asked for', async () => {
    const content = camt([{ amount: '9.00', reference: 'BYTES' }]);
    const { fileId } = (await server.upload(content, '?name=a (1).xml')).body;
    for (const accept of ['*/*', 'application/octet-stream', 'application/xml']) {
      const file = await server.raw('GET', `/v1/operator/statements/${fileId}/file`, { accept });
      assert.deepEqual([file.statusCode, file.body], [200, content], accept);
      assert.equal(file.headers['content-length'], `${Buffer.byteLength(content)}`);
      assert.equal(file.headers['content-disposition'], "attachment; filename*=UTF-8''a%20%281%29.xml");
    }
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
    assert.equal((await server.upload('')).body.code, 'validation_failed');
    assert.equal((await server.upload('x', '?format=pdf')).body.code, 'validation_failed');
    assert.equal((await server.upload('x', '?colour=red')).body.code, 'validation_failed');
    const binary = await server.upload(Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 1, 2]));
    assert.deepEqual([binary.status, binary.body.reason], [422, 'format_unknown']);
  });
});

describe('a file that is downloaded', () => {
  test('breaks off where its bytes are gone meanwhile, and is no shorter file', async () => {
    // Of two parts, and refused: others could not be deleted.
    const refused = await server.upload('x'.repeat(1_500_000), '?name=gone.txt');
    const path = `/v1/operator/statements/${refused.body.fileId}/file`;
    assert.equal((await server.raw('GET', path)).statusCode, 200);
    const without = async (part: number) => {
      await ownerOf(pool).query('delete from statement_file_parts where file_id = $1 and part = $2', [
        parseTypeId('stf', refused.body.fileId),
        part,
      ]);
    };
    await without(1);
    await assert.rejects(server.raw('GET', path), 'after its first part was sent');
    await without(0);
    assert.equal((await server.raw('GET', path)).statusCode, 500);
  });
});
