import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SetExposureLimits } from '@firmquote/api/operations/pricing';
import { parseDecimal } from '@firmquote/fx';
import fc from 'fast-check';
import { UnconfirmedCommit } from '../database/session.ts';
import { RateBook } from '../market/rate-book.ts';
import { VirtualClock } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import { ExposureGuard, type ExposureReservation, type TradeLegs } from './guard.ts';
import { readExposureLimits } from './limits.ts';
import type { HousePositions } from './position-store.ts';

const decimal = (text: string) => parseDecimal(text) ?? assert.fail(text);

/** A guard whose readings are at once, of a house without positions; how often it has read and published values. */
function counted(limits: Partial<SetExposureLimits>, notify: () => Promise<void> = async () => undefined) {
  const clock = new VirtualClock();
  const book = new RateBook({ clock });
  const inForce = readExposureLimits(
    { total: null, perCurrency: null, currencies: [], hedges: [], ...limits },
    2,
  );
  const counts = { reads: 0, reported: 0 };
  const guard = new ExposureGuard({
    clock,
    book,
    limits: { current: () => inForce },
    now: () => 0,
    publish: () => {
      counts.reported++;
      return notify();
    },
    read: async () => {
      counts.reads++;
      return { byCurrency: new Map(), openQuotes: 0 };
    },
  });
  return { guard, counts };
}

/** A guard over a ledger in memory, whose readings end when the test says so. Euros are worth one dollar. */
function setUp(
  limit: string,
  settings: { total?: string; hedges?: { currency: string; amount: string }[] } = {},
) {
  const clock = new VirtualClock();
  const book = new RateBook({ clock });
  book.freeze('EURUSD', decimal('1.00000'), decimal('1.00000'));
  const limits = readExposureLimits(
    {
      total: settings.total ?? null,
      perCurrency: null,
      currencies: [{ currency: 'EUR', limit }],
      hedges: settings.hedges ?? [],
    },
    2,
  );
  const ledger = { position: 0n, openLong: 0n, openShort: 0n };
  const state = { now: 0, ledger, reads: 0 };
  let pending: { answer: HousePositions; resolve: (positions: HousePositions) => void }[] = [];
  const guard = new ExposureGuard({
    clock,
    book,
    limits: { current: () => limits },
    now: () => state.now,
    publish: async () => undefined,
    read: () => {
      state.reads++;
      const answer = { byCurrency: new Map([['EUR', { ...state.ledger }]]), openQuotes: 0 };
      return new Promise((resolve) => pending.push({ answer, resolve }));
    },
  });
  const turns = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  const finishReads = async () => {
    await turns();
    const ended = pending;
    pending = [];
    for (const { answer, resolve } of ended) resolve(answer);
    await turns();
  };
  const read = async () => {
    const reading = guard.read();
    await finishReads();
    await reading;
  };
  return { guard, state, read, turns, finishReads };
}

/** A customer sells euros, so that the house is longer by as many cents; negative: buys. */
function trade(cents: bigint): TradeLegs {
  const size = cents < 0n ? -cents : cents;
  return cents > 0n
    ? {
        sellCurrency: 'EUR',
        buyCurrency: 'USD',
        fixedSide: 'sell',
        sellMinor: size,
        buyMinor: size,
        marketMinor: size,
      }
    : {
        sellCurrency: 'USD',
        buyCurrency: 'EUR',
        fixedSide: 'buy',
        sellMinor: size,
        buyMinor: size,
        marketMinor: size,
      };
}

function taken(held: ExposureReservation | Promise<ExposureReservation>): ExposureReservation {
  assert.ok(!(held instanceof Promise));
  return held;
}
const isExceeded = (error: unknown) =>
  error instanceof Problem && error.code === 'limit_exceeded' && error.members.limitType === 'openPosition';

test('a limit is held to the cent, on the side that a trade moves', async () => {
  const { guard, read } = setUp('100.00');
  await read();
  taken(guard.holdQuote(trade(10_000n)));
  assert.throws(() => guard.holdQuote(trade(1n)), isExceeded);
  taken(guard.holdQuote(trade(-10_000n)));
  assert.throws(() => guard.holdQuote(trade(-1n)), isExceeded, 'neither may the other be relied on');
});

test('what was released is free again, what was settled only after a reading that began later', async () => {
  const { guard, state, read } = setUp('100.00');
  await read();
  taken(guard.holdQuote(trade(10_000n))).rollback();
  const held = taken(guard.holdQuote(trade(10_000n)));
  await read();
  assert.throws(() => guard.holdQuote(trade(1n)), isExceeded, 'under way: no reading is sure to hold it');
  held.commit();
  assert.throws(() => guard.holdQuote(trade(1n)), isExceeded);
  // It was rolled back after all: the ledger does not hold it.
  await read();
  taken(guard.holdQuote(trade(10_000n))).rollback();
  state.ledger.position = 10_000n;
  await read();
  assert.throws(() => guard.holdQuote(trade(1n)), isExceeded);
  taken(guard.holdQuote(trade(-20_000n)));
});

test('open quotes count as if they were executed', async () => {
  const { guard, state, read } = setUp('100.00');
  state.ledger.openLong = 6_000n;
  await read();
  taken(guard.holdQuote(trade(4_000n)));
  assert.throws(() => guard.holdQuote(trade(1n)), isExceeded);
  taken(guard.holdQuote(trade(-10_000n)));
});

