import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { REMITTANCE_MAX, type TransactionDetails } from '@firmquote/bank-formats';
import { makeReference } from '@firmquote/fx';
import { completed, contradictions, differences, withText } from './complete-entry.ts';
import { fingerprintOf } from './fingerprint.ts';

const EMPTY: TransactionDetails = {
  kind: 'payment',
  amountMinor: 1_000n,
  endToEndId: null,
  uetr: null,
  instructionId: null,
  paymentInformationId: null,
  detailReference: null,
  structuredReferences: [],
  remittanceText: null,
  counterpartyName: null,
  counterpartyAccount: null,
  creditedAccount: null,
  returnReason: null,
  originalReference: null,
  exchange: null,
};
const fingerprint = (detail: Partial<TransactionDetails>, bookingDate = '2026-03-04') =>
  fingerprintOf(
    {
      direction: 'credit',
      status: 'booked',
      currency: 'USD',
      amountMinor: 1_000n,
      bookingDate,
      bankReference: 'R-1',
    },
    { ...EMPTY, ...detail },
    { id: 'a', entryId: 'b', number: 1, payments: 1 },
  );
const between = (one: Partial<TransactionDetails>, other: Partial<TransactionDetails>) => {
  const [a, b] = [fingerprint(one), fingerprint(other)];
  assert.deepEqual(contradictions(b, a), contradictions(a, b), 'in either order');
  return contradictions(a, b);
};

describe('two tellings contradict each other', () => {
  test('in who paid, to what and for which trade', () => {
    assert.deepEqual(between({ counterpartyName: 'Acme Ltd' }, { counterpartyName: 'Zenith AG' }), [
      'counterpartyName',
    ]);
    assert.deepEqual(
      between({ counterpartyAccount: 'DE75512108001245126199' }, { counterpartyAccount: '4711' }),
      ['counterpartyAccount'],
    );
    assert.deepEqual(between({ creditedAccount: 'VA1' }, { creditedAccount: 'VA2' }), ['creditedAccount']);
    assert.deepEqual(between({ endToEndId: 'E-1' }, { endToEndId: 'E-2' }), ['endToEndId']);
    const [one, other] = [makeReference(1n), makeReference(2n)];
    const text = (reference: string) => `payment for ${reference}`;
    assert.deepEqual(between({ remittanceText: text(one) }, { remittanceText: text(other) }), [
      'remittanceText',
    ]);
    for (const [one, other] of [
      ['March rent', 'Invoice 12'],
      // Words of two letters are in any text.
      ['AB 123 rent', 'AB 987 hire'],
    ] as const) {
      assert.deepEqual(between({ remittanceText: one }, { remittanceText: other }), ['remittanceText']);
    }
    assert.deepEqual(between({ uetr: 'u-1' }, { uetr: 'u-2' }), ['uetr']);
    assert.deepEqual(between({ originalReference: 'O-1' }, { originalReference: 'O-2' }), [
      'originalReference',
    ]);
  });

  test('and not in how banks write it', () => {
    for (const [one, other] of [
      [{ counterpartyName: 'Müller Handels GmbH' }, { counterpartyName: 'MUELLER HANDELS' }],
      [{ counterpartyAccount: 'NL56AGDH0619008421' }, { counterpartyAccount: '619008421' }],
      [{ endToEndId: 'LONG-IDENTIFIER-1234567' }, { endToEndId: 'LONGIDENTIFIER123' }],
      [{ remittanceText: 'Invoice 12 of March' }, { remittanceText: 'SVWZ INVO ICE 12 OF MARCH' }],
      [{ remittanceText: 'Invoice 12', counterpartyName: 'Acme' }, {}],
      [{ remittanceText: 'Invoice 12 of March' }, { remittanceText: 'THE INVOICENUMBER 99' }],
      [{ remittanceText: 'A B 12' }, { remittanceText: 'XX A B 12 YY' }],
      [{ remittanceText: 'abc 1 rent' }, { remittanceText: 'abc 2 hire' }],
      [{ remittanceText: 'payment' }, { remittanceText: `payment for ${makeReference(1n)}` }],
      [
        { remittanceText: `for ${makeReference(1n)}` },
        { structuredReferences: [makeReference(1n), makeReference(2n)] },
      ],
      [
        { detailReference: 'D-1', instructionId: 'I-1' },
        { detailReference: 'D-2', instructionId: 'I-2' },
      ],
    ] as const) {
      assert.deepEqual(between(one, other), [], JSON.stringify([one, other]));
    }
  });
});

