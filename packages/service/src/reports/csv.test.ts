import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { csvField, csvLine, csvRows } from './csv.ts';

/** Reads RFC 4180 back: as strict as the RFC, and knows nothing of how it was written. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]];
  let at = 0;
  while (at < text.length) {
    let field = '';
    if (text[at] === '"') {
      at++;
      for (;;) {
        if (at >= text.length) throw new Error('a quoted field does not end');
        if (text[at] !== '"') field += text[at++];
        else if (text[at + 1] === '"') {
          field += '"';
          at += 2;
        } else break;
      }
      at++;
    } else {
      while (at < text.length && text[at] !== ',' && text[at] !== '\r') {
        if (text[at] === '"' || text[at] === '\n') throw new Error('a bare quote or line break');
        field += text[at++];
      }
    }
    rows.at(-1)?.push(field);
    if (text[at] === ',') {
      at++;
      if (at === text.length) rows.at(-1)?.push('');
    } else if (text.startsWith('\r\n', at)) {
      at += 2;
      if (at < text.length) rows.push([]);
    } else throw new Error(`neither comma nor line end at ${at}`);
  }
  return rows;
}

describe('a CSV field', () => {
  const formulas = [
    '=1+1',
    '+1 2',
    '-1+1',
    '@SUM(A1)',
    '\tx',
    '\r=1',
    '\n=1',
    '＝1',
    '＋1',
    '－1+1',
    '＠a',
    '-',
    '=',
    '--1',
    '-1.',
    '+49 30 123',
  ];
  for (const text of formulas) {
    test(`${JSON.stringify(text)} is not run by a spreadsheet`, () => {
      const [[read]] = parse(csvLine([text])) as [[string]];
      assert.equal(read, `'${text}`);
    });
  }

  test('negative amounts stay numbers', () => {
    for (const text of ['-5.52', '-1510090', '0.00', '-0.306']) assert.equal(csvField(text), text);
  });

  test('nothing, counts and flags', () => {
    assert.equal(csvLine([null, 3, -3, true, '']), ',3,-3,true,\r\n');
  });

  test('commas, quotes, line breaks and blanks at the ends are quoted', () => {
    assert.equal(
      csvLine(['a,b', 'say "x"', 'a\r\nb', ' a', 'a b']),
      '"a,b","say ""x""","a\r\nb"," a",a b\r\n',
    );
  });

  test('any text comes back, with at most an apostrophe in front', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 2, maxLength: 6 }), (cells) => {
        const [read, ...more] = parse(csvLine(cells));
        assert.deepEqual(more, []);
        assert.equal(read?.length, cells.length);
        for (const [i, cell] of cells.entries()) {
          const field = read?.[i] ?? '';
          assert.ok(field === cell || field === `'${cell}`);
          assert.doesNotMatch(field.replace(/^-?\d+(\.\d+)?$/, ''), /^[=+\-@\t\r]/);
        }
      }),
    );
  });

  test('columns stand in their order, and what a row lacks is empty', () => {
    assert.equal(csvRows(['b', 'a'], [{ a: 1 }, { b: '2', a: null }]), ',1\r\n2,\r\n');
  });
});
