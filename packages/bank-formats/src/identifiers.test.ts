import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isBic, isIban, maskAccount, normaliseIban } from './identifiers.ts';

// Examples of the SWIFT IBAN registry.
const EXAMPLES = [
  'GB29 NWBK 6016 1331 9268 19',
  'DE89 3704 0044 0532 0130 00',
  'FR14 2004 1010 0505 0001 3M02 606',
  'NO93 8601 1117 947',
  'MT84 MALT 0110 0001 2345 MTLC AST0 01S',
  'CH93 0076 2011 6238 5295 7',
  'SA03 8000 0000 6080 1016 7519',
].map(normaliseIban);

test('the examples of the registry are IBANs', () => {
  for (const example of EXAMPLES) assert.ok(isIban(example), example);
});

test('no single wrong digit and no two swapped neighbours pass', () => {
  const digit = fc.integer({ min: 0, max: 9 });
  fc.assert(
    fc.property(fc.constantFrom(...EXAMPLES), fc.nat(), digit, (iban, seed, wrong) => {
      const at = 2 + (seed % (iban.length - 2));
      const changed = iban.slice(0, at) + wrong + iban.slice(at + 1);
      assert.equal(isIban(changed), changed === iban, changed);
      if (at + 1 >= iban.length || !/^\d\d$/.test(iban.slice(at, at + 2))) return;
      const swapped = iban.slice(0, at) + iban.charAt(at + 1) + iban.charAt(at) + iban.slice(at + 2);
      assert.equal(isIban(swapped), swapped === iban, swapped);
    }),
  );
});

test('length is that of the country where it is known, and check digits are in their range', () => {
  assert.equal(isIban('DE893704004405320130000'), false);
  assert.equal(isIban('de89370400440532013000'), false);
  assert.equal(isIban(''), false);
  // 00, 01 and 99 have the remainder of 97, 98 and 02.
  for (let body = 0; body < 200; body++) {
    const account = `ZZ??${String(body).padStart(11, '0')}`;
    for (const digits of ['00', '01', '99']) assert.equal(isIban(account.replace('??', digits)), false);
  }
});

test('BIC', () => {
  for (const good of ['COBADEFF', 'EXMPUS33XXX', '1234GB2L']) assert.ok(isBic(good), good);
  for (const bad of ['COBADEF', 'COBADEFFXX', 'cobadeff', 'COBA1EFF', 'COBADEFFXXXX'])
    assert.ok(!isBic(bad), bad);
});

test('masks leave the country and the last four characters', () => {
  assert.equal(maskAccount('DE89370400440532013000'), 'DE** **** 3000');
  assert.equal(maskAccount('9876543210'), '**** 3210');
});
