import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Pool } from '../database/pool.ts';
import { EXPOSURE_LIMITS } from '../exposure/limits.ts';
import { documentInForce, LiveDocument, newestDocument, replaceDocument } from './documents.ts';

const [FIRST, SECOND] = [
  '0195f000-0000-7000-8000-00000000000a',
  '0195f000-0000-7000-8000-00000000000b',
] as const;
const AT = Date.parse('2026-03-04T14:30:00Z');
const NONE = EXPOSURE_LIMITS.initial;
let pool: Pool;

before(async () => {
  pool = (await createTestDatabase()).pool;
});

describe('a document of settings', () => {
  test('begins with what there is before anything was set', async () => {
    assert.deepEqual(await newestDocument(pool, EXPOSURE_LIMITS), { ...NONE, version: 1 });
    assert.equal((await documentInForce(pool, EXPOSURE_LIMITS)).totalUsdMinor, undefined);
  });

  test('is replaced under its version; every version is kept with who and when', async () => {
    const set = (total: string, ifMatch: number | '*', by: string, at: number) =>
      replaceDocument(pool, EXPOSURE_LIMITS, { ...NONE, total }, { by, at, ifMatch });
    await assert.rejects(set('1.00', 2, FIRST, AT), { code: 'version_mismatch' });
    assert.deepEqual(await set('1.00', 1, FIRST, AT), { ...NONE, total: '1.00', version: 2 });
    assert.equal((await set('1.00', 2, SECOND, AT)).version, 2, 'the same document keeps its version');
    await assert.rejects(set('1.00', 1, SECOND, AT), {
      code: 'version_mismatch',
      members: { currentVersion: 2 },
      headers: { ETag: '"v2"' },
    });
    await assert.rejects(set('1.001', '*', SECOND, AT), { code: 'validation_failed' });
    assert.equal((await set('2.00', '*', SECOND, AT + 1)).version, 3);
    assert.equal((await documentInForce(pool, EXPOSURE_LIMITS)).totalUsdMinor, 200n);
    const { rows } = await pool.query(
      `select version, document->>'total' as total, changed_by, created_at from pricing_settings order by version`,
    );
    assert.deepEqual(rows, [
      { version: 2, total: '1.00', changed_by: FIRST, created_at: AT },
      { version: 3, total: '2.00', changed_by: SECOND, created_at: AT + 1 },
    ]);
  });

  test('of several who replace the same version one wins, whatever they have seen', async () => {
    const { version } = await newestDocument(pool, EXPOSURE_LIMITS);
    const tries = ['4.00', '5.00', '6.00', '7.00'].map((total, index) => {
      const ifMatch = index % 2 === 0 ? version : ('*' as const);
      const live = new LiveDocument(pool, EXPOSURE_LIMITS);
      return live.replace({ ...NONE, total }, { by: FIRST, at: AT, ifMatch });
    });
    const outcomes = await Promise.allSettled(tries);
    const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
    assert.deepEqual([...new Set(refused)], ['version_mismatch']);
    const { rows } = await pool.query(
      'select max(version) as newest, count(*)::int as kept from pricing_settings',
    );
    const won = outcomes.length - refused.length;
    assert.deepEqual(rows, [{ newest: version + won, kept: version + won - 1 }]);
  });
});
