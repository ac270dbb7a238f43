import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { refusal } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import {
  debit,
  e2e,
  type Instructed,
  instructed,
  instructedOne,
  reported,
  reportedFile,
  statusOf,
} from '../../test/support/bank-story.ts';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { current } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';

let pool: Pool;
let server: OperatorServer;

before(async () => {
  ({ pool, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertBankAgrees(pool);
});

interface Reported {
  readonly status: string;
  readonly endToEndId?: string;
  readonly uetr?: string;
  readonly reason?: string;
  readonly text?: string;
  readonly amount?: string;
}

const reasonOf = ({ reason, text }: Partial<Reported>) =>
  reason === undefined
    ? ''
    : `<StsRsnInf><Orgtr><Nm>Bank</Nm></Orgtr><Rsn><Cd>${reason}</Cd></Rsn>${text === undefined ? '' : `<AddtlInf>${text}</AddtlInf>`}</StsRsnInf>`;

/** A status report on one file, with its blocks and their payments. */
function report(
  group: Partial<Reported> & { messageId: string },
  blocks: readonly (Partial<Reported> & { id: string; payments?: readonly Reported[] })[] = [],
  version = '10',
): string {
  const payment = (each: Reported) =>
    `<TxInfAndSts><StsId>S</StsId><OrgnlInstrId>${each.endToEndId ?? 'X'}</OrgnlInstrId><OrgnlEndToEndId>${each.endToEndId ?? 'NOTPROVIDED'}</OrgnlEndToEndId>` +
    `${each.uetr === undefined ? '' : `<OrgnlUETR>${each.uetr}</OrgnlUETR>`}<TxSts>${each.status}</TxSts>${reasonOf(each)}` +
    `${each.amount === undefined ? '' : `<OrgnlTxRef><Amt><InstdAmt Ccy="EUR">${each.amount}</InstdAmt></Amt></OrgnlTxRef>`}</TxInfAndSts>\n`;
  const block = (each: (typeof blocks)[number]) =>
    `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${each.id}</OrgnlPmtInfId>${each.status === undefined ? '' : `<PmtInfSts>${each.status}</PmtInfSts>`}${reasonOf(each)}\n` +
    `${(each.payments ?? []).map(payment).join('')}</OrgnlPmtInfAndSts>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.${version}"><CstmrPmtStsRpt>
<GrpHdr><MsgId>R1</MsgId><CreDtTm>2026-03-04T10:00:00Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>${group.messageId}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>${group.status === undefined ? '' : `<GrpSts>${group.status}</GrpSts>`}${reasonOf(group)}</OrgnlGrpInfAndSts>
${blocks.map(block).join('')}</CstmrPmtStsRpt></Document>
`;
}

const statusesOf = async (fileId: string) =>
  (await server.call('GET', `/v1/operator/statements/${fileId}/payment-statuses?limit=200`)).body.items;
const failureOf = async (made: Instructed) => {
  const row = await current(made.desk, made.row);
  return [row.status, row.status_reason, JSON.parse(row.failure ?? 'null')?.detail];
};

describe('a status report', () => {
  test('rejects payments one by one; the others are noted, and paid by a statement only', async () => {
    const made = await instructed(pool, 4);
    const [rejected, executed, accepted, byUetr] = made as [Instructed, Instructed, Instructed, Instructed];
    const { messageId } = rejected;
    const file = report({ messageId, status: 'PART' }, [
      {
        id: `${messageId}S`,
        status: 'PART',
        payments: [
          {
            status: 'RJCT',
            endToEndId: rejected.endToEndId,
            reason: 'AC04',
            text: 'ClosedAccountNumber',
            amount: rejected.amount,
          },
          { status: 'ACSC', endToEndId: executed.endToEndId },
          { status: 'ACCP', endToEndId: accepted.endToEndId },
          { status: 'RJCT', uetr: byUetr.uetr, reason: 'AM04' },
          { status: 'RJCT', endToEndId: 'NOBODY-1', reason: 'AC01' },
        ],
      },
    ]);
    const fileId = await reportedFile(server, file);
    assert.deepEqual(await failureOf(rejected), [
      'settlement_failed',
      'payout_rejected',
      'AC04 ClosedAccountNumber',
    ]);
    assert.deepEqual(await failureOf(byUetr), ['settlement_failed', 'payout_rejected', 'AM04']);
    assert.deepEqual([await statusOf(executed), await statusOf(accepted)], ['settling', 'settling']);
    const shown = await statusesOf(fileId);
    assert.deepEqual(
      shown.map((each: Record<string, unknown>) => [each.level, each.status, each.state]),
      [
        ['payment', 'RJCT', 'applied'],
        ['payment', 'ACSC', 'noted'],
        ['payment', 'ACCP', 'noted'],
        ['payment', 'RJCT', 'applied'],
        ['payment', 'RJCT', 'unknown'],
        ['block', 'PART', 'noted'],
        ['file', 'PART', 'noted'],
      ],
    );
    assert.equal(shown[0].transactions[0].transactionId, typeId('txn', rejected.row.id));
    assert.equal(shown[0].line, 6);
    const known = await server.call('GET', `/v1/operator/statements/${fileId}`);
    assert.deepEqual(
      [known.body.format, known.body.paymentStatuses, known.body.statements],
      ['pain.002', 7, 0],
    );
    assert.deepEqual(
      known.body.warnings.map((each: { code: string }) => each.code),
      ['unknown_payment'],
    );
    assert.match(known.body.warnings[0].detail, /NOBODY-1/);
    const { rows } = await pool.query(
      'select bank_status, bank_status_reason from payments where uetr = any ($1) order by bank_status, bank_status_reason',
      [made.map((each) => each.uetr)],
    );
    // What is said of a payment itself outweighs what is said of its block.
    assert.deepEqual(
      rows.map((row) => [row.bank_status, row.bank_status_reason]),
      [
        ['ACCP', null],
        ['ACSC', null],
        ['RJCT', 'AC04 ClosedAccountNumber'],
        ['RJCT', 'AM04'],
      ],
    );
    await reported(server, [debit(executed.amount, e2e(executed.endToEndId))]);
    assert.equal(await statusOf(executed), 'settled');
    assert.equal((await balancesOf(pool, rejected.desk.customerId))['bank EUR'], undefined);
  });

  test('rejects a block or a whole file, and says so again without effect', async () => {
    for (const level of ['block', 'file'] as const) {
      const made = await instructed(pool, 2);
      const [first] = made as [Instructed, Instructed];
      const { messageId } = first;
      const status = { status: 'RJCT', reason: 'AM05', text: 'Duplication' };
      const file = (text: string) =>
        level === 'file'
          ? report({ messageId, ...status, text })
          : report({ messageId }, [{ id: `${messageId}S`, ...status, text }], '03');
      await reportedFile(server, file('Duplication'));
      for (const each of made) {
        assert.deepEqual(await failureOf(each), ['settlement_failed', 'payout_rejected', 'AM05 Duplication']);
      }
      const [again] = await statusesOf(await reportedFile(server, file('Duplication again')));
      assert.deepEqual([again.level, again.state], [level, 'known']);
    }
  });

  test('rejects of a block or a file what it does not say otherwise of', async () => {
    for (const level of ['block', 'file'] as const) {
      const made = await instructed(pool, 3);
      const [accepted, refused, unnamed] = made as [Instructed, Instructed, Instructed];
      const { messageId } = accepted;
      const payments = [
        { status: 'ACSP', endToEndId: accepted.endToEndId },
        { status: 'RJCT', endToEndId: refused.endToEndId, reason: 'AC04' },
      ];
      const rejected = { status: 'RJCT', reason: 'AM05' };
      const [group, block] = level === 'file' ? [rejected, {}] : [{}, rejected];
      await reportedFile(
        server,
        report({ messageId, ...group }, [{ id: `${messageId}S`, ...block, payments }]),
      );
      assert.deepEqual(await Promise.all(made.map(statusOf)), [
        ...['settling', 'settlement_failed', 'settlement_failed'],
      ]);
      assert.equal((await failureOf(unnamed))[2], 'AM05');
      await reported(server, [debit(accepted.amount, e2e(accepted.endToEndId))]);
      assert.equal(await statusOf(accepted), 'settled');
    }
  });

  test('of what a statement has shown to be paid is for people', async () => {
    const made = await instructedOne(pool);
    await reported(server, [debit(made.amount, e2e(made.endToEndId))]);
    const file = report({ messageId: made.messageId }, [
      {
        id: `${made.messageId}S`,
        payments: [{ status: 'RJCT', endToEndId: made.endToEndId, reason: 'AC04' }],
      },
    ]);
    const [shown] = await statusesOf(await reportedFile(server, file));
    assert.deepEqual([shown.state, shown.mismatchReason], ['mismatch', 'state']);
    assert.equal(await statusOf(made), 'settled');
    const { body } = await server.call('GET', '/v1/operator/exceptions?type=payout_mismatch');
    assert.equal(body.items[0].transactionId, typeId('txn', made.row.id));
  });

  test('is refused whole with line and reason when it is broken, hostile or says nothing', async () => {
    const good = report({ messageId: 'FQ1', status: 'ACCP' }, [
      { id: 'FQ1S', payments: [{ status: 'RJCT', endToEndId: 'E', amount: '1.00' }] },
    ]);
    const wrong: [string, string, number | undefined][] = [
      [good.slice(0, good.length - 40), 'not_well_formed', undefined],
      [good.replace('?>\n', '?>\n<!DOCTYPE x [<!ENTITY a "b">]>'), 'doctype_refused', 2],
      [good.replace('002.001.10', '002.001.02'), 'format_unknown', 2],
      [good.replaceAll('CstmrPmtStsRpt', 'FIToFIPmtStsRpt'), 'format_unknown', 2],
      [good.replace(/<OrgnlGrpInfAndSts>.*<\/OrgnlGrpInfAndSts>/, ''), 'field_missing', undefined],
      [good.replace('>1.00<', '>1.005<'), 'amount_precision_invalid', 6],
      [report({ messageId: 'FQ1' }), 'no_statement', undefined],
    ];
    for (const [text, code, line] of wrong) {
      const [got, at] = await refusal(text);
      assert.deepEqual([got, line === undefined ? undefined : at], [code, line], text);
    }
    const before = await pool.query('select count(*) from payment_statuses');
    const reply = await server.call('POST', '/v1/operator/statements', Buffer.from(wrong[0]?.[0] ?? ''), {
      'content-type': 'application/xml',
    });
    assert.deepEqual([reply.status, reply.body.reason], [422, 'not_well_formed']);
    assert.deepEqual((await pool.query('select count(*) from payment_statuses')).rows, before.rows);
  });
});
