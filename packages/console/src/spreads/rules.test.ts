import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpreadRule } from '@firmquote/client/operator';
import {
  aboutOf,
  changedRules,
  effectiveSpread,
  linesOf,
  NO_EDITS,
  nameOfRule,
  warningsOf,
  wrongBps,
} from './rules.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');

function rule(ruleId: string, spreadBps: string, more: Partial<SpreadRule> = {}): SpreadRule {
  return {
    ...{ ruleId, spreadBps, version: 1, customerId: null, groupName: null, pair: null, tenor: null },
    ...{ validityUpToSeconds: null, minSpreadBps: null, maxSpreadBps: null, validFrom: null, validTo: null },
    ...{ amountFrom: '0.00', createdAt: '2026-01-01T00:00:00Z' },
    ...more,
  };
}

const ACME = { customerId: 'cus_acme', groupName: 'gold' };

test('the strongest target prices, and what it outdoes is told in order', () => {
  const rules = [
    rule('all', '20.00'),
    rule('pair', '15.00', { pair: 'EURUSD' }),
    rule('group', '12.00', { groupName: 'gold' }),
    rule('group pair', '11.00', { groupName: 'gold', pair: 'EURUSD' }),
    rule('customer', '9.00', { customerId: 'cus_acme' }),
    rule('other', '1.00', { customerId: 'cus_other' }),
    rule('gone', '1.00', { customerId: 'cus_acme', pair: 'EURUSD', validTo: '2026-11-23T12:00:00Z' }),
    rule('to come', '1.00', { customerId: 'cus_acme', pair: 'EURUSD', validFrom: '2026-11-23T12:00:01Z' }),
  ];
  const found = effectiveSpread(rules, ACME, 'EURUSD', NOW);
  assert.equal(found.standing?.ruleId, 'customer');
  assert.deepEqual(
    found.outdone.map(({ ruleId }) => ruleId),
    ['group pair', 'group', 'pair', 'all'],
  );
  assert.equal(
    effectiveSpread(rules, { ...ACME, customerId: 'cus_x' }, 'GBPUSD', NOW).standing?.ruleId,
    'group',
  );
});

test('bands stand beside a standing rule only where they would be chosen before it', () => {
  const rules = [
    rule('all', '20.00'),
    rule('large of all', '18.00', { amountFrom: '1000000.00' }),
    rule('customer', '9.00', { customerId: 'cus_acme' }),
    rule('large of customer', '7.00', { customerId: 'cus_acme', amountFrom: '1000000.00' }),
  ];
  const { special } = effectiveSpread(rules, ACME, 'EURUSD', NOW);
  assert.deepEqual(
    special.map(({ ruleId }) => ruleId),
    ['large of customer'],
  );
  assert.equal(effectiveSpread([], ACME, 'EURUSD', NOW).standing, undefined);
});

test('a change is told line by line, and is sent as the whole set', () => {
  const rules = [
    rule('a', '10.00'),
    rule('b', '5.00', { pair: 'EURUSD' }),
    rule('c', '2.00', { groupName: 'g' }),
  ];
  const edits = {
    spreads: { a: '10', b: '16' },
    removed: ['c'],
    added: [{ customerId: 'cus_acme', spreadBps: '3.00' }],
  };
  assert.deepEqual(linesOf(rules, edits), [
    { what: 'everybody, EURUSD', before: '5.00', after: '16' },
    { what: 'g, any pair', before: '2.00', after: undefined },
    { what: 'cus_acme, any pair', before: undefined, after: '3.00' },
  ]);
  assert.deepEqual(
    changedRules(rules, edits).map(({ ruleId, spreadBps }) => [ruleId, spreadBps]),
    [
      ['a', '10'],
      ['b', '16'],
      [undefined, '3.00'],
    ],
  );
  assert.equal(warningsOf(linesOf(rules, edits)).length, 2);
  assert.deepEqual(linesOf(rules, NO_EDITS), []);
  assert.equal(wrongBps('12.5'), undefined);
  for (const text of ['', '-1', '1,5', '1.234', '1e3']) assert.notEqual(wrongBps(text), undefined, text);
});

test('the example is of the customer and the pair whose rule is changed', () => {
  const rules = [rule('all', '20.00'), rule('acme', '9.00', { customerId: 'cus_acme', pair: 'GBPUSD' })];
  assert.deepEqual(aboutOf(rules, { ...NO_EDITS, spreads: { acme: '5' } }), {
    customerId: 'cus_acme',
    pair: 'GBPUSD',
  });
  assert.deepEqual(aboutOf(rules, { ...NO_EDITS, spreads: { all: '5' } }), { customerId: null, pair: null });
  const added = [{ spreadBps: '5', customerId: 'cus_new', groupName: null, pair: null, amountFrom: null }];
  assert.equal(aboutOf(rules, { ...NO_EDITS, added } as never).customerId, 'cus_new');
});

test('each rule has a name of its own, whatever tells it from the others', () => {
  const rules = [
    rule('a', '1.00'),
    rule('b', '1.00', { amountFrom: '1000000.00' }),
    rule('c', '1.00', { amountFrom: '5000000.00' }),
    rule('d', '1.00', { tenor: 'today' }),
    rule('e', '1.00', { validityUpToSeconds: 10 }),
    rule('f', '1.00', { validFrom: '2026-11-24T00:00:00Z' }),
    rule('g', '1.00', { validTo: '2026-11-24T00:00:00Z' }),
    rule('h', '1.00', { pair: 'EURUSD' }),
    rule('i', '1.00', { groupName: 'gold' }),
    rule('j', '1.00', { groupName: 'silver' }),
    rule('k', '1.00', { customerId: 'cus_a' }),
    rule('l', '1.00', { customerId: 'cus_b' }),
    rule('m', '1.00', { customerId: 'cus_b', pair: 'EURUSD' }),
  ];
  const names = rules.map((each) => nameOfRule(each));
  assert.equal(new Set(names).size, rules.length, names.join('; '));
  assert.equal(nameOfRule(rule('a', '1.00')), 'everybody');
  assert.equal(
    nameOfRule(rule('n', '1.00', { customerId: 'cus_a', pair: 'EURUSD', tenor: 'today' }), 'Acme'),
    'customer and pair, Acme, EUR/USD, for today',
  );
  // What a change says of a rule tells it from the others, too.
  const lines = linesOf(rules, { ...NO_EDITS, removed: rules.map(({ ruleId }) => ruleId) });
  assert.equal(new Set(lines.map(({ what }) => what)).size, rules.length);
});
