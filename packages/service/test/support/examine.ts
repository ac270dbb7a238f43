import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { isValidReference } from '@firmquote/fx';
import type { Pool } from '../../src/database/pool.ts';
import { parseTypeId } from '../../src/platform/ids.ts';
import type { Api } from './api.ts';
import { assertNothingIsHalf } from './audit.ts';
import { executePath, keyHeader, type Traffic } from './traffic.ts';

/**
 * Everything that a client was promised is there, and everything that it does not know can be found out. Answers how
 * many executions had been made that no client was told of.
 */
export async function examine(
  t: TestContext,
  pool: Pool,
  desks: readonly Api[],
  traffic: Traffic,
): Promise<number> {
  await assertNothingIsHalf(pool);
  await assertPromisesKept(pool, desks, traffic);
  const made = await assertRetriesAreSafe(pool, desks, traffic);
  await assertNothingIsHalf(pool);
  t.diagnostic(
    `${traffic.executed.length} acknowledged; of ${traffic.unknown.length} unknown executions ${made} had been made`,
  );
  return made;
}

async function assertPromisesKept(pool: Pool, desks: readonly Api[], traffic: Traffic): Promise<void> {
  const references = new Set<string>();
  for (const { desk, execution, quoteBody } of traffic.executed) {
    const promised = execution?.body;
    const path = `/v1/customer/transactions/${promised.transactionId}`;
    const { body: found } = await (desks[desk] as Api).expect(200, 'GET', path);
    // The hint counts down.
    assert.deepEqual({ ...found, nextPollAfterSeconds: 0 }, { ...promised, nextPollAfterSeconds: 0 });
    assert.equal(found.sellAmount, quoteBody.amount);
    assert.equal(found.clientReference, quoteBody.clientReference);
    assert.ok(isValidReference(found.reference));
    references.add(found.reference);
    const { rows } = await pool.query<{ id: string }>(
      'select id from transactions where reference = $1 or client_reference = $2',
      [found.reference, quoteBody.clientReference],
    );
    assert.deepEqual(
      rows.map(({ id }) => id),
      [parseTypeId('txn', promised.transactionId)],
    );
  }
  assert.equal(references.size, traffic.executed.length);
}

/** Repeats every execution without an answer, twice. Answers how many of them had been made before. */
async function assertRetriesAreSafe(pool: Pool, desks: readonly Api[], traffic: Traffic): Promise<number> {
  let made = 0;
  assert.ok(traffic.unknown.length + traffic.unknownQuotes.length > 0, 'it came in the middle of something');
  for (const attempt of traffic.unknown) {
    assert.ok(attempt.quote);
    const { rows } = await pool.query<{ id: string }>(
      'select id from transactions where client_reference = $1',
      [attempt.quoteBody.clientReference],
    );
    const before = rows[0]?.id;
    if (before !== undefined) made++;
    const retry = () =>
      (desks[attempt.desk] as Api).call(
        'POST',
        executePath(attempt.quote as never),
        undefined,
        keyHeader(attempt),
      );
    const [first, second] = [await retry(), await retry()];
    const isKeyed = attempt.key !== undefined;
    assert.equal(first.status, before === undefined || isKeyed ? 201 : 409, first.text);
    assert.equal(first.headers.get('Idempotency-Replayed'), isKeyed && before !== undefined ? 'true' : null);
    assert.equal(second.status, isKeyed ? 201 : 409, second.text);
    assert.equal(second.headers.get('Idempotency-Replayed'), isKeyed ? 'true' : null);
    if (isKeyed) assert.deepEqual(second.body, first.body);
    else assert.equal(second.body.code, 'quote_already_executed');
    const ids = [first, second].map(({ body }) => parseTypeId('txn', body.transactionId));
    assert.deepEqual(ids, [before ?? ids[0], before ?? ids[0]]);
  }
  // A request for a quote whose answer was lost can be repeated under its key, and makes one quote.
  for (const attempt of traffic.unknownQuotes.filter(({ key }) => key !== undefined)) {
    const ask = () =>
      (desks[attempt.desk] as Api).expect(
        201,
        'POST',
        '/v1/customer/quotes',
        attempt.quoteBody,
        keyHeader(attempt),
      );
    const [first, second] = [await ask(), await ask()];
    assert.equal(second.body.quoteId, first.body.quoteId);
  }
  return made;
}