/** Fields that a later report fills, each by itself. */
const FILLED = [
  ['endToEndId', true],
  ['uetr', false],
  ['instructionId', false],
  ['paymentInformationId', false],
  ['detailReference', false],
  ['counterpartyName', true],
  ['counterpartyAccount', true],
  ['creditedAccount', true],
  ['returnReason', false],
  ['originalReference', false],
] as const;

describe('what is reported later completes an entry', () => {
  const known = { ...EMPTY, remittanceText: 'first line' };

  for (const [name, isMatchedBy] of FILLED) {
    test(`by ${name} where it has none, and never where it has one`, () => {
      const later = { ...EMPTY, [name]: 'LATER' };
      assert.deepEqual(completed(known, later), {
        detail: { ...known, [name]: 'LATER' },
        fields: [name],
        isMatchedBy,
      });
      const reported = { ...known, [name]: 'FIRST' };
      for (const other of [later, EMPTY]) {
        assert.deepEqual(completed(reported, other), { detail: reported, fields: [], isMatchedBy: false });
      }
    });
  }

  test('by the references that it lacks, however those that it has are spelt', () => {
    const reported = { ...known, structuredReferences: ['4711', 'RF18 5390'] };
    const later = { ...EMPTY, structuredReferences: ['rf185390', 'RF71 2348', '0815'] };
    assert.deepEqual(completed(reported, later), {
      detail: { ...reported, structuredReferences: [...reported.structuredReferences, 'RF71 2348', '0815'] },
      fields: ['structuredReferences'],
      isMatchedBy: true,
    });
    const same = { ...EMPTY, structuredReferences: ['RF 185390'] };
    assert.deepEqual(completed(reported, same), { detail: reported, fields: [], isMatchedBy: false });
  });

  test('by lines of text and by what was exchanged', () => {
    assert.deepEqual(completed(known, { ...EMPTY, remittanceText: 'second line' }), {
      detail: { ...known, remittanceText: 'first line\nsecond line' },
      fields: ['remittanceText'],
      isMatchedBy: true,
    });
    const exchange = {
      ...{ sourceCurrency: 'EUR', targetCurrency: 'USD', unitCurrency: 'EUR', rate: '1.1' },
      ...{ originalAmount: '10.00', originalCurrency: 'EUR' },
    };
    const other = { ...exchange, rate: '1.2' };
    const expected = { detail: { ...known, exchange }, fields: ['exchange'], isMatchedBy: false };
    assert.deepEqual(completed(known, { ...EMPTY, exchange }), expected);
    for (const later of [{ ...EMPTY, exchange: other }, EMPTY]) {
      assert.deepEqual(completed({ ...known, exchange }, later), { ...expected, fields: [] });
    }
  });
});

test('a text gets the lines that it does not say yet, as long as all of them fit', () => {
  for (const [known, reported, text] of [
    [null, null, null],
    ['a b', null, 'a b'],
    [null, 'a b', 'a b'],
    ['Invoice 12', 'INV OICE 12\nMarch\n--', 'Invoice 12\nMarch'],
    ['Invoice 12', 'invoice', 'Invoice 12'],
  ] as const) {
    assert.equal(withText(known, reported), text, JSON.stringify([known, reported]));
  }
  const line = 'b'.repeat(9);
  const room = 'a'.repeat(REMITTANCE_MAX - line.length - 1);
  assert.equal(withText(room, line), `${room}\n${line}`, 'just as much as there is room for');
  assert.equal(withText(`${room}a`, line), `${room}a`);
});

test('the fields in which two tellings differ are those that both have, whatever blanks and case', () => {
  const between = (one: Partial<TransactionDetails>, other: Partial<TransactionDetails>, day?: string) => {
    const [a, b] = [fingerprint(one), fingerprint(other, day)];
    assert.deepEqual(differences(b, a), differences(a, b), 'in either order');
    return differences(a, b);
  };
  for (const [name] of FILLED) {
    assert.deepEqual(between({ [name]: 'A 1' }, { [name]: 'A 2' }), [name]);
    assert.deepEqual(between({ [name]: 'A 1' }, { [name]: 'a1' }), []);
    assert.deepEqual(between({ [name]: 'A 1' }, {}), []);
    // What has neither letters nor digits says nothing.
    assert.deepEqual(between({ [name]: 'A 1' }, { [name]: '--' }), []);
  }
  assert.deepEqual(between({}, {}, '2026-03-05'), ['bookingDate']);
  assert.deepEqual(between({ remittanceText: 'a 1' }, { remittanceText: 'a 2' }), ['remittanceText']);
  assert.deepEqual(between({ remittanceText: 'a 1' }, { structuredReferences: ['A1'] }), []);
  assert.deepEqual(between({ remittanceText: 'a 1' }, {}), []);
});
