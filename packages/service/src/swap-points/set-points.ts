import type {
  POINTS_REFUSALS,
  PushSwapPoints,
  SetSwapPointPolicy,
  SetSwapPoints,
} from '@firmquote/api/operations/swap-points';
import {
  CalendarMissingError,
  compare,
  type Decimal,
  findPair,
  formatDecimal,
  largestPoints,
  type Pair,
  parseDecimal,
  swapLegs,
  tradeDateOf,
} from '@firmquote/fx';
import { afterCommit } from '../database/enclosure.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import { parseRfc3339 } from '../http/query.ts';
import { type FieldError, validationProblem } from '../problems/problem.ts';
import { replaceDocument, type Versioned } from '../settings/documents.ts';
import { AHEAD_MAX_MS } from './desk.ts';
import { SWAP_POINT_POLICY } from './policy.ts';
import type { SwapPointsRoom } from './room.ts';
import {
  bumpSwapPoints,
  type GivenLeg,
  insertVersion,
  keepPushed,
  type LegText,
  lockSwapPoints,
  newestVersion,
  type PointsVersion,
  type PushedLeg,
  readSwapPoints,
} from './store.ts';

/** Version of what nobody has set. */
export const NEVER_SET_VERSION = 1;
/** Name of the points that operators set; no source has it. */
const OPERATOR = 'operator';

/** As many digits as points have that are computed. */
const PIPS = /^-?\d{1,7}(\.\d{1,8})?$/;

/**
 * Replaces what operators say of a pair's points. In force with the commit in this process, and within a second in the
 * others, until the trade date ends. Quotes that exist keep their price.
 * @throws Problem version_mismatch, validation_failed
 */
export async function setSwapPoints(
  room: SwapPointsRoom,
  pair: Pair,
  input: SetSwapPoints,
  ifMatch: number | '*',
  changedBy: string,
): Promise<void> {
  const now = room.clock.now();
  const errors = (['on', 'tn'] as const).flatMap((leg) =>
    mistakes(room, pair, leg, input[leg], tradeDateOfPair(room, pair, now)),
  );
  if (errors.length > 0) throw validationProblem(errors);
  await changeInTurn(room, async (connection) => {
    const former = await newestVersion(connection, pair.code);
    requireVersion(ifMatch, former?.version ?? NEVER_SET_VERSION);
    const version: PointsVersion = {
      pair: pair.code,
      version: (former?.version ?? NEVER_SET_VERSION) + 1,
      tradeDate: tradeDateOfPair(room, pair, now),
      points: { on: input.on, tn: input.tn },
      source: input.source,
      reason: input.reason,
      changedBy,
      changedAt: now,
    };
    await insertVersion(connection, version);
  });
}

function mistakes(
  room: SwapPointsRoom,
  pair: Pair,
  leg: GivenLeg,
  points: LegText | null,
  tradeDate: string,
): FieldError[] {
  if (points === null) return [];
  const wrong = (side: 'bid' | 'ask', detail: string) => ({
    pointer: `/${leg}/${side}`,
    code: 'out_of_range',
    detail,
  });
  if (isCrossed(points)) return [wrong('bid', 'must not be above the ask')];
  const most = mostPips(room, pair, leg, tradeDate);
  if (most === undefined) return [];
  const [pips, bps] = [formatDecimal(most), formatDecimal(room.desk.maxBpsPerDay)];
  const detail = `must lie between -${pips} and ${pips}, ${bps} basis points of the price for each day: maxBpsPerDay of the policy`;
  return (['bid', 'ask'] as const).flatMap((side) =>
    isWithin(points[side], most) ? [] : [wrong(side, detail)],
  );
}

type PushedOutcome = 'accepted' | (typeof POINTS_REFUSALS)[number];

/**
 * Takes in what a source says; each has its own outcome, in the order of the request. `old` is of a trade date that is
 * over, `backwards` older than what the source has said before.
 * @throws Problem validation_failed for the name of the operators
 */
