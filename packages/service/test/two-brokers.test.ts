import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { compare, findPair } from '@firmquote/fx';
import { RateBook, type Tick } from '../src/market/rate-book.ts';
import { openTickFile } from '../src/market/sources/tick-file.ts';
import { TickLines } from '../src/market/sources/tick-lines.ts';

/**
 * What two brokers said of one pair on one day, through one book. The recordings are not part of the repository.
 */
const FOLDER = resolve(import.meta.dirname, '../../../../shared/data/rates/ticks-lean');
const HOUR_MS = 3_600_000;
/** OANDA's recordings count from midnight UTC, FXCM's from midnight at UTC-5. */
const CLOCKS = [
  ['oanda', 0],
  ['fxcm', 5 * HOUR_MS],
] as const;
const MIDNIGHT = Date.UTC(2014, 4, 6);

async function recorded(broker: string, offsetMs: number, pair: string): Promise<Tick[]> {
  const file = await openTickFile(join(FOLDER, `${broker}-${pair.toLowerCase()}-20140506.zip`));
  const lines = new TickLines();
  const ticks: Tick[] = [];
  const take = (found: ReturnType<TickLines['push']>) => {
    for (const { millis, bid, ask } of found) {
      ticks.push({ pair, bid, ask, at: MIDNIGHT + offsetMs + millis, source: broker });
    }
  };
  for await (const piece of file.bytes) take(lines.push(piece as Buffer));
  take(lines.end());
  file.close();
  return ticks;
}

interface Outcome {
  /** Taken in, by broker. */
  readonly ticks: Readonly<Record<string, number>>;
  readonly refused: Readonly<Record<string, number>>;
  /** Ticks after which there was a fresh price. */
  readonly composites: number;
  /** Of these, with the bid of one broker and the ask of the other. */
  readonly fromBoth: number;
  /** The brokers' prices crossed, and the older one was left out. */
  readonly crossings: number;
  readonly halts: number;
  /** Silences of both for longer than five seconds, in which the price turned stale. */
  readonly gaps: number;
}

/** Ticks in the order of time; between two of them the clock stops wherever a price could have become stale. */
function play(code: string, ticks: readonly Tick[]): Outcome {
  const pair = findPair(code);
  assert.ok(pair);
  const clock = { at: MIDNIGHT, now: () => clock.at };
  const book = new RateBook({ clock });
  let halts = 0;
  book.onHalt(() => (halts += 1));
  let [composites, fromBoth, gaps] = [0, 0, 0];
  for (const tick of ticks) {
    const before = book.read(pair);
    if (before.status === 'fresh' && tick.at > clock.at + 5_001) {
      // Nobody has spoken for longer than the limit: the price must be stale by then, without any tick.
      clock.at = tick.at - 1;
      assert.equal(book.read(pair).status, 'stale');
      gaps += 1;
    }
    clock.at = tick.at;
    book.apply(tick);
    const { status, ...rest } = book.read(pair);
    if (status !== 'fresh' || !('price' in rest)) continue;
    const { price } = rest;
    composites += 1;
    assert.ok(compare(price.bid, price.ask) <= 0, 'a composite is never crossed');
    assert.ok(price.bidFrom && price.askFrom);
    assert.ok(Math.max(clock.at - price.bidFrom.at, clock.at - price.askFrom.at) <= 5_000);
    if (price.bidFrom.source !== price.askFrom.source) fromBoth += 1;
  }
  const taken = [...book.ticksBySource].map(([source, { accepted }]) => [source, accepted]);
  const refused = Object.entries(book.rejected).filter(([, count]) => count > 0);
  return {
    ticks: Object.fromEntries(taken),
    refused: Object.fromEntries(refused),
    composites,
    fromBoth,
    crossings: book.view(pair).crossings,
    halts,
    gaps,
  };
}

/** As counted over the recordings of 6 May 2014, 05:00 to 24:00 UTC, where both speak. */
const EXPECTED: Readonly<Record<string, Outcome>> = {
  EURUSD: {
    ticks: { fxcm: 86_141, oanda: 42_553 },
    refused: { crossed: 9_552, frozen: 6 },
    composites: 138_187,
    fromBoth: 805,
    crossings: 235,
    halts: 0,
    gaps: 2_874,
  },
  NZDUSD: {
    ticks: { fxcm: 86_616, oanda: 41_077 },
    refused: { crossed: 2_310 },
    composites: 129_969,
    fromBoth: 191,
    crossings: 54,
    halts: 0,
    gaps: 2_976,
  },
};

for (const code of ['EURUSD', 'NZDUSD']) {
  test(`${code}: a day of two brokers`, async (t) => {
    if (!existsSync(join(FOLDER, 'oanda-eurusd-20140506.zip'))) {
      t.skip(`there are no recordings in ${FOLDER}`);
      return;
    }
    const all = await Promise.all(CLOCKS.map(([broker, offsetMs]) => recorded(broker, offsetMs, code)));
    const from = MIDNIGHT + 5 * HOUR_MS;
    const until = MIDNIGHT + 24 * HOUR_MS;
    const ticks = all.flat().filter(({ at }) => at >= from && at < until);
    ticks.sort((a, b) => a.at - b.at);
    const outcome = play(code, ticks);
    t.diagnostic(JSON.stringify(outcome));
    assert.deepEqual(outcome, EXPECTED[code]);
  });
}
