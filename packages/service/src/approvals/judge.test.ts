import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { type Connection, inTransaction, type Pool } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import { whyTwo } from './judge.ts';
import type { FourEyes } from './policy.ts';

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 4 }));
});

const HOUR = 3_600_000;
const NOW = Date.parse('2026-03-04T14:30:00Z');
const POLICY: FourEyes = {
  rules: new Map([['withdrawal', { needs: 'amount', fromUsdMinor: 1_000n }]]),
  set: new Set(['withdrawal']),
  rollingMs: HOUR,
  accountWaitMs: 0,
};

interface Move {
  readonly by: string;
  readonly of: string | undefined;
  readonly usdMinor?: bigint;
  readonly at?: number;
}

/** Why somebody may not move this much alone; where they may, it is counted. */
function judged(connection: Connection, move: Move): Promise<string[]> {
  const { by: actorId, of: customerId, usdMinor = 600n, at = NOW } = move;
  return whyTwo(connection, { kind: 'withdrawal', actorId, amounts: [{ customerId, usdMinor }] }, at, POLICY);
}

const why = (move: Move) => inTransaction(pool, (connection) => judged(connection, move));

describe('what one moves alone', () => {
  test('is counted one after the other where two acts are under way at once', async () => {
    const someone = () => newUuid(NOW);
    const [person, another, customer] = [someone(), someone(), someone()];
    const pairs: [Move, Move, RegExp][] = [
      // One person for two customers, one person for the house, and two persons for one customer.
      [{ by: person, of: someone() }, { by: person, of: someone() }, /one person has moved USD 12\.00/],
      [{ by: another, of: undefined }, { by: another, of: undefined }, /one person has moved USD 12\.00/],
      [
        { by: someone(), of: customer },
        { by: someone(), of: customer },
        /USD 12\.00 has moved for one customer/,
      ],
    ];
    for (const [first, second, reason] of pairs) {
      const holder = await pool.connect();
      try {
        await holder.query('begin');
        assert.deepEqual(await judged(holder, first), []);
        const later = why(second);
        // It sees what the first has moved once that is committed, and not before.
        await untilLocked(pool);
        await holder.query('commit');
        const reasons = await later;
        assert.equal(reasons.length, 1);
        assert.match(reasons[0] ?? '', reason);
      } finally {
        await holder.query('rollback');
        holder.release();
      }
    }
  });

  test('counts for as long as the policy says, by who acts and by whom it is for', async () => {
    const by = newUuid(NOW);
    const of = newUuid(NOW + 1);
    assert.deepEqual(await why({ by, of }), []);
    for (const move of [
      { by, of: undefined },
      { by: newUuid(NOW + 2), of },
    ]) {
      assert.equal((await why({ ...move, at: NOW + HOUR - 1 })).length, 1);
      assert.deepEqual(await why({ ...move, at: NOW + HOUR }), []);
    }
  });
});
