import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { type WrittenEntry, writeCamt052, writeCamt053, writeCamt054 } from './camt-write.ts';
import { NO_DETAILS, type TransactionDetails } from './statement.ts';
import { only } from './test-support.ts';

const HEADER = { id: 'M1', createdAt: '2026-03-04T18:00:00Z' };
const ACCOUNT = {
  currency: 'EUR',
  account: 'DE89370400440532013000',
  isIban: true,
  holder: 'Our House B.V.',
  bic: 'COBADEFFXXX',
};

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const reference = fc.stringMatching(/^[A-Z][A-Z0-9]{4,30}$/);
const words = fc
  .array(fc.stringMatching(/^[A-Za-z0-9.,+()?:]{1,12}$/), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(' '))
  .filter((text) => /[A-Za-z1-9]{2}/.test(text));
const exchange = fc.constant({
  ...{ sourceCurrency: 'USD', targetCurrency: 'EUR', unitCurrency: 'EUR', rate: '1.08520' },
  ...{ originalAmount: '108.52', originalCurrency: 'USD' },
});

/** What the message has room for: only what came back has a reason, only a credit says what it was paid to. */
const details: fc.Arbitrary<TransactionDetails> = fc
  .record({
    kind: fc.constantFrom('payment', 'return' as const),
    amountMinor: fc.bigInt(1n, 10n ** 12n),
    endToEndId: orNull(reference),
    uetr: orNull(fc.uuid({ version: 4 })),
    instructionId: orNull(reference),
    paymentInformationId: orNull(reference),
    detailReference: orNull(reference),
    structuredReferences: fc.array(reference, { maxLength: 2 }),
    remittanceText: orNull(words),
    counterpartyName: orNull(words),
    counterpartyAccount: orNull(fc.constantFrom('GB29NWBK60161331926819', '1234567890')),
    returnReason: fc.constantFrom('AC04', 'MS03'),
    originalReference: reference,
    exchange: orNull(exchange),
  })
  .map(({ returnReason, originalReference, ...rest }) =>
    rest.kind === 'return'
      ? { ...NO_DETAILS, ...rest, returnReason, originalReference }
      : { ...NO_DETAILS, ...rest },
  );

const entry: fc.Arbitrary<WrittenEntry> = fc
  .record({
    direction: fc.constantFrom('credit', 'debit' as const),
    status: fc.constantFrom('booked', 'pending', 'information' as const),
    bookingDate: fc.constantFrom('2026-03-04', '2026-03-05'),
    valueDate: fc.constantFrom('2026-03-04', '2026-03-06'),
    bankReference: orNull(reference),
    transactionCode: fc.constantFrom('PMNT/RCDT/ESCT', 'NTRF'),
    details: fc.array(details, { minLength: 1, maxLength: 3 }),
  })
  .map((given) => ({
    ...given,
    amountMinor: given.details.reduce((sum, each) => sum + each.amountMinor, 0n),
  }));

describe('what is written is read again', () => {
  test('every entry with all of its details', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 4 }),
        fc.constantFrom(writeCamt052, writeCamt054),
        async (entries, write) => {
          const read = await only(write(HEADER, [{ id: 'P1', account: ACCOUNT, entries }]));
          assert.equal(read.begin.account, ACCOUNT.account);
          assert.deepEqual(
            read.entries.map(({ line: _, ...each }) => each),
            entries.map((each) => ({ ...each, currency: 'EUR' })),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test('a statement with its number and balances, which are held against its entries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 4 }), async (entries) => {
        const booked = entries.filter((each) => each.status === 'booked');
        const moved = booked.reduce(
          (sum, each) => sum + (each.direction === 'credit' ? each.amountMinor : -each.amountMinor),
          0n,
        );
        const balance = (minor: bigint) => ({ minor, currency: 'EUR', date: '2026-03-06' });
        const read = await only(
          writeCamt053(HEADER, [
            {
              id: 'S1',
              account: ACCOUNT,
              number: 7,
              opening: balance(-50n),
              closing: balance(moved - 50n),
              entries,
            },
          ]),
        );
        assert.deepEqual(
          [read.end.number, read.end.opening, read.end.closing],
          [7n, balance(-50n), balance(moved - 50n)],
        );
        assert.equal(read.entries.length, entries.length);
      }),
      { numRuns: 30 },
    );
  });

  test('a reversal, and to which account a credit was paid', async () => {
    const facts = { direction: 'credit', status: 'booked', amountMinor: 5n } as const;
    const dates = { bookingDate: '2026-03-04', valueDate: '2026-03-04' };
    const references = { bankReference: 'B1', transactionCode: 'PMNT/RCDT/ESCT' };
    const of = (given: Partial<TransactionDetails>): WrittenEntry => ({
      ...{ ...facts, ...dates, ...references },
      details: [{ ...NO_DETAILS, amountMinor: 5n, ...given }],
    });
    const entries = [
      of({ kind: 'reversal', counterpartyName: 'Acme Ltd' }),
      of({ creditedAccount: 'DE75512108001245126199' }),
    ];
    const read = await only(writeCamt054(HEADER, [{ id: 'P1', account: ACCOUNT, entries }]));
    assert.deepEqual(
      read.entries.map((each) => each.details),
      entries.map((each) => each.details),
    );
  });
});

test('messages are what the schemas say', (t) => {
  const schemas = new URL('../../../../shared/data/statements/xsd/', import.meta.url);
  if (spawnSync('xmllint', ['--version']).status !== 0 || !existsSync(schemas)) {
    t.skip('xmllint or the schemas are not on this machine');
    return;
  }
  const entries = fc.sample(entry, { numRuns: 40, seed: 1 });
  const parts = [{ id: 'P1', account: ACCOUNT, entries }];
  const balance = { minor: 0n, currency: 'EUR', date: '2026-03-06' };
  const statement = {
    ...{ id: 'S1', account: ACCOUNT, entries, number: 1 },
    opening: balance,
    closing: balance,
  };
  for (const [schema, input] of [
    ['camt.052.001.08', writeCamt052(HEADER, parts)],
    ['camt.053.001.08', writeCamt053(HEADER, [statement])],
    ['camt.054.001.08', writeCamt054(HEADER, parts)],
  ] as const) {
    const path = fileURLToPath(new URL(`${schema}.xsd`, schemas));
    const checked = spawnSync('xmllint', ['--noout', '--schema', path, '-'], { input });
    assert.equal(checked.status, 0, checked.stderr.toString());
  }
});
