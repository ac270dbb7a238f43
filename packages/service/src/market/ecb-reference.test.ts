import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findPair, formatDecimal, type Pair, parseDecimal, rescale } from '@firmquote/fx';
import { BUILT_IN_REFERENCE, ECB_REFERENCE_DATE, ECB_UNITS_PER_EURO } from './ecb-reference.ts';

function pair(code: string): Pair {
  const found = findPair(code);
  assert.ok(found, code);
  return found;
}

test('reference rates are exact quotients, rounded once to the decimals of the pair', () => {
  const expected: readonly [string, string][] = [
    ['EURUSD', '1.16840'],
    ['EURJPY', '186.750'],
    // 186.75 / 1.1684 = 159.83396…
    ['USDJPY', '159.834'],
    // 0.9242 / 0.87058 = 1.061591…
    ['GBPCHF', '1.06159'],
    // 1.1684 / 0.87058 = 1.342093…
    ['GBPUSD', '1.34209'],
    // 1.1684 / 1.6610 = 0.703431…
    ['AUDUSD', '0.70343'],
  ];
  for (const [code, rate] of expected) {
    const reference = BUILT_IN_REFERENCE.rate(pair(code));
    assert.ok(reference, code);
    assert.equal(formatDecimal(reference.rate), rate, code);
    assert.equal(reference.date, '2026-04-13');
    assert.equal(reference.provider, 'ECB');
  }
});

test('a pair with a currency that the ECB does not list has no reference', () => {
  for (const code of ['USDAED', 'USDCNH', 'USDKWD', 'EURXOF']) {
    assert.equal(BUILT_IN_REFERENCE.rate(pair(code)), undefined, code);
  }
});

test('the shipped table is the row of its day in the published file', (t) => {
  const path = fileURLToPath(
    new URL('../../../../../shared/data/rates/ecb/eurofxref-hist.csv', import.meta.url),
  );
  if (!existsSync(path)) {
    t.skip('the published history is not at ../shared/data/rates/ecb');
    return;
  }
  const [header, ...rows] = readFileSync(path, 'utf8').split('\n');
  const row = rows.find((line) => line.startsWith(`${ECB_REFERENCE_DATE},`));
  assert.ok(header && row);
  const published = new Map<string, string>();
  const values = row.split(',');
  for (const [index, code] of header.split(',').entries()) {
    const value = values[index];
    if (/^[A-Z]{3}$/.test(code) && value !== undefined && value !== 'N/A') published.set(code, value);
  }
  published.set('EUR', '1');
  assert.deepEqual([...ECB_UNITS_PER_EURO.keys()].sort(), [...published.keys()].sort());
  for (const [code, text] of published) {
    const rate = parseDecimal(text);
    const shipped = ECB_UNITS_PER_EURO.get(code);
    assert.ok(rate && shipped);
    assert.equal(
      formatDecimal(rescale(rate, 6, 'half_up')),
      formatDecimal(rescale(shipped, 6, 'half_up')),
      code,
    );
  }
});
