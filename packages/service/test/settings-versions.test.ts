import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { REQUEST_EXAMPLES } from '@firmquote/api/operations/request-examples';
import { EXAMPLE_NOW, refused, settingsOfPair, startExampleService, succeed } from './support/acceptance.ts';
import { fourEyes } from './support/four-eyes.ts';
import type { Answer, TestService } from './support/service.ts';

/** What operators set as a whole, and what it was before: each version with who has set it and when. */

let service: TestService;

before(async () => {
  service = await startExampleService({ FIRMQUOTE_LOG_LEVEL: 'silent' });
});

const path = (of: string) => `/v1/operator/${of}`;
const get = async (of: string): Promise<Answer['body']> =>
  (await succeed(200, service.operate('GET', path(of)))).body;
const put = async (of: string, body: unknown): Promise<Answer['body']> =>
  (await succeed(200, service.operate('PUT', path(of), body, { 'If-Match': '*' }))).body;

/** By its address: the operation that sets it, and what differs in its next version. */
const SET: readonly (readonly [of: string, operationId: string, next: object])[] = [
  [
    'pricing-policy',
    'setPricingPolicy',
    { marketHours: [], validityPremium: { method: 'none', table: [], volatility: null } },
  ],
  ['swap-point-policy', 'setSwapPointPolicy', { ratesMaxAgeDays: 3 }],
  ['amount-limits', 'setAmountLimits', { limits: [] }],
  ['exposure-limits', 'setExposureLimits', { hedges: [] }],
  ['matching-rules', 'replaceMatchingRules', { toleranceUsd: '5.00' }],
  ['pairs/GBPUSD', 'setPairSettings', { stalenessMs: 4_000, bandBps: '250.00' }],
  ['swap-points/EURUSD', 'setSwapPoints', { on: null }],
];

describe('former versions of what is set as a whole', () => {
  for (const [of, operationId, more] of SET) {
    test(`${of}: what it was, who has set it, and when, newest first`, async () => {
      assert.deepEqual((await get(`${of}/versions`)).items, []);
      const first = REQUEST_EXAMPLES[operationId] as object;
      const next = { ...first, ...more };
      const [{ version }, newest] = [await put(of, first), await put(of, next)];
      assert.equal(newest.version, version + 1);
      const page = await get(`${of}/versions?limit=1`);
      const rest = await get(`${of}/versions?limit=1&cursor=${page.nextCursor}`);
      assert.deepEqual([page.hasMore, rest.hasMore, rest.nextCursor], [true, false, null]);
      const items = [...page.items, ...rest.items];
      for (const [at, set] of [next, first].entries()) {
        const { changedAt, changedBy, ...item } = items[at];
        assert.match(changedBy, /^cli_/);
        assert.ok(Date.parse(changedAt) >= Date.parse(EXAMPLE_NOW));
        assert.partialDeepStrictEqual(item, { version: newest.version - at, ...set });
      }
      const whole = await get(`${of}/versions`);
      assert.deepEqual([whole.items, whole.hasMore], [items, false]);
      await refused('cursor_invalid', service.operate('GET', path(`${of}/versions?cursor=x`)));
    });
  }

  test('a limit that was not the own one of a pair is told as its class has it', async () => {
    const { items } = await get('pairs/GBPUSD/versions');
    const told = items.map(({ ownLimits, bandBps }: Answer['body']) => [ownLimits, bandBps]);
    assert.deepEqual(told, [
      [['bandBps'], '250.00'],
      [[], '300.00'],
    ]);
    assert.deepEqual(items[0], await get('pairs/GBPUSD'));
    assert.equal((await put('pairs/GBPUSD', settingsOfPair(items[1]))).bandBps, '300.00');
  });

  test('a page of large versions ends early, and the next one goes on', async () => {
    const limits = (seed: number) =>
      Array.from({ length: 10_000 }, (_, at) => ({
        customerId: null,
        groupName: `${((at + seed) * 2_654_435_761) % 4_294_967_291}-${at}`,
        pair: null,
        minimum: `${(at * 40_503) % 65_521}.00`,
        maximum: null,
      }));
    for (let seed = 1; seed <= 3; seed++) await put('amount-limits', { limits: limits(seed) });
    const versions: number[] = [];
    const lengths: number[] = [];
    for (let cursor = ''; ; ) {
      const page = await get(`amount-limits/versions?limit=5${cursor}`);
      versions.push(...page.items.map(({ version }: { version: number }) => version));
      lengths.push(page.items.length);
      if (!page.hasMore) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    const { version: newest } = await get('amount-limits');
    assert.deepEqual(
      versions,
      Array.from({ length: newest - 1 }, (_, at) => newest - at),
    );
    assert.ok((lengths[0] ?? 5) < 4, `${lengths}`);
  });

  test('the policy of four eyes, as two persons have set it', async () => {
    const eyes = await fourEyes(service);
    await eyes.setPolicy({ pricing: 'never' });
    await eyes.setPolicy({ pricing: 'never' }, { rollingHours: 12 });
    const { items } = await get('four-eyes/versions');
    const newest = await get('four-eyes');
    assert.deepEqual([items[0].version, items[0].rollingHours], [newest.version, 12]);
    assert.equal(items[1].version, newest.version - 1);
    assert.match(items[0].changedBy, /^(cli|per)_/);
  });
});
