import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { StatementRefusal } from './refusal.ts';
import { type CamtOptions, camt, readAll, txDtls } from './test-support.ts';

const UETR = 'eb6305c9-1f7f-49de-aed0-16487c27b42d';

async function only(content: string | Uint8Array, pieceBytes?: number) {
  const { statements } = await readAll(content, {}, pieceBytes);
  assert.equal(statements.length, 1);
  const [statement] = statements;
  assert.ok(statement !== undefined);
  return statement;
}

async function refusal(content: string | Uint8Array): Promise<[string, number | undefined]> {
  try {
    await readAll(content);
  } catch (error) {
    assert.ok(error instanceof StatementRefusal, String(error));
    return [error.code, error.line];
  }
  assert.fail('the file was accepted');
}

const mt = (...lines: string[]) =>
  [':20:S', ':25:DE89370400440532013000', ':28C:5/1', ':60F:C260304EUR10,', ...lines, '-'].join('\r\n');

describe('camt', () => {
  const exchange =
    '<AmtDtls><InstdAmt><Amt Ccy="EUR">92.00</Amt></InstdAmt><TxAmt><Amt Ccy="USD">100.00</Amt><CcyXchg><SrcCcy>EUR</SrcCcy><TrgtCcy>USD</TrgtCcy><UnitCcy>EUR</UnitCcy><XchgRate>1.086957</XchgRate></CcyXchg></TxAmt></AmtDtls>';
  const full = camt(
    [
      {
        amount: '100.00000',
        reference: 'REF 1',
        booked: '2026-03-04',
        valued: '2026-03-05',
        details: [
          txDtls('part one', {
            refs: `<InstrId>NOTPROVIDED</InstrId><EndToEndId>E2E</EndToEndId><UETR>${UETR}</UETR>`,
            amount: `<Amt Ccy="USD">100.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>${exchange}`,
            parties:
              '<Dbtr><Pty><Nm>  Acme   Ltd </Nm></Pty></Dbtr><DbtrAcct><Id><Othr><Id>12-34 56</Id></Othr></Id></DbtrAcct>',
          }),
        ],
      },
    ],
    { opening: '-20.00', closing: '80.00', number: '7' },
  );

  test('is read with every field', async () => {
    const { begin, end, bookings } = await only(full);
    assert.deepEqual(
      [begin.kind, begin.account, begin.currency, end.number],
      ['statement', 'GB29NWBK60161331926819', 'USD', 7n],
    );
    assert.deepEqual([end.opening?.minor, end.closing?.minor], [-2000n, 8000n]);
    const [booking] = bookings;
    assert.deepEqual(booking?.details, [
      {
        kind: 'payment',
        amountMinor: 10000n,
        endToEndId: 'E2E',
        uetr: UETR,
        instructionId: null,
        paymentInformationId: null,
        detailReference: null,
        structuredReferences: [],
        remittanceText: 'part one',
        counterpartyName: 'Acme Ltd',
        counterpartyAccount: '123456',
        returnReason: null,
        originalReference: null,
        exchange: {
          sourceCurrency: 'EUR',
          targetCurrency: 'USD',
          unitCurrency: 'EUR',
          rate: '1.086957',
          originalAmount: '92.00',
          originalCurrency: 'EUR',
        },
      },
    ]);
    assert.deepEqual(
      [booking?.bookingDate, booking?.valueDate, booking?.bankReference],
      ['2026-03-04', '2026-03-05', 'REF 1'],
    );
  });

  test('is read in every version and message, in pieces of any size', async () => {
    for (const message of ['052', '053', '054'] as const) {
      for (const version of ['02', '04', '06', '08', '13']) {
        const file = camt([{ amount: '1.00', reference: 'R' }], { message, version });
        for (const pieceBytes of [1, 7, 100_000]) {
          const { begin, bookings } = await only(file, pieceBytes);
          assert.deepEqual([bookings.length, bookings[0]?.amountMinor, begin.account.length], [1, 100n, 22]);
        }
      }
    }
  });

  test('that the tests write is what the schema says', (t) => {
    const schemas = new URL('../../../../../../shared/data/statements/xsd/', import.meta.url);
    if (spawnSync('xmllint', ['--version']).status !== 0 || !existsSync(schemas)) {
      t.skip('xmllint or the schemas are not on this machine');
      return;
    }
    const files: [string, CamtOptions][] = [
      ['camt.053.001.08', { message: '053', opening: '0.00', closing: '1.00' }],
      ['camt.054.001.08', { message: '054' }],
      ['camt.053.001.02', { version: '02', opening: '0.00', closing: '1.00' }],
    ];
    const inputs = files.map(
      ([schema, options]) => [schema, camt([{ amount: '1.00', reference: 'R' }], options)] as const,
    );
    for (const [schema, input] of [...inputs, ['camt.053.001.08', full] as const]) {
      const path = fileURLToPath(new URL(`${schema}.xsd`, schemas));
      const checked = spawnSync('xmllint', ['--noout', '--schema', path, '-'], { input });
      assert.equal(checked.status, 0, checked.stderr.toString());
    }
  });

  test('tells returns and reversals apart, with the party of the payment that came back', async () => {
    const parties = '<Dbtr><Pty><Nm>House</Nm></Pty></Dbtr><Cdtr><Pty><Nm>Payee</Nm></Pty></Cdtr>';
    const back = txDtls('no such account', {
      refs: '<InstrId>I1</InstrId><EndToEndId>E1</EndToEndId><TxId>T1</TxId>',
      parties,
      after: '<RtrInf><Rsn><Cd>AC01</Cd></Rsn></RtrInf>',
    });
    const { bookings } = await only(
      camt([
        { amount: '1.00', details: [back] },
        { amount: '2.00', direction: 'DBIT', reversal: true },
      ]),
    );
    const [returned, reversed] = bookings.map((each) => each.details[0]);
    assert.deepEqual(
      [returned?.kind, returned?.returnReason, returned?.originalReference, returned?.counterpartyName],
      ['return', 'AC01', 'T1', 'Payee'],
    );
    assert.equal(reversed?.kind, 'reversal');
  });

  test('splits a batch only when its payments add up to it', async () => {
    const part = (text: string, amount: string, direction = 'CRDT') =>
      txDtls(text, { amount: `<Amt Ccy="USD">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>` });
    const read = async (details: string[]) =>
      (await only(camt([{ amount: '3.00', details }]))).bookings[0]?.details.map((each) => [
        each.amountMinor,
        each.remittanceText,
      ]);
    assert.deepEqual(await read([part('a', '1.00'), part('b', '2.00')]), [
      [100n, 'a'],
      [200n, 'b'],
    ]);
    assert.deepEqual(await read([part('a', '1.00'), part('b', '1.00')]), [[300n, 'a\nb']]);
    assert.deepEqual(await read([part('a', '5.00'), part('b', '2.00', 'DBIT')]), [[300n, 'a\nb']]);
    assert.deepEqual(await read([txDtls('a'), txDtls('b')]), [[300n, 'a\nb']]);
  });

  test('is refused where it is hostile, broken or does not add up', async () => {
    const good = camt([{ amount: '1.00' }], { opening: '0.00', closing: '1.00' });
    const cases: [string | Uint8Array, string, number | undefined][] = [
      [
        good.replace('<Document', '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><Document'),
        'doctype_refused',
        2,
      ],
      [good.replace('<Document', '<!DOCTYPE d SYSTEM "file:///etc/passwd"><Document'), 'doctype_refused', 2],
      [good.replace('>M1<', '>&xxe;<'), 'not_well_formed', 4],
      [good.slice(0, -30), 'not_well_formed', 13],
      [good.replace('</Ntry>', ''), 'not_well_formed', 13],
      [good.replace('tech:xsd:camt.053', 'tech:xsd:pain.001'), 'format_unknown', 2],
      [
        good.replace(
          'Ccy="USD">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>',
          'Ccy="XYZ">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>',
        ),
        'currency_unknown',
        12,
      ],
      [camt([{ amount: '1.001' }]), 'amount_precision_invalid', 10],
      [
        camt(
          [
            { amount: '1', currency: 'JPY' },
            { amount: '1.5', currency: 'JPY' },
          ],
          { currency: 'JPY' },
        ),
        'amount_precision_invalid',
        11,
      ],
      [camt([{ amount: '-1.00' }]), 'amount_invalid', 10],
      [camt([{ amount: '1e3' }]), 'amount_invalid', 10],
      [camt([{ amount: '1,00' }]), 'amount_invalid', 10],
      [camt([{ amount: '1234567890123456789.00' }]), 'amount_invalid', 10],
      [camt([{ amount: '1.00', booked: '2026-02-30' }]), 'date_invalid', 10],
      [camt([{ amount: '1.00', status: 'LATER' }]), 'field_invalid', 10],
      [camt([{ amount: '1.00' }], { opening: '0.00', closing: '1.01' }), 'balance_mismatch', 13],
      [good.replace(/<Acct>.*<\/Acct>/, ''), 'field_missing', 5],
      [good.replace('UTF-8', 'EBCDIC-CP-US'), 'encoding_invalid', 1],
      [Buffer.from(good, 'utf16le'), 'encoding_invalid', 1],
      [Buffer.from(`\ufeff${good}`, 'utf16le'), 'format_unknown', undefined],
      [Buffer.concat([Buffer.from(good), Buffer.from([0xff])]), 'encoding_invalid', 16],
      [good.replace('<GrpHdr>', `<GrpHdr>${'<a>'.repeat(70)}`), 'too_deep', 4],
      [good.replace('<Acct>', `<Acct>${'<a/>'.repeat(25_000)}`), 'too_large', 9],
      [good.replace('>M1<', `>${'x'.repeat(1_200_000)}<`), 'text_too_long', 4],
    ];
    for (const [file, code, line] of cases) assert.deepEqual(await refusal(file), [code, line]);
    assert.deepEqual(
      await refusal(
        good.replace('</BkToCstmrStmt>', `${/<Stmt>[\s\S]*<\/Stmt>/.exec(good)?.[0]}</BkToCstmrStmt>`),
      ),
      ['statement_repeated', 15],
    );
  });

  test('is decoded as it declares', async () => {
    const file = camt([{ amount: '1.00', details: [txDtls('Müller €')] }]);
    const latin = file.replace('UTF-8', 'ISO-8859-1').replace('€', '\u0080');
    assert.equal(
      (await only(Buffer.from(latin, 'latin1'))).bookings[0]?.details[0]?.remittanceText,
      'Müller €',
    );
    assert.equal((await only(`\ufeff${file}`)).bookings[0]?.details[0]?.remittanceText, 'Müller €');
    assert.deepEqual(await refusal(Buffer.from(file.replace(' €', ''), 'latin1')), ['encoding_invalid', 10]);
  });
});