export async function pushSwapPoints(
  room: SwapPointsRoom,
  { source, points }: PushSwapPoints,
  receivedAt: number,
  pushedBy: string,
): Promise<PushedOutcome[]> {
  if (source === OPERATOR) {
    const detail = 'is reserved for points that operators set; use PUT on the pair';
    throw validationProblem([{ pointer: '/source', code: 'not_permitted', detail }]);
  }
  const judged = points.map((each) => judgePushed(room, source, each, receivedAt));
  const good = judged.flatMap((each, index) => (typeof each === 'string' ? [] : [{ index, leg: each }]));
  if (good.length === 0) return judged.map((each) => (typeof each === 'string' ? each : 'accepted'));
  const outcomes = judged.map((each): PushedOutcome => (typeof each === 'string' ? each : 'backwards'));
  await changeInTurn(room, async (connection) => {
    const kept = await keepPushed(
      connection,
      good.map(({ leg }) => leg),
      pushedBy,
      receivedAt + AHEAD_MAX_MS,
    );
    for (const [place, { index }] of good.entries()) if (kept.has(place)) outcomes[index] = 'accepted';
    return kept.size > 0;
  });
  return outcomes;
}

function judgePushed(
  room: SwapPointsRoom,
  source: string,
  { pair: code, leg, bid, ask, at }: PushSwapPoints['points'][number],
  receivedAt: number,
): PushedLeg | PushedOutcome {
  const pair = findPair(code);
  if (pair === undefined) return 'unknown_pair';
  if (!PIPS.test(bid) || !PIPS.test(ask)) return 'not_a_number';
  if (isCrossed({ bid, ask })) return 'crossed';
  const madeAt = at === undefined ? receivedAt : parseRfc3339(at);
  if (madeAt === undefined) return 'not_a_time';
  if (madeAt > receivedAt + AHEAD_MAX_MS) return 'future';
  const tradeDate = tradeDateOfPair(room, pair, madeAt);
  if (tradeDate < tradeDateOfPair(room, pair, receivedAt)) return 'old';
  const most = mostPips(room, pair, leg, tradeDate);
  if (most !== undefined && !(isWithin(bid, most) && isWithin(ask, most))) return 'out_of_range';
  return { source, pair: code, leg, bid, ask, tradeDate, madeAt };
}

/** @throws Problem version_mismatch, validation_failed */
export function setSwapPointPolicy(
  room: SwapPointsRoom,
  document: SetSwapPointPolicy,
  ifMatch: number | '*',
  changedBy: string,
): Promise<Versioned<SetSwapPointPolicy>> {
  const replacement = { by: changedBy, at: room.clock.now(), ifMatch };
  return changeInTurn(room, (connection) =>
    replaceDocument(connection, SWAP_POINT_POLICY, document, replacement),
  );
}

/** One change at a time; unless it answers false, it is in force here with the commit. */
async function changeInTurn<T>(
  room: SwapPointsRoom,
  change: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { changed, stored } = await inTransaction(room.pool, async (connection) => {
    await lockSwapPoints(connection);
    const changed = await change(connection);
    if (changed === false) return { changed, stored: undefined };
    await bumpSwapPoints(connection);
    return { changed, stored: await readSwapPoints(connection, room.desk.firstTradeDate()) };
  });
  if (stored !== undefined) await afterCommit(() => room.desk.take(stored));
  return changed;
}

function tradeDateOfPair({ dates }: SwapPointsRoom, { base, quote }: Pair, at: number): string {
  return tradeDateOf([base.code, quote.code], at, dates.current);
}

function isCrossed({ bid, ask }: { readonly bid: string; readonly ask: string }): boolean {
  const low = parseDecimal(bid);
  const high = parseDecimal(ask);
  return low === undefined || high === undefined || compare(low, high) > 0;
}

/** The most pips that points of a leg may have by the price of now; undefined without a price, and for a leg that there is not. */
function mostPips(room: SwapPointsRoom, pair: Pair, leg: GivenLeg, tradeDate: string): Decimal | undefined {
  const reading = room.book.read(pair);
  if (reading.status === 'missing') return undefined;
  const dated = legOn(room, pair, leg, tradeDate);
  return dated && largestPoints(dated, reading.price.ask, room.desk.maxBpsPerDay, pair);
}

function legOn({ dates }: SwapPointsRoom, { base, quote }: Pair, leg: GivenLeg, tradeDate: string) {
  try {
    const legs = swapLegs([base.code, quote.code], tradeDate, tradeDate, dates.current.calendars);
    return legs.find((each) => each.leg === leg);
  } catch (error) {
    if (error instanceof CalendarMissingError) return undefined;
    throw error;
  }
}

function isWithin(text: string, most: Decimal): boolean {
  const pips = parseDecimal(text);
  return (
    pips !== undefined && compare(pips, most) <= 0 && compare({ ...pips, units: -pips.units }, most) <= 0
  );
}
