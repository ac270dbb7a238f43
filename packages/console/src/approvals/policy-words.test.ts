import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMAND_KINDS, FIXED_KINDS } from '@firmquote/api/command-kinds';
import {
  FIXED_WORDS,
  KIND_WORDS,
  KINDS_WITH_AMOUNT,
  linesOfVersion,
  needsInWords,
  policyChanges,
} from './policy-words.ts';

test('there are words for every kind, and an amount is offered for those that it can decide', () => {
  assert.deepEqual(Object.keys(KIND_WORDS).sort(), Object.keys(COMMAND_KINDS).sort());
  assert.deepEqual(Object.keys(FIXED_WORDS).sort(), Object.keys(FIXED_KINDS).sort());
  const counting = Object.entries(COMMAND_KINDS).filter(([, kind]) => 'counts' in kind);
  assert.deepEqual([...KINDS_WITH_AMOUNT].sort(), counting.map(([name]) => name).sort());
});

test('a rule is told in words, an amount in dollars', () => {
  assert.equal(needsInWords({ needs: 'never', fromUsd: null }), 'Never');
  assert.equal(needsInWords({ needs: 'always', fromUsd: null }), 'Always');
  assert.equal(needsInWords({ needs: 'amount', fromUsd: '100000' }), 'Above 100,000 USD');
});

test('what is edited and comes to the same is no change; an amount is understood as people write it', () => {
  const rules = [
    { kind: 'limits', needs: 'never', fromUsd: null },
    { kind: 'withdrawal', needs: 'amount', fromUsd: '100000.00' },
    { kind: 'unwinding', needs: 'always', fromUsd: null },
  ] as const;
  const edits = {
    limits: { needs: 'always', fromUsd: '' },
    withdrawal: { needs: 'amount', fromUsd: '2m' },
    unwinding: { needs: 'always', fromUsd: '7' },
  } as const;
  assert.deepEqual(policyChanges(rules, edits), [
    { kind: 'limits', before: 'Never', after: 'Always' },
    { kind: 'withdrawal', before: 'Above 100,000.00 USD', after: 'Above 2,000,000.00 USD' },
  ]);
  const wrong = policyChanges(rules, { withdrawal: { needs: 'amount', fromUsd: 'much' } });
  assert.deepEqual(wrong, [{ kind: 'withdrawal', before: 'Above 100,000.00 USD', after: undefined }]);
});

test('a version of the policy is told by what differs from the one before', () => {
  const former = {
    rules: [
      { kind: 'limits', needs: 'never', fromUsd: null },
      { kind: 'withdrawal', needs: 'amount', fromUsd: '100000.00' },
    ],
    ...{ rollingHours: 0, accountWaitHours: 24 },
  } as const;
  const rules = [{ kind: 'limits', needs: 'always', fromUsd: null }] as const;
  const lines = linesOfVersion(former, { rules, rollingHours: 1, accountWaitHours: 24 });
  assert.deepEqual(
    lines.map(({ what, before, after }) => `${what}: ${before} → ${after}`),
    [
      `${KIND_WORDS.limits}: Never → Always`,
      `${KIND_WORDS.withdrawal}: Above 100,000.00 USD → As the service has it`,
      'Amounts of one person, or for one customer, add up: Never: each counts on its own → Over one hour',
    ],
  );
  assert.deepEqual(linesOfVersion(former, former), []);
});

test('a second person can be wanted for any amount, and a rule that says so stays as it is', () => {
  const rules = [{ kind: 'withdrawal', needs: 'amount', fromUsd: '100000.00' }] as const;
  assert.deepEqual(policyChanges(rules, { withdrawal: { needs: 'amount', fromUsd: '0' } }), [
    { kind: 'withdrawal', before: 'Above 100,000.00 USD', after: 'Above 0.00 USD' },
  ]);
});
