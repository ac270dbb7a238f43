import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ownerOf } from '../../test/support/database.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { COUNTED_MAX } from '../payments/search-transactions.ts';
import { isoInstant } from '../platform/clock.ts';

const DEPOSITS = '/v1/operator/deposits';
const EXCEPTIONS = '/v1/operator/exceptions';
const DAY_MS = 86_400_000;

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
let bookings = 0;

before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
});
after(() => server.close());

async function arrived(amount: string, patch: object = {}): Promise<string> {
  const body = {
    bankReference: `W${++bookings}`,
    amount,
    currency: 'USD',
    remitterName: 'Acme Ltd',
    ...patch,
  };
  const reply = await server.call('POST', DEPOSITS, body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.depositId;
}
const exceptionOf = async (depositId: string) => {
  const { items } = (await server.call('GET', `${EXCEPTIONS}?limit=200`)).body;
  return items.find((each: { depositId: string }) => each.depositId === depositId);
};
const countsOf = async (path: string, name: 'status' | 'type', kind: string): Promise<number[]> => {
  const { status, body } = await server.call('GET', `${path}/counts`);
  assert.equal(status, 200, JSON.stringify(body));
  const mine = body.items.filter((each: Record<string, unknown>) => each[name] === kind);
  assert.deepEqual(
    mine.map((each: { ageFromHours: number; ageToHours: number | null }) => [
      each.ageFromHours,
      each.ageToHours,
    ]),
    [
      [0, 24],
      [24, 72],
      [72, 168],
      [168, null],
    ],
  );
  return mine.map((each: { count: number }) => each.count);
};

describe('work that waits', () => {
  test('is counted by status or type, and by age', async () => {
    const ago = (days: number) => ({ receivedAt: isoInstant(sandbox.clock.now() - days * DAY_MS) });
    assert.deepEqual(await countsOf(DEPOSITS, 'status', 'unmatched'), [0, 0, 0, 0]);
    for (const days of [0, 1, 2, 5, 7, 90]) await arrived('10.00', ago(days));
    const row = await sandbox.trade({ amount: '10.00' });
    await arrived('10.00', { reference: row.reference });
    assert.deepEqual(await countsOf(DEPOSITS, 'status', 'unmatched'), [1, 2, 1, 2]);
    assert.deepEqual(await countsOf(DEPOSITS, 'status', 'partially_matched'), [0, 0, 0, 0]);
    assert.deepEqual(
      await countsOf(EXCEPTIONS, 'type', 'unmatched'),
      [6, 0, 0, 0],
      'by when they were opened',
    );
    const old = isoInstant(sandbox.clock.now() - 4 * DAY_MS);
    await pool.query('update reconciliation_exceptions set opened_at = $1', [old]);
    assert.deepEqual(await countsOf(EXCEPTIONS, 'type', 'unmatched'), [0, 0, 6, 0]);
    assert.deepEqual(await countsOf(EXCEPTIONS, 'type', 'late'), [0, 0, 0, 0]);
  });

  test('is counted up to a limit', async () => {
    await pool.query(
      `insert into reconciliation_exceptions (id, transaction_id, type, reason, status, opened_at, version)
       select gen_random_uuid(), gen_random_uuid(), 'late', 'after_funding_cutoff', 'open', $1, 1 from generate_series(1, $2)`,
      [isoInstant(sandbox.clock.now()), COUNTED_MAX + 5],
    );
    const { items } = (await server.call('GET', `${EXCEPTIONS}/counts`)).body;
    const [late] = items.filter((each: { type: string }) => each.type === 'late');
    assert.deepEqual([late.count, late.isMore], [COUNTED_MAX, true]);
    await ownerOf(pool).query("delete from reconciliation_exceptions where type = 'late'");
  });
});

describe('the same command on many', () => {
  type Outcome = { outcome: string; status: string | null; problem: { code: string } | null };
  const ends = (items: readonly Outcome[]) =>
    items.map((each) => [each.outcome, each.status, each.problem?.code ?? null]);

  test('deposits ends for each by itself, and once under a key', async () => {
    const row = await sandbox.trade({ amount: '33.00' });
    const [one, two] = [await arrived('31.00'), await arrived('32.00')];
    const matched = await arrived('33.00', { reference: row.reference });
    const ids = [one, two, matched, 'dep_nobody'];
    const body = { command: 'ignore', reason: 'own money', items: ids.map((depositId) => ({ depositId })) };
    const key = { 'idempotency-key': 'many-deposits' };
    const done = await server.call('POST', `${DEPOSITS}/commands`, body, key);
    assert.equal(done.status, 200, JSON.stringify(done.body));
    assert.deepEqual(ends(done.body.items), [
      ['done', 'ignored', null],
      ['done', 'ignored', null],
      ['refused', null, 'invalid_state_transition'],
      ['refused', null, 'deposit_not_found'],
    ]);
    assert.deepEqual((await server.call('POST', `${DEPOSITS}/commands`, body, key)).body, done.body);
    assert.equal((await server.call('GET', `${DEPOSITS}/${one}`)).body.version, 2);

    const booked = await server.call('POST', `${DEPOSITS}/commands`, {
      ...{ command: 'book', as: 'interest', reason: 'of March' },
      items: [
        { depositId: one, version: 2 },
        { depositId: two, version: 99 },
      ],
    });
    assert.deepEqual(ends(booked.body.items), [
      ['done', 'returned', null],
      ['refused', null, 'version_mismatch'],
    ]);
    const much = await arrived('200000.00');
    const proposed = await server.call('POST', `${DEPOSITS}/commands`, {
      ...{ command: 'ignore', reason: 'own money', items: [{ depositId: much }] },
    });
    assert.equal(proposed.body.items[0].outcome, 'proposed');
    const { approvalId } = proposed.body.items[0];
    assert.equal((await server.call('GET', `/v1/operator/approvals/${approvalId}`)).status, 200);
  });

  test('exceptions ends for each by itself', async () => {
    const row = await sandbox.trade({ amount: '20.00' });
    const excess = await exceptionOf(await arrived('21.00', { reference: row.reference }));
    const open = await exceptionOf(await arrived('22.00'));
    const items = [excess, open].map(({ exceptionId }) => ({ exceptionId }));
    const given = await server.call('POST', `${EXCEPTIONS}/commands`, {
      ...{ command: 'assign', assignee: 'Ann', note: 'yours', items },
    });
    assert.deepEqual(ends(given.body.items), [
      ['done', 'open', null],
      ['done', 'open', null],
    ]);
    const { items: hers } = (await server.call('GET', `${EXCEPTIONS}?assignee=Ann`)).body;
    assert.equal(hers.length, 2);
    const resolved = await server.call('POST', `${EXCEPTIONS}/commands`, {
      ...{ command: 'resolve', resolution: 'acknowledged', note: 'kept', items },
    });
    assert.deepEqual(ends(resolved.body.items), [
      ['done', 'resolved', null],
      ['refused', null, 'invalid_state_transition'],
    ]);
  });

  test('learns what is wrong with the request', async () => {
    const items = [{ depositId: 'dep_nobody' }];
    for (const wrong of [
      { command: 'ignore', reason: 'x', items: [] },
      { command: 'ignore', items },
      { command: 'match', reason: 'x', items },
      { command: 'book', reason: 'x', items },
      { command: 'assign', reason: 'x', items },
      { command: 'ignore', reason: 'x', items: Array.from({ length: 101 }, () => items[0]) },
    ]) {
      const { body } = await server.call('POST', `${DEPOSITS}/commands`, wrong);
      assert.equal(body.code, 'validation_failed', JSON.stringify(wrong).slice(0, 80));
    }
    const unnamed = { command: 'resolve', note: 'x', items: [{ exceptionId: 'exc_nobody' }] };
    const { body } = await server.call('POST', `${EXCEPTIONS}/commands`, unnamed);
    assert.equal(body.errors[0].pointer, '/resolution');
  });
});
