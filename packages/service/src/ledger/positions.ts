import type { CurrencyPosition, Positions } from '@firmquote/api/operations/ledger';
import {
  divide,
  dollarsAtMid,
  formatAmount,
  formatDecimal,
  formatUsd,
  knownCurrency,
  pairOf,
  US_DOLLAR,
} from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import type { RateBook } from '../market/rate-book.ts';
import { isoInstant } from '../platform/clock.ts';
import { midOf } from './mids.ts';
import { positionResult } from './position-result.ts';
import { dollarPosition, type PositionTotals, positionTotals } from './position-store.ts';

const USD = 'USD';

const AVERAGE_SCALE = 8;

/** Positions by currency with their result at the present mid; of one customer's trades, or of all. */
export async function readPositions(
  database: Queryable,
  book: RateBook,
  now: number,
  customerId: string | undefined,
): Promise<Positions> {
  const totals = await positionTotals(database, customerId);
  const inDollars = await dollarPosition(database, customerId);
  let realised = 0n;
  let unrealised: bigint | undefined = 0n;
  const positions = totals.map((each): CurrencyPosition => {
    const currency = knownCurrency(each.currency);
    const mid = midOf(book, pairOf(currency, US_DOLLAR));
    const result = positionResult(each, (minor) =>
      mid === undefined ? undefined : dollarsAtMid(minor, currency, mid.pair, mid.sum),
    );
    realised += result.realisedUsdMinor;
    unrealised =
      unrealised === undefined || result.unrealisedUsdMinor === undefined
        ? undefined
        : unrealised + result.unrealisedUsdMinor;
    return {
      currency: each.currency,
      position: formatAmount(result.netMinor, currency),
      bought: formatAmount(each.boughtMinor, currency),
      averageBoughtUsd: average(each, each.boughtUsdMinor, each.boughtMinor),
      sold: formatAmount(each.soldMinor, currency),
      averageSoldUsd: average(each, each.soldUsdMinor, each.soldMinor),
      mid: mid?.view ?? null,
      valueUsd: result.valueUsdMinor === undefined ? null : formatUsd(result.valueUsdMinor),
      realisedUsd: formatUsd(result.realisedUsdMinor),
      unrealisedUsd: result.unrealisedUsdMinor === undefined ? null : formatUsd(result.unrealisedUsdMinor),
    };
  });
  if (inDollars !== undefined) positions.push(dollarView(formatUsd(inDollars)));
  positions.sort((a, b) => (a.currency < b.currency ? -1 : 1));
  return {
    at: isoInstant(now),
    valuationCurrency: USD,
    positions,
    total: {
      realisedUsd: formatUsd(realised),
      // A sum that leaves something out would mislead.
      unrealisedUsd: unrealised === undefined ? null : formatUsd(unrealised),
      resultUsd: unrealised === undefined ? null : formatAmount(realised + unrealised, US_DOLLAR),
      complete: unrealised !== undefined,
    },
  };
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

/** Dollars for one unit of the currency, for reading; results are not computed from it. */
function average({ currency }: PositionTotals, usdMinor: bigint, minor: bigint): string | null {
  if (minor === 0n) return null;
  const { minorUnits } = knownCurrency(currency);
  const dollars = { units: usdMinor, scale: US_DOLLAR.minorUnits };
  return formatDecimal(divide(dollars, { units: minor, scale: minorUnits }, AVERAGE_SCALE, 'half_up'));
}
