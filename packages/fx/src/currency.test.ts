import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SaxesParser } from 'saxes';
import { CURRENCIES, currencyStatus, findCurrency } from './currency.ts';

test('the table is sorted, without repeats, and complete in its fields', () => {
  const codes = CURRENCIES.map((currency) => currency.code);
  assert.deepEqual(codes, [...new Set(codes)].sort());
  for (const currency of CURRENCIES) {
    assert.match(currency.code, /^[A-Z]{3}$/);
    if (currency.code !== 'CNH') assert.match(currency.numeric ?? '', /^[0-9]{3}$/, currency.code);
    assert.ok(currency.settlementIncrementMinor >= 1n);
    assert.equal(findCurrency(currency.code), currency);
  }
  const numbers = CURRENCIES.flatMap((currency) => currency.numeric ?? []);
  assert.equal(new Set(numbers).size, numbers.length);
});

test('the currencies that a desk is expected to trade are there', () => {
  const expected =
    'USD EUR GBP JPY CHF CAD AUD NZD SEK NOK DKK PLN CZK HUF MXN SGD HKD ZAR TRY CNH CNY INR AED KWD BHD OMR ' +
    'JOD QAR SAR TND ILS RON ISK KRW CLP COP KZT IDR THB TWD PHP PKR VND MYR BRL PEN ARS EGP MAD KES NGN GHS ' +
    'UGX XOF XAF RSD UAH GEL UYU';
  for (const code of expected.split(' ')) assert.equal(currencyStatus(code, '2026-03-04'), 'tradable', code);
});

test('CNH is tradable and has no number', () => {
  const cnh = findCurrency('CNH');
  assert.equal(cnh?.numeric, undefined);
  assert.equal(cnh?.minorUnits, 2);
});

test('a currency is withdrawn from the day after its last, and unknown before its first', () => {
  assert.equal(currencyStatus('HRK', '2022-12-31'), 'tradable');
  assert.equal(currencyStatus('HRK', '2023-01-01'), 'withdrawn');
  assert.equal(currencyStatus('BGN', '2025-12-31'), 'tradable');
  assert.equal(currencyStatus('BGN', '2026-01-01'), 'withdrawn');
  assert.equal(currencyStatus('EUR', '1998-12-31'), 'unknown');
  assert.equal(currencyStatus('EUR', '1999-01-01'), 'tradable');
  for (const code of ['XAU', 'XAG', 'CLF', 'XXX', 'usd', '', '__proto__']) {
    assert.equal(currencyStatus(code, '2026-03-04'), 'unknown', code);
  }
});

test('minor units other than two are those of ISO 4217', () => {
  const byUnits = (units: number) => CURRENCIES.filter((c) => c.minorUnits === units).map((c) => c.code);
  assert.deepEqual(byUnits(0), ['CLP', 'ISK', 'JPY', 'KRW', 'UGX', 'VND', 'XAF', 'XOF']);
  assert.deepEqual(byUnits(3), ['BHD', 'JOD', 'KWD', 'OMR', 'TND']);
  assert.deepEqual(byUnits(1), []);
});

test('a pip is the fourth decimal, except where the market has another', () => {
  const others: Record<number, string> = {
    0: 'VND',
    2: 'CLP COP HUF IDR ISK JPY KRW KZT',
    3: 'PHP PKR THB TWD',
    5: 'BHD OMR',
  };
  const digitsOf = new Map(
    Object.entries(others).flatMap(([digits, codes]) => codes.split(' ').map((code) => [code, digits])),
  );
  for (const { code, rateDigits } of CURRENCIES)
    assert.equal(`${rateDigits}`, digitsOf.get(code) ?? '4', code);
});

interface ListEntry {
  code: string;
  number: string;
  name: string;
  minorUnits: string;
  withdrawn: string;
}

/** The entries of ISO 4217 List One or List Three, as the maintenance agency publishes them. */
function readIsoList(path: URL, entryTag: string): ListEntry[] {
  const entries: ListEntry[] = [];
  let fields: Record<string, string> = {};
  let tag = '';
  const parser = new SaxesParser();
  parser.on('opentag', (node) => {
    tag = node.name;
    if (tag === entryTag) fields = {};
  });
  parser.on('text', (text) => {
    if (tag !== '') fields[tag] = (fields[tag] ?? '') + text;
  });
  parser.on('closetag', (node) => {
    tag = '';
    const { Ccy = '', CcyNbr = '', CcyNm = '', CcyMnrUnts = '', WthdrwlDt = '' } = fields;
    if (node.name !== entryTag || Ccy === '') return;
    entries.push({ code: Ccy, number: CcyNbr, name: CcyNm, minorUnits: CcyMnrUnts, withdrawn: WthdrwlDt });
  });
  parser.write(readFileSync(path, 'utf8')).close();
  return entries;
}

const ISO_LISTS = '../../../../shared/data/iso4217/';
const NOT_IN_ISO = new Set(['CNH']);

test('the table agrees with ISO 4217 List One', (t) => {
  const path = new URL(`${ISO_LISTS}table_a1.xml`, import.meta.url);
  if (!existsSync(path)) return t.skip(`ISO 4217 List One is not at ${path.pathname}`);
  const list = new Map(readIsoList(path, 'CcyNtry').map((entry) => [entry.code, entry]));
  assert.ok(list.size > 150);
  let compared = 0;
  for (const currency of CURRENCIES) {
    const entry = list.get(currency.code);
    if (entry === undefined) {
      // The list is of 2024: what is missing there was withdrawn earlier, or never belonged to ISO.
      const withdrawn = currency.validTo !== undefined && currency.validTo < '2024-06-25';
      assert.ok(withdrawn || NOT_IN_ISO.has(currency.code), `${currency.code} is not in List One`);
      continue;
    }
    assert.deepEqual(
      [currency.numeric, currency.name, `${currency.minorUnits}`],
      [entry.number, entry.name, entry.minorUnits],
      currency.code,
    );
    compared += 1;
  }
  assert.ok(compared >= 60, `${compared} compared`);
});

test('withdrawn currencies agree with ISO 4217 List Three', (t) => {
  const path = new URL(`${ISO_LISTS}table_a2.xml`, import.meta.url);
  if (!existsSync(path)) return t.skip(`ISO 4217 List Three is not at ${path.pathname}`);
  const list = readIsoList(path, 'HstrcCcyNtry');
  const withdrawn = CURRENCIES.filter(({ validTo }) => validTo !== undefined && validTo < '2024-06-25');
  assert.deepEqual(
    withdrawn.map(({ code }) => code),
    ['EEK', 'HRK', 'LTL', 'LVL', 'SKK'],
  );
  for (const currency of withdrawn) {
    const entries = list.filter((entry) => entry.code === currency.code);
    assert.ok(entries.some(({ name, number }) => name === currency.name && number === currency.numeric));
    // The list names the month of the change, by the last day of the old or the first day of the new money.
    const months = entries.map((entry) => entry.withdrawn);
    const lastMonth = currency.validTo?.slice(0, 7) ?? '';
    const nextMonth = lastMonth.replace(/^(\d{4})-12$/, (_, year) => `${BigInt(year) + 1n}-01`);
    assert.ok(months.includes(lastMonth) || months.includes(nextMonth), `${currency.code}: ${months}`);
  }
});
