import type { CurrencyPosition, Positions } from '@firmquote/api/operations/ledger';
import {
  dollarsAtMid,
  formatAmount,
  formatUsd,
  knownCurrency,
  type Pair,
  pairOf,
  US_DOLLAR,
} from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import { pricesBefore } from '../market/past-prices.ts';
import type { RateBook } from '../market/rate-book.ts';
import { isoInstant } from '../platform/clock.ts';
import { midBefore, midOf } from './mids.ts';
import { averagePrice, positionResult } from './position-result.ts';
import {
  dollarPosition,
  type PositionTotals,
  positionTotals,
  positionTotalsBefore,
} from './position-store.ts';

const USD = 'USD';

type MidOf = (pair: Pair) => ReturnType<typeof midOf>;

/** Positions by currency with their result at the present mid; of one customer's trades, or of all. */
export async function readPositions(
  database: Queryable,
  book: RateBook,
  now: number,
  customerId: string | undefined,
): Promise<Positions> {
  const totals = await positionTotals(database, customerId);
  const inDollars = await dollarPosition(database, customerId);
  return valued(totals, inDollars, (pair) => midOf(book, pair), now);
}

/** The same as they were before an instant, at the last mid of then, as far as bars of prices are kept. */
export async function readPositionsBefore(
  database: Queryable,
  before: number,
  customerId: string | undefined,
): Promise<Positions> {
  const totals = await positionTotalsBefore(database, customerId, before);
  const inDollars = await dollarPosition(database, customerId, before);
  const pairs = totals.map(({ currency }) => pairOf(knownCurrency(currency), US_DOLLAR));
  const prices = await pricesBefore(database, pairs, before);
  return valued(totals, inDollars, (pair) => midBefore(prices, pair, before), before);
}

function valued(
  totals: readonly PositionTotals[],
  inDollars: bigint | undefined,
  midFor: MidOf,
  at: number,
): Positions {
  const lines = totals.map((each) => positionView(each, midFor));
  const realised = lines.reduce((sum, { result }) => sum + result.realisedUsdMinor, 0n);
  const unrealised = lines.reduce<bigint | undefined>(
    // A sum that leaves something out would mislead.
    (sum, { result: { unrealisedUsdMinor } }) =>
      sum === undefined || unrealisedUsdMinor === undefined ? undefined : sum + unrealisedUsdMinor,
    0n,
  );
  const positions = lines.map(({ view }) => view);
  if (inDollars !== undefined) positions.push(dollarView(formatUsd(inDollars)));
  positions.sort((a, b) => (a.currency < b.currency ? -1 : 1));
  return {
    at: isoInstant(at),
    valuationCurrency: USD,
    positions,
    total: {
      realisedUsd: formatUsd(realised),
      unrealisedUsd: unrealised === undefined ? null : formatUsd(unrealised),
      resultUsd: unrealised === undefined ? null : formatAmount(realised + unrealised, US_DOLLAR),
      complete: unrealised !== undefined,
    },
  };
}

function positionView(totals: PositionTotals, midFor: MidOf) {
  const currency = knownCurrency(totals.currency);
  const mid = midFor(pairOf(currency, US_DOLLAR));
  const result = positionResult(totals, (minor) =>
    mid === undefined ? undefined : dollarsAtMid(minor, currency, mid.pair, mid.sum),
  );
  const average = (usdMinor: bigint, minor: bigint) =>
    averagePrice({ minor: usdMinor, currency: US_DOLLAR }, { minor, currency });
  const view: CurrencyPosition = {
    currency: totals.currency,
    position: formatAmount(result.netMinor, currency),
    bought: formatAmount(totals.boughtMinor, currency),
    averageBoughtUsd: average(totals.boughtUsdMinor, totals.boughtMinor),
    sold: formatAmount(totals.soldMinor, currency),
    averageSoldUsd: average(totals.soldUsdMinor, totals.soldMinor),
    mid: mid?.view ?? null,
    valueUsd: result.valueUsdMinor === undefined ? null : formatUsd(result.valueUsdMinor),
    realisedUsd: formatUsd(result.realisedUsdMinor),
    unrealisedUsd: result.unrealisedUsdMinor === undefined ? null : formatUsd(result.unrealisedUsdMinor),
  };
  return { view, result };
}

/** Dollars are what is measured in, so they have neither price nor result. */
function dollarView(position: string): CurrencyPosition {
  return {
    currency: USD,
    position,
    bought: null,
    averageBoughtUsd: null,
    sold: null,
    averageSoldUsd: null,
    mid: null,
    valueUsd: position,
    realisedUsd: '0.00',
    unrealisedUsd: '0.00',
  };
}
