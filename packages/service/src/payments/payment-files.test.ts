import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Speed } from '@firmquote/api/operations/settlement-runs';
import {
  clearingMember,
  countryOfBank,
  type FileParty,
  type PaymentFile,
  writePain001,
  writePaymentCsv,
} from '@firmquote/bank-formats';
import { findCurrency, formatUnits } from '@firmquote/fx';
import type { DuePayment } from './due-payments.ts';
import { exclusionOf } from './exclusions.ts';
import { attemptsKey, type EarlierInstructions, type PlannedPayment, planPayments } from './plan-payments.ts';

const SCHEMA = fileURLToPath(
  new URL('../../../../../shared/data/statements/xsd/pain.001.001.09.xsd', import.meta.url),
);

let made = 0;
const due = (given: Partial<DuePayment> = {}): DuePayment => {
  made += 1;
  return {
    customer_id: '0195f000-0000-7000-8000-000000000001',
    transaction_id: `0195f000-0000-7000-8000-${String(made).padStart(12, '0')}`,
    withdrawal_id: null,
    return_id: null,
    reference: `RF${String(made).padStart(14, '0')}`,
    client_reference: null,
    purpose: 'payout',
    attempt: 1,
    amount_minor: '12345',
    destination_id: '0195f000-0000-7000-8000-000000000002',
    account_holder: 'Acme GmbH',
    bank_name: null,
    bank_country: null,
    bic: null,
    iban: 'DE75512108001245126199',
    account_number: null,
    routing_number: null,
    lei: null,
    postal_address: null,
    netting: false,
    exclusion: null,
    ...given,
  };
};
const AMERICAN = {
  iban: null,
  account_number: '000123-4567',
  routing_number: '021000021',
  bank_country: 'US',
} as const;
const DEBTOR: FileParty = {
  name: 'Our House B.V.',
  iban: 'NL91ABNA0417164300',
  accountNumber: null,
  bic: 'ABNANL2A',
  routingNumber: null,
  bankName: null,
  bankCountry: null,
  lei: '529900T8BM49AURSDO55',
  address: [
    ['StrtNm', 'Damrak'],
    ['BldgNb', '1'],
    ['PstCd', '1012 LG'],
    ['TwnNm', 'Amsterdam'],
    ['Ctry', 'NL'],
  ],
};

function currencyOf(code: string) {
  const currency = findCurrency(code);
  assert(currency !== undefined);
  return currency;
}
/** Nothing was instructed before. */
const NEW: EarlierInstructions = { numbers: new Map(), kept: new Map() };
const planOf = (payments: readonly DuePayment[], currency = 'EUR', speed: Speed = 'normal') =>
  planPayments(payments, currencyOf(currency), NEW, { hasIban: true, speed });

function fileOf(plan: readonly PlannedPayment[], currency = 'EUR'): PaymentFile {
  return {
    messageId: 'FQ1',
    createdAt: '2026-03-06T09:00:00.000Z',
    currency,
    executionDate: '2026-03-06',
    chargeBearer: 'shared',
    debtor: DEBTOR,
    payments: plan.map((each) => each.payment),
  };
}

const sum = (amounts: readonly string[]) =>
  formatUnits(
    amounts.reduce((total, each) => total + BigInt(each.replace('.', '')), 0n),
    2,
  );
const xmlOf = (payments: readonly DuePayment[], currency = 'EUR', speed: Speed = 'normal') =>
  writePain001(fileOf(planOf(payments, currency, speed), currency), sum);
const inside = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map((match) => match[1] ?? '');

