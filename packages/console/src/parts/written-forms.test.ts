import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INSTANT, readAccount, readInstant } from './written-forms.ts';

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

test('an IBAN is read without its spaces, and a number as it was written', () => {
  for (const [written, meant] of [
    [' de89 3704 0044 0532 0130 00 ', 'DE89370400440532013000'],
    ['1234 5678', '1234 5678'],
    ['MX-7', 'MX-7'],
  ] as const)
    assert.equal(readAccount(written), meant);
});
