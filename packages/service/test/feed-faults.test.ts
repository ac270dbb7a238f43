import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Customer, createCustomer, moveClock, settingsOfPair, succeed } from './support/acceptance.ts';
import { startMassiveVendor, startOandaVendor, type Vendor } from './support/price-vendors.ts';
import { until } from './support/process.ts';
import { type Answer, startTestService, type TestService } from './support/service.ts';

/**
 * Two vendors of one pair, which fail in turn and together, while a customer asks for firm quotes without a pause and
 * every one of them is checked: made of good prices only, and of none that was older than the limit.
 */

/** Shorter than what holds by itself, so that less time has to pass. */
const STALENESS_MS = 2_000;
/** What the vendors quote when they are well. */
const LEAST = '1.08400';
const MOST = '1.08455';
/** What a last price may take to arrive on a busy machine; the age of each price is checked to the millisecond. */
const SLACK_MS = 1_000;
/** Quotes that are checked while a vendor fails, however slow the machine is. */
const QUOTES_LEAST = 25;

let oanda: Vendor;
let massive: Vendor;
let service: TestService;
let acme: Customer;

before(async () => {
  [oanda, massive] = await Promise.all([startOandaVendor(), startMassiveVendor()]);
  service = await startTestService({
    FIRMQUOTE_SOURCES: 'oanda:EURUSD,massive:EURUSD',
    FIRMQUOTE_OANDA_URL: oanda.url,
    FIRMQUOTE_OANDA_ACCOUNT: '001-001-1234567-001',
    FIRMQUOTE_OANDA_TOKEN: 'a-token',
    FIRMQUOTE_MASSIVE_URL: massive.url,
    FIRMQUOTE_MASSIVE_KEY: 'a-key',
  });
  await limitAge();
  acme = await createCustomer(service);
  await until('both vendors are heard', async () => {
    const { oanda: first, massive: second } = await ticksTaken();
    return first > 0 && second > 0;
  });
});

after(async () => {
  await service.stop();
  await Promise.all([oanda.close(), massive.close()]);
});

async function limitAge(): Promise<void> {
  const path = '/v1/operator/pairs/EURUSD';
  const { body } = await succeed(200, service.operate('GET', path));
  const changed = { ...settingsOfPair(body), stalenessMs: STALENESS_MS };
  await succeed(200, service.operate('PUT', path, changed, { 'If-Match': '*' }));
}

const ASKED = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '1000.00' };

/** One attempt at a firm quote, checked against what it was made of. */
async function attempt(): Promise<Answer> {
  const answer = await acme.post('/v1/customer/quotes', ASKED);
  if (answer.status !== 201) {
    assert.equal(answer.status, 503, answer.text);
    assert.equal(answer.body.code, 'price_unavailable');
    return answer;
  }
  const { rows } = await service.pool.query<{ evidence: string }>(
    'select evidence from priced_quotes order by id desc limit 1',
  );
  const { bid, ask } = JSON.parse(rows[0]?.evidence ?? '{}');
  // Texts of one length compare as the numbers do.
  assert.ok(bid >= LEAST && ask <= MOST && bid.length === 7 && ask.length === 7, `made of ${bid} and ${ask}`);
  const ageMs = Date.parse(answer.body.createdAt) - Date.parse(answer.body.rate.asOf);
  assert.ok(ageMs <= STALENESS_MS && ageMs >= -250, `made of a price of ${ageMs} ms`);
  return answer;
}

/** Longer than a price may be old: then nothing is left of a vendor that has failed. */
const OUTLASTING_MS = STALENESS_MS + 500;

/** For a time, and for as long as enough quotes take: how fast they are made is not what is tested. */
async function quotesGoOn(forMs: number, pauseMs: number): Promise<void> {
  const end = performance.now() + forMs;
  for (let quotes = 0; quotes < QUOTES_LEAST || performance.now() < end; quotes++) {
    assert.equal((await attempt()).status, 201);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function metric(name: string, source: string): Promise<number> {
  const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
  const value = new RegExp(`^${name}\\{source="${source}"\\} (\\S+)$`, 'm').exec(text)?.[1];
  return Number.parseInt(value ?? 'NaN', 10);
}

async function ticksTaken() {
  return {
    oanda: await metric('firmquote_source_ticks_total', 'oanda'),
    massive: await metric('firmquote_source_ticks_total', 'massive'),
  };
}

/** It sends again, and what it sends is taken: before, the other one must not fail. */
async function heals(vendor: { set(state: 'live'): void }, name: 'oanda' | 'massive'): Promise<void> {
  vendor.set('live');
  const { [name]: taken } = await ticksTaken();
  await until(`${name} is well again`, async () => (await ticksTaken())[name] > taken + 5);
}

async function isRunning(source: string): Promise<boolean> {
  return (await metric('firmquote_source_running', source)) === 1;
}

test('one stalls, the other carries the quotes', async () => {
  oanda.set('stalled');
  await quotesGoOn(OUTLASTING_MS, 40);
  await heals(oanda, 'oanda');
});

test('one dies, the other carries the quotes; it is come back to', async () => {
  const before = massive.connections;
  massive.set('dead');
  await until('the loss is seen', async () => !(await isRunning('massive')));
  await quotesGoOn(OUTLASTING_MS, 40);
  massive.set('live');
  await until('it is connected again', () => isRunning('massive'));
  await heals(massive, 'massive');
  assert.ok(massive.connections - before < 12, 'attempts are not made without a pause');
  assert.ok((await metric('firmquote_source_reconnects_total', 'massive')) >= 1);
});

test('one sends what nobody may trade on, the other carries the quotes', async () => {
  for (const [bad, name] of [
    [oanda, 'oanda'],
    [massive, 'massive'],
  ] as const) {
    const skipped = await metric('firmquote_source_skipped_total', name);
    bad.set('corrupt');
    // Without a pause: a bad price would stand until the other vendor's next one only.
    await quotesGoOn(1_200, 0);
    assert.ok((await metric('firmquote_source_skipped_total', name)) > skipped, `${name} is counted`);
    await heals(bad, name);
  }
});

test('a moved clock takes the prices along', async () => {
  for (const advanceSeconds of [86_400, 3_600]) {
    await moveClock(service, { advanceSeconds });
    assert.equal((await attempt()).status, 201);
  }
  await moveClock(service, { real: true });
  assert.equal((await attempt()).status, 201);
});

test('both stall: firm quotes stop within the limit, and begin again with the prices', async () => {
  oanda.set('stalled');
  massive.set('stalled');
  const stalledAt = performance.now();
  let lastedMs = 0;
  await until('firm quotes stop', async () => {
    const askedAt = performance.now();
    const isQuoted = (await attempt()).status === 201;
    if (isQuoted) lastedMs = askedAt - stalledAt;
    return !isQuoted;
  });
  assert.ok(lastedMs > 0, 'the last prices are quoted while they are young');
  assert.ok(lastedMs <= STALENESS_MS + SLACK_MS, `quotes were made for ${lastedMs} ms after the last price`);
  const answer = await attempt();
  assert.equal(answer.status, 503);
  assert.ok(answer.headers.get('Retry-After') !== null);
  const estimate = await acme.post('/v1/customer/quotes/indicative', ASKED);
  assert.deepEqual([estimate.status, estimate.body.tradable, estimate.body.reason], [200, false, 'stale']);
  massive.set('live');
  await until('firm quotes are made again', async () => (await attempt()).status === 201);
});