test('a position beyond a lowered limit may only be reduced', async () => {
  const { guard, state, read } = setUp('50.00');
  state.ledger.position = 9_000n;
  await read();
  assert.throws(() => guard.holdQuote(trade(1n)), isExceeded);
  taken(guard.holdQuote(trade(-9_000n)));
});

test('hedges are part of the position', async () => {
  const { guard, state, read } = setUp('50.00', { hedges: [{ currency: 'EUR', amount: '-80.00' }] });
  state.ledger.position = 9_000n;
  await read();
  taken(guard.holdQuote(trade(4_000n)));
  assert.throws(() => guard.holdQuote(trade(1n)), isExceeded);
});

test('the total is the greater of all long and all short positions, without the dollar', async () => {
  const { guard, read } = setUp('1000.00', { total: '100.00' });
  await read();
  taken(guard.holdQuote(trade(10_000n)));
  assert.throws(() => guard.holdQuote(trade(1n)), isExceeded);
});

test('positions that are too old are read before anything is decided', async () => {
  const { guard, state, finishReads } = setUp('100.00');
  const first = guard.holdQuote(trade(1n));
  assert.ok(first instanceof Promise, 'nothing was read yet');
  await finishReads();
  (await first).rollback();
  taken(guard.holdQuote(trade(1n))).rollback();
  state.now = 5_001;
  state.ledger.position = 10_000n;
  const late = guard.holdQuote(trade(1n));
  assert.ok(late instanceof Promise);
  await finishReads();
  await assert.rejects(late, isExceeded);
  assert.equal(state.reads, 2);
});

test('an execution waits until values have been told, once, and is told when they cannot be', async () => {
  const telling = Promise.withResolvers<void>();
  const { guard, counts } = counted({ total: '1.00' }, () => telling.promise);
  let isReady = false;
  const ready = [guard.ready(), guard.ready()].map(async (each) => {
    await each;
    isReady = true;
  });
  await new Promise(setImmediate);
  assert.equal(isReady, false);
  telling.resolve();
  await Promise.all(ready);
  assert.deepEqual([guard.ready(), counts.reported], [undefined, 1]);

  const gone = [new Error('the database is gone'), new UnconfirmedCommit()];
  const failing = counted({ total: '1.00' }, () => Promise.reject(gone.shift()));
  await assert.rejects(failing.guard.ready() ?? assert.fail(), /is gone/);
  await (failing.guard.ready() ?? assert.fail('it is told again'));
  assert.equal(failing.guard.ready(), undefined, 'the primary has them');
});

test('values and positions are followed while there is any limit', async () => {
  for (const limits of [
    { total: '1.00' },
    { perCurrency: '1.00' },
    { currencies: [{ currency: 'EUR', limit: '1.00' }] },
  ]) {
    const { guard, counts } = counted(limits);
    await guard.refresh();
    await guard.refresh();
    assert.deepEqual(counts, { reads: 2, reported: 2 });
  }
  const { guard, counts } = counted({ hedges: [{ currency: 'EUR', amount: '1.00' }] });
  await guard.refresh();
  await guard.refresh();
  taken(guard.holdQuote(trade(1_000_000n))).rollback();
  assert.deepEqual(
    counts,
    { reads: 0, reported: 1 },
    'without one values are told for the time when there is',
  );
});

const action = fc.oneof(
  fc.record({ kind: fc.constant('hold' as const), cents: fc.integer({ min: -4_000, max: 4_000 }) }),
  fc.record({ kind: fc.constantFrom('commit', 'rollback', 'settle') }),
  fc.record({ kind: fc.constantFrom('beginRead', 'endRead') }),
);

test('whatever comes between what, what is promised and under way never passes the limit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
      const { guard, state, read, turns, finishReads } = setUp('100.00');
      await read();
      const underWay: { held: ExposureReservation; cents: bigint }[] = [];
      const committed: ExposureReservation[] = [];
      for (const each of actions) {
        if (each.kind === 'hold') {
          const cents = BigInt(each.cents);
          if (cents === 0n) continue;
          try {
            underWay.push({ held: taken(guard.holdQuote(trade(cents))), cents });
          } catch (error) {
            assert.ok(isExceeded(error));
          }
        } else if (each.kind === 'commit') {
          // The database has it before this process hears of it.
          const next = underWay.shift();
          if (next === undefined) continue;
          if (next.cents > 0n) state.ledger.openLong += next.cents;
          else state.ledger.openShort -= next.cents;
          committed.push(next.held);
        } else if (each.kind === 'rollback') underWay.shift()?.held.rollback();
        else if (each.kind === 'settle') committed.shift()?.commit();
        else if (each.kind === 'beginRead') {
          guard.read().catch(() => undefined);
          await turns();
        } else await finishReads();
        const { openLong, openShort } = state.ledger;
        const most = underWay.reduce((sum, { cents }) => sum + (cents > 0n ? cents : 0n), openLong);
        const least = underWay.reduce((sum, { cents }) => sum + (cents < 0n ? cents : 0n), -openShort);
        assert.ok(most <= 10_000n && least >= -10_000n, `${least} to ${most}`);
      }
      await finishReads();
    }),
    { numRuns: 400 },
  );
});
