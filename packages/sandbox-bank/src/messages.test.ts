import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { readAll } from '../../bank-formats/src/test-support.ts';
import { type AccountDay, notificationXml, statementXml } from './messages.ts';
import { type BankEntry, bankReferenceOf, entryIdOf, type HouseAccount, houseAccountOf } from './movement.ts';

const FILE = '0195f000-0000-7000-8000-0000000000f1';
const AT = '2026-03-04T14:30:00.000Z';
const UETR = 'eb6305c9-1f7f-49de-aed0-16487c27b42d';
const EURO: HouseAccount = {
  currency: 'EUR',
  account: 'DE89370400440532013000',
  isIban: true,
  holder: 'Firmquote Sandbox Client Money',
  bic: 'FQSBDE22XXX',
};
const YEN: HouseAccount = { ...EURO, currency: 'JPY', account: '9876543210', isIban: false, bic: null };

function entry(id: bigint, given: Partial<BankEntry> = {}): BankEntry {
  return {
    id,
    direction: 'credit',
    kind: 'payment',
    amountMinor: 100_00n,
    endToEndId: null,
    uetr: UETR,
    paymentInformationId: null,
    remittanceText: 'RF44260304001729',
    counterpartyName: 'Acme Ltd',
    counterpartyAccount: 'GB29NWBK60161331926819',
    originalId: null,
    returnReason: null,
    bookingDate: '2026-03-04',
    valueDate: '2026-03-04',
    ...given,
  };
}

const RETURN = entry(3n, {
  kind: 'return',
  endToEndId: 'RF44260304001729-2',
  paymentInformationId: 'RUN1P',
  originalId: 2n,
  returnReason: 'AC04',
  counterpartyAccount: '12-34 56',
});

describe('a notification', () => {
  test('says what was booked, and our own reader reads it', async () => {
    const debit = entry(2n, { direction: 'debit', endToEndId: 'RF44260304001729-2' });
    const fee = entry(9n, { kind: 'charge', direction: 'debit', amountMinor: 5n, uetr: null });
    const xml = notificationXml(FILE, AT, [
      { account: EURO, entries: [entry(1n), debit, RETURN, fee] },
      { account: YEN, entries: [entry(4n, { amountMinor: 1_234n })] },
    ]);
    const { format, statements } = await readAll(xml);
    assert.equal(format, 'camt');
    assert.deepEqual(
      statements.map(({ begin }) => [begin.kind, begin.account, begin.currency]),
      [
        ['notification', EURO.account, 'EUR'],
        ['notification', YEN.account, 'JPY'],
      ],
    );
    const [euro, yen] = statements.map((each) => each.entries);
    assert.deepEqual(
      euro?.map((each) => [each.direction, each.amountMinor, each.bankReference, each.transactionCode]),
      [
        ['credit', 100_00n, 'SBX000000000001', 'PMNT/RCDT/OTHR'],
        ['debit', 100_00n, 'SBX000000000002', 'PMNT/ICDT/OTHR'],
        ['credit', 100_00n, 'SBX000000000003', 'PMNT/ICDT/RRTN'],
        ['debit', 5n, 'SBX000000000009', 'ACMT/MDOP/CHRG'],
      ],
    );
    const [deposit, payout, back] = (euro ?? []).map((each) => each.details[0]);
    assert.deepEqual(
      [deposit?.remittanceText, deposit?.counterpartyName, deposit?.endToEndId, deposit?.uetr],
      ['RF44260304001729', 'Acme Ltd', null, UETR],
    );
    assert.deepEqual([payout?.kind, payout?.endToEndId], ['payment', 'RF44260304001729-2']);
    assert.deepEqual(
      [back?.kind, back?.returnReason, back?.originalReference, back?.paymentInformationId],
      ['return', 'AC04', 'SBX000000000002', 'RUN1P'],
    );
    assert.deepEqual([back?.counterpartyName, back?.counterpartyAccount], ['Acme Ltd', '123456']);
    assert.equal(yen?.[0]?.amountMinor, 1_234n);
  });

  test('is made of the same bytes again', () => {
    const made = () => notificationXml(FILE, AT, [{ account: EURO, entries: [entry(1n), RETURN] }]);
    assert.equal(made(), made());
  });

  test('holds any text, in the characters of banks and within their lengths', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
        async (remittanceText, counterpartyName) => {
          const reported = entry(1n, { remittanceText, counterpartyName });
          const xml = notificationXml(FILE, AT, [{ account: EURO, entries: [reported] }]);
          assert.doesNotMatch(xml, /[^\n\x20-\x7e]/);
          for (const [, text] of xml.matchAll(/<(?:Ustrd|Nm)>([^<]*)</g)) {
            assert.ok((text ?? '').replaceAll(/&\w+;/g, '_').length <= 140);
          }
          const { statements } = await readAll(xml);
          assert.equal(statements[0]?.entries[0]?.amountMinor, 100_00n);
        },
      ),
      { numRuns: 50 },
    );
    const long = notificationXml(FILE, AT, [
      { account: EURO, entries: [entry(1n, { remittanceText: `${'x'.repeat(135)} RF44260304001729` })] },
    ]);
    const { statements } = await readAll(long);
    assert.match(
      statements[0]?.entries[0]?.details[0]?.remittanceText?.replaceAll('\n', '') ?? '',
      /RF44260304001729/,
    );
  });
});

