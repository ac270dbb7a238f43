import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { RejectReason, Tick } from '../src/market/rate-book.ts';
import { Problem } from '../src/problems/problem.ts';
import { withdrawHalted } from '../src/quotes/withdraw-halted.ts';
import { createTestDatabase } from './support/database.ts';
import { createDesk, type Desk, decimal, lottery } from './support/trading.ts';

/**
 * Sources that die, stall and lie while quotes are asked for; afterwards every quote's evidence is held against the
 * record of what the sources said and what the book made of it.
 */

const STEP_MS = 100;
const STEPS = 6_000;
const LIMIT_MS = 5_000;
const SOURCES = ['alpha', 'beta', 'gamma'] as const;

type Fault =
  | 'none'
  | 'dead'
  | 'stalled'
  | 'crossed'
  | 'wild'
  | 'absurd'
  | 'wide'
  | 'old'
  | 'future'
  | 'negative';
const FAULTS: readonly Fault[] = [
  'dead',
  'stalled',
  'crossed',
  'wild',
  'absurd',
  'wide',
  'old',
  'future',
  'negative',
];

const FILTERS = [
  ...(['crossed', 'outlier', 'outside_band', 'too_wide'] as const),
  ...(['backwards', 'future', 'not_positive'] as const),
];

let desk: Desk;

before(async () => {
  desk = await createDesk((await createTestDatabase()).pool);
});

const draw = lottery(7);

/** Rates as units of 10^-5. */
function tickOf(source: string, mid: number, fault: Fault, now: number): Tick | undefined {
  const [bid, ask] = {
    none: [mid - 3, mid + 3],
    dead: [mid, mid],
    stalled: [mid - 3, mid + 3],
    crossed: [mid + 9, mid - 9],
    wild: [mid + 2_000 + draw(500), mid + 2_500],
    absurd: [mid + 40_000 + draw(900), mid + 41_000],
    wide: [mid - 500, mid + 500],
    old: [mid - 3, mid + 3],
    future: [mid - 3, mid + 3],
    negative: [-mid, mid],
  }[fault] as [number, number];
  const at = fault === 'old' ? now - 20_000 : fault === 'future' ? now + 10_000 : now;
  if (fault === 'dead') return undefined;
  const price = (units: number) => ({ units: BigInt(units), scale: 5 });
  return { pair: 'EURUSD', bid: price(bid), ask: price(ask), at, source };
}

interface Evidence {
  readonly bid: string;
  readonly ask: string;
  readonly bidFrom: { readonly source: string; readonly asOf: string };
  readonly askFrom: { readonly source: string; readonly asOf: string };
}

test('no firm quote is made on a price that is too old, refused, or from a halted pair', async (t) => {
  const { market, clock, services } = desk;
  // The desk's clock goes on by itself; here it stands between two steps.
  const start = clock.now();
  clock.now = () => start + steps * STEP_MS;
  let steps = 0;
  market.book.release('EURUSD');

  const good = new Map<string, Tick>();
  const outcomes = new Map<'accepted' | RejectReason, number>();
  const halted = new Set<number>();
  const faults = new Map<string, { kind: Fault; until: number }>();
  const stalledAt = new Map<string, number>();
  const asked: Promise<unknown>[] = [];
  const refusals = new Map<string, number>();
  let mid = 108_491;

  for (; steps < STEPS; steps++) {
    mid += draw(5) - 2;
    const now = clock.now();
    // For some seconds there is no source at all.
    const blackout = steps % 500 >= 400;
    for (const source of SOURCES) {
      let fault = faults.get(source);
      if (fault === undefined || steps >= fault.until) {
        const kind = draw(3) === 0 ? (FAULTS[draw(FAULTS.length)] ?? 'none') : 'none';
        fault = { kind, until: steps + 20 + draw(90) };
        faults.set(source, fault);
        stalledAt.set(source, mid);
      }
      const level = fault.kind === 'stalled' ? (stalledAt.get(source) ?? mid) : mid + draw(3) - 1;
      const tick = blackout ? undefined : tickOf(source, level, fault.kind, now);
      if (tick === undefined) continue;
      const outcome = market.book.apply(tick);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (outcome === 'accepted') good.set(`${source} ${tick.at}`, tick);
    }
    if (market.book.disagreements().length > 0) halted.add(now);
    if (steps % 3 !== 0) continue;
    asked.push(
      desk.quote().catch((error: unknown) => {
        assert.ok(error instanceof Problem, String(error));
        refusals.set(error.code, (refusals.get(error.code) ?? 0) + 1);
      }),
    );
    if (steps % 150 === 0) await Promise.all(asked.splice(0));
  }
  await Promise.all(asked);
  await withdrawHalted(services, async () => true);

  const { rows } = await desk.pool.query<{ evidence: string; created_at: number }>(
    'select evidence, created_at from priced_quotes',
  );
  assert.ok(rows.length > 100, `${rows.length} quotes`);
  for (const { evidence, created_at: createdAt } of rows) {
    const { bid, ask, bidFrom, askFrom } = JSON.parse(evidence) as Evidence;
    assert.ok(!halted.has(createdAt), 'made while the pair was halted');
    for (const [side, text, from] of [
      ['bid', bid, bidFrom],
      ['ask', ask, askFrom],
    ] as const) {
      const at = Date.parse(from.asOf);
      assert.deepEqual(good.get(`${from.source} ${at}`)?.[side], decimal(text), 'a tick that was not taken');
      assert.ok(createdAt - at <= LIMIT_MS && at <= createdAt, `${createdAt - at} ms old`);
    }
  }
  const { unavailable, closed } = {
    unavailable: refusals.get('price_unavailable') ?? 0,
    closed: refusals.get('market_closed') ?? 0,
  };
  // Each of twelve blackouts lasts ten seconds, and after five no quote is given: 16 requests in each.
  assert.ok(unavailable + closed >= 12 * 16, `${unavailable} and ${closed} refused`);
  for (const reason of FILTERS) {
    assert.ok((outcomes.get(reason) ?? 0) > 0, `no tick was refused as ${reason}`);
  }
  t.diagnostic(
    `${rows.length} quotes, ${unavailable} without a price, ${closed} in a halt; ticks ${JSON.stringify([...outcomes])}`,
  );
});
