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

test("a wrong date and the bank's own wrong sum are accepted together", async () => {
  assert.deepEqual(await accepted(`${MISDATED}:90C:2EUR3,00\n`), ['date_implausible', 'totals_mismatch']);
});
