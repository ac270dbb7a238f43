import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SEARCHED_DAYS, tradeDatesFor } from './trade-dates.ts';

const now = Date.parse('2026-01-03T23:59:00Z');
const daysIn = (dates: ReturnType<typeof tradeDatesFor>) =>
  dates && (Date.parse(dates.tradeDateTo) - Date.parse(dates.tradeDateFrom)) / 86_400_000;

test('a currency alone is looked for until behind the weekend, as far back as the service allows', () => {
  const dates = tradeDatesFor({ currency: 'EUR' }, now);
  assert.deepEqual(dates, { tradeDateFrom: '2025-10-09', tradeDateTo: '2026-01-09' });
  assert.equal(daysIn(dates), SEARCHED_DAYS);
});

test('the date that is named stands, and the other one follows from it', () => {
  const from = tradeDatesFor({ currency: 'EUR', tradeDateFrom: '2024-02-01' }, now);
  const to = tradeDatesFor({ currency: 'EUR', tradeDateTo: '2024-12-31' }, now);
  assert.deepEqual([from?.tradeDateFrom, daysIn(from)], ['2024-02-01', SEARCHED_DAYS]);
  assert.deepEqual([to?.tradeDateTo, daysIn(to)], ['2024-12-31', SEARCHED_DAYS]);
});

test('what is narrow without dates, or has both, gets none', () => {
  for (const query of [
    {},
    { tradeDateFrom: '2024-02-01' },
    { currency: 'EUR', customerId: 'cus_1' },
    { currency: 'EUR', reference: 'RF1' },
    { currency: 'EUR', tradeDateFrom: '2024-01-01', tradeDateTo: '2024-12-31' },
  ])
    assert.equal(tradeDatesFor(query, now), undefined);
});

test('a date that there is not is left to the service', () => {
  const dates = tradeDatesFor({ currency: 'EUR', tradeDateFrom: '2024-13-41' }, now);
  assert.deepEqual(dates, { tradeDateFrom: '2024-13-41', tradeDateTo: '2024-13-41' });
});
