import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { shownIn } from '../../test/support/pdf-text.ts';
import { type PdfLine, pdfDocument } from './pdf.ts';

const made = (lines: readonly PdfLine[]) =>
  pdfDocument({
    title: 'Confirmation',
    lines,
    footer: 'made by us',
    createdAt: Date.UTC(2026, 2, 4),
    lacking: { label: 'Note', value: 'something is lacking' },
  });
/** What a document shows of one value, and whether it says that something is lacking. */
async function shown(value: string): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const texts = shownIn(await made([{ label: 'a', value }])).slice(2, -1);
  const isWhole = !texts.includes('something is lacking');
  return { text: texts.slice(0, isWhole ? undefined : -2).join(''), isWhole };
}

describe('a PDF', () => {
  test('shows its title, lines and footer, found by its own table', async () => {
    const file = await made([{ label: 'Sells', value: '100000.00 USD' }]);
    assert.deepEqual(shownIn(file), ['Confirmation', 'Sells', '100000.00 USD', 'made by us   1 / 1']);
  });

  test('breaks long values and pages', async () => {
    const lines = Array.from({ length: 60 }, (_, i) => ({ label: `L${i}`, value: 'x'.repeat(100) }));
    const texts = shownIn(await made(lines));
    assert.equal(texts.filter((text) => text === 'Confirmation').length, 5);
    assert.equal(texts.filter((text) => /^x+$/.test(text)).join('').length, 6_000);
    assert.equal(texts.filter((text) => /^L\d+$/.test(text)).length, 60);
  });

  test('breaks between words, and within one only where it is longer than a line', async () => {
    const linesOf = async (value: string) => shownIn(await made([{ label: 'a', value }])).slice(2, -1);
    const name = 'Przedsiębiorstwo Handlowo-Usługowe Łódź Spółka z ograniczoną odpowiedzialnością';
    const lines = await linesOf(name);
    assert.ok(lines.length > 1);
    assert.equal(lines.join(' '), name, 'each line ends where a word does');
    const long = 'x'.repeat(100);
    const [first, ...rest] = await linesOf(`to ${long} and more`);
    assert.match(first ?? '', /^to$/);
    assert.equal(rest.join(''), `${long} and more`);
    assert.ok(rest.length > 1 && rest.at(-1)?.endsWith('x and more'), 'what is left goes on behind it');
    const apart = `first${' '.repeat(200)}second`;
    assert.deepEqual(await linesOf(apart), ['first', 'second'], 'blanks at the end of a line are not shown');
    const bound = `${'y'.repeat(25)} ${'z\u00a0'.repeat(20)}z`;
    assert.deepEqual(await linesOf(bound), bound.split(' '), 'not at a blank that binds');
  });

  test('holds any text without breaking, and lacks nothing without saying so', async () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 8 }), async (values) => {
        const texts = shownIn(await made(values.map((value) => ({ label: '', value }))));
        const whole = values.every((value, i) => texts[i + 1] === value.normalize('NFC'));
        assert.equal(texts.includes('something is lacking'), !whole, JSON.stringify(texts));
        for (const [i, value] of values.entries()) {
          if (texts[i + 1] !== value.normalize('NFC')) assert.match(texts[i + 1] ?? '', /\?/);
        }
      }),
      { numRuns: 15 },
    );
  });

  test('shows names in the letters of Europe as they are', async () => {
    for (const name of [
      'Søren Müller (“Zoë”) \\ Œuvre – 5 € ™ ÿ',
      'Zażółć gęślą jaźń, Łódź',
      'Příliš žluťoučký kůň',
      'Şirket Iğdır İstanbul',
      'Țară și Brașov',
      'Þór Ðuro Ŋ Ħ Ǿ',
      'Αθήνα Ψυχή ΐ',
      'Щукин Ёлка Ґанок Ђорђе',
      'Việt Nam',
      'office affiliate fjord',
    ]) {
      assert.deepEqual(await shown(name), { text: name, isWhole: true });
    }
  });

  test('says that it lacks what no letter of its font can show, or would show the wrong way round', async () => {
    for (const [value, text] of [
      ['日本 Ltd', '?? Ltd'],
      ['שלום', '????'],
      ['Acme \u202e.dtL', 'Acme ?.dtL'],
      ['a\u2028b\tc', 'a?b?c'],
    ] as const) {
      assert.deepEqual(await shown(value), { text, isWhole: false });
    }
  });

  test('is made of the same bytes again', async () => {
    const lines = [{ label: 'Customer', value: 'Łódź Αθήνα Щукин' }];
    assert.deepEqual(await made(lines), await made(lines));
  });
});
