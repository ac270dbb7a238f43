import type { Exposure } from '@firmquote/api/operations/pricing';
import {
  type Currency,
  formatAmount,
  formatUsd,
  knownCurrency,
  netOpenPosition,
  type PositionBounds,
  US_DOLLAR,
} from '@firmquote/fx';
import type { RateBook } from '../market/rate-book.ts';
import { usdValueAt } from '../market/usd-value.ts';
import { isoInstant } from '../platform/clock.ts';
import { limitOf } from './limits.ts';
import type { ExposureRoom } from './room.ts';

const NONE = { position: 0n, openLong: 0n, openShort: 0n };

/** Where the house stands in each currency now, read for this answer, with the limits beside it. */
export async function showExposure(room: ExposureRoom): Promise<Exposure> {
  const { clock, book, guard } = room;
  const limits = await room.limits.current();
  const asOf = isoInstant(clock.now());
  const { byCurrency, openQuotes } = await guard.read();
  const valued: PositionBounds[] = [];
  let complete = true;
  const codes = [...new Set([...byCurrency.keys(), ...limits.byCurrency.keys(), ...limits.hedges.keys()])];
  const positions = codes.sort().map((code) => {
    const currency = knownCurrency(code);
    const { position, openLong, openShort } = byCurrency.get(code) ?? NONE;
    const hedged = limits.hedges.get(code) ?? 0n;
    const net = position + hedged;
    const netUsd = signedUsd(book, currency, net);
    const upper = signedUsd(book, currency, net + openLong);
    const lower = signedUsd(book, currency, net - openShort);
    if (netUsd === undefined) complete &&= net === 0n;
    else if (currency !== US_DOLLAR) valued.push({ upper: netUsd, lower: netUsd });
    const limit = limitOf(limits, code);
    const worst = upper === undefined || lower === undefined ? undefined : upper > -lower ? upper : -lower;
    return {
      currency: code,
      position: formatAmount(position, currency),
      hedged: formatAmount(hedged, currency),
      net: formatAmount(net, currency),
      openLong: formatAmount(openLong, currency),
      openShort: formatAmount(openShort, currency),
      netUsd: netUsd === undefined ? null : formatUsd(netUsd),
      worstUsd: worst === undefined ? null : formatUsd(worst),
      limitUsd: limit === undefined ? null : formatUsd(limit),
    };
  });
  const { long, short, net } = netOpenPosition(valued);
  const total = limits.totalUsdMinor;
  return {
    asOf,
    openQuotes,
    positions,
    total: {
      longUsd: formatUsd(long),
      shortUsd: formatUsd(short),
      netOpenUsd: formatUsd(net),
      limitUsd: total === undefined ? null : formatUsd(total),
      complete,
    },
  };
}

function signedUsd(book: RateBook, currency: Currency, minor: bigint): bigint | undefined {
  const value = usdValueAt(book, currency, minor < 0n ? -minor : minor);
  return value === undefined || minor >= 0n ? value : -value;
}
