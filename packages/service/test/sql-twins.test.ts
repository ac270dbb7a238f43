import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { JournalEntryKind } from '@firmquote/api/operations/ledger';
import { maskAccount } from '@firmquote/bank-formats';
import {
  canQuoteTransition,
  canTransition,
  extractReferences,
  makeReference,
  type QuoteStatus,
  type TransactionStatus,
  tradeDateAt,
} from '@firmquote/fx';
import fc from 'fast-check';
import { dailyUsedOn, exceededLimit } from '../src/customers/limits.ts';
import type { Row } from '../src/database/rows.ts';
import { IdempotencyStore } from '../src/http/idempotency-store.ts';
import { isoInstant, VirtualClock } from '../src/platform/clock.ts';
import { eventIdPrefix, eventSequenceOf, newUuid, uuidFloor } from '../src/platform/ids.ts';
import { Problem } from '../src/problems/problem.ts';
import { EXPIRY_GRACE_MS } from '../src/quotes/expiry-grace.ts';
import type { QuoteRecord } from '../src/quotes/record.ts';
import type { NewQuote } from '../src/quotes/store.ts';
import { createTestDatabase } from './support/database.ts';
import { setLimits, USD_OF_ONE } from './support/executions.ts';
import { createDesk, type Desk, EXAMPLE_INSTANT, executionOf, expireDue } from './support/trading.ts';

/** What SQL decides or computes for itself, beside the TypeScript that says the same. */

const HOUR_MS = 3_600_000;

let desk: Desk;
before(async () => {
  desk = await createDesk((await createTestDatabase()).pool);
});

/** The values of a SQL expression of `x`, one for each of the given ones. */
async function inSql(expression: string, type: string, values: readonly unknown[]): Promise<string[]> {
  const { rows } = await desk.pool.query<{ value: string }>(
    `select (${expression})::text as value from unnest($1::${type}[]) with ordinality as v (x, n) order by n`,
    [values],
  );
  return rows.map(({ value }) => value);
}

const sample = <T>(arbitrary: fc.Arbitrary<T>, ...edges: readonly T[]): T[] => [
  ...edges,
  ...fc.sample(arbitrary, 200),
];

describe('a value is the same from both', () => {
  test('reference', async () => {
    const digits = sample(fc.bigInt({ min: 0n, max: 10n ** 12n - 1n }), 0n, 1n, 10n ** 12n - 1n);
    assert.deepEqual(await inSql('reference_of(x)', 'bigint', digits), digits.map(makeReference));
  });

  test('digits of references: twelve, each met once, and never neighbours', async () => {
    const places = sample(fc.bigInt({ min: 1n, max: 10n ** 12n - 1n }), 1n, 2n, 3n, 999_999_999_999n);
    const digits = (await inSql('reference_digits(x)', 'bigint', places)).map(BigInt);
    assert.equal(new Set(digits).size, new Set(places).size);
    for (const each of digits) assert.ok(extractReferences(makeReference(each)).length === 1);
    const [first = 0n, second = 0n] = digits;
    assert.ok(second - first > 1_000n || first - second > 1_000n);
  });

  test('the cell of a reference, from its digits alone', async () => {
    // What undoes the multiplication: 3^18 times it is 1 modulo 10^12.
    const [modulus, inverse, cellSize] = [10n ** 12n, 555_513_180_409n, 10n ** 10n];
    const places = sample(fc.bigInt({ min: 0n, max: modulus - 1n }), 1n, cellSize - 1n, cellSize);
    const digits = (await inSql('reference_digits(x)', 'bigint', places)).map(BigInt);
    const placeOf = (each: bigint) => ((each - 314_159_265_358n + modulus) * inverse) % modulus;
    assert.deepEqual(digits.map(placeOf), places);

    const { rows } = await desk.pool.query<{ most: string }>(
      `select seqmax as most from pg_sequence where seqrelid = 'transaction_references'::regclass`,
    );
    assert.equal(BigInt(rows[0]?.most ?? 0), cellSize - 1n, 'a database stays in its cell');
  });

  test('masked account', async () => {
    const accounts = sample(
      fc.oneof(
        fc.stringMatching(/^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/),
        fc.stringMatching(/^[A-Za-z0-9]{1,34}$/),
      ),
      'DE89370400440532013000',
      '1',
      'A1234',
      'de89370400440532013000',
    );
    assert.deepEqual(await inSql('mask_account(x)', 'text', accounts), accounts.map(maskAccount));
  });

  test('smallest id of an instant', async () => {
    const instants = sample(fc.integer({ min: 0, max: Date.UTC(2100, 0) }), 0, 1, desk.clock.now());
    assert.deepEqual(
      await inSql('uuid_floor(x)', 'timestamptz', instants.map(isoInstant)),
      instants.map(uuidFloor),
    );
  });

  test('sequence in the id of an event', async () => {
    const sequences = sample(fc.bigInt({ min: 1n, max: 2n ** 40n - 1n }), 1n, 2n ** 40n - 1n);
    const prefix = eventIdPrefix(desk.clock.now());
    const ids = await inSql(`event_id('${prefix}', x)`, 'bigint', sequences);
    assert.deepEqual(ids.map(eventSequenceOf), sequences);
    assert.ok(ids.every((id) => id.replaceAll('-', '').startsWith(prefix)));
  });
});

