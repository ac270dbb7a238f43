import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dateOf } from './mt940-fields.ts';
import { only, readAll, refusal } from './test-support.ts';

const mt = (...lines: string[]) =>
  [':20:S', ':25:DE89370400440532013000', ':28C:5/1', ':60F:C260304EUR10,', ...lines, '-'].join('\r\n');

describe('MT940 and MT942', () => {
  test('read statement lines of every form', async () => {
    const { begin, end, entries } = await only(
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
      entries.map((each) => [
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
    assert.equal(entries[0]?.details[0]?.instructionId, 'CUSTREF');
    assert.deepEqual(
      [entries[6]?.details[0]?.instructionId, entries[6]?.details[0]?.counterpartyName],
      ['0001234567890ab', 'J. Jansen'],
    );
  });

  test('read dates of two-digit years, and refuse those that no calendar has', () => {
    for (const [text, date] of [
      ['260304', '2026-03-04'],
      ['261231', '2026-12-31'],
      ['791115', '2079-11-15'],
      ['800110', '1980-01-10'],
      ['240229', '2024-02-29'],
      ['260230', '2026-02-28'],
      ['240230', '2024-02-29'],
    ] as const) {
      assert.equal(dateOf(text, 1), date);
    }
    for (const text of ['260431', '260231', '260132', '261301', '260300', '260029']) {
      assert.throws(() => dateOf(text, 7), { code: 'date_invalid' }, text);
    }
  });

  test('read tag 86 in every form', async () => {
    const narrative = async (...lines: string[]) => {
      const file = mt(':61:2603040304C1,NTRFNONREF', ...lines, ':62F:C260304EUR11,');
      const [detail] = (await only(file)).entries[0]?.details ?? [];
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
    assert.deepEqual(await narrative(':86:000>100987654321', '>20ALGEMENE BOEKHOUDING EN KOS>21TEN'), [
      'ALGEMENE BOEKHOUDING EN KOSTEN',
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
    const { begin, entries } = await only(interim);
    assert.deepEqual([begin.kind, begin.account, begin.currency], ['report', '5678123', 'EUR']);
    assert.deepEqual(
      entries.map((each) => each.status),
      ['booked', 'pending'],
    );
    const header = '{1:F01BANKDEFFXXXX0000000000}{2:O940BANKDEFFXXXXN}{4:';
    const swift = `${header}\r\n${mt(':61:260304D1,NTRFNONREF', ':86:M\u00fcller', ':62F:C260304EUR9,')}}{5:}\r\n`;
    const two = await readAll(Buffer.from(swift + swift.replace(':28C:5', ':28C:6'), 'latin1'));
    assert.deepEqual(
      two.statements.map((each) => [each.end.number, each.entries[0]?.details[0]?.remittanceText]),
      [
        [5n, 'Müller'],
        [6n, 'Müller'],
      ],
    );
  });

  test('take a reversal back the way it came, and an account that is overdrawn', async () => {
    const lines = [':61:2603040304RC3,NTRFOURS//B1', ':61:2603040304RD1,NTRFNONREF'];
    const file = mt(...lines, ':62F:D260304EUR2,').replace(':60F:C260304EUR10,', ':60F:D260304EUR0,');
    const { end, entries } = await only(file);
    assert.deepEqual([end.opening?.minor, end.closing?.minor], [0n, -200n]);
    assert.deepEqual(
      entries.map(({ direction, details: [detail] }) => [
        direction,
        detail?.kind,
        detail?.amountMinor,
        detail?.originalReference,
      ]),
      [
        ['debit', 'reversal', 300n, 'OURS'],
        ['credit', 'reversal', 100n, null],
      ],
    );
  });

  test('tell the balances between pages from those of the day', async () => {
    const page = mt(':61:2603040304C1,NTRFNONREF', ':62M:C260304EUR11,');
    const ends = async (file: string) => {
      const { opening, closing } = (await only(file)).end;
      return [opening, closing].map((each) => [each?.minor, each?.isInterim === true]);
    };
    assert.deepEqual(await ends(page), [
      [1_000n, false],
      [1_100n, true],
    ]);
    assert.deepEqual(await ends(page.replace(':60F:', ':60M:').replace(':62M:', ':62F:')), [
      [1_000n, true],
      [1_100n, false],
    ]);
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
      [mt(':60F:C260304EUR9,', line, ':62F:C260304EUR10,'), 'field_invalid', 5],
      [mt(':25:DE1', line, ':62F:C260304EUR11,'), 'field_invalid', 5],
      [mt(line, ':62F:D260304EUR11,'), 'balance_mismatch', 1],
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
