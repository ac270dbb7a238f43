import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Act } from '../database/acting.ts';
import type { Pool } from '../database/pool.ts';
import { AuditNotes } from './notes.ts';

const MINUTE_MS = 60_000;
/** More than are held. */
const MANY = 2_100;

let pool: Pool;
let now: number;
let notes: AuditNotes;
beforeEach(async () => {
  ({ pool } = await createTestDatabase());
  now = Date.UTC(2026, 2, 4, 12);
  notes = new AuditNotes(pool, { now: () => now });
});

function act(kind: Act['kind'], operation: string, more: Partial<Act> = {}): Act {
  return { kind, operation, resource: '/x', subjects: [], outcome: 'done', actor: 'unknown', ...more };
}

async function written(): Promise<{ operation: string; rows: number; count: number }[]> {
  const { rows } = await pool.query<{ operation: string; rows: number; count: number }>(
    'select operation, count(*)::int as rows, sum(count)::int as count from audit_log group by operation order by 1',
  );
  return rows;
}

async function writeAll(): Promise<void> {
  for (let rows = -1; rows !== 0; ) rows = await notes.write();
}

test('who signs in and who is refused, however many they are, hides nobody who reads', async () => {
  for (let i = 0; i < MANY; i++) notes.note(act('refusal', 'getQuote', { address: `192.0.2.${i}` }));
  for (let i = 0; i < MANY; i++) {
    notes.note(act('sign_in', 'token', { address: `198.51.100.${i}` }));
    if (i % 1_000 === 0) await writeAll();
  }
  await writeAll();
  notes.note(act('read', 'listClients'));
  await writeAll();
  const rows = await written();
  assert.deepEqual(
    rows.filter(({ operation }) => operation !== 'getQuote'),
    [
      { operation: 'listClients', rows: 1, count: 1 },
      { operation: 'token', rows: MANY, count: MANY },
    ],
  );
});

test('refusals that go on are held in bounds, and each is counted', async () => {
  const [kinds, minutes] = [100, 60];
  for (let minute = 0; minute < minutes; minute++) {
    for (let i = 0; i < kinds; i++) notes.note(act('refusal', `operation${i}`));
    await writeAll();
    now += MINUTE_MS;
  }
  await notes.write(true);
  const rows = await written();
  const sum = (of: 'rows' | 'count') => rows.reduce((total, row) => total + row[of], 0);
  assert.equal(sum('count'), kinds * minutes);
  // What is written in each minute, and what is held at the end.
  assert.ok(sum('rows') <= 30 * minutes + 2 * kinds, `${sum('rows')} rows`);
});

test('all that is held is written when the service stops', async () => {
  for (let i = 0; i < 450; i++) notes.note(act('read', 'getCustomer', { resource: `/customers/${i}` }));
  assert.equal(await notes.write(true), 450);
  assert.deepEqual(await written(), [{ operation: 'getCustomer', rows: 450, count: 450 }]);
});

test('what no text of the database can hold keeps nothing else from the trail', async () => {
  notes.note(act('refusal', 'getQuote', { subjects: ['\0'], address: '\ud800' }));
  notes.note(act('read', 'listClients'));
  await writeAll();
  const { rows } = await pool.query(`select subjects, address from audit_log where operation = 'getQuote'`);
  assert.deepEqual(rows, [{ subjects: ['\ufffd'], address: '\ufffd' }]);
  assert.equal((await written()).length, 2);
});
