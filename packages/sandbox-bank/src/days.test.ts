import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balanceAfter, bankDayAt, endOfDay, valueDateOf } from './days.ts';
import { type HouseAccount, movement } from './movement.ts';

const ACCOUNT: HouseAccount = { currency: 'EUR', account: '1', isIban: false, holder: 'House', bic: null };
const paidIn = movement({
  ...{ source: 's', account: ACCOUNT, direction: 'credit', kind: 'payment', amountMinor: 5n },
});

test('what is paid in after the cut-off of its currency is valued on the next day, what goes out is not', () => {
  const [early, late] = [Date.UTC(2026, 2, 4, 9), Date.UTC(2026, 2, 4, 22)];
  assert.deepEqual([bankDayAt(early), bankDayAt(late)], ['2026-03-04', '2026-03-04']);
  assert.equal(valueDateOf(paidIn, early), '2026-03-04');
  assert.equal(valueDateOf(paidIn, late), '2026-03-05');
  assert.equal(valueDateOf({ ...paidIn, direction: 'debit' }, late), '2026-03-04');
  assert.equal(valueDateOf({ ...paidIn, kind: 'return' }, late), '2026-03-04');
});

test('no value date is before the day of the bank, wherever the currency is at home', () => {
  // It is still the day before in New York.
  const night = Date.UTC(2026, 2, 5, 2);
  const dollars = { ...paidIn, account: { ...ACCOUNT, currency: 'USD' } };
  assert.equal(valueDateOf(dollars, night), '2026-03-05');
});

test('a day ends at midnight, with the balance that its entries make', () => {
  assert.equal(endOfDay('2026-03-04'), Date.UTC(2026, 2, 5));
  const entry = { ...paidIn, id: 1n, bookingDate: '2026-03-04', valueDate: '2026-03-04' };
  assert.equal(balanceAfter(-2n, [entry, { ...entry, direction: 'debit', amountMinor: 1n }]), 2n);
});
