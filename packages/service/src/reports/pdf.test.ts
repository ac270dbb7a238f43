import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isShownWhole, pdfDocument, pdfString } from './pdf.ts';

/** Reads a file by its own table, as a PDF reader does: each object where the table says that it begins. */
function objectsOf(file: Buffer): string[] {
  const text = file.toString('latin1');
  assert.match(text, /^%PDF-1\.4\n/);
  const start = Number.parseInt(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1] ?? '', 10);
  const table = text.slice(start);
  const count = Number.parseInt(/^xref\n0 (\d+)\n/.exec(table)?.[1] ?? '', 10);
  const entries = [...table.matchAll(/^(\d{10}) 00000 n $/gm)].map((match) =>
    Number.parseInt(match[1] ?? '', 10),
  );
  assert.equal(entries.length, count - 1);
  return entries.map((offset, i) => {
    const head = `${i + 1} 0 obj\n`;
    assert.equal(text.slice(offset, offset + head.length), head);
    return text.slice(offset + head.length, text.indexOf('\nendobj\n', offset));
  });
}

function shownIn(file: Buffer): string[] {
  return objectsOf(file)
    .filter((object) => object.includes('\nstream\n'))
    .flatMap((object) => {
      const length = Number.parseInt(/\/Length (\d+)/.exec(object)?.[1] ?? '', 10);
      const content = object.slice(object.indexOf('stream\n') + 7, object.lastIndexOf('\nendstream'));
      assert.equal(content.length, length);
      return [...content.matchAll(/Td \(((?:[^\\()]|\\[()\\]|\\\d{3})*)\) Tj/g)].map((match) =>
        read(match[1] ?? ''),
      );
    });
}

function read(body: string): string {
  const bytes = body.replaceAll(/\\(\d{3})|\\(.)/g, (_, octal?: string, plain?: string) =>
    octal === undefined ? (plain ?? '') : String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return new TextDecoder('windows-1252').decode(Buffer.from(bytes, 'latin1'));
}

describe('a PDF', () => {
  test('shows its title, lines and footer, found by its own table', () => {
    const file = pdfDocument('Confirmation', [{ label: 'Sells', value: '100000.00 USD' }], 'made by us');
    assert.deepEqual(shownIn(file), ['Confirmation', 'Sells', '100000.00 USD', 'made by us   1 / 1']);
  });

  test('breaks long values and pages', () => {
    const lines = Array.from({ length: 60 }, (_, i) => ({ label: `L${i}`, value: 'x'.repeat(100) }));
    const shown = shownIn(pdfDocument('T', lines, 'f'));
    assert.equal(shown.filter((text) => text === 'T').length, 3);
    assert.equal(shown.filter((text) => /^x+$/.test(text)).join('').length, 6_000);
    assert.equal(shown.filter((text) => /^L\d+$/.test(text)).length, 60);
  });

  test('holds any text without breaking, and all of Windows-1252 as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (value) => {
        const shown = shownIn(pdfDocument('T', [{ label: 'a', value }], 'f'))[2] ?? '';
        if (isShownWhole(value)) assert.equal(shown, value.normalize('NFC'));
        else assert.match(shown, /\?/);
      }),
    );
    const names = 'Søren Müller (“Zoë”) \\ Œuvre – 5 € ™ ÿ';
    assert.ok(isShownWhole(names));
    assert.equal(read(pdfString(names).slice(1, -1)), names);
    assert.equal(isShownWhole('Łódź'), false);
  });
});
