import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Pool } from '../src/database/pool.ts';
import { Problem } from '../src/problems/problem.ts';
import { requestQuote } from '../src/quotes/request-quote.ts';
import { createTestDatabase } from './support/database.ts';
import { createDesk, type Desk } from './support/trading.ts';

/**
 * What quotes do with the room that they take in the house's limits: it counts when one was made or may have been, and is
 * free again when it is certain that none was.
 */

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase());
});

/** A desk whose guard writes down what is done with the room that it gave. */
async function watched(limits = {}): Promise<{ desk: Desk; services: Desk['services']; done: string[] }> {
  const desk = await createDesk(pool, { limits });
  const done: string[] = [];
  const hold = (kind: string) => () => {
    done.push(`${kind} reserved`);
    return { commit: () => void done.push('committed'), rollback: () => void done.push('rolled back') };
  };
  const exposure = { isLimited: () => true, holdQuote: hold('quote'), holdExecution: hold('execution') };
  const services = Object.assign(Object.create(desk.services), desk.services, { exposure });
  return { desk, services, done };
}

const BODY = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '100.00' } as const;
const KEY = { key: 'k', fingerprint: 'f' };

function ask({ desk, services }: { desk: Desk; services: Desk['services'] }, key?: typeof KEY) {
  const { customerId, clientId } = desk;
  return requestQuote(services, {
    customerId,
    clientId,
    body: BODY,
    key: key && { ...key, receivedAt: desk.clock.now() },
  });
}

const isCode = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;

describe('room that was taken for a quote', () => {
  test('counts once the quote is made, and is free again when the key was used before', async () => {
    const made = await watched();
    await ask(made, KEY);
    assert.deepEqual(made.done.splice(0), ['quote reserved', 'committed']);
    assert.ok((await ask(made, KEY)).current, 'the first quote again');
    assert.deepEqual(made.done, ['quote reserved', 'rolled back']);
  });

  test('is free again when too many are open', async () => {
    const made = await watched({ maxOpenQuotes: 1 });
    await ask(made);
    made.done.length = 0;
    await assert.rejects(ask(made), isCode('too_many_open_quotes'));
    assert.deepEqual(made.done, ['quote reserved', 'rolled back']);
  });

  test('counts when nobody knows what became of it', async () => {
    const made = await watched();
    const store = { insert: () => Promise.reject(new Error('connection lost')) };
    const services = Object.assign(Object.create(made.services), made.services, { store });
    await assert.rejects(ask({ ...made, services }), /connection lost/);
    assert.deepEqual(made.done, ['quote reserved', 'committed']);
  });
});