describe('MT940 and MT942', () => {
  test('read statement lines of every form', async () => {
    const { begin, end, bookings } = await only(
      mt(
        ':61:2603040304C1,50NTRFCUSTREF//BANKREF',
        ':61:260304D0,5NTRFNONREF',
        ':61:2601021231CR2,NMSCNONREF//A',
        ':61:2612310102DR0,25NCHGNONREF',
        ':61:2603040304RC1,00NTRFNONREF//B',
        ':61:2603040304RDR3,NTRFNONREF//C',
        ':61:260304    C4,00N0120001234567890ab  J. Jansen',
        ':62F:C260304EUR18,75',
        ':64:C260304EUR18,75',
        ':65:C260305EUR18,75',
      ),
    );
    assert.deepEqual(
      [begin.kind, end.number, end.page, end.opening?.minor, end.closing?.minor],
      ['statement', 5n, 1, 1000n, 1875n],
    );
    assert.deepEqual(
      bookings.map((each) => [
        each.direction,
        each.amountMinor,
        each.bookingDate,
        each.bankReference,
        each.details[0]?.kind,
      ]),
      [
        ['credit', 150n, '2026-03-04', 'BANKREF', 'payment'],
        ['debit', 50n, '2026-03-04', null, 'payment'],
        ['credit', 200n, '2025-12-31', 'A', 'payment'],
        ['debit', 25n, '2027-01-02', null, 'payment'],
        ['debit', 100n, '2026-03-04', 'B', 'reversal'],
        ['credit', 300n, '2026-03-04', 'C', 'reversal'],
        ['credit', 400n, '2026-03-04', null, 'payment'],
      ],
    );
    assert.equal(bookings[0]?.details[0]?.instructionId, 'CUSTREF');
    assert.deepEqual(
      [bookings[6]?.details[0]?.instructionId, bookings[6]?.details[0]?.remittanceText],
      ['0001234567890ab', 'J. Jansen'],
    );
  });

  test('read tag 86 in every form', async () => {
    const narrative = async (...lines: string[]) => {
      const file = mt(':61:2603040304C1,NTRFNONREF', ...lines, ':62F:C260304EUR11,');
      const [detail] = (await only(file)).bookings[0]?.details ?? [];
      return [
        detail?.remittanceText,
        detail?.endToEndId,
        detail?.counterpartyName,
        detail?.counterpartyAccount,
        detail?.kind,
      ];
    };
    assert.deepEqual(
      await narrative(
        ':86:166?00GUTSCHR?20EREF+E2E-1?21SVWZ+INV 5 RF44260304',
        '001729?30COBADEFF?31DE75512108001245126199?32Acme ?33Ltd',
      ),
      ['INV 5 RF44260304001729', 'E2E-1', 'Acme Ltd', 'DE75512108001245126199', 'payment'],
    );
    assert.deepEqual(await narrative(':86:159?00RETOURE?20EREF+P1?21SVWZ+closed?34914'), [
      'closed',
      'P1',
      null,
      null,
      'return',
    ]);
    assert.deepEqual(await narrative(':86:000>100987654321', '>20ALGEMENE KOS>21TEN'), [
      'ALGEMENE KOSTEN',
      null,
      null,
      null,
      'payment',
    ]);
    assert.deepEqual(
      await narrative(
        ':86:/TRTP/SEPA/IBAN/NL91ABNA0417164300/NAME/J. Jansen/EREF/E',
        '2/REMI/USTD//Invoice 7/',
      ),
      ['Invoice 7', 'E2', 'J. Jansen', 'NL91ABNA0417164300', 'payment'],
    );
    assert.deepEqual(await narrative(':86:free text', ':12:00 o’clock', '', ' more'), [
      'free text\n:12:00 o’clock\nmore',
      null,
      null,
      null,
      'payment',
    ]);
    assert.deepEqual(await narrative(':86:one', ':86:two'), ['one\ntwo', null, null, null, 'payment']);
    assert.deepEqual(await narrative(':NS:01own field'), ['01own field', null, null, null, 'payment']);
  });

  test('read interim reports, envelopes, several statements and old encodings', async () => {
    const interim =
      ':20:I\n:25:5678/123EUR\n:28C:1\n:34F:EURD0,\n:13D:2603041200+0100\n:61:2603040304C2,NTRFNONREF\n:61:2603040304ED1,NTRFNONREF\n:90D:0EUR0,\n:90C:1EUR2,\n-';
    const { begin, bookings } = await only(interim);
    assert.deepEqual([begin.kind, begin.account, begin.currency], ['report', '5678123', 'EUR']);
    assert.deepEqual(
      bookings.map((each) => each.status),
      ['booked', 'pending'],
    );
    const header = '{1:F01BANKDEFFXXXX0000000000}{2:O940BANKDEFFXXXXN}{4:';
    const swift = `${header}\r\n${mt(':61:260304D1,NTRFNONREF', ':86:M\u00fcller', ':62F:C260304EUR9,')}}{5:}\r\n`;
    const two = await readAll(Buffer.from(swift + swift.replace(':28C:5', ':28C:6'), 'latin1'));
    assert.deepEqual(
      two.statements.map((each) => [each.end.number, each.bookings[0]?.details[0]?.remittanceText]),
      [
        [5n, 'Müller'],
        [6n, 'Müller'],
      ],
    );
  });

  test('are refused where they are cut off or do not add up', async () => {
    const line = ':61:2603040304C1,NTRFNONREF';
    const cases: [string, string, number][] = [
      [mt(line), 'statement_incomplete', 1],
      [mt(line, ':62F:C260304EUR10,'), 'balance_mismatch', 1],
      [mt(':61:2603040304X1,NTRF', ':62F:C260304EUR11,'), 'field_invalid', 5],
      [mt(':61:2613040304C1,NTRF', ':62F:C260304EUR11,'), 'date_invalid', 5],
      [mt(':61:2603040304C1,001NTRF', ':62F:C260304EUR11,'), 'amount_precision_invalid', 5],
      [mt(line, ':62F:C260304EUR11,', line), 'field_invalid', 7],
      [mt(line, ':62F:C260304USD11,', ':62F:C260304EUR11,'), 'field_invalid', 7],
      [':20:S\n:60F:C260304EUR10,\n:62F:C260304EUR10,\n', 'field_missing', 1],
      [':20:S\n:25:1\n:60F:C260304XXX10,\n:62F:C260304XXX10,\n', 'currency_unknown', 3],
      [mt(`:86:${'x'.repeat(20_000)}`), 'text_too_long', 4],
      [mt(line, ...Array.from({ length: 300 }, () => 'more'), ':62F:C260304EUR11,'), 'too_large', 205],
      [`${mt(line, ':62F:C260304EUR11,')}\n${mt(line, ':62F:C260304EUR11,')}`, 'statement_repeated', 8],
      [`${mt(line, ':62F:C260304EUR11,')}\0`, 'encoding_invalid', 7],
    ];
    for (const [file, code, at] of cases)
      assert.deepEqual(await refusal(file), [code, at], file.slice(0, 200));
  });
});

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
        statements.map(({ begin, end, bookings }) => [
          begin.account,
          end.from,
          end.to,
          bookings.map((each) => [
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
    const { begin, end, bookings } = await only(json(statement));
    assert.deepEqual(
      [begin.account, end.closing?.minor, bookings[0]?.amountMinor, bookings[0]?.details[0]?.uetr],
      ['GB29NWBK60161331926819', -150n, 250n, UETR],
    );
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
});
