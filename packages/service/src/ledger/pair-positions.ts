import type { PairPosition, PairPositions } from '@firmquote/api/operations/ledger';
import { type Currency, dollarsAtMid, formatAmount, formatUsd, pairOf, US_DOLLAR } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import type { RateBook } from '../market/rate-book.ts';
import { isoInstant } from '../platform/clock.ts';
import { midOf } from './mids.ts';
import { type PairTotals, pairTotals } from './pair-position-store.ts';
import { averagePrice, proportionOf } from './position-result.ts';

interface PairResult {
  /** Of what was both bought and sold, in minor units of the quote currency. */
  readonly realisedMinor: bigint;
  readonly realisedUsd: bigint | undefined;
  /** What the trades of the pair have left, both legs at the present mid with the dollar. */
  readonly resultUsd: bigint | undefined;
}

/** The house's position in each pair with its result; positions add up to those of the currencies. */
export async function readPairPositions(
  database: Queryable,
  book: RateBook,
  now: number,
): Promise<PairPositions> {
  const totals = await pairTotals(database);
  const results = totals.map((each) => pairResult(each, (minor, currency) => usdOf(book, minor, currency)));
  const realised = sumOf(results.map(({ realisedUsd }) => realisedUsd));
  const result = sumOf(results.map(({ resultUsd }) => resultUsd));
  return {
    at: isoInstant(now),
    valuationCurrency: 'USD',
    pairs: totals.map((each, i) => pairView(each, results[i] as PairResult, book)),
    total: {
      realisedUsd: usdText(realised),
      unrealisedUsd: usdText(minus(result, realised)),
      resultUsd: usdText(result),
      complete: result !== undefined && realised !== undefined,
    },
  };
}

/**
 * Average-price result, as that of a currency (`positionResult`), in the quote currency. In dollars both legs are valued by themselves,
 * so that results of pairs add up to what the currencies come to, whatever the price of the cross is.
 */
export function pairResult(
  { pair, boughtMinor, paidMinor, soldMinor, receivedMinor }: PairTotals,
  usdOfAmount: (minor: bigint, currency: Currency) => bigint | undefined,
): PairResult {
  const matched = boughtMinor < soldMinor ? boughtMinor : soldMinor;
  const realisedMinor =
    proportionOf(receivedMinor, matched, soldMinor) - proportionOf(paidMinor, matched, boughtMinor);
  const base = usdOfAmount(boughtMinor - soldMinor, pair.base);
  const quote = usdOfAmount(receivedMinor - paidMinor, pair.quote);
  return {
    realisedMinor,
    realisedUsd: usdOfAmount(realisedMinor, pair.quote),
    resultUsd: base === undefined || quote === undefined ? undefined : base + quote,
  };
}

function usdOf(book: RateBook, minor: bigint, currency: Currency): bigint | undefined {
  if (currency === US_DOLLAR || minor === 0n) return minor;
  const mid = midOf(book, pairOf(currency, US_DOLLAR));
  return mid && dollarsAtMid(minor, currency, mid.pair, mid.sum);
}

function pairView(totals: PairTotals, result: PairResult, book: RateBook): PairPosition {
  const { pair, trades, boughtMinor, paidMinor, soldMinor, receivedMinor } = totals;
  const mid = midOf(book, pair)?.view;
  const average = (quoteMinor: bigint, baseMinor: bigint) =>
    averagePrice({ minor: quoteMinor, currency: pair.quote }, { minor: baseMinor, currency: pair.base });
  return {
    pair: pair.code,
    trades,
    position: formatAmount(boughtMinor - soldMinor, pair.base),
    quotePosition: formatAmount(receivedMinor - paidMinor, pair.quote),
    bought: formatAmount(boughtMinor, pair.base),
    averageBought: average(paidMinor, boughtMinor),
    sold: formatAmount(soldMinor, pair.base),
    averageSold: average(receivedMinor, soldMinor),
    mid: mid === undefined ? null : { value: mid.value, asOf: mid.asOf, stale: mid.stale },
    realised: formatAmount(result.realisedMinor, pair.quote),
    realisedUsd: usdText(result.realisedUsd),
    unrealisedUsd: usdText(minus(result.resultUsd, result.realisedUsd)),
    resultUsd: usdText(result.resultUsd),
  };
}

/** A sum that leaves something out would mislead. */
function sumOf(amounts: readonly (bigint | undefined)[]): bigint | undefined {
  return amounts.reduce<bigint | undefined>(
    (sum, each) => (sum === undefined || each === undefined ? undefined : sum + each),
    0n,
  );
}

function minus(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  return a === undefined || b === undefined ? undefined : a - b;
}

function usdText(minor: bigint | undefined): string | null {
  return minor === undefined ? null : formatUsd(minor);
}
