import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bankAddress, bankText, fitted } from './bank-text.ts';
import { escapeXml } from './xml.ts';

test('names are written in the characters of banks', () => {
  for (const [given, sent] of [
    ["O'Neil (Trading) Ltd.", "O'Neil (Trading) Ltd."],
    ['Großhändler Ærø & Łukasz', 'Grosshandler AEro + Lukasz'],
    ['Αθήνα Ψυχή', 'Athina Psychi'],
    ['Щукин Ёлка', 'Shchukin Elka'],
    ['a//b', 'a-b'],
    ['/x/', '-x-'],
    ['ﬁn  ance', 'fin ance'],
    ['50% [net]', '50. (net)'],
  ] as const) {
    assert.deepEqual(bankText(given), { text: sent, lost: 0 });
  }
});

test('what has no form is counted, and what was changed is told', () => {
  assert.deepEqual(bankText('日本 Ltd'), { text: '.. Ltd', lost: 2 });
  assert.deepEqual(fitted('name', 'Ltd', 10), { text: 'Ltd', lost: 0, adjustments: [] });
  assert.deepEqual(fitted('name', 'Long name', 6), {
    text: 'Long n',
    lost: 0,
    adjustments: [{ field: 'name', given: 'Long name', sent: 'Long n' }],
  });
});

test('whatever goes in, what comes out is in the set, and comes out of itself unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (given) => {
      const { text } = bankText(given);
      assert.match(text, /^[A-Za-z0-9/\-?:().,'+ ]*$/);
      assert.ok(!text.includes('//') && !/^\/|\/$/.test(text));
      assert.equal(bankText(text).text, text);
    }),
  );
});

test('XML text escapes what would be markup, and has no control characters', () => {
  assert.equal(escapeXml(`<a href="x">&'\u0000\u0008`), '&lt;a href=&quot;x&quot;&gt;&amp;&apos;');
});

test('addresses are in the order of PstlAdr, in the characters of banks', () => {
  const given = {
    country: 'DE',
    townName: 'Köln',
    postalCode: '50667',
    streetName: 'Hohe Straße',
    buildingNumber: '日1',
  };
  const { address, adjustments } = bankAddress(given);
  assert.deepEqual(address, [
    ['StrtNm', 'Hohe Strasse'],
    ['PstCd', '50667'],
    ['TwnNm', 'Koln'],
    ['Ctry', 'DE'],
  ]);
  assert.deepEqual(
    adjustments.map(({ field, sent }) => [field, sent]),
    [
      ['postalAddress.streetName', 'Hohe Strasse'],
      ['postalAddress.buildingNumber', ''],
      ['postalAddress.townName', 'Koln'],
    ],
  );
  const hybrid = { country: 'JP', townName: 'Tokyo', addressLines: ['1-2-3 Marunouchi', 'Chiyoda-ku'] };
  assert.deepEqual(bankAddress(hybrid).address?.slice(1), [
    ['Ctry', 'JP'],
    ['AdrLine', '1-2-3 Marunouchi'],
    ['AdrLine', 'Chiyoda-ku'],
  ]);
  assert.equal(bankAddress({ country: 'JP', townName: '東京' }).address, null);
  assert.deepEqual(bankAddress(null), { address: null, adjustments: [] });
});

test('marks fall away also where Unicode has no letter with them, and so does what nobody sees', () => {
  for (const [given, sent] of [
    ['Ade\u0301bo\u0323\u0301la\u0301', 'Adebola'],
    ['Marti\u0301n Ang\u0303ape', 'Martin Angape'],
    ['\u200eMuster\u00adbank\u200b GmbH', 'Musterbank GmbH'],
  ] as const) {
    assert.deepEqual(bankText(given), { text: sent, lost: 0 });
  }
  for (const nothing of ['\u0301', '\u200b']) assert.equal(bankText(nothing).lost, 1, 'nothing is no name');
});
