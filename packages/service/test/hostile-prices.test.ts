import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { add, type Decimal, findPair, type Pair } from '@firmquote/fx';
import { acceptPrice } from '../src/market/accept-price.ts';
import { MarketControl } from '../src/market/control.ts';
import { BUILT_IN_REFERENCE } from '../src/market/ecb-reference.ts';
import { Market } from '../src/market/market.ts';
import { areApart, isWider, type PairSettings } from '../src/market/pair-settings.ts';
import { RateBook, type RejectReason, type Tick } from '../src/market/rate-book.ts';
import { ReferenceTable } from '../src/market/reference-rates.ts';
import { createLogger } from '../src/platform/logger.ts';
import { Problem } from '../src/problems/problem.ts';
import type { QuoteRecord } from '../src/quotes/record.ts';
import { requestQuote } from '../src/quotes/request-quote.ts';
import { executeQuote } from '../src/transactions/execute-quote.ts';
import { createTestDatabase } from './support/database.ts';
import { createDesk, type Desk, decimal, lottery } from './support/trading.ts';

/**
 * Ten minutes of sources that lie, repeat themselves, fall silent, come back elsewhere, take back their prices and log
 * out, with two restarts and a market that really jumps. Each quote is held against the record of what was said when it
 * was made.
 */

const STEP_MS = 250;
const STEPS = 2_400;
const OPERATOR = '0195f000-0000-7000-8000-00000000000a';
const MINUTE = 240;

type Fault = (typeof FAULTS)[number];
const FAULTS = [
  'absurd',
  'repeat',
  'walk',
  'near',
  'wide',
  'gap',
  'one_sided',
  'logout',
  'crossed',
  'old',
  'future',
] as const;

/** Sources of each pair, and its honest mid in units of the last digit: levels of the reference rates. */
const PAIRS = [
  { code: 'EURUSD', sources: ['a', 'b', 'c'], mid: 116_840n, scale: 5 },
  { code: 'GBPUSD', sources: ['a', 'b'], mid: 134_200n, scale: 5 },
  { code: 'USDJPY', sources: ['a'], mid: 159_800n, scale: 3 },
  { code: 'USDKWD', sources: ['a'], mid: 30_715n, scale: 5 },
] as const;
const ASKED = [
  ['USD', 'EUR'],
  ['GBP', 'USD'],
  ['USD', 'JPY'],
  ['USD', 'KWD'],
  ['EUR', 'JPY'],
  ['EUR', 'GBP'],
] as const;

const draw = lottery(11);

/** What one source does to one pair at present. */
interface Mood {
  fault: Fault | undefined;
  until: number;
  since: number;
  units: bigint;
}

interface Origin {
  readonly source: string;
  readonly asOf: string;
}
interface Side {
  readonly pair: string;
  readonly bid: string;
  readonly ask: string;
  readonly bidFrom: Origin;
  readonly askFrom: Origin;
}

const refusals = new Map<string, number>();
let desk: Desk;
let market: Market;
let control: MarketControl;
let now: number;
/** The newest word of each source and pair: the tick, if it was taken, and it was not taken back. */
const word = new Map<string, Tick | undefined>();
const outcomes = new Map<RejectReason | 'accepted', number>();

before(async () => {
  desk = await createDesk((await createTestDatabase()).pool);
  now = desk.clock.now();
  desk.clock.now = () => now;
});

/** A start of the service on what the database knows. */
async function start(): Promise<void> {
  const reference = new ReferenceTable('2026-03-03', BUILT_IN_REFERENCE.unitsPerEuro);
  const { pool, clock } = desk;
  const book = new RateBook({ clock, reference, firstPrices: 'confirm' });
  market = new Market({ clock, book, hours: 'always' });
  const logger = createLogger('silent');
  control = new MarketControl({ pool, clock, market, logger, withdrawHalted: async () => 0 });
  await control.load();
  word.clear();
}

const pairOf = (code: string): Pair => findPair(code) ?? assert.fail(code);

function send(tick: Tick): void {
  const outcome = market.book.apply(tick);
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  const key = `${tick.source} ${tick.pair}`;
  // What never was a statement of the present changes nothing of the source's last word.
  if (outcome === 'backwards' || outcome === 'future' || outcome === 'crossed') return;
  word.set(key, outcome === 'accepted' ? tick : undefined);
}

