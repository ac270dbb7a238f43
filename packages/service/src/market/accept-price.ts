import { type Decimal, type Pair, parseDecimal } from '@firmquote/fx';
import { afterCommit } from '../database/enclosure.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId } from '../platform/ids.ts';
import type { MarketControl } from './control.ts';
import type { MarketCommand } from './halt-market.ts';
import {
  type AcceptedPrice,
  insertAcceptedPrice,
  midText,
  readAcceptedPrices,
  readLastPrices,
  sumOfMid,
} from './level-store.ts';
import { nextRevision } from './store.ts';

/**
 * Puts on record that an operator holds a price of a pair to be right, with who says so and why. Every instance follows
 * within a second: from then on prices within the pair's band of it are believed, and those elsewhere are not.
 * @param mid positive
 */
export function writeAcceptedPrice(
  pool: Pool,
  pair: Pair,
  mid: Decimal,
  { actor, reason }: MarketCommand,
  now: number,
): Promise<AcceptedPrice> {
  return inTransaction(pool, async (connection) => {
    await nextRevision(connection);
    const [before] = await readAcceptedPrices(connection, pair.code);
    const known = (await readLastPrices(connection, pair.code))[0]?.last;
    // What was said last counts: the price that is dealt at is written down less often.
    const previous =
      known === undefined || (before !== undefined && before.level.at > known.at) ? before?.level : known;
    const price: AcceptedPrice = {
      pair: pair.code,
      number: (before?.number ?? 0) + 1,
      level: { sum: sumOfMid(mid), at: now },
      previousSum: previous?.sum,
      reason,
      acceptedBy: actor,
    };
    await insertAcceptedPrice(connection, price);
    return price;
  });
}

/** The same, in force in this process when it resolves. */
export async function acceptPrice(
  control: MarketControl,
  pair: Pair,
  mid: Decimal,
  command: MarketCommand,
): Promise<AcceptedPrice> {
  const price = await writeAcceptedPrice(control.pool, pair, mid, command, control.clock.now());
  await afterCommit(() => control.load());
  return price;
}

/** More digits than any market quotes. */
const PRICE = /^\d{1,12}(\.\d{1,10})?$/;

/** Undefined when the text is no number above zero. */
export function acceptablePrice(text: string): Decimal | undefined {
  const price = PRICE.test(text) ? parseDecimal(text) : undefined;
  return price !== undefined && price.units > 0n ? price : undefined;
}

/** As operators see it. */
export function acceptedView({ pair, number, level, previousSum, reason, acceptedBy }: AcceptedPrice) {
  return {
    pair,
    number,
    price: midText(level.sum),
    previousPrice: previousSum === undefined ? null : midText(previousSum),
    reason,
    acceptedAt: isoInstant(level.at),
    acceptedBy: actorId(acceptedBy),
  };
}
