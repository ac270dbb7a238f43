import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoInstant } from '../../src/platform/clock.ts';
import { forgetQuotes } from '../../src/quotes/forget-quotes.ts';
import { createTestDatabase } from '../support/database.ts';
import { spawnProgram, until } from '../support/process.ts';
import { createDesk } from '../support/trading.ts';

/** An instance that is killed while it deletes old quotes leaves whole portions behind, and the next one goes on. */

const KEPT_DAYS = 1_827;
const PORTION = 3;

const program = (url: string, now: number) => `
  const { createPool } = await import('${new URL('../../src/database/pool.ts', import.meta.url)}');
  const { forgetSomeQuotes } = await import('${new URL('../../src/quotes/end-store.ts', import.meta.url)}');
  const pool = createPool({ connection: '${url}', max: 1, onError: () => undefined });
  for (;;) await forgetSomeQuotes(pool, { now: ${now}, keptDays: ${KEPT_DAYS} }, ${PORTION});`;

test('SIGKILL in the middle of a portion undoes that portion, and nothing else', async (t) => {
  const { pool, owner, url } = await createTestDatabase({ connections: 4 });
  const desk = await createDesk(pool);
  const quotes = [];
  for (let i = 0; i < 8; i++) quotes.push(await desk.quote());
  for (const { id } of quotes) await desk.services.store.cancel(desk.customerId, id, desk.clock.now());
  const now = desk.clock.now() + (KEPT_DAYS + 40) * 86_400_000;
  const left = async () => {
    const { rows } = await pool.query<{ id: string }>('select id from quotes order by id');
    return rows.map(({ id }) => id);
  };
  const all = await left();
  // Its second portion stops at the fifth quote, with the fourth deleted.
  await owner.query(`
    create function stop() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock(1); return old; end';
    create trigger stops before delete on quotes for each row when (old.id = '${all[4]}') execute function stop()`);
  const holder = await owner.connect();
  await holder.query('select pg_advisory_lock(1)');
  const { child, ended } = spawnProgram(t, ['--input-type=module', '-e', program(url, now)], {});
  const stopped = async () => {
    const { rows } = await owner.query<{ pid: number }>(
      `select l.pid from pg_locks l join pg_stat_activity a on a.pid = l.pid and a.datname = current_database()
       where l.locktype = 'advisory' and not l.granted`,
    );
    return rows[0]?.pid;
  };
  try {
    // What waits gives up after 100 ms, as it should: then it comes again.
    await until('the second portion is under way', async () => (await stopped()) !== undefined);
    child.kill('SIGKILL');
    await ended;
    await until('the server has noticed', async () => (await stopped()) === undefined);
  } finally {
    await holder.query('select pg_advisory_unlock(1)');
    holder.release();
  }
  // The first customer of the walk counts as one that was looked at.
  assert.deepEqual(await left(), all.slice(2));
  const { rows } = await pool.query('select through, until, quote_id from quotes_forgotten');
  assert.deepEqual(
    rows.map(({ quote_id }) => quote_id),
    [all[1]],
  );
  await owner.query('drop function stop() cascade');
  assert.equal(await forgetQuotes({ pool, clock: { now: () => now }, keptDays: KEPT_DAYS }), 7);
  assert.deepEqual(await left(), []);
  assert.equal(
    (await pool.query('select from quotes_forgotten where until is null')).rowCount,
    1,
    isoInstant(now),
  );
});