/** Says something honest, or what its mood makes of it. */
function speak(source: string, pair: string, scale: number, honest: bigint, mood: Mood, step: number): void {
  if (mood.fault === 'logout') {
    for (const { code: gone } of PAIRS) word.set(`${source} ${gone}`, undefined);
    market.book.withdraw(source);
    mood.fault = undefined;
    return;
  }
  const sides = sidesOf(honest, mood, step);
  if (sides === undefined) return;
  const [bid, ask] = sides;
  const late = mood.fault === 'old' ? -20_000 : mood.fault === 'future' ? 20_000 : 0;
  send({ pair, bid: { units: bid, scale }, ask: { units: ask, scale }, at: now + late, source });
}

/** Undefined while it is silent. */
function sidesOf(honest: bigint, mood: Mood, step: number): readonly [bid: bigint, ask: bigint] | undefined {
  const around = (mid: bigint) => [mid - 3n, mid + 3n] as const;
  switch (mood.fault) {
    case 'absurd':
      return around(draw(2) === 0 ? (honest * 11n) / 100n + BigInt(draw(9)) : honest * 9n + BigInt(draw(9)));
    case 'repeat':
      return around((honest / 1_000n) * 1_400n);
    case 'walk':
      mood.units += mood.units / 100n;
      return around(mood.units);
    case 'near':
      return around(honest + (honest * 70n) / 10_000n + BigInt(draw(3)));
    case 'wide':
      return [honest - honest / 20n, honest + honest / 20n];
    case 'gap':
      // Silent for long, then somewhere else.
      return step - mood.since < MINUTE + 20 ? undefined : around((honest * 130n) / 100n + BigInt(draw(5)));
    case 'one_sided':
      return [0n, honest + 3n];
    case 'crossed':
      return [honest + 9n, honest - 9n];
    default:
      return around(honest + BigInt(draw(3) - 1));
  }
}

/** Everything that a firm quote's evidence says must be so now. */
function check(evidence: Partial<Side> & { readonly legs?: readonly Side[] }, code: string): void {
  const sides = evidence.legs ?? [{ ...evidence, pair: code } as Side];
  for (const { pair, bid, ask, bidFrom, askFrom } of sides) {
    const settings = market.book.settingsOf(pairOf(pair));
    assertWithin(pair, decimal(bid), decimal(ask), settings);
    for (const [from, side, text] of [
      [bidFrom, 'bid', bid],
      [askFrom, 'ask', ask],
    ] as const) {
      const tick = word.get(`${from.source} ${pair}`);
      assert.ok(tick, `${pair}: ${from.source} does not say this any more`);
      assert.deepEqual([tick[side], tick.at], [decimal(text), Date.parse(from.asOf)]);
      assert.ok(now - tick.at <= settings.stalenessMs, `${pair} is ${now - tick.at} ms old`);
    }
  }
  const whole = market.book.settingsOf(pairOf(code));
  if (evidence.bid && evidence.ask) assertWithin(code, decimal(evidence.bid), decimal(evidence.ask), whole);
}

function assertWithin(code: string, bid: Decimal, ask: Decimal, settings: PairSettings): void {
  const { referenceSum } = market.book.view(pairOf(code));
  const sum = add(bid, ask);
  assert.ok(!isWider(bid, ask, settings.maxWidthBps), `${code} is too wide`);
  if (referenceSum !== undefined)
    assert.ok(!areApart(sum, referenceSum, settings.referenceBps), `${code} at ${bid.units}`);
}

