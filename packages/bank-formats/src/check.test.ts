import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Conditions } from './check.ts';
import { readStatements } from './read-statements.ts';

/** Of a day that is a year ahead. */
const MISDATED = `:20:A
:25:DE89370400440532013000
:28C:5/1
:60F:C270304EUR10,00
:61:2703040304C1,50NTRFNONREF//B7
:62F:C270304EUR11,50
`;

async function accepted(content: string): Promise<string[]> {
  const source = {
    open: async function* () {
      yield Buffer.from(content);
    },
  };
  const tolerated: string[] = [];
  const conditions: Conditions = { today: '2026-03-04', tolerate: ({ code }) => tolerated.push(code) };
  for await (const _ of readStatements(source, 'mt940', undefined, conditions));
  return tolerated;
}

test('a statement whose date was accepted stands in a file once', async () => {
  assert.deepEqual(await accepted(MISDATED), ['date_implausible']);
  await assert.rejects(accepted(MISDATED + MISDATED), { code: 'statement_repeated' });
});

test('statements of two accounts whose figures are the same are two', async () => {
  const other = MISDATED.replace('DE89370400440532013000', 'DE02120300000000202051');
  assert.deepEqual(await accepted(MISDATED + other), ['date_implausible', 'date_implausible']);
});

test("a wrong date and the bank's own wrong sum are accepted together", async () => {
  assert.deepEqual(await accepted(`${MISDATED}:90C:2EUR3,00\n`), ['date_implausible', 'totals_mismatch']);
});

test("the bank's own sums are held against the entries, by number and amount, in their currency", async () => {
  const interim =
    ':20:I\n:25:5678/123EUR\n:28C:1\n:34F:EURD0,\n:61:2603040304C2,NTRFNONREF\n:61:260304C3,NTRFNONREF\n';
  for (const right of ['90C:2EUR5,', '90D:0EUR0,', '90C:1USD9,']) {
    assert.deepEqual(await accepted(`${interim}:${right}\n`), [], right);
  }
  for (const wrong of ['90C:1EUR5,', '90C:2EUR5,01', '90D:1EUR0,', '90D:0EUR0,01']) {
    assert.deepEqual(await accepted(`${interim}:${wrong}\n`), ['totals_mismatch'], wrong);
  }
});
