import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { NO_DETAILS } from './statement.ts';
import { type CamtOptions, camt, only, refusal, txDtls } from './test-support.ts';

const UETR = 'eb6305c9-1f7f-49de-aed0-16487c27b42d';

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
    const { begin, end, entries } = await only(full);
    assert.deepEqual(
      [begin.kind, begin.account, begin.currency, end.number],
      ['statement', 'GB29NWBK60161331926819', 'USD', 7n],
    );
    assert.deepEqual([end.opening?.minor, end.closing?.minor], [-2000n, 8000n]);
    const [entry] = entries;
    assert.deepEqual(entry?.details, [
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
        creditedAccount: null,
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
      [entry?.bookingDate, entry?.valueDate, entry?.bankReference],
      ['2026-03-04', '2026-03-05', 'REF 1'],
    );
  });

  test('is read in every version and message, in pieces of any size', async () => {
    for (const message of ['052', '053', '054'] as const) {
      for (const version of ['02', '04', '06', '08', '13']) {
        const file = camt([{ amount: '1.00', reference: 'R' }], { message, version });
        for (const pieceBytes of [1, 7, 100_000]) {
          const { begin, entries } = await only(file, pieceBytes);
          assert.deepEqual([entries.length, entries[0]?.amountMinor, begin.account.length], [1, 100n, 22]);
        }
      }
    }
  });

  test('that the tests write is what the schema says', (t) => {
    const schemas = new URL('../../../../shared/data/statements/xsd/', import.meta.url);
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
    const { entries } = await only(
      camt([
        { amount: '1.00', details: [back] },
        { amount: '2.00', direction: 'DBIT', reversal: true },
      ]),
    );
    const [returned, reversed] = entries.map((each) => each.details[0]);
    assert.deepEqual(
      [returned?.kind, returned?.returnReason, returned?.originalReference, returned?.counterpartyName],
      ['return', 'AC01', 'T1', 'Payee'],
    );
    assert.equal(reversed?.kind, 'reversal');
  });

  test('tells a return from a payment wherever it stands, and a reversal by both words for it', async () => {
    const back = txDtls('back', { after: '<RtrInf><Rsn><Cd>AC01</Cd></Rsn></RtrInf>' });
    const kinds = async (file: string) =>
      (await only(file)).entries.map((each) => each.details.map(({ kind }) => kind));
    // In a sum with others, and in what the bank reverses.
    assert.deepEqual(await kinds(camt([{ amount: '3.00', details: [txDtls('a'), back] }])), [['return']]);
    const reversed = camt([{ amount: '1.00', direction: 'DBIT', reversal: true, details: [back] }]);
    assert.deepEqual(await kinds(reversed), [['return']]);
    const plain = camt([{ amount: '1.00', direction: 'DBIT', reversal: true }]);
    for (const [word, kind] of [
      ['1', 'reversal'],
      ['0', 'payment'],
      ['false', 'payment'],
    ]) {
      assert.deepEqual(await kinds(plain.replace('>true<', `>${word}<`)), [[kind]], word);
    }
  });

  test('books nothing that is yet to be booked, and by the value date where no day of booking is given', async () => {
    for (const status of ['PDNG', 'FUTR']) {
      const { entries } = await only(camt([{ amount: '1.00', status }]));
      assert.equal(entries[0]?.status, 'pending', status);
    }
    const file = camt([{ amount: '1.00', booked: '2026-03-05', valued: '2026-03-06' }]);
    const [entry] = (await only(file.replace(/<BookgDt>.*?<\/BookgDt>/, ''))).entries;
    assert.deepEqual([entry?.bookingDate, entry?.valueDate], ['2026-03-06', '2026-03-06']);
  });

  test('is held against its balances where it begins with the closing balance of before', async () => {
    const file = camt([{ amount: '1.00' }], { opening: '-5.00', closing: '-4.00' }).replace('OPBD', 'PRCD');
    assert.deepEqual((await only(file)).end.opening?.minor, -500n);
    assert.deepEqual(await refusal(file.replace('>4.00<', '>4.01<')), ['balance_mismatch', 13]);
  });

  test('splits a batch only when its payments add up to it', async () => {
    const part = (text: string, amount: string, direction = 'CRDT') =>
      txDtls(text, { amount: `<Amt Ccy="USD">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>` });
    const read = async (details: string[]) =>
      (await only(camt([{ amount: '3.00', details }]))).entries[0]?.details.map((each) => [
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
    // What adds up by its digits alone: another way, another currency, an amount that is not there.
    assert.deepEqual(await read([part('a', '1.00'), part('b', '2.00', 'DBIT')]), [[300n, 'a\nb']]);
    const euros = txDtls('b', { amount: '<Amt Ccy="EUR">2.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>' });
    assert.deepEqual(await read([part('a', '1.00'), euros]), [[300n, 'a\nb']]);
    assert.deepEqual(await read([part('a', '3.01'), txDtls('b')]), [[300n, 'a\nb']]);
    // Of a single payment only the amount of the entry counts, whatever its own is.
    for (const own of ['2.00', '3.001']) assert.deepEqual(await read([part('a', own)]), [[300n, 'a']]);
  });

  test('takes no payment of a batch for all of it, where the others are not listed', async () => {
    const listed = (text: string) =>
      txDtls(text, {
        refs: `<PmtInfId>B</PmtInfId><EndToEndId>E</EndToEndId><UETR>${UETR}</UETR>`,
        amount: '<Amt Ccy="USD">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>',
        parties: '<Dbtr><Pty><Nm>Acme</Nm></Pty></Dbtr>',
      });
    const read = async (count: string, details: string[], amount = '3.00') => {
      const batch = `<Btch><PmtInfId>B</PmtInfId><NbOfTxs>${count}</NbOfTxs></Btch>`;
      const { entries } = await only(camt([{ amount, details: [batch, ...details] }]));
      return entries[0]?.details;
    };
    const whole = [{ ...NO_DETAILS, amountMinor: 300n, paymentInformationId: 'B' }];
    assert.deepEqual(await read('3', [listed('RF18 539007547034')]), whole);
    assert.deepEqual(await read('3', [listed('a'), listed('b')]), whole);
    assert.deepEqual(await read('3', []), whole);
    const next = '</NtryDtls><NtryDtls><Btch><NbOfTxs>2</NbOfTxs></Btch>';
    assert.deepEqual(await read('1', [listed('a'), next, listed('b')]), whole);
    // One that is of itself is what it says, whatever its own amount.
    const [alone] = (await read('1', [listed('a')])) ?? [];
    assert.deepEqual([alone?.amountMinor, alone?.endToEndId, alone?.remittanceText], [300n, 'E', 'a']);
    // What adds up to the entry is all of it.
    assert.equal((await read('3', [listed('a'), listed('b')], '2.00'))?.length, 2);
  });

  test('keeps of payments that are one what all of them say, all references, and the first conversion', async () => {
    const one = (text: string, id: string, more = '') =>
      txDtls(text, { refs: `<InstrId>I</InstrId><EndToEndId>${id}</EndToEndId>`, amount: more });
    const read = async (details: string[]) =>
      (await only(camt([{ amount: '100.00', details }]))).entries[0]?.details;
    const merged = await read([one('a', 'E1', exchange), one('b', 'E2')]);
    assert.deepEqual(
      merged?.map((each) => [each.instructionId, each.endToEndId, each.remittanceText, each.exchange?.rate]),
      [['I', null, 'a\nb', '1.086957']],
    );
    assert.equal((await read([one('a', 'E1'), one('b', 'E1', exchange)]))?.[0]?.exchange, null);
    assert.equal((await read([one('a', 'E1'), one('b', 'E1')]))?.[0]?.endToEndId, 'E1');
  });

  test('has the balances between pages at the ends of a page that is not the first, or not the last', async () => {
    const whole = camt([{ amount: '1.00' }], { opening: '5.00', closing: '6.00' });
    const ends = async (text: string) => {
      const { end } = await only(text);
      return [end.opening, end.closing].map((each) => [each?.minor, each?.isInterim === true]);
    };
    assert.deepEqual(await ends(whole), [
      [500n, false],
      [600n, false],
    ]);
    assert.deepEqual(await ends(whole.replace('OPBD', 'ITBD')), [
      [500n, true],
      [600n, false],
    ]);
    assert.deepEqual(await ends(whole.replace('CLBD', 'ITBD')), [
      [500n, false],
      [600n, true],
    ]);
    const inner = whole.replace('OPBD', 'ITBD').replace('CLBD', 'ITBD');
    assert.deepEqual(await ends(inner), [
      [500n, true],
      [600n, true],
    ]);
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
      [Buffer.from(`\ufeff${good}`, 'utf16le'), 'encoding_invalid', 1],
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
      ['statement_repeated', 14],
    );
  });

  test('is decoded as it declares', async () => {
    const file = camt([{ amount: '1.00', details: [txDtls('Müller €')] }]);
    const latin = file.replace('UTF-8', 'ISO-8859-1').replace('€', '\u0080');
    assert.equal(
      (await only(Buffer.from(latin, 'latin1'))).entries[0]?.details[0]?.remittanceText,
      'Müller €',
    );
    assert.equal((await only(`\ufeff${file}`)).entries[0]?.details[0]?.remittanceText, 'Müller €');
    assert.deepEqual(await refusal(Buffer.from(file.replace(' €', ''), 'latin1')), ['encoding_invalid', 10]);
  });
});