test('ten minutes of hostile sources end with no firm quote that should not be', async (t) => {
  await start();
  const honest = new Map<string, bigint>(PAIRS.map(({ code, mid }) => [code, mid]));
  const moods = new Map<string, Mood>();
  const quoted = new Map<string, number>();
  const waiting: { id: string; step: number }[] = [];
  let executed = 0;
  let jumped = 0;
  for (let step = 0; step < STEPS; step++) {
    now += STEP_MS;
    if (step === 3 * MINUTE || step === 7 * MINUTE) {
      await control
        .sweeps()
        .find(({ name }) => name === 'keep_last_prices')
        ?.run();
      await start();
    }
    if (step === MINUTE) await accept('USDKWD', '0.30715');
    // The yen really moves by 8 percent, and nobody says so for half a minute.
    if (step === 8 * MINUTE) honest.set('USDJPY', 147_000n);
    const isUnknown = step >= 8 * MINUTE && step < 8.5 * MINUTE;
    if (step === 8.5 * MINUTE) await accept('USDJPY', '147.00');
    for (const { code, sources, scale } of PAIRS) {
      const mid = (honest.get(code) ?? 0n) + BigInt(draw(5) - 2);
      honest.set(code, mid);
      for (const source of sources) speak(source, code, scale, mid, moodOf(source, code, mid, step), step);
    }
    const due = waiting.filter(({ step: at }) => step >= at + 20);
    for (const quote of due) {
      waiting.splice(waiting.indexOf(quote), 1);
      await execute(quote.id);
      executed += 1;
    }
    if (step % 8 !== 0) continue;
    for (const record of await Promise.all(ASKED.map(([sell, buy]) => ask(sell, buy)))) {
      if (record === undefined) continue;
      check(JSON.parse(record.evidence), record.pair);
      quoted.set(record.pair, (quoted.get(record.pair) ?? 0) + 1);
      if (step % 80 === 0) waiting.push({ id: record.id, step });
      if (record.pair !== 'USDJPY') continue;
      assert.ok(!isUnknown, 'the new level was dealt before anybody said that it is right');
      if (step >= 8.5 * MINUTE) jumped += 1;
    }
  }
  for (const code of ['EURUSD', 'GBPUSD', 'USDJPY', 'USDKWD', 'EURJPY', 'EURGBP']) {
    assert.ok((quoted.get(code) ?? 0) > 10, `${code}: ${quoted.get(code)} quotes`);
  }
  // Dealt again when an operator had accepted it; and whatever prices did, quotes that were given were executed.
  assert.ok(jumped > 0 && executed > 10, `${jumped}, ${executed}`);
  refusals.delete('pair_not_supported');
  assert.deepEqual([...refusals.keys()].sort(), ['market_closed', 'price_unavailable']);
  const reasons = [
    'too_wide',
    'outside_band',

    'unconfirmed',
    'outlier',
    'not_positive',
  ] as const;
  for (const reason of reasons)
    assert.ok((outcomes.get(reason) ?? 0) > 0, `no tick was refused as ${reason}`);
  t.diagnostic(JSON.stringify([[...quoted], [...refusals], [...outcomes]]));

  function moodOf(source: string, code: string, mid: bigint, step: number): Mood {
    const key = `${source} ${code}`;
    let mood = moods.get(key);
    if (mood === undefined || step >= mood.until) {
      const fault = draw(3) === 0 ? FAULTS[draw(FAULTS.length)] : undefined;
      const until = step + (fault === 'gap' ? MINUTE + 60 : 20 + draw(100));
      mood = { fault, until, since: step, units: mid };
      moods.set(key, mood);
    }
    return mood;
  }
});

async function ask(sellCurrency: string, buyCurrency: string): Promise<QuoteRecord | undefined> {
  const { customerId, clientId } = desk;
  const body = { sellCurrency, buyCurrency, fixedSide: 'sell', amount: '1000' } as const;
  try {
    const services = { ...desk.services, market };
    return (await requestQuote(services, { customerId, clientId, body, key: undefined })).record;
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    refusals.set(error.code, (refusals.get(error.code) ?? 0) + 1);
    return undefined;
  }
}

async function accept(code: string, price: string): Promise<void> {
  await acceptPrice(control, pairOf(code), decimal(price), { actor: OPERATOR, reason: 'seen elsewhere' });
  // What the sources said last is judged by it, and may be believed now.
  for (const { source, tick, refused, said } of market.book.view(pairOf(code)).tops) {
    word.set(`${source} ${code}`, refused === undefined && said?.at === tick?.at ? tick : undefined);
  }
}

async function execute(quoteId: string): Promise<void> {
  const { customerId, clientId } = desk;
  const command = {
    customerId,
    clientId,
    quoteId,
    receivedAt: now,
    body: {},
    key: undefined,
    ifMatch: undefined,
  };
  await executeQuote({ ...desk.services, market }, command);
}
