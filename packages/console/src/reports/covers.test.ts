import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coversInWords } from './covers.ts';

test('a day of a bank in Auckland is told by its hours, and not as a day of UTC', () => {
  const auckland = { from: '2026-03-01T11:00:00.000Z', to: '2026-03-02T11:00:00.000Z' };
  assert.equal(coversInWords(auckland), '2026-03-01 11:00:00 UTC to 2026-03-02 11:00:00 UTC');
  // The next day is another period, although it ends within the same hours.
  assert.notEqual(coversInWords({ ...auckland, from: '2026-03-01T12:00:00.000Z' }), coversInWords(auckland));
});

test('value dates have no zone, one end may be missing, and what it is narrowed to stands behind it', () => {
  assert.equal(coversInWords({ from: '2026-03-01', to: '2026-03-05' }), '2026-03-01 to 2026-03-05');
  assert.equal(coversInWords({ from: '2026-03-01', currency: 'NZD' }), 'from 2026-03-01 · NZD');
  assert.equal(coversInWords({ to: '2026-03-05' }), 'to 2026-03-05');
  assert.equal(coversInWords({ currency: 'NZD', customerId: 'cus_1' }), 'NZD · cus_1');
  assert.equal(coversInWords({}), 'Now');
});
