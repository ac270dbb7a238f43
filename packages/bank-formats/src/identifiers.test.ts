import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { getCountrySpecifications } from 'ibantools';
import { bicCountry, isBic, isIban, isIbanOf, maskAccount, normaliseIban } from './identifiers.ts';

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

/** Lengths of the SWIFT IBAN registry. */
const LENGTHS = (
  'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
  'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 ' +
  'LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 ' +
  'PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
).split(' ');

test('the structure of every country of the registry is known', () => {
  const known = getCountrySpecifications();
  for (const entry of LENGTHS) {
    const { chars, bban_regexp: structure } = known[entry.slice(0, 2)] ?? {};
    assert.equal(chars, Number.parseInt(entry.slice(2), 10), entry);
    assert.ok(structure, entry);
  }
});

test('letters stand where the country has letters, and references are no accounts', () => {
  const withCheckDigits = (country: string, account: string) => {
    const digits = `${account}${country}00`.replaceAll(/[A-Z]/g, (each) => String(each.charCodeAt(0) - 55));
    return `${country}${(98n - (BigInt(digits) % 97n)).toString().padStart(2, '0')}${account}`;
  };
  assert.equal(isIban(withCheckDigits('DE', '370400440532013000')), true);
  assert.equal(isIban(withCheckDigits('DE', '37040044053201300A')), false);
  assert.equal(isIban(withCheckDigits('EG', '0'.repeat(25))), true);
  assert.equal(isIban(withCheckDigits('EG', '0'.repeat(26))), false);
  assert.equal(isIban(withCheckDigits('GB', 'NWBK60161331926819')), true);
  assert.equal(isIban(withCheckDigits('GB', '123460161331926819')), false);
  assert.equal(isIban(withCheckDigits('RF', '260304001729')), false);
  assert.equal(isIban(withCheckDigits('ZZ', '260304001729')), false);
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

test('a bank keeps accounts with the IBAN of its country, or of the one that its country belongs to', () => {
  const of = (country: string) => EXAMPLES.find((each) => each.startsWith(country)) ?? assert.fail();
  const [british, german, french] = [of('GB'), of('DE'), of('FR')];
  assert.equal(bicCountry('DEUTDEFFXXX'), 'DE');
  assert.ok(isIbanOf(german, 'DE'));
  assert.ok(isIbanOf(british, 'GB'));
  for (const country of ['GG', 'IM', 'JE']) assert.ok(isIbanOf(british, country), country);
  for (const country of ['GP', 'NC', 'RE', 'YT']) assert.ok(isIbanOf(french, country), country);
  for (const [iban, country] of [
    [german, 'FR'],
    [german, 'E'],
    [british, 'GP'],
    [french, 'JE'],
    [normaliseIban('MT84 MALT 0110 0001 2345 MTLC AST0 01S'), 'IM'],
  ] as const)
    assert.ok(!isIbanOf(iban, country), `${iban} ${country}`);
});
