import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CsvMapping, fitsName, mappingErrors } from './csv-mapping.ts';
import { JsonReader } from './json.ts';
import { JSON_BYTES_MAX } from './limits.ts';
import { only, readAll, refusal } from './test-support.ts';

const UETR = 'eb6305c9-1f7f-49de-aed0-16487c27b42d';

describe('CSV and JSON', () => {
  const columns = {
    bookingDate: 'd',
    amount: 'a',
    direction: 's',
    account: 'k',
    currency: 'c',
    remittance: ['x', 'y'],
  };
  const mapping = {
    delimiter: ',',
    decimalMark: '.',
    groupMark: ',',
    dateFormat: 'MM/DD/YYYY',
    linesBefore: 1,
    columns,
    creditWords: ['CR'],
    debitWords: ['DR'],
  } as const;
  const head = 'Export\nd,a,s,k,c,x,y\n';

  test('read directions, accounts and quoted fields', async () => {
    const csv = `${head}03/04/2026,"1,234.50",cr,A1,USD,"two\nlines","say ""hi"""\n\n03/05/2026,7,DR,A1,USD,,\r\n03/05/2026,8,CR,A2,JPY,,`;
    for (const piece of [1, 1_000]) {
      const { statements } = await readAll(
        csv,
        {
          mapping: {
            ...mapping,
            columns: { ...columns, remittance: ['x', 'y'] },
            creditWords: ['CR'],
            debitWords: ['DR'],
          },
        },
        piece,
      );
      assert.deepEqual(
        statements.map(({ begin, end, entries }) => [
          begin.account,
          end.from,
          end.to,
          entries.map((each) => [
            each.direction,
            each.amountMinor,
            each.line,
            each.details[0]?.remittanceText,
          ]),
        ]),
        [
          [
            'A1',
            '2026-03-04',
            '2026-03-05',
            [
              ['credit', 123450n, 3, 'two\nlines\nsay "hi"'],
              ['debit', 700n, 6, null],
            ],
          ],
          ['A2', '2026-03-05', '2026-03-05', [['credit', 8n, 7, null]]],
        ],
      );
    }
  });

  test('take money that a bank writes as a negative credit for what went out', async () => {
    const line = (word: string, amount: string) => `03/04/2026,${amount},${word},A1,USD,,\n`;
    const { statements } = await readAll(
      head + line('CR', '-5.00') + line('DR', '-6.00') + line('DR', '7.00') + line('CR', '8.00-'),
      { mapping },
    );
    assert.deepEqual(
      statements.flatMap(({ entries }) =>
        entries.map(({ direction, amountMinor }) => [direction, amountMinor]),
      ),
      [
        ['debit', 500n],
        ['debit', 600n],
        ['debit', 700n],
        ['debit', 800n],
      ],
    );
  });

  test('read amounts with a sign, or in a column for each direction, and value dates', async () => {
    const base = {
      delimiter: ';',
      decimalMark: '.',
      dateFormat: 'YYYY-MM-DD',
      account: 'A1',
      currency: 'EUR',
    } as const;
    const dates = { bookingDate: 'd', valueDate: 'v' };
    const read = async (columns: CsvMapping['columns'], line: string) => {
      const { statements } = await readAll(`d;v;a;in;out\n2026-03-04;${line}\n`, {
        mapping: { ...base, columns },
      });
      return statements[0]?.entries.map((each) => [each.direction, each.amountMinor, each.valueDate])[0];
    };
    const signed = { ...dates, amount: 'a' };
    assert.deepEqual(await read(signed, '2026-03-05;5.01;;'), ['credit', 501n, '2026-03-05']);
    assert.deepEqual(await read(signed, ';-5.01;;'), ['debit', 501n, '2026-03-04']);
    assert.deepEqual(await read(signed, ';5.01-;;'), ['debit', 501n, '2026-03-04']);
    const two = { ...dates, credit: 'in', debit: 'out' };
    for (const [line, direction] of [
      [';;5.01;', 'credit'],
      [';;5.01;0.00', 'credit'],
      [';;-5.01;', 'debit'],
      [';;;5.01', 'debit'],
      [';;0;5.01', 'debit'],
      [';;;-5.01', 'debit'],
    ] as const) {
      assert.deepEqual(await read(two, line), [direction, 501n, '2026-03-04'], line);
    }
    for (const line of [';;;', ';;0.00;0', ';;5.01;5.01', ';;5.01;-5.01']) {
      await assert.rejects(read(two, line), { code: 'amount_invalid' }, line);
    }
  });

  test('are of the days from the first to the last line, in whatever order these come', async () => {
    const days = ['03/05/2026', '03/04/2026', '03/09/2026', '03/06/2026'];
    const csv = head + days.map((day) => `${day},1.00,CR,A1,USD,,\n`).join('');
    const { statements } = await readAll(csv, { mapping });
    assert.deepEqual(
      statements.map(({ end }) => [end.from, end.to]),
      [['2026-03-04', '2026-03-09']],
    );
  });

  test('set lines aside in currencies that are none of ours, by account and currency', async () => {
    const line = (account: string, currency: string) => `03/04/2026,1.00,CR,${account},${currency},,\n`;
    const csv = [
      line('A1', 'DEM'),
      line('A1', 'DEM'),
      line('A1', 'ITL'),
      line('A2', 'ITL'),
      line('A2', 'USD'),
    ];
    const { setAside, statements } = await readAll(head + csv.join(''), { mapping });
    assert.deepEqual(
      setAside.map(({ account, currency, entries }) => [account, currency, entries]),
      [
        ['A1', 'DEM', 2],
        ['A1', 'ITL', 1],
        ['A2', 'ITL', 1],
      ],
    );
    assert.deepEqual(
      statements.map(({ begin, entries }) => [begin.account, entries.length]),
      [['A2', 1]],
    );
  });

  test('refuse a heading that two columns have, where it is one that is read', async () => {
    const read = (headings: string) =>
      readAll(`Export\n${headings}\n03/04/2026,1.00,CR,A1,USD,,,2.00\n`, { mapping });
    await assert.rejects(read('d,a,s,k,c,x,y,a'), { code: 'field_invalid' });
    const { statements } = await read('d,a,s,k,c,x,y,z');
    assert.equal(statements[0]?.entries[0]?.amountMinor, 100n);
    await read('d,a,s,k,c,x,y,');
  });

  test('take group marks before three digits each, of whole units, and refuse them anywhere else', async () => {
    const read = async (amount: string, marks: Partial<CsvMapping>) => {
      const csv = `${head.replaceAll(',', ';')}03/04/2026;${amount};CR;A1;EUR;;\n`;
      const { statements } = await readAll(csv, { mapping: { ...mapping, ...marks, delimiter: ';' } });
      return statements[0]?.entries[0]?.amountMinor;
    };
    const english = { decimalMark: '.', groupMark: ',' } as const;
    const german = { decimalMark: ',', groupMark: '.' } as const;
    const french = { decimalMark: ',', groupMark: ' ' } as const;
    const swiss = { decimalMark: '.', groupMark: "'" } as const;
    const taken: [string, Partial<CsvMapping>, bigint][] = [
      ['1,234,567.89', english, 123_456_789n],
      ['-1.234,50', german, 123_450n],
      ['1.234', german, 123_400n],
      ['+ 12\u00a0345,6', french, 1_234_560n],
      ['1 234 567', french, 123_456_700n],
      ["1'000.00-", swiss, 100_000n],
      ['1234567.89', english, 123_456_789n],
      ['0.5', english, 50n],
      ['1 234,50', german, 123_450n],
    ];
    for (const [amount, marks, minor] of taken) assert.equal(await read(amount, marks), minor, amount);
    const refused: [string, Partial<CsvMapping>][] = [
      // The other way of writing numbers: of 1,200 these would make 1.20.
      ['1,200.000', german],
      ['1.200,000', english],
      // Half a unit, of which it would make 500.
      ['0,500', english],
      ['0.500', german],
      ['1234,567.00', english],
      ['1,2345.00', english],
      ['1,,234.00', english],
      [',234.00', english],
      ['12 34', french],
      ['1,234 567', french],
      ['1,234.567,00', german],
    ];
    for (const [amount, marks] of refused) {
      await assert.rejects(read(amount, marks), { code: 'amount_invalid' }, amount);
    }
  });

  test('refuse a line that could be read in two ways', async () => {
    const read = (line: string) =>
      readAll(head + line, {
        mapping: {
          ...mapping,
          columns: { ...columns, remittance: [] },
          creditWords: ['CR'],
          debitWords: ['DR'],
        },
      });
    const cases: [string, string][] = [
      ['03/04/2026,"1,23",CR,A1,USD', 'amount_invalid'],
      ['03/04/2026,1.2.3,CR,A1,USD', 'amount_invalid'],
      ['13/04/2026,1.23,CR,A1,USD', 'date_invalid'],
      ['2026-03-04,1.23,CR,A1,USD', 'date_invalid'],
      ['03/04/2026,1.23,XX,A1,USD', 'field_invalid'],
      ['03/04/2026,1.23,CR,,USD', 'field_missing'],
      ['03/04/2026,1.23,CR,A1,XXX', 'currency_unknown'],
      ['03/04/2026,"1.23', 'not_well_formed'],
    ];
    for (const [line, code] of cases) await assert.rejects(read(line), { code }, line);
    await assert.rejects(
      readAll('Export\nd,a\n', {
        mapping: { ...mapping, columns: { ...columns, remittance: [] }, creditWords: [], debitWords: [] },
      }),
      { code: 'field_missing' },
    );
  });

  test('read the JSON form exactly, and refuse numbers for amounts', async () => {
    const entry = {
      amount: '2.50',
      direction: 'debit',
      bookingDate: '2026-03-04',
      bankReference: 'J1',
      uetr: UETR,
    };
    const statement = {
      account: 'GB29 NWBK 6016 1331 9268 19',
      currency: 'USD',
      number: '3',
      opening: { amount: '1.00', date: '2026-03-04' },
      closing: { amount: '-1.50', date: '2026-03-04' },
      entries: [entry],
    };
    const json = (value: object) => JSON.stringify({ statements: [value] });
    const { begin, end, entries } = await only(json(statement));
    assert.deepEqual(
      [begin.account, end.closing?.minor, entries[0]?.amountMinor, entries[0]?.details[0]?.uetr],
      ['GB29NWBK60161331926819', -150n, 250n, UETR],
    );
    for (const number of ['0', '000'])
      assert.equal((await only(json({ ...statement, number }))).end.number, null, 'as in the other formats');
    assert.deepEqual(await refusal(json({ ...statement, entries: [{ ...entry, amount: 2.5 }] })), [
      'field_invalid',
      undefined,
    ]);
    assert.deepEqual(await refusal(json({ ...statement, closing: { amount: '0.00', date: '2026-03-04' } })), [
      'balance_mismatch',
      1,
    ]);
    assert.deepEqual(await refusal(json({ ...statement, colour: 'red' })), ['field_invalid', undefined]);
    assert.deepEqual(await refusal('{"statements": [\n{"account": }]}'), ['not_well_formed', 2]);
  });

  test('refuse JSON above its limit as soon as it has come, in whatever pieces', () => {
    const reader = new JsonReader(() => undefined);
    const pieces = 16;
    for (let n = 0; n < pieces; n++) reader.write(' '.repeat(JSON_BYTES_MAX / pieces));
    assert.throws(() => reader.write(' '), { code: 'too_large' });
  });

  test('refuse JSON that holds a member twice, and do not walk into what is nested without an end', async () => {
    const twice = '{"statements": [{"account": "A1", "currency": "USD", "account": "B2", "entries": []}]}';
    await assert.rejects(readAll(twice, { format: 'json' }), {
      code: 'not_well_formed',
      message: /an object holds a member twice/,
    });
    for (const text of ['['.repeat(4_000_000), `{"statements": ${'['.repeat(40)}${']'.repeat(40)}}`]) {
      await assert.rejects(readAll(text, { format: 'json' }), {
        code: 'not_well_formed',
        message: /nested more than 32 levels deep/,
      });
    }
  });

  test('blanks between a quoted field and its delimiter are nothing, anything else is refused', async () => {
    const line = (amount: string) => `${head}03/04/2026,${amount},CR,A1,USD,x,y\n`;
    const { statements } = await readAll(line('"7.00" '), { mapping });
    assert.deepEqual(
      statements.flatMap(({ entries }) => entries.map((each) => each.amountMinor)),
      [700n],
    );
    await assert.rejects(readAll(line('"7.00"1'), { mapping }), /behind a quoted field/);
  });

  test('say what a mapping cannot have, lacks or has twice', () => {
    const { direction: _, ...alone } = columns;
    const { creditWords: _credit, debitWords: _debit, ...wordless } = mapping;
    const { account: _account, currency: _currency, ...bare } = columns;
    const errors = (change: object) =>
      mappingErrors({ ...mapping, ...change } as CsvMapping).map(({ pointer }) => pointer);
    assert.deepEqual(errors({}), []);
    assert.deepEqual(errors({ columns: bare }), ['/account', '/currency']);
    assert.deepEqual(errors({ columns: bare, account: 'A1', currency: 'USD' }), []);
    assert.deepEqual(errors({ account: 'A1', currency: 'USD' }), ['/account', '/currency']);
    assert.deepEqual(errors({ groupMark: '.' }), ['/groupMark']);
    const pair = { ...alone, amount: undefined, credit: 'h', debit: 's' };
    assert.deepEqual(mappingErrors({ ...wordless, columns: pair } as unknown as CsvMapping), []);
    assert.deepEqual(errors({ columns: { ...columns, credit: 'h' } }), ['/columns']);
    assert.deepEqual(errors({ columns: { ...columns, amount: undefined } }), ['/columns']);
    assert.deepEqual(errors({ columns: alone }), ['/columns/direction'], 'words without their column');
    assert.deepEqual(
      mappingErrors({ ...wordless, columns } as CsvMapping).map(({ pointer }) => pointer),
      ['/columns/direction'],
    );
    assert.deepEqual(errors({ columns: { ...pair, direction: 's' } }), ['/columns/direction']);
  });

  test('find their mapping by the name of the file', () => {
    const fits = (fileNames: string[], name: string) =>
      fitsName(
        { ...mapping, columns: { ...columns, remittance: [] }, creditWords: [], debitWords: [], fileNames },
        name,
      );
    assert.deepEqual(
      [
        fits(['a-*.csv'], 'A-1.CSV'),
        fits(['a-*.csv'], 'b-1.csv'),
        fits(['a*b*c'], 'a-b-c'),
        fits(['a*b*c'], 'acb'),
        fits(['ab*ba'], 'aba'),
        fits(['x.csv'], 'xacsv'),
        fits(['*'], ''),
        fits([`${'*a'.repeat(50)}b`], 'a'.repeat(250)),
      ],
      [true, false, true, false, false, false, true, false],
    );
  });
});