describe('netting', () => {
  const netted = (given: Partial<DuePayment> = {}) => due({ netting: true, ...given });
  const shape = (payments: readonly DuePayment[]) =>
    planOf(payments).map((each) => [each.amountMinor, each.payment.endToEndId, each.payment.remittance]);

  test('makes one payment of two payouts to one account, under the reference of the first', () => {
    const [one, two] = [netted({ client_reference: 'A-1' }), netted({ amount_minor: '55' })];
    assert.deepEqual(shape([one, two]), [
      [12_400n, `${one.reference}-N`, `${one.reference} ${two.reference}`],
    ]);
  });

  test('leaves a single payout what it is', () => {
    const one = netted({ client_reference: 'A-1' });
    assert.deepEqual(shape([one]), [[12_345n, one.reference, `${one.reference} A-1`]]);
    assert.equal(planOf([due(), due()]).length, 2, 'who does not want it has one each');
  });

  test('puts together payouts alone, and only to one account of one customer', () => {
    const first = netted();
    for (const other of [
      { purpose: 'refund' },
      { purpose: 'withdrawal' },
      { customer_id: '0195f000-0000-7000-8000-000000000009' },
      { iban: 'FR1420041010050500013M02606' },
      { iban: null, account_number: 'DE75512108001245126190' },
      { bic: 'COBADEFFXXX' },
      { routing_number: '021000021' },
      { account_holder: 'Acme Ltd' },
    ] as const) {
      assert.equal(planOf([first, netted(other)]).length, 2, JSON.stringify(other));
    }
    assert.equal(
      planOf([first, netted(AMERICAN), netted(AMERICAN)]).length,
      2,
      'by number where there is no IBAN',
    );
  });

  test('counts what does not fit into 140 characters', () => {
    const text = (count: number) => {
      const payments = Array.from({ length: count }, () => netted());
      return {
        reported: planOf(payments)[0]?.payment.remittance,
        references: payments.map((each) => each.reference),
      };
    };
    // Eight references of 16 characters are 135, nine are 152.
    const [eight, nine] = [text(8), text(9)];
    assert.equal(eight.reported, eight.references.join(' '));
    assert.equal(nine.reported, `${nine.references.slice(0, 7).join(' ')} AND 2 MORE`);
  });

  test('numbers what was instructed before', () => {
    const [payout, refund] = [due(), due({ purpose: 'refund' })];
    const ids = [payout, refund].map((each) => each.transaction_id ?? '');
    const numbers = new Map(ids.map((id, index) => [id, index + 1]));
    const plan = planPayments(
      [payout, refund],
      currencyOf('EUR'),
      { numbers, kept: new Map() },
      { hasIban: true, speed: 'normal' },
    );
    assert.deepEqual(
      plan.map((each) => each.payment.endToEndId),
      [`${payout.reference}-2`, `${refund.reference}-R3`],
    );
  });
});

test('a payment that is made again is called as before, and another attempt is not', () => {
  const [first, other] = [due(), due()];
  const before = { endToEndId: 'BEFORE', uetr: '0195f000-0000-4000-8000-000000000001' };
  const earlier = { numbers: new Map(), kept: new Map([[attemptsKey([first]), before]]) };
  const idsOf = (payments: readonly DuePayment[]) =>
    planPayments(payments, currencyOf('EUR'), earlier, { hasIban: true, speed: 'normal' }).map(
      ({ payment }) => [payment.endToEndId, payment.uetr === before.uetr],
    );
  assert.deepEqual(idsOf([first, other]), [
    ['BEFORE', true],
    [other.reference, false],
  ]);
  assert.deepEqual(idsOf([{ ...first, attempt: 2 }]), [[first.reference, false]]);
  const netted = [first, other].map((each) => ({ ...each, netting: true }));
  assert.deepEqual(idsOf(netted), [[`${first.reference}-N`, false]], 'nor is what pays for more');
});

