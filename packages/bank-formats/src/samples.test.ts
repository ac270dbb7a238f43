import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { formatUnits } from '@firmquote/fx';
import { StatementRefusal } from './refusal.ts';
import { readAll } from './test-support.ts';

const SAMPLES = new URL('../../../../shared/data/statements/', import.meta.url);

/** Entries; sums of credits and debits; opening and closing balance of each statement, `-` where it has none. */
type Accepted = readonly [entries: number, credits: string, debits: string, balances: string];
type Refused = readonly [reason: string, line: number | undefined];

const ASNB =
  '444.29>379.29 379.29>379.29 379.29>379.29 379.29>379.29 379.29>577.74 577.74>577.74 577.74>577.74 577.74>577.74';

/**
 * What becomes of every sample. Several are cuttings of a tag or two, or have had their amounts altered by those who
 * published them: the books of these do not add up, and are refused for it.
 */
const EXPECTED: Readonly<Record<string, Accepted | Refused>> = {
  'camt-genkgo/camt053.v2.five.decimals.xml': ['balance_mismatch', 107],
  'camt-genkgo/camt053.v2.minimal.ultimate.xml': [1, '8.85', '0.00', '18.15>-27.00'],
  'camt-genkgo/camt053.v2.minimal.xml': [1, '8.85', '0.00', '18.15>-27.00'],
  'camt-genkgo/camt053.v2.multi.statement.xml': [2, '8.85', '7.00', '18.15>27.00 27.00>20.00'],
  'camt-genkgo/camt053.v2.with-account-name.xml': [1, '8.85', '0.00', '->-'],
  'camt-genkgo/camt053.v2.with-party-ids.xml': [1, '8.85', '0.00', '18.15>-27.00'],
  'camt-genkgo/camt053.v2.wrong.xml': ['no_statement', undefined],
  // The second and last page of a statement: its balances are not those of its entries.
  'camt-genkgo/camt053.v4.xml': [1, '8.85', '0.00', '->-'],
  'camt-genkgo/camt053.v8.xml': [1, '8.85', '0.00', '->-'],
  'camt-genkgo/camt054.v2.with-account-name.xml': [1, '0.00', '200000.00', '->-'],
  'camt-genkgo/camt054.v2.xml': [1, '0.00', '200000.00', '->-'],
  'camt-genkgo/camt054.v8-with-financial-institution.xml': [1, '0.00', '200000.00', '->-'],
  // Three payments in francs below an entry in kronor: they do not divide it, so it stays one.
  'camt-genkgo/camt054.v8.xml': [1, '0.00', '200000.00', '->-'],
  'camt-genkgo/camt53.only-Dt-with-DtTm.xml': [0, '0.00', '0.00', '5442.09>-'],
  'mt940-wolph/ASNB/mt940.txt': [8, '2828.90', '2771.96', ASNB],
  'mt940-wolph/ASNB/mt940_with_spaces_for_entry_date.txt': [8, '2828.90', '2771.96', ASNB],
  'mt940-wolph/betterplace/amount_formats.sta': ['statement_incomplete', 1],
  'mt940-wolph/betterplace/currency_in_25.sta': ['statement_incomplete', 1],
  'mt940-wolph/betterplace/empty_86.sta': ['statement_incomplete', 1],
  'mt940-wolph/betterplace/empty_entry_date.sta': ['statement_incomplete', 1],
  'mt940-wolph/betterplace/empty_line.sta': ['statement_incomplete', 2],
  'mt940-wolph/betterplace/missing_crlf_at_end.sta': ['statement_incomplete', 1],
  'mt940-wolph/betterplace/sepa_snippet.sta': ['balance_mismatch', 25],
  'mt940-wolph/betterplace/sepa_snippet_broken.sta': ['field_invalid', 6],
  'mt940-wolph/betterplace/with_binary_character.sta': [
    4,
    '14215.30',
    '193282.05',
    '380115.77>199929.02 130073.19>131193.19',
  ],
  'mt940-wolph/cmxl/account_balance_credit.sta': ['statement_incomplete', 1],
  'mt940-wolph/cmxl/account_balance_debit.sta': ['statement_incomplete', 1],
  'mt940-wolph/cmxl/account_identification_iban.sta': ['statement_incomplete', 1],
  'mt940-wolph/cmxl/account_identification_legacy.sta': ['statement_incomplete', 1],
  'mt940-wolph/cmxl/available_balance.sta': ['statement_incomplete', 1],
  'mt940-wolph/cmxl/closing_balance.sta': ['statement_incomplete', 1],
  // A statement in marks is set aside; the others are in euros.
  'mt940-wolph/cmxl/mt940.sta': [5, '23040.00', '10800.00', '2187.95>4387.95 40000.00>50040.00'],
  'mt940-wolph/cmxl/reference.sta': ['statement_incomplete', 1],
  'mt940-wolph/cmxl/statement_details.sta': ['statement_incomplete', 1],
  'mt940-wolph/cmxl/statement_line.sta': ['statement_incomplete', 1],
  'mt940-wolph/cmxl/statement_number.sta': ['statement_incomplete', 1],
  'mt940-wolph/jejik/generic.sta': [2, '0.00', '20.00', '100.00>90.00 90.00>80.00'],
  'mt940-wolph/jejik/ing.sta': ['balance_mismatch', 4],
  'mt940-wolph/jejik/postfinance.sta': ['balance_mismatch', 15],
  'mt940-wolph/jejik/rabobank.sta': ['balance_mismatch', 2],
  'mt940-wolph/jejik/sns.sta': [2, '0.00', '25.00', '1234.56>1209.56 1209.56>1209.56'],
  'mt940-wolph/jejik/triodos.sta': ['balance_mismatch', 1],
  'mt940-wolph/mBank/mt942.sta': [3, '0.03', '0.00', '->-'],
  'mt940-wolph/mBank/with_newline_in_tnr.sta': ['balance_mismatch', 2],
  'mt940-wolph/self-provided/account_identification.sta': ['statement_incomplete', 1],
  'mt940-wolph/self-provided/details_60-63.sta': ['balance_mismatch', 1],
  'mt940-wolph/self-provided/empty_non_swift.sta': ['statement_incomplete', 1],
  'mt940-wolph/self-provided/gv_codes.sta': ['statement_incomplete', 1],
  'mt940-wolph/self-provided/invalid_statement.sta': ['format_unknown', undefined],
  'mt940-wolph/self-provided/long_statement_number.sta': [0, '0.00', '0.00', '0.00>0.00'],
  'mt940-wolph/self-provided/malformed_details.sta': ['balance_mismatch', 1],
  'mt940-wolph/self-provided/mt942.sta': ['totals_mismatch', 1],
  'mt940-wolph/self-provided/multiline.sta': ['field_invalid', 38],
  'mt940-wolph/self-provided/overly_long_details.sta': ['balance_mismatch', 1],
  'mt940-wolph/self-provided/raphaelm.sta': [0, '0.00', '0.00', ''],
  'mt940-wolph/self-provided/sparkassen.sta': ['statement_incomplete', 1],
  'mt940-wolph/self-provided/transaction_details_wrapped.sta': [1, '0.00', '6.00', '1200.00>1194.00'],
  'mt940-wolph/self-provided/whitespace.sta': ['balance_mismatch', 1],
  'mt940-wolph/self-provided/wrapped_timestamp.sta': [1, '0.00', '6.00', '1200.00>1194.00'],
};