/** Each way in which SQL ends a quote, tried whatever its status is. */
const ENDS: Readonly<Record<Exclude<QuoteStatus, 'open'>, (quote: QuoteRecord) => Promise<unknown>>> = {
  executed: ({ id }) => desk.services.transactions.execute(executionOf(desk, id)),
  cancelled: ({ customerId, id }) => desk.services.store.cancel(customerId, id, desk.clock.now()),
  withdrawn: (quote) => desk.services.store.withdraw([quote], 'market_halt', desk.clock.now()),
  expired: ({ expiresAt }) => {
    const over = expiresAt + EXPIRY_GRACE_MS;
    return expireDue(desk.services.store, over, over, 1_000);
  },
};
const STATUSES: readonly QuoteStatus[] = ['open', 'executed', 'cancelled', 'expired', 'withdrawn'];

/** Few values, so that days and sums meet often. */
const DAYS = ['2026-03-02', '2026-03-03', '2026-03-04'] as const;
const minor = fc.oneof(fc.bigInt({ min: 0n, max: 3n }), fc.bigInt({ min: 0n, max: 10n ** 18n }));
const limitCase = fc.record({
  usdMinor: minor,
  day: fc.constantFrom(...DAYS),
  usage: fc.record({
    limitDay: fc.constantFrom(null, ...DAYS),
    dailyUsdMinor: minor,
    openUsdMinor: minor,
  }),
  limits: fc.record({ dailyUsdMinor: minor, openUsdMinor: minor }),
});

describe('limits are the same for quotes and executions', () => {
  test('what of them is used, and which is passed', async () => {
    const cases = fc.sample(limitCase, 1_000);
    const { rows } = await desk.pool.query<{ used: string; passed: string | null }>(
      `select x.used, exceeded_limit(usd, x.used, open, daily_limit, open_limit) as passed
       from unnest($1::date[], $2::date[], $3::numeric[], $4::numeric[], $5::numeric[], $6::numeric[], $7::numeric[])
         with ordinality as c (day, limit_day, usd, daily, open, daily_limit, open_limit, n)
       cross join lateral (select daily_used(limit_day, daily, day) as used) x order by n`,
      [
        cases.map(({ day }) => day),
        cases.map(({ usage }) => usage.limitDay),
        cases.map(({ usdMinor }) => usdMinor),
        cases.map(({ usage }) => usage.dailyUsdMinor),
        cases.map(({ usage }) => usage.openUsdMinor),
        cases.map(({ limits }) => limits.dailyUsdMinor),
        cases.map(({ limits }) => limits.openUsdMinor),
      ],
    );
    assert.deepEqual(
      rows.map(({ used, passed }) => ({ used: BigInt(used), passed: passed ?? undefined })),
      cases.map(({ usdMinor, limits, usage, day }) => ({
        used: dailyUsedOn(day, usage),
        passed: exceededLimit(usdMinor, limits, usage, day)?.limitType,
      })),
    );
  });

  for (const limitType of ['daily', 'openPosition']) {
    test(`${limitType}: a quote and an execution are refused in the same words, from the same cent on`, async () => {
      for (const missing of [0n, 1n]) {
        const own = await createDesk(desk.pool);
        const [first, second] = [await own.quote(), await own.quote()];
        await own.execute(first);
        const allowed = { daily: 2n * USD_OF_ONE, open: 2n * USD_OF_ONE };
        allowed[limitType === 'daily' ? 'daily' : 'open'] -= missing;
        await setLimits(own, allowed);
        const profile = await own.services.customers.profile(own.customerId);
        const day = tradeDateAt(own.clock.now());
        own.change({
          limits: { ...profile.limits, dailyUsdMinor: allowed.daily, openUsdMinor: allowed.open },
          usage: { limitDay: day, dailyUsdMinor: USD_OF_ONE, openUsdMinor: USD_OF_ONE },
        });
        const quoted = await own.quote().then(() => undefined, refusalOf);
        const executed = await own.execute(second).then(() => undefined, refusalOf);
        assert.deepEqual(quoted, executed);
        assert.equal(quoted?.limitType, missing === 0n ? undefined : limitType);
      }
    });
  }
});

function refusalOf(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Problem)) throw error;
  return { code: error.code, detail: error.message, ...error.members };
}

/** What takes keys, each with what it answers under a key that counts, and under one that is free again. */
const KEYS: Readonly<
  Record<string, { keptMs: number; use: (own: Desk) => Promise<() => Promise<boolean>> }>