describe('a payment file', () => {
  test('says how each payment travels: service level, priority, local instrument', () => {
    const french = due({ iban: 'FR1420041010050500013M02606' });
    const types = (payments: readonly DuePayment[], currency?: string, speed?: Speed) =>
      inside(xmlOf(payments, currency, speed), 'PmtTpInf');
    assert.deepEqual(types([french]), ['<SvcLvl><Cd>SEPA</Cd></SvcLvl>']);
    assert.deepEqual(types([french], 'EUR', 'instant'), [
      '<SvcLvl><Cd>SEPA</Cd></SvcLvl><LclInstrm><Cd>INST</Cd></LclInstrm>',
    ]);
    const urgent = '<InstrPrty>HIGH</InstrPrty><SvcLvl><Cd>URGP</Cd></SvcLvl>';
    assert.deepEqual(types([french], 'EUR', 'urgent'), [urgent]);
    assert.deepEqual(types([due(AMERICAN)], 'USD'), [
      '<InstrPrty>NORM</InstrPrty><SvcLvl><Cd>NURG</Cd></SvcLvl>',
    ]);
    assert.deepEqual(types([due(AMERICAN)], 'USD', 'instant'), [
      '<InstrPrty>NORM</InstrPrty><SvcLvl><Cd>NURG</Cd></SvcLvl>',
    ]);
    assert.deepEqual(types([due(AMERICAN)], 'USD', 'urgent'), [urgent]);
  });

  test('sends as urgent what is more than SEPA takes, to the cent', () => {
    const schemes = (amount: string) =>
      planOf([due({ amount_minor: amount })]).map((each) => each.payment.scheme);
    assert.deepEqual(schemes('99999999999'), ['sepa']);
    assert.deepEqual(schemes('100000000000'), ['urgent']);
    const xml = xmlOf([due({ amount_minor: '100000000000' }), due()]);
    assert.deepEqual(inside(xml, 'PmtInfId'), ['FQ1S', 'FQ1U']);
    assert.deepEqual(inside(xml, 'ChrgBr'), ['SLEV', 'SHAR']);
  });

  test('counts and sums the payments of each block, and of all of them', () => {
    const large = '100000000000';
    const payments = [due(), due({ amount_minor: large }), due(AMERICAN), due({ amount_minor: '55' })];
    const xml = xmlOf(payments);
    const ids = inside(xml, 'PmtInf').map((block) => inside(block, 'EndToEndId'));
    const [first, urgent, plain, last] = payments.map((each) => each.reference);
    assert.deepEqual(ids, [[first, last], [urgent], [plain]]);
    assert.deepEqual(inside(xml, 'NbOfTxs'), ['4', '2', '1', '1']);
    assert.deepEqual(inside(xml, 'CtrlSum'), ['1000000247.45', '124.00', '1000000000.00', '123.45']);
  });

  test('says what each payment is for', () => {
    const purposes = ['payout', 'refund', 'withdrawal', 'deposit_return'] as const;
    assert.deepEqual(
      inside(xmlOf(purposes.map((purpose) => due({ purpose }))), 'Purp'),
      ['FREX', 'REFU', 'CASH', 'REFU'].map((code) => `<Cd>${code}</Cd>`),
    );
  });

  test('is SEPA from IBAN to IBAN of its countries alone', () => {
    const scheme = (given: Partial<DuePayment>, hasIban = true) =>
      planPayments([due(given)], currencyOf('EUR'), NEW, { hasIban, speed: 'instant' })[0]?.payment.scheme;
    assert.equal(scheme({}), 'instant');
    assert.equal(scheme({ iban: 'TR330006100519786457841326' }), 'plain');
    assert.equal(scheme({ iban: null, account_number: '4711' }), 'plain');
    assert.equal(scheme({}, false), 'plain');
  });

  test('names the clearing system beside the number of its member', () => {
    const member = (given: Partial<DuePayment>, currency = 'USD') =>
      inside(xmlOf([due({ iban: null, account_number: '12345678', ...given })], currency), 'ClrSysMmbId');
    assert.deepEqual(member({ routing_number: '021000021', bank_country: 'US' }), [
      '<ClrSysId><Cd>USABA</Cd></ClrSysId><MmbId>021000021</MmbId>',
    ]);
    assert.deepEqual(member({ routing_number: '20-00-00', bic: 'BARCGB22' }, 'GBP'), [
      '<ClrSysId><Cd>GBDSC</Cd></ClrSysId><MmbId>200000</MmbId>',
    ]);
    // A number that is none of the country's, and a country that is not known.
    assert.deepEqual(member({ routing_number: '12-34', bank_country: 'US' }), ['<MmbId>12-34</MmbId>']);
    assert.deepEqual(member({ routing_number: '021000021' }), ['<MmbId>021000021</MmbId>']);
    assert.deepEqual(clearingMember('hdfc0000001', 'IN'), { system: 'INFSC', member: 'HDFC0000001' });
    assert.equal(countryOfBank({ bankCountry: null, bic: null, iban: 'FR14' }), 'FR');
  });

  test('says where the bank is, and in SEPA nothing but its BIC', () => {
    const agents = (given: Partial<DuePayment>, currency: string) =>
      inside(xmlOf([due(given)], currency), 'CdtrAgt');
    assert.deepEqual(agents({ ...AMERICAN, bank_name: 'Bank & Co', bic: 'CHASUS33' }, 'USD'), [
      '<FinInstnId><BICFI>CHASUS33</BICFI><ClrSysMmbId><ClrSysId><Cd>USABA</Cd></ClrSysId><MmbId>021000021</MmbId></ClrSysMmbId><Nm>Bank + Co</Nm><PstlAdr><Ctry>US</Ctry></PstlAdr></FinInstnId>',
    ]);
    const german = { bic: 'COBADEFFXXX', bank_name: 'Bank', bank_country: 'DE' };
    assert.deepEqual(agents(german, 'EUR'), ['<FinInstnId><BICFI>COBADEFFXXX</BICFI></FinInstnId>']);
    assert.deepEqual(agents({ bank_name: 'Bank' }, 'EUR'), []);
  });

  test('holds the address by its elements, or hybrid, and the LEI of the payee', () => {
    const address = {
      streetName: 'Hauptstr.',
      buildingNumber: '5',
      postalCode: '10115',
      townName: 'Berlin',
      country: 'DE',
    };
    const lei = '529900T8BM49AURSDO55';
    const [creditor] = inside(xmlOf([due({ postal_address: JSON.stringify(address), lei })]), 'Cdtr');
    assert.equal(
      creditor,
      `<Nm>Acme GmbH</Nm><PstlAdr><StrtNm>Hauptstr.</StrtNm><BldgNb>5</BldgNb><PstCd>10115</PstCd><TwnNm>Berlin</TwnNm><Ctry>DE</Ctry></PstlAdr><Id><OrgId><LEI>${lei}</LEI></OrgId></Id>`,
    );
    const hybrid = { townName: 'Berlin', country: 'DE', addressLines: ['Hauptstr. 5', 'Hof 2'] };
    const [other] = inside(xmlOf([due({ postal_address: JSON.stringify(hybrid) })]), 'Cdtr');
    assert.match(
      other ?? '',
      /<TwnNm>Berlin<\/TwnNm><Ctry>DE<\/Ctry><AdrLine>Hauptstr\. 5<\/AdrLine><AdrLine>Hof 2<\/AdrLine>/,
    );
  });

  test('leaves out an account whose bank is of another country', () => {
    const reasons = (given: Partial<DuePayment>) => exclusionOf(due(given)) ?? null;
    assert.deepEqual(reasons({ bic: 'BNPAFRPP' }), 'bank_country_differs');
    assert.deepEqual(reasons({ bank_country: 'FR' }), 'bank_country_differs');
    assert.deepEqual(reasons({ bic: 'COBADEFF', bank_country: 'DE' }), null);
    // Banks of Jersey and Réunion have the IBANs of Britain and France.
    assert.deepEqual(reasons({ iban: 'GB29NWBK60161331926819', bic: 'RBOSJESX' }), null);
    assert.deepEqual(reasons({ iban: 'FR1420041010050500013M02606', bic: 'BNPAREX1' }), null);
  });

  test('as a list names bank country and scheme', () => {
    const csv = writePaymentCsv(fileOf(planOf([due(), due({ amount_minor: '100000000000' })])), sum);
    const [head = '', ...lines] = csv.split('\r\n').map((line) => line.split(','));
    const column = (name: string) => lines.slice(0, 2).map((line) => line[head.indexOf(name)]);
    assert.deepEqual(
      [column('bankCountry'), column('scheme')],
      [
        ['DE', 'DE'],
        ['sepa', 'urgent'],
      ],
    );
    assert.equal(lines[2]?.length, head.length);
  });

  test('is valid for the schema, however the payments travel', (t) => {
    if (!existsSync(SCHEMA)) return t.skip(`no schema at ${SCHEMA}`);
    if (spawnSync('xmllint', ['--version']).error !== undefined) return t.skip('xmllint is not installed');
    const address = JSON.stringify({ townName: 'Berlin', country: 'DE', addressLines: ['Hauptstr. 5'] });
    const payments = [
      due({ bic: 'COBADEFFXXX', lei: '529900T8BM49AURSDO55', postal_address: address }),
      due({ amount_minor: '100000000000' }),
      due({ ...AMERICAN, bank_name: 'Bank', postal_address: address, lei: '529900T8BM49AURSDO55' }),
      due({ ...AMERICAN, bic: 'CHASUS33XXX' }),
      due({ iban: null, account_number: '1/2-3456', routing_number: '200000', bank_country: 'GB' }),
      due({ purpose: 'refund' }),
    ];
    for (const speed of ['normal', 'instant', 'urgent'] as const) {
      for (const currency of ['EUR', 'USD']) {
        const input = xmlOf(payments, currency, speed);
        const checked = spawnSync('xmllint', ['--noout', '--nonet', '--schema', SCHEMA, '-'], { input });
        assert.equal(checked.status, 0, checked.stderr.toString());
      }
    }
  });
});
