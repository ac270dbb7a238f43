import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INSTANT, readInstant } from './written-forms.ts';

test('a date is its midnight, and what lacks its seconds has none', () => {
  for (const [written, meant] of [
    ['2026-03-02', '2026-03-02T00:00:00Z'],
    [' 2026-03-02T14:30Z ', '2026-03-02T14:30:00Z'],
    ['2026-03-02 14:30', '2026-03-02T14:30:00Z'],
    ['2026-03-02T14:30:05.250Z', '2026-03-02T14:30:05.250Z'],
  ] as const) {
    assert.equal(readInstant(written), meant);
    assert.match(meant, INSTANT.pattern);
  }
});

test('what is no instant stays as it was written, and is told from one', () => {
  for (const written of ['yesterday', '2.3.2026', '2026-03-02T14:30+01:00', '2026-3-2', ''])
    assert.ok(!INSTANT.pattern.test(readInstant(written)), written);
});
