import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { camt, only, readAll, refusal } from './test-support.ts';

const plain = camt([{ amount: '1.00' }], { opening: '0.00', closing: '1.00' });
const documentOf = (file: string) => file.slice(file.indexOf('<Document'));
const HEADER =
  '<AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><BizMsgIdr>M1</BizMsgIdr><MsgDefIdr>camt.053.001.08</MsgDefIdr><Stmt/></AppHdr>';

describe('amounts as XML Schema writes them', () => {
  test('have nothing before or behind the point, or a plus', async () => {
    for (const [amount, minor] of [
      ['.09', 9n],
      ['5.', 500n],
      ['+5.00', 500n],
      ['+.5', 50n],
      ['007.5', 750n],
      ['1.0000000000000000', 100n],
    ] as const) {
      assert.equal((await only(camt([{ amount }]))).entries[0]?.amountMinor, minor, amount);
    }
  });

  test('are no numbers of other kinds', async () => {
    for (const amount of [
      '.',
      '+',
      '+.',
      '',
      '++1',
      '1.2.3',
      '1,5',
      '-5',
      '1e2',
      'INF',
      '0x1',
      '1 000',
      '٣',
    ]) {
      assert.deepEqual(await refusal(camt([{ amount }])), ['amount_invalid', 10], amount);
    }
    assert.deepEqual(await refusal(camt([{ amount: '.001' }])), ['amount_precision_invalid', 10]);
  });
});

describe('a business header around the document', () => {
  const inside = documentOf(plain);
  const wrappers: Readonly<Record<string, string>> = {
    BizMsgEnvlp: `<BizMsgEnvlp xmlns="urn:iso:std:iso:20022:tech:xsd:nvlp.001.001.01">${HEADER}<Doc>${inside}</Doc></BizMsgEnvlp>`,
    message: `<message>${HEADER}${inside}</message>`,
    Xchg: `<Xchg xmlns="urn:iso:std:iso:20022:tech:xsd:head.002.001.01"><PyldDesc/><Pyld>${HEADER}${inside}</Pyld></Xchg>`,
    SOAP: `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><r:Reply xmlns:r="urn:bank">${inside}</r:Reply></s:Body></s:Envelope>`,
    prefixed: `<e:message xmlns:e="urn:e" xmlns:d="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">${inside
      .replace(' xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"', '')
      .replaceAll(/<(\/?)(?=[A-Z])/g, '<$1d:')}</e:message>`,
  };
  for (const [name, file] of Object.entries(wrappers)) {
    test(`${name} is passed over`, async () => {
      for (const pieceBytes of [1, 100_000]) {
        const { entries, end } = await only(`<?xml version="1.0" encoding="UTF-8"?>\n${file}`, pieceBytes);
        assert.deepEqual([entries.length, end.closing?.minor], [1, 100n]);
      }
    });
  }

  test('may stand around several, which are all read', async () => {
    const notice = documentOf(camt([{ amount: '2.00' }], { message: '054' }));
    const { statements } = await readAll(`<x>${HEADER}${inside}${HEADER}${notice}</x>`);
    assert.deepEqual(
      statements.map(({ begin, entries }) => [begin.kind, entries[0]?.amountMinor]),
      [
        ['statement', 100n],
        ['notification', 200n],
      ],
    );
    assert.deepEqual(await refusal(`<x>${inside}${inside}</x>`), ['statement_repeated', 18]);
  });

  test('holds no document, or one of another message', async () => {
    assert.deepEqual(await refusal(`<html>\n<body/></html>`), ['format_unknown', 1]);
    assert.deepEqual(await refusal(`<x>${HEADER}</x>`), ['format_unknown', 1]);
    const payment = '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"/>';
    assert.deepEqual(await refusal(`<x>${inside}\n${payment}</x>`), ['format_unknown', 16]);
    assert.deepEqual(await refusal(`<x>${'<y>'.repeat(80)}`), ['too_deep', 1]);
  });
});