const euros = (minor: bigint | undefined) => (minor === undefined ? '-' : formatUnits(minor, 2));

describe('samples of banks', () => {
  test('are accepted with exactly their entries, or refused with the reason', async (t) => {
    if (!existsSync(SAMPLES)) {
      t.skip('the sample statements are not on this machine');
      return;
    }
    for (const [name, expected] of Object.entries(EXPECTED)) {
      const content = await readFile(new URL(name, SAMPLES));
      let outcome: readonly unknown[];
      try {
        const { statements } = await readAll(content);
        const entries = statements.flatMap((each) => each.entries);
        const sum = (direction: string) =>
          entries
            .filter((each) => each.direction === direction)
            .reduce((all, each) => all + each.amountMinor, 0n);
        const balances = statements.map(
          ({ end }) => `${euros(end.opening?.minor)}>${euros(end.closing?.minor)}`,
        );
        outcome = [
          entries.flatMap((each) => each.details).length,
          euros(sum('credit')),
          euros(sum('debit')),
          balances.slice(0, name.includes('ASNB') ? 8 : undefined).join(' '),
        ];
      } catch (error) {
        if (!(error instanceof StatementRefusal)) throw error;
        outcome = [error.code, error.line];
      }
      assert.deepEqual(outcome, expected, name);
    }
  });

  test('are all in the table', async (t) => {
    if (!existsSync(SAMPLES)) {
      t.skip('the sample statements are not on this machine');
      return;
    }
    const found: string[] = [];
    for (const folder of ['camt-genkgo', 'mt940-wolph']) {
      const names = await readdir(new URL(folder, SAMPLES), { recursive: true });
      found.push(...names.filter((name) => /\.(xml|sta|txt)$/.test(name)).map((name) => `${folder}/${name}`));
    }
    assert.deepEqual(found.sort(), Object.keys(EXPECTED).sort());
  });

  test('keep every field', async (t) => {
    if (!existsSync(SAMPLES)) {
      t.skip('the sample statements are not on this machine');
      return;
    }
    const first = async (name: string) =>
      (await readAll(await readFile(new URL(name, SAMPLES)))).statements[0]?.entries[0];
    const asnb = await first('mt940-wolph/ASNB/mt940.txt');
    assert.deepEqual(
      [
        asnb?.bookingDate,
        asnb?.details[0]?.counterpartyAccount,
        asnb?.details[0]?.counterpartyName,
        asnb?.details[0]?.remittanceText,
        asnb?.details[0]?.instructionId,
      ],
      ['2020-01-01', 'NL47INGB9999999999', 'hr gjlm paulissen', 'Betaling sieraden', null],
    );
    const swiss = await first('camt-genkgo/camt054.v8.xml');
    assert.deepEqual(
      [
        swiss?.bankReference,
        swiss?.transactionCode,
        swiss?.details[0]?.paymentInformationId,
        swiss?.details[0]?.endToEndId,
      ],
      ['ACSR160617103200001', 'PMNT/ICDT/DMCT', 'UXC06170000006PI00001', null],
    );
    assert.deepEqual(swiss?.details[0]?.structuredReferences.length, 4);
    const belgian = await first('camt-genkgo/camt053.v8.xml');
    assert.deepEqual(belgian?.details[0], {
      kind: 'payment',
      amountMinor: 885n,
      endToEndId: 'MUELL/FINP/RA12345',
      uetr: null,
      instructionId: null,
      paymentInformationId: null,
      detailReference: null,
      structuredReferences: ['4654654654654654'],
      remittanceText: null,
      counterpartyName: 'NAME NAME',
      counterpartyAccount: 'NL56AGDH9619008421',
      creditedAccount: 'NL56AGDH9619008421',
      returnReason: null,
      originalReference: null,
      exchange: null,
    });
    const german = await first('mt940-wolph/self-provided/wrapped_timestamp.sta');
    assert.deepEqual([german?.valueDate, german?.bookingDate], ['2016-02-29', '2016-03-01'], '30 February');
  });
});
