import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { camt, readAll, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { AS_SECOND, createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { type Sandbox, silentLogger } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { readBankReconciliation } from './bank-reconciliation.ts';
import { entrySweep } from './book-entries.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;

before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
});
after(() => server.close());

const PATH = '/v1/operator/statements';
const accept = (fileId: string, headers = {}) =>
  server.call('POST', `${PATH}/${fileId}/accept`, { reason: 'the bank confirms it by letter' }, headers);
const approve = (approvalId: string, headers = {}) =>
  server.call('POST', `/v1/operator/approvals/${approvalId}/approve`, {}, headers);
const depositsOf = async (reference: string) =>
  (await pool.query('select amount_minor from deposits where bank_reference = $1', [reference])).rows;

describe('a statement whose balances do not agree', () => {
  test('is taken in when two people say so, with their reason', async () => {
    const row = await sandbox.trade();
    const file = camt([{ amount: '100000.00', reference: 'ACC-1', details: [txDtls(row.reference)] }], {
      opening: '5.00',
      closing: '7.00',
      number: '9',
    });
    const refused = await server.upload(file);
    assert.deepEqual([refused.status, refused.body.reason], [422, 'balance_mismatch']);
    const { fileId } = refused.body;

    const proposed = await accept(fileId);
    assert.equal(proposed.status, 202, JSON.stringify(proposed.body));
    const { approvalId } = proposed.body;
    assert.deepEqual(
      [proposed.body.kind, proposed.body.subject, proposed.body.request.refusal.reason],
      ['accept_statement_file', fileId, 'balance_mismatch'],
    );
    assert.equal((await accept(fileId)).body.code, 'already_exists');
    const alone = await approve(approvalId);
    assert.deepEqual([alone.status, alone.body.code], [403, 'second_person_required']);
    assert.equal((await server.call('GET', `${PATH}/${fileId}`)).body.status, 'refused');
    assert.equal((await depositsOf('ACC-1')).length, 0);

    assert.equal((await approve(approvalId, AS_SECOND)).status, 200);
    await entrySweep(sandbox.desk, silentLogger).run();
    const { body } = await server.call('GET', `${PATH}/${fileId}`);
    assert.deepEqual([body.status, body.refusal, body.statements, body.newEntries], ['accepted', null, 1, 1]);
    const { reason, line, detail, note, acceptedBy, approvedBy, acceptedAt } = body.acceptedDespite;
    assert.deepEqual([reason, line, note], ['balance_mismatch', 13, 'the bank confirms it by letter']);
    assert.match(detail, /make 100005\.00 USD, the closing balance is 7\.00 USD/);
    assert.notEqual(acceptedBy, approvedBy);
    assert.equal(typeof acceptedAt, 'string');
    assert.deepEqual(
      body.warnings.filter((each: { code: string }) => each.code === 'accepted_despite').length,
      1,
    );
    assert.deepEqual(await depositsOf('ACC-1'), [{ amount_minor: '10000000' }]);
    await assertBooksBalance(pool);

    assert.equal((await server.upload(file)).status, 200, 'the same bytes are known now');
    const again = await accept(fileId);
    assert.deepEqual([again.status, again.body.code], [409, 'invalid_state_transition']);
  });

  test('is the only thing that people can accept', async () => {
    const broken = await server.upload(camt([{ amount: '1.001' }]));
    const answer = await accept(broken.body.fileId);
    assert.deepEqual([answer.status, answer.body.code], [409, 'invalid_state_transition']);
    assert.equal((await accept('stf_01jngx7z5d2m8r4v6t9k3b1c0a')).body.code, 'statement_file_not_found');
    const other = await server.call(
      'POST',
      `${PATH}/${broken.body.fileId}/accept`,
      { reason: 'x' },
      {
        authorization: 'Bearer operator:deposits',
      },
    );
    assert.equal(other.body.code, 'insufficient_scope');
  });

  test('stays refused where something else is wrong behind it', async () => {
    const [first, second] = ['1.00', '1.001'].map((amount, index) =>
      camt([{ amount }], { opening: '0.00', closing: '9.00', number: String(index + 1) }),
    );
    const both = (first ?? '').replace(
      '</BkToCstmrStmt>',
      `${/<Stmt>[\s\S]*<\/Stmt>/.exec(second ?? '')?.[0]}</BkToCstmrStmt>`,
    );
    const { fileId } = (await server.upload(both)).body;
    const { approvalId } = (await accept(fileId)).body;
    const answer = await approve(approvalId, AS_SECOND);
    assert.deepEqual([answer.status, answer.body.reason], [422, 'amount_precision_invalid']);
    assert.equal((await server.call('GET', `${PATH}/${fileId}`)).body.status, 'refused');
    assert.equal((await server.call('GET', `/v1/operator/approvals/${approvalId}`)).body.status, 'pending');
  });
});

