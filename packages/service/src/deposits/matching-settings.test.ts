import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { DEFAULT_DOCUMENT } from './matching-settings.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
let call: OperatorServer['call'];
let bookings = 0;
const PATH = '/v1/operator/matching-rules';

before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
  call = server.call;
});
after(() => server.close());

async function paid(row: TransactionRow, amount: string) {
  const body = {
    bankReference: `S${++bookings}`,
    amount,
    currency: 'USD',
    remitterName: 'Test customer',
    reference: row.reference,
  };
  return (await call('POST', '/v1/operator/deposits', body)).body;
}

describe('the rules of matching', () => {
  test('are read, previewed, replaced under If-Match, and hold for the next deposit', async () => {
    const initial = await call('GET', PATH);
    assert.deepEqual(initial.body, { version: 1, ...DEFAULT_DOCUMENT });
    assert.equal(initial.headers.etag, '"v1"');
    const short = await sandbox.trade({ amount: '1000.00' });
    const inParts = await sandbox.trade({ amount: '1000.00' });
    const exact = await sandbox.trade({ amount: '1000.00' });
    const first = await paid(short, '996.00');
    assert.equal(first.allocations[0].matchRule, 'reference_short_tolerated');
    await paid(inParts, '400.00');
    const second = await paid(inParts, '600.00');
    await paid(exact, '1000.00');

    const draft = { ...DEFAULT_DOCUMENT, toleranceBps: 10, suggestOnly: ['reference_partial'] };
    const before = await pool.query('select * from deposits order by id');
    const preview = await call('POST', `${PATH}/preview`, { rules: draft, deposits: 10 });
    assert.equal(preview.status, 200, JSON.stringify(preview.body));
    assert.deepEqual([preview.body.rulesVersion, preview.body.depositsTried], [1, 4]);
    // Both the short payment and the first part would have waited for a person; the others meet their trades as
    // they were: the second part completes the trade by its exact amount.
    assert.deepEqual(
      preview.body.changes.map(
        (each: Record<string, { allocations: { matchRule: string }[]; exception: unknown }>) => [
          each.inForce?.allocations[0]?.matchRule,
          each.draft?.exception,
        ],
      ),
      [
        ['reference_partial', { type: 'unmatched', reason: 'suggested' }],
        ['reference_short_tolerated', { type: 'unmatched', reason: 'suggested' }],
      ],
    );
    assert.equal(preview.body.unchanged, 2);
    assert.deepEqual((await pool.query('select * from deposits order by id')).rows, before.rows);
    assert.equal((await call('GET', PATH)).body.version, 1, 'a preview saves nothing');
    assert.equal(second.allocations[0].matchRule, 'reference_exact');

    assert.equal((await call('PUT', PATH, draft)).body.code, 'precondition_required');
    const replaced = await call('PUT', PATH, draft, { 'if-match': '"v1"' });
    assert.deepEqual(replaced.body, { version: 2, ...draft });
    assert.equal((await call('PUT', PATH, draft, { 'if-match': '"v1"' })).body.code, 'version_mismatch');
    assert.equal((await call('PUT', PATH, draft, { 'if-match': '"v2"' })).body.version, 2, 'nothing changed');
    const next = await sandbox.trade({ amount: '1000.00' });
    const held = await paid(next, '998.00');
    assert.deepEqual(held.exception, { type: 'unmatched', reason: 'suggested' });
    const close = await paid(next, '999.00');
    assert.equal(close.allocations[0].matchRule, 'reference_short_tolerated');
    assert.equal(close.allocations[0].evidence.rulesVersion, 2);
    await assertReconciled(pool);
  });

  test('a preview of the rules in force changes nothing about any deposit', async () => {
    const { version: _, ...rules } = (await call('GET', PATH)).body;
    const preview = await call('POST', `${PATH}/preview`, { rules, deposits: 200 });
    assert.deepEqual([preview.body.changes, preview.body.unchanged], [[], preview.body.depositsTried]);
  });

  test('two who replace them at once: one does', async () => {
    const { version, ...rules } = (await call('GET', PATH)).body;
    const headers = { 'if-match': `"v${version}"` };
    const replies = await Promise.all(
      [1, 2, 3, 4].map((size) => call('PUT', PATH, { ...rules, groupSizeMax: size }, headers)),
    );
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 412, 412, 412]);
  });

  test('what makes no sense is refused', async () => {
    const wrong: readonly Record<string, unknown>[] = [
      { toleranceUsd: 30 },
      { toleranceUsd: '30.001' },
      { toleranceBps: 1_001 },
      { groupSizeMax: 6 },
      { suggestOnly: ['reference_exact'] },
      { fourEyesFromUsd: '-1' },
      { colour: 'red' },
    ];
    for (const patch of wrong) {
      const reply = await call('PUT', PATH, { ...DEFAULT_DOCUMENT, ...patch }, { 'if-match': '*' });
      assert.deepEqual([reply.status, reply.body.code], [400, 'validation_failed'], JSON.stringify(patch));
    }
    const tooMany = await call('POST', `${PATH}/preview`, { rules: DEFAULT_DOCUMENT, deposits: 201 });
    assert.equal(tooMany.status, 400);
  });

  test('without a limit one person is enough', async () => {
    const none = { ...DEFAULT_DOCUMENT, fourEyesFromUsd: null };
    assert.equal((await call('PUT', PATH, none, { 'if-match': '*' })).status, 200);
    const row = await sandbox.trade({ amount: '900000.00' });
    const body = {
      bankReference: 'S-big',
      amount: '900000.00',
      currency: 'USD',
      remitterName: 'Test customer',
    };
    const deposit = (await call('POST', '/v1/operator/deposits', body)).body;
    const allocations = [{ transactionId: `txn_${'0'.repeat(26)}` }];
    const url = `/v1/operator/deposits/${deposit.depositId}/match`;
    assert.equal((await call('POST', url, { allocations, reason: 'x' })).status, 400);
    assert.equal((await sandbox.read(row)).status, 'awaiting_funds');
    assert.equal((await call('POST', url.replace('match', 'ignore'), { reason: 'test' })).status, 200);
  });
});
