import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, depositOf, type OperatorServer } from '../../test/support/operator-server.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import { funded, order, refusal } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { pricedTransaction } from '../transactions/list-transactions.ts';
import { renderTransaction } from '../transactions/render.ts';
import { endTransaction } from './end-transaction.ts';
import { holdHistory, placeHold, releaseHold } from './holds.ts';
import { confirm, fail, retry, settle } from './operate.ts';
import { settlementSweep } from './sweeps.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(() => assertBooksBalance(pool));

const by = '0195f000-0000-7000-8000-00000000000a';

test('a hold keeps the payout waiting, and the last one to go lets it through', async () => {
  const { desk, row } = await funded(pool);
  const once = await placeHold(desk, order(row), { kind: 'screening', reason: 'name on a list', by });
  const twice = await placeHold(desk, order(row), { kind: 'documents', reason: 'invoice', by });
  assert.equal(twice.status, 'funded');
  assert.equal(twice.version, once.version + 1);
  desk.clock.set(Date.UTC(2026, 2, 6, 9));
  assert.equal(await settlementSweep(desk).run(), 0);
  assert.equal((await refusal(settle(desk, order(row)))).code, 'invalid_state_transition');
  const [first, second] = await holdHistory(desk, row.id);
  assert.ok(first && second);
  await releaseHold(desk, order(row), first.id, { reason: 'another person', by });
  assert.equal(await settlementSweep(desk).run(), 0);
  await releaseHold(desk, order(row), second.id, { reason: undefined, by });
  assert.equal(await settlementSweep(desk).run(), 1);
  const [released] = await holdHistory(desk, row.id);
  assert.deepEqual(
    [released?.reason, released?.released_by, released?.release_reason],
    ['name on a list', by, 'another person'],
  );
});

test('the customer is told of the hold and not why', async () => {
  const { desk, row } = await funded(pool);
  const held = await placeHold(desk, order(row), { kind: 'review', reason: 'SECRET-REASON', by });
  const shown = renderTransaction(await pricedTransaction(pool, held), desk.clock.now(), 'customer');
  assert.ok(!shown.includes('SECRET-REASON'));
  const [hold] = JSON.parse(shown).holds;
  assert.deepEqual(Object.keys(hold), ['holdId', 'kind', 'placedAt']);
  const [stored] = await holdHistory(desk, row.id);
  assert.ok(stored);
  await releaseHold(desk, order(row), stored.id, { reason: 'SECRET-REASON', by });
  const { rows } = await pool.query<{ type: string; version: number; detail: string }>(
    `select type, version, detail from feed_events where transaction_id = $1 and type like 'transaction.hold%' order by sequence`,
    [row.id],
  );
  assert.deepEqual(
    rows.map((event) => [event.type, event.version]),
    [
      ['transaction.hold_placed', held.version],
      ['transaction.hold_released', held.version + 1],
    ],
  );
  assert.ok(!JSON.stringify(rows).includes('SECRET'));
});

test('a hold stands against a retry, not against the end of the trade', async () => {
  const { desk, row } = await funded(pool);
  await settle(desk, order(row));
  const early = await refusal(placeHold(desk, order(row), { kind: 'review', reason: 'x', by }));
  assert.equal(early.code, 'invalid_state_transition');
  await fail(desk, order(row), 'payout_rejected', undefined);
  await placeHold(desk, order(row), { kind: 'review', reason: 'x', by });
  assert.equal((await refusal(retry(desk, order(row)))).code, 'invalid_state_transition');
  const cancelled = await endTransaction(desk, order(row), { reason: 'compliance_rejected' });
  assert.equal(cancelled.status, 'cancelled');
  const late = await refusal(placeHold(desk, order(row), { kind: 'review', reason: 'x', by }));
  assert.equal(late.code, 'invalid_state_transition');
});

test('ten holds are the most, and what is no hold is not released', async () => {
  const { desk, row } = await funded(pool);
  for (let i = 0; i < 10; i++) await placeHold(desk, order(row), { kind: 'review', reason: `${i}`, by });
  const eleventh = await refusal(placeHold(desk, order(row), { kind: 'review', reason: 'x', by }));
  assert.equal(eleventh.code, 'invalid_state_transition');
  const unknown = newUuid(desk.clock.now());
  const gone = await refusal(releaseHold(desk, order(row), unknown, { reason: undefined, by }));
  assert.equal(gone.code, 'hold_not_found');
  const other = await funded(pool);
  const [mine] = await holdHistory(desk, row.id);
  const foreign = await refusal(
    releaseHold(other.desk, order(other.row), mine?.id ?? '', { reason: undefined, by }),
  );
  assert.equal(foreign.code, 'hold_not_found');
  await refusal(confirm(desk, order(row), undefined));
});

test('over HTTP: placed once for a key, listed with the reason, released', async () => {
  const row = await sandbox.trade({ amount: '100907.00' });
  const path = `/v1/operator/transactions/${typeId('txn', row.id)}`;
  await server.call('POST', '/v1/operator/deposits', { ...depositOf(row, 'H-1'), amount: '100907.00' });
  const body = { kind: 'documents', reason: 'proof of the invoice' };
  const headers = { 'idempotency-key': 'hold-1' };
  const placed = await server.call('POST', `${path}/holds`, body, headers);
  assert.equal(placed.status, 200);
  const again = await server.call('POST', `${path}/holds`, body, headers);
  assert.deepEqual(again.body, placed.body);
  const list = await server.call('GET', `${path}/holds`);
  assert.equal(list.body.items.length, 1);
  assert.equal(list.body.items[0].reason, 'proof of the invoice');
  const { holdId } = list.body.items[0];
  const stale = await server.call('DELETE', `${path}/holds/${holdId}`, undefined, { 'if-match': '"v1"' });
  assert.equal(stale.body.code, 'version_mismatch');
  const released = await server.call('DELETE', `${path}/holds/${holdId}`);
  assert.equal(released.status, 200);
  assert.deepEqual(released.body.holds, []);
  assert.equal((await server.call('DELETE', `${path}/holds/${holdId}`)).body.code, 'hold_not_found');
  assert.equal((await server.call('DELETE', `${path}/holds/x`)).body.code, 'hold_not_found');
  for (const wrong of [{ kind: 'other', reason: 'x' }, { kind: 'review' }, { ...body, more: 1 }]) {
    assert.equal((await server.call('POST', `${path}/holds`, wrong)).body.code, 'validation_failed');
  }
  const elsewhere = await server.call('POST', '/v1/operator/transactions/txn_x/holds', body);
  assert.equal(elsewhere.body.code, 'transaction_not_found');
  const scope = { authorization: 'Bearer operator:market' };
  assert.equal((await server.call('POST', `${path}/holds`, body, scope)).status, 403);
});
