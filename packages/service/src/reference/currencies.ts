import type * as api from '@firmquote/api/operations/reference';
import {
  CURRENCIES,
  type Currency,
  currencyStatus,
  type DateRules,
  formatAmount,
  pairOf,
  tradeDateAt,
  US_DOLLAR,
} from '@firmquote/fx';
import { calendarRange, covers } from '../calendars/range.ts';
import type { Market } from '../market/market.ts';
import { dealtCurrency } from '../pricing/policy.ts';
import type { ReferenceRoom } from './room.ts';

/** Every currency of the table, withdrawn ones too, as it stands now. */
export async function listCurrencies({
  clock,
  market,
  dates,
  pricing,
}: ReferenceRoom): Promise<api.CurrencyReference[]> {
  const today = tradeDateAt(clock.now());
  const { policy } = await pricing.settings();
  return CURRENCIES.map((currency) =>
    currencyView(dealtCurrency(policy, currency), today, market, dates.current),
  );
}

function currencyView(
  currency: Currency,
  today: string,
  market: Market,
  dates: DateRules,
): api.CurrencyReference {
  const { code, numeric, name, minorUnits, settlementIncrementMinor, validFrom, validTo } = currency;
  const range = calendarRange(dates, code, today);
  const { time, zone } = dates.cutOffs.sameDay(code);
  return {
    code,
    numericCode: numeric ?? null,
    name,
    minorUnits,
    settlementIncrement: formatAmount(settlementIncrementMinor, currency),
    status: statusOf(code, today, covers(range, today)),
    validFrom: validFrom ?? null,
    validTo: validTo ?? null,
    priced: isPriced(currency, market),
    calendar: range && {
      from: range.from,
      to: range.to,
      estimatedFrom: range.estimatedFrom,
      runsShort: range.runsShort,
    },
    cutOff: { time, zone },
  };
}

function statusOf(code: string, today: string, hasCalendar: boolean): api.CurrencyReference['status'] {
  if (currencyStatus(code, today) !== 'tradable') return 'withdrawn';
  return hasCalendar ? 'tradable' : 'calendar_missing';
}

/** Whether there has been a price of the currency against the dollar, from which all its pairs can be made. */
function isPriced(currency: Currency, market: Market): boolean {
  if (currency.code === US_DOLLAR.code) return market.book.quotedPairs().length > 0;
  return market.book.isSupported(pairOf(currency, US_DOLLAR));
}