describe('a closing balance without what is valued later', () => {
  const balance = (code: string, amount: string, date: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="USD">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${date}</Dt></Dt></Bal>`;
  const statement = (closing: string, ...forward: (readonly [amount: string, date: string])[]) => {
    const file = camt(
      [
        { amount: '1.00', reference: 'A' },
        { amount: '7.00', reference: 'B', valued: '2026-03-06' },
        { amount: '2.00', reference: 'C', valued: '2026-03-09', direction: 'DBIT' },
      ],
      { opening: '10.00', closing },
    );
    return file.replace(
      '<Ntry>',
      `${forward.map(([amount, date]) => balance('FWAV', amount, date)).join('')}<Ntry>`,
    );
  };

  test('is right when the forward balances have it', async () => {
    const { end } = await only(statement('11.00', ['18.00', '2026-03-06'], ['16.00', '2026-03-09']));
    assert.deepEqual([end.closing?.minor, end.closesWithout], [1_100n, '2026-03-04']);
    assert.equal((await only(statement('16.00'))).end.closesWithout, undefined);
    const mt = (closing: string, ...later: string[]) =>
      [
        ':20:S',
        ':25:DE89370400440532013000',
        ':28C:5/1',
        ':60F:C260303EUR10,',
        ':61:2603040304C1,NTRFNONREF//A',
        ':61:2603060304C7,NTRFNONREF//B',
        `:62F:C260304EUR${closing}`,
        ...later,
        '-',
      ].join('\n');
    assert.equal((await only(mt('11,', ':65:C260306EUR18,'))).end.closesWithout, '2026-03-04');
    assert.deepEqual(await refusal(mt('11,', ':65:Dnullnull7414,3')), ['balance_mismatch', 1]);
    assert.deepEqual(await refusal(mt('11,', ':64:C260304EUR18,')), ['balance_mismatch', 1]);
  });

  test('is refused when they do not', async () => {
    for (const file of [
      statement('11.00'),
      // Not all of it is in one of them.
      statement('11.00', ['18.00', '2026-03-06']),
      statement('11.00', ['18.01', '2026-03-06'], ['16.00', '2026-03-09']),
      // One of the later entries is in, the other is not.
      statement('18.00', ['16.00', '2026-03-09']),
      statement('11.50', ['16.50', '2026-03-09']),
    ]) {
      assert.equal((await refusal(file))[0], 'balance_mismatch');
    }
  });
});

describe('pages as XML Schema writes them', () => {
  const paged = (number: string, isLast: string) =>
    plain.replace(
      '<Id>S1</Id>',
      `<Id>S1</Id><StmtPgntn><PgNb>${number}</PgNb><LastPgInd>${isLast}</LastPgInd></StmtPgntn>`,
    );

  test('are the first and the last one by any form of their number and of what is true', async () => {
    for (const [number, isLast] of [
      ['1', 'true'],
      ['1', '1'],
      ['00001', 'true'],
      ['01', '1'],
    ] as const) {
      const { end } = await only(paged(number, isLast));
      assert.deepEqual(
        [end.page, end.opening?.minor, end.closing?.minor, end.whole],
        [1, 0n, 100n, undefined],
        `${number} ${isLast}`,
      );
    }
    for (const isLast of ['false', '0']) {
      const { end } = await only(paged('1', isLast));
      assert.deepEqual([end.closing, end.whole?.isLastPage], [null, false], isLast);
    }
    // The balances of a later page are those of the whole, and one between pages is of one end.
    const { end } = await only(paged('2', 'true'));
    assert.deepEqual([end.opening, end.closing, end.whole?.isLastPage], [null, null, true]);
    const inner = await only(paged('2', 'false').replace('CLBD', 'ITBD'));
    assert.deepEqual([inner.end.opening, inner.end.closing], [null, null]);
  });
});
