import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS } from '@firmquote/api';
import { SUGGESTIBLE_RULES } from '@firmquote/api/operations/matching-rules';
import { Compile } from 'typebox/schema';
import { changeOf } from './rules.ts';

const RULES = {
  toleranceUsd: '30.00',
  toleranceBps: 50,
  suggestOnly: ['reference_partial', 'references_split'] as const,
  groupSizeMax: 5,
  fourEyesFromUsd: '100000.00',
};

function takes(document: unknown): void {
  const body = Object.values(OPERATIONS).find(({ id }) => id === 'replaceMatchingRules')?.body;
  assert.ok(body !== undefined && Compile(body).Check(document), JSON.stringify(document));
}

test('there is a row for each rule that can be set, and what nobody has touched goes back as it came', () => {
  const { rows, lines, document } = changeOf(RULES, {});
  assert.deepEqual(
    rows.filter(({ options }) => options !== undefined).map(({ key }) => key),
    [...SUGGESTIBLE_RULES],
  );
  assert.deepEqual(lines, []);
  assert.deepEqual(document, RULES);
  takes(document);
});

test('a change is told in words, and comes to what the interface takes', () => {
  const { lines, document } = changeOf(RULES, {
    ...{ toleranceUsd: '25', toleranceBps: '0', groupSizeMax: '1', fourEyesFromUsd: '' },
    ...{ reference_partial: 'matches', balance_top_up: 'suggests', reference_excess: 'matches' },
  });
  assert.deepEqual(document, {
    ...{ toleranceUsd: '25.00', toleranceBps: 0, groupSizeMax: 1, fourEyesFromUsd: null },
    suggestOnly: ['references_split', 'balance_top_up'],
  });
  takes(document);
  assert.deepEqual(
    lines.map(({ what, before, after }) => `${what}: ${before} → ${after}`),
    [
      'Names a trade, and pays a part of it: Suggested only → Matched automatically',
      'Names the balance of a customer: Matched automatically → Suggested only',
      'Largest shortfall that the house bears: 30.00 USD → 25.00 USD',
      'Largest share of a trade that the house bears: 50 bps → 0 bps',
      'Trades that one payment to a virtual account may pay: 5 → 1',
      'Work by hand takes two persons above: 100,000.00 USD → no amount',
    ],
  );
});

test('a rule that only a later service knows stays set', () => {
  const suggestOnly = [...RULES.suggestOnly, 'by_intuition'] as never;
  const { document } = changeOf({ ...RULES, suggestOnly }, { references_split: 'matches' });
  assert.deepEqual(document?.suggestOnly, ['reference_partial', 'by_intuition']);
});

test('what is not understood is told, and nothing is sent', () => {
  for (const edits of [
    { toleranceUsd: '' },
    { toleranceUsd: 'x' },
    { toleranceBps: '1001' },
    { toleranceBps: '' },
    { groupSizeMax: '0' },
    { groupSizeMax: '2.5' },
    { fourEyesFromUsd: '1.000' },
  ]) {
    const { wrong, lines, document } = changeOf(RULES, edits);
    assert.deepEqual([wrong.length, lines.length, document], [1, 0, undefined], JSON.stringify(edits));
  }
});
