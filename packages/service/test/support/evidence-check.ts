import assert from 'node:assert/strict';
import { verifyEvidence } from '@firmquote/fx';
import type { Pool } from '../../src/database/pool.ts';
import { NIL_UUID } from '../../src/platform/ids.ts';
import { evidenceOf, numbersOf, readQuote } from '../../src/quotes/evidence.ts';
import { type PricedQuoteRow, quoteFromPriced } from '../../src/quotes/record.ts';

const PAGE = 2_000;

/**
 * Every quote in the database is computed again from its evidence and must come out as it was made, to the last digit.
 * Run on each test database before it is dropped, so that it holds for every quote that any test makes.
 * @returns how many quotes there were
 */
export async function assertQuotesFollowFromEvidence(pool: Pool): Promise<number> {
  let checked = 0;
  let after: readonly [string, string] = [NIL_UUID, NIL_UUID];
  for (;;) {
    const { rows } = await pool.query<PricedQuoteRow>(
      'select * from priced_quotes where (customer_id, id) > ($1, $2) order by customer_id, id limit $3',
      [...after, PAGE],
    );
    for (const row of rows) assertFollows(row);
    checked += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return checked;
    after = [last.customer_id, last.id];
  }
}

function assertFollows(row: PricedQuoteRow): void {
  const record = quoteFromPriced(row);
  const quote = readQuote(record);
  const { evidence, missing } = evidenceOf(record, quote);
  const name = `quote ${row.id}`;
  assert.deepEqual(missing, [], `${name}: evidence is missing`);
  if (evidence === undefined) return;
  assert.deepEqual(verifyEvidence(evidence, numbersOf(record, quote)), [], `${name}: ${row.evidence}`);
}