describe('an account in a currency that is not kept', () => {
  const foreign = camt(
    [
      { amount: '7.001', currency: 'DEM' },
      { amount: '1.00', currency: 'DEM' },
    ],
    {
      currency: 'DEM',
      opening: '0.00',
      closing: '3.00',
      number: '4',
    },
  );
  const statementOf = (file: string) => /<Stmt>[\s\S]*<\/Stmt>/.exec(file)?.[0] ?? '';

  test('is set aside, and the others of its file are booked', async () => {
    const own = camt([{ amount: '3.00', reference: 'OWN-1', details: [txDtls('x')] }]);
    const file = own.replace('</BkToCstmrStmt>', `${statementOf(foreign)}</BkToCstmrStmt>`);
    const { status, body } = await server.upload(file);
    assert.deepEqual([status, body.statements, body.entries], [201, 2, 1], JSON.stringify(body));
    const { items } = (await server.call('GET', `${PATH}/${body.fileId}/statements`)).body;
    assert.deepEqual(
      items.map((each: { currency: string; setAside: unknown; entries: number; ownAccount: boolean }) => [
        each.currency,
        each.setAside,
        each.entries,
      ]),
      [
        ['USD', null, 1],
        ['DEM', { reason: 'currency_unknown', entries: 2 }, 0],
      ],
    );
    const warned = body.warnings.filter((each: { code: string }) => each.code === 'set_aside');
    assert.deepEqual(
      warned.map((each: { detail: string }) => each.detail),
      ['The account is in DEM, which is not supported. Its 2 entries are not booked.'],
    );
    assert.equal((await depositsOf('OWN-1')).length, 1);
    await entrySweep(sandbox.desk, silentLogger).run();
    const bank = await readBankReconciliation(pool, undefined);
    assert.deepEqual(
      bank.map((each) => each.currency).filter((code) => code === 'DEM'),
      [],
    );
  });

  test('is set aside in every format', async () => {
    const mt = (currency: string) =>
      `:20:S\n:25:12345678\n:28C:1\n:60F:C260304${currency}10,\n:61:260304C1,NTRFNONREF\n:86:x\n:62F:C260304${currency}12,\n-\n`;
    const json = {
      statements: [{ account: '1', currency: 'DEM', entries: [{ anything: 1 }] }],
    };
    const interim = ':20:I\n:25:5678\n:34F:DEMD0,\n:61:260304C2,NTRFNONREF\n:90C:1DEM2,\n-';
    for (const [file, kind, entries] of [
      [foreign, 'statement', 2],
      [foreign.replace('<Ccy>DEM</Ccy>', ''), 'statement', 2],
      [mt('DEM'), 'statement', 1],
      [interim, 'report', 1],
      [JSON.stringify(json), 'statement', 1],
    ] as const) {
      const { statements, setAside } = await readAll(file);
      assert.deepEqual(
        [statements.length, setAside.map((each) => [each.currency, each.kind, each.entries])],
        [0, [['DEM', kind, entries]]],
      );
    }
    const mapping = {
      delimiter: ';',
      decimalMark: '.',
      dateFormat: 'YYYY-MM-DD',
      columns: { account: 'A', currency: 'C', bookingDate: 'D', amount: 'M' },
    } as const;
    const rows = [
      'A;C;D;M',
      '1;EUR;2026-03-04;1.00',
      '1;DEM;2026-03-04;x',
      '1;DEM;2026-03-04;y',
      '1;EUR;2026-03-04;2',
    ];
    const { statements, setAside } = await readAll(rows.join('\n'), { mapping });
    assert.deepEqual([statements.length, setAside.map((each) => [each.line, each.entries])], [2, [[3, 2]]]);
  });
});

test('a refused file is deleted with its bytes, and nothing else is', async () => {
  const file = camt([{ amount: '3.00', reference: 'DEL-1' }], {
    opening: '5.00',
    closing: '7.00',
    number: '21',
  });
  const { fileId } = (await server.upload(file)).body;
  const at = `${PATH}/${fileId}`;
  const bytes = async () => (await pool.query('select 1 from statement_file_parts')).rows.length;
  const before = await bytes();
  assert.equal((await server.call('DELETE', at)).status, 204);
  assert.equal(await bytes(), before - 1);
  for (const method of ['GET', 'DELETE'] as const)
    assert.equal((await server.call(method, at)).body.code, 'statement_file_not_found');
  const again = (await server.upload(file)).body;
  assert.notEqual(again.fileId, fileId, 'it is a new file');
  const { approvalId } = (await accept(again.fileId)).body;
  assert.equal((await server.call('DELETE', `${PATH}/${again.fileId}`)).status, 204);
  const late = await approve(approvalId, AS_SECOND);
  assert.equal(late.body.code, 'statement_file_not_found', 'a proposal about it comes to nothing');
  const good = camt([{ amount: '3.00', reference: 'DEL-2' }], {
    opening: '0.00',
    closing: '3.00',
    number: '22',
  });
  const taken = (await server.upload(good)).body;
  const kept = await server.call('DELETE', `${PATH}/${taken.fileId}`);
  assert.deepEqual(
    [kept.status, kept.body.code, kept.body.from],
    [409, 'invalid_state_transition', 'accepted'],
  );
});