function statement(account: HouseAccount, entries: readonly BankEntry[], number = 1): AccountDay {
  const moved = entries.reduce(
    (sum, each) => sum + (each.direction === 'credit' ? each.amountMinor : -each.amountMinor),
    0n,
  );
  const openingMinor = -50_00n;
  return {
    id: `0195f000-0000-7000-8000-00000000000${number}`,
    ...{ account, entries, number, openingMinor },
    closingMinor: openingMinor + moved,
    day: '2026-03-04',
  };
}

test('a statement has balances that add up, and its number', async () => {
  const xml = statementXml(FILE, AT, [
    statement(EURO, [entry(1n), RETURN], 7),
    statement(YEN, [entry(2n, { direction: 'debit', amountMinor: 3n })], 1),
  ]);
  const { statements } = await readAll(xml);
  assert.deepEqual(
    statements.map(({ end }) => [end.number, end.opening?.minor, end.closing?.minor, end.from, end.to]),
    [
      [7n, -50_00n, 150_00n, '2026-03-04', '2026-03-04'],
      [1n, -50_00n, -50_03n, '2026-03-04', '2026-03-04'],
    ],
  );
});

test('both are what the schemas say', (t) => {
  const schemas = new URL('../../../../shared/data/statements/xsd/', import.meta.url);
  if (spawnSync('xmllint', ['--version']).status !== 0 || !existsSync(schemas)) {
    t.skip('xmllint or the schemas are not on this machine');
    return;
  }
  const strange = entry(5n, { remittanceText: `Müller & <Co>\n${'y'.repeat(400)}`, counterpartyName: '§' });
  const entries = [entry(1n), RETURN, strange, entry(6n, { kind: 'interest', counterpartyName: null })];
  for (const [schema, input] of [
    ['camt.054.001.08', notificationXml(FILE, AT, [{ account: EURO, entries }])],
    ['camt.053.001.08', statementXml(FILE, AT, [statement(EURO, entries), statement(YEN, [entry(7n)])])],
  ] as const) {
    const path = fileURLToPath(new URL(`${schema}.xsd`, schemas));
    const checked = spawnSync('xmllint', ['--noout', '--schema', path, '-'], { input });
    assert.equal(checked.status, 0, checked.stderr.toString());
  }
});

test('references and accounts', () => {
  assert.equal(bankReferenceOf(42n), 'SBX000000000042');
  assert.equal(entryIdOf('SBX000000000042'), 42n);
  assert.equal(entryIdOf(bankReferenceOf(10n ** 15n)), 10n ** 15n);
  for (const other of ['SBX42', 'B-1', 'SBX00000000004x', `SBX${'9'.repeat(30)}`]) {
    assert.equal(entryIdOf(other), undefined, other);
  }
  assert.equal(houseAccountOf('USD', '{"accountHolder":"X"}'), undefined);
  assert.deepEqual(houseAccountOf('USD', '{"accountHolder":"X","accountNumber":"12","bic":null}'), {
    ...{ currency: 'USD', account: '12', isIban: false, holder: 'X', bic: null },
  });
});