> = {
  'of a quote': {
    keptMs: 24 * HOUR_MS,
    use: async (own) => {
      const { record, price } = await insertedBy(own, () => own.quote());
      const key = { key: 'k', fingerprint: 'f', receivedAt: own.clock.now() };
      const insert = async () => {
        const again = { ...record, id: newUuid(own.clock.now()) };
        return own.services.store.insert({ record: again, price, key, maxOpen: undefined });
      };
      assert.equal((await insert()).outcome, 'created');
      return async () => {
        const read = await own.services.store.byKey(own.customerId, key.key);
        const { outcome } = await insert();
        assert.equal(read !== undefined, outcome === 'known', 'what reads keys, and what writes them');
        return outcome === 'known';
      };
    },
  },
  'of an execution, kept with its transaction': {
    keptMs: 7 * 24 * HOUR_MS,
    use: async (own) => executed(own, await own.quote(), 'created', 'quote_already_executed'),
  },
  'of an execution that came for a quote that is gone': {
    keptMs: 7 * 24 * HOUR_MS,
    use: async (own) => {
      const quote = await own.quote();
      await own.services.store.cancel(own.customerId, quote.id, own.clock.now());
      return executed(own, quote, 'quote_cancelled', 'quote_cancelled');
    },
  },
  'of any other request': {
    keptMs: 24 * HOUR_MS,
    use: async (own) => {
      const store = new IdempotencyStore(own.pool, own.clock);
      const wanted = { owner: own.customerId, operation: 'http:POST /', key: 'k', fingerprint: 'f' };
      const taken = await store.reserve(wanted);
      assert.ok(taken.outcome === 'reserved');
      assert.ok(await store.complete({ ...wanted, token: taken.token }, { status: 200, headers: {} }));
      return async () => (await store.reserve(wanted)).outcome !== 'reserved';
    },
  },
};

/** Executes a quote under a key; answers what tells whether the same request is a repetition now. */
async function executed(own: Desk, quote: QuoteRecord, first: string, whenFree: string) {
  const key = { key: 'k', fingerprint: 'f'.repeat(64) };
  const execute = () =>
    own.services.transactions.execute(executionOf(own, quote.id, { key, receivedAt: own.clock.now() }));
  assert.partialDeepStrictEqual(await execute(), { outcome: first, replayed: false });
  return async () => {
    const { outcome, replayed } = await execute();
    if (!replayed) assert.equal(outcome, whenFree);
    return replayed;
  };
}

/** What a desk's request writes. */
async function insertedBy(own: Desk, request: () => Promise<unknown>): Promise<NewQuote> {
  const { store } = own.services;
  const insert = store.insert.bind(store);
  let written: NewQuote | undefined;
  store.insert = (quote) => {
    written = quote;
    return insert(quote);
  };
  await request().finally(() => {
    store.insert = insert;
  });
  return written ?? assert.fail('nothing was written');
}

describe('a key counts until its retention is over, and is free from that millisecond on', () => {
  for (const [name, { keptMs, use }] of Object.entries(KEYS)) {
    test(name, async () => {
      for (const [age, isKnown] of [
        [keptMs - 1, true],
        [keptMs, false],
      ] as const) {
        const standing = new VirtualClock(0, { now: () => EXAMPLE_INSTANT });
        const own = await createDesk(desk.pool, { clock: standing });
        const isRepetition = await use(own);
        own.clock.advance(age);
        assert.equal(await isRepetition(), isKnown, `after ${age} ms`);
        assert.equal(await isRepetition(), true, 'a free key is kept anew');
      }
    });
  }
});

describe('a status changes in SQL where the domain lets it', () => {
  const statusOf = async ({ id }: QuoteRecord) =>
    (await desk.services.store.find(desk.customerId, id))?.status ?? assert.fail();

  for (const from of STATUSES) {
    for (const [to, end] of Object.entries(ENDS) as [
      Exclude<QuoteStatus, 'open'>,
      (typeof ENDS)['expired'],
    ][]) {
      test(`quote, ${from} to ${to}`, async () => {
        const quote = await desk.quote();
        if (from !== 'open') await ENDS[from](quote);
        assert.equal(await statusOf(quote), from);
        const { version } = (await desk.services.store.find(desk.customerId, quote.id)) ?? assert.fail();
        await end(quote);
        const moves = canQuoteTransition(from, to);
        assert.equal(await statusOf(quote), moves ? to : from);
        const after = await desk.services.store.find(desk.customerId, quote.id);
        assert.equal(after?.version, version + (moves ? 1 : 0));
      });
    }
  }

  test('what comes into being', async () => {
    const quote = await desk.quote();
    assert.ok(canQuoteTransition(null, quote.status));
    assert.ok(canTransition(null, (await desk.execute(quote)).status));
  });

  test('the words of the tables are those of the domain', () => {
    // Held by the compiler: each is assignable to the other.
    const quotes: Same<Row<'quotes'>['status'], QuoteStatus> = true;
    const transactions: Same<Row<'transactions'>['status'], TransactionStatus> = true;
    const entries: Same<Row<'journal_entries'>['kind'], JournalEntryKind> = true;
    assert.ok(quotes && transactions && entries);
  });
});

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
