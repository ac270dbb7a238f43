import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '../src/platform/logger.ts';
import {
  type Customer,
  createCustomer,
  EXAMPLE_NOW,
  fieldErrors,
  refused,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { startTestService, type TestService } from './support/service.ts';

/** Calendars as operators change them, and what follows for quotes and trades: docs/interface.md#value-dates. */

const CALENDARS = '/v1/operator/calendars';
const MOURNING = {
  date: '2026-03-06',
  state: 'closed',
  reason: 'National day of mourning',
  source: 'https://example.com/announcement',
} as const;

let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

const put = (path: string, body: unknown, version: number) =>
  service.operate('PUT', path, body, { 'If-Match': `"v${version}"` });
const valueDate = async (body: Readonly<Record<string, string>> = {}) =>
  (await acme.quote(body)).body.settlement.valueDate;

describe('calendars', () => {
  const path = `${CALENDARS}/EUR/2026`;

  test('built-in days are shown with their source', async () => {
    const { body, headers } = await succeed(200, service.operate('GET', path));
    assert.equal(headers.get('ETag'), '"v1"');
    assert.deepEqual([body.known, body.complete, body.changes, body.lastChange], [true, false, [], null]);
    assert.match(body.range.source, /European Central Bank/);
    assert.deepEqual(body.days[1], {
      date: '2026-04-03',
      state: 'closed',
      name: 'Good Friday',
      origin: 'built_in',
      estimated: false,
      inWorkingWeek: true,
    });
    assert.equal(body.days.length, 6);
  });

  test('a day is closed, in force at once, and open trades are counted and keep their date', async () => {
    const trade = (await acme.trade()).body;
    const quoted = (await acme.quote()).body;
    assert.equal(trade.settlement.valueDate, '2026-03-06');
    const change = { changes: [MOURNING], reason: 'Announced this morning' };
    const { body } = await succeed(200, put(path, change, 1));
    assert.deepEqual(body.turnedDays, [{ date: '2026-03-06', state: 'closed', openTransactions: 1 }]);
    assert.equal(body.version, 2);
    assert.deepEqual(
      body.days.find((day: { date: string }) => day.date === '2026-03-06'),
      {
        date: '2026-03-06',
        state: 'closed',
        name: 'National day of mourning',
        origin: 'operator',
        estimated: false,
        inWorkingWeek: true,
      },
    );
    assert.equal(await valueDate(), '2026-03-09', 'the next quote');
    const kept = (await acme.get(`/v1/customer/transactions/${trade.transactionId}`)).body;
    assert.equal(kept.settlement.valueDate, '2026-03-06');
    const executed = await succeed(201, acme.execute(quoted.quoteId));
    assert.equal(executed.body.settlement.valueDate, '2026-03-06', 'a firm quote keeps its date');
    await refused(
      'value_date_invalid',
      acme.post('/v1/customer/quotes', { ...SELL_USD, valueDate: '2026-03-06' }),
      {
        reasons: ['holiday: EUR National day of mourning'],
        nextValueDate: '2026-03-09',
      },
    );
  });

  test('the same again is no new version, and taking it back is one', async () => {
    const change = { changes: [MOURNING], reason: 'Once more' };
    assert.equal((await succeed(200, put(path, change, 2))).body.version, 2);
    const back = await succeed(200, put(path, { changes: [], reason: 'Called off' }, 2));
    assert.deepEqual(back.body.turnedDays, [{ date: '2026-03-06', state: 'open', openTransactions: 2 }]);
    assert.equal(await valueDate(), '2026-03-06');
  });

  test('every version is kept, with who made it and when', async () => {
    const first = (await succeed(200, service.operate('GET', `${path}/versions?limit=1`))).body;
    assert.deepEqual(
      first.items.map(({ version, reason, changes }: Record<string, unknown>) => [version, reason, changes]),
      [[3, 'Called off', []]],
    );
    const second = (
      await succeed(200, service.operate('GET', `${path}/versions?limit=1&cursor=${first.nextCursor}`))
    ).body;
    const [item] = second.items;
    assert.deepEqual([item.version, item.changes, second.hasMore], [2, [MOURNING], false]);
    assert.match(item.changedBy, /^cli_/);
    assert.equal(item.changedAt.slice(0, 10), EXAMPLE_NOW.slice(0, 10));
    await refused('cursor_invalid', service.operate('GET', `${path}/versions?limit=1&cursor=x`));
  });

  test('two operators cannot overwrite each other', async () => {
    await refused('version_mismatch', put(path, { changes: [], reason: 'x' }, 2), { currentVersion: 3 });
    await refused('precondition_required', service.operate('PUT', path, { changes: [], reason: 'x' }));
    const both = await Promise.all([
      put(path, { changes: [MOURNING], reason: 'one' }, 3),
      put(path, { changes: [{ ...MOURNING, reason: 'Other' }], reason: 'two' }, 3),
    ]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412]);
    await succeed(200, put(path, { changes: [], reason: 'back' }, 4));
  });

  test('wrong days are told one by one, and nothing is changed', async () => {
    const day = (date: string) => ({ ...MOURNING, date });
    const wrong = { changes: ['2026-02-30', '2027-03-05', '2026-03-05', '2026-03-05'].map(day), reason: 'x' };
    assert.deepEqual(await fieldErrors(put(path, wrong, 5)), [
      ['/changes/0/date', 'wrong_format'],
      ['/changes/1/date', 'out_of_range'],
      ['/changes/3/date', 'repeated'],
    ]);
    const long = Array.from({ length: 12 }, (_, index) =>
      day(`2026-06-${String(index + 1).padStart(2, '0')}`),
    );
    assert.deepEqual(await fieldErrors(put(path, { changes: long, reason: 'x' }, 5)), [
      ['/changes', 'out_of_range'],
    ]);
    assert.deepEqual(
      await fieldErrors(put(path, { changes: [{ ...MOURNING, note: 'x' }], reason: ' ' }, 5)),
      [
        ['/changes/0/note', 'unknown_field'],
        ['/reason', 'wrong_format'],
      ],
    );
    assert.deepEqual(await fieldErrors(service.operate('GET', `${CALENDARS}/EUR/1999`)), [
      ['/path/year', 'not_permitted'],
    ]);
    assert.deepEqual(await fieldErrors(service.operate('GET', `${CALENDARS}/EUR/abc/versions`)), [
      ['/path/year', 'not_permitted'],
    ]);
    await refused('currency_not_supported', service.operate('GET', `${CALENDARS}/XXX/2026`));
    await refused('currency_withdrawn', service.operate('GET', `${CALENDARS}/HRK/2026`));
    assert.equal((await service.operate('GET', path)).body.version, 5);
  });

  test('a complete year extends a calendar that it adjoins, and can be withdrawn', async () => {
    const at = (year: number) => `${CALENDARS}/EUR/${year}`;
    const one = { date: '2031-01-01', state: 'closed', reason: "New Year's Day", source: 'ECB' };
    assert.equal((await service.operate('GET', at(2031))).body.known, false);
    assert.deepEqual(await fieldErrors(put(at(2031), { changes: [one], reason: 'x' }, 1)), [
      ['/complete', 'out_of_range'],
    ]);
    assert.deepEqual(await fieldErrors(put(at(2032), { changes: [], complete: true, reason: 'x' }, 1)), [
      ['/complete', 'out_of_range'],
    ]);
    const next = await succeed(200, put(at(2031), { changes: [one], complete: true, reason: 'x' }, 1));
    assert.deepEqual(
      [next.body.known, next.body.range.to, next.body.days.length, next.body.turnedDays],
      [true, '2031-12-31', 1, []],
    );
    await succeed(200, put(at(2032), { changes: [], complete: true, reason: 'x' }, 1));
    assert.deepEqual(await fieldErrors(put(at(2031), { changes: [], reason: 'x' }, 2)), [
      ['/changes', 'not_permitted'],
    ]);
    await succeed(200, put(at(2032), { changes: [], reason: 'x' }, 2));
    const gone = await succeed(200, put(at(2031), { changes: [], reason: 'x' }, 2));
    assert.deepEqual([gone.body.known, gone.body.range.to], [false, '2030-12-31']);
  });

  test('a currency without a calendar is quoted once an operator gives it a year', async () => {
    const baht = { sellCurrency: 'USD', buyCurrency: 'VND' };
    const indicative = () => acme.post('/v1/customer/quotes/indicative', baht);
    await refused('value_date_invalid', indicative(), { reasons: ['calendar_missing'] });
    const songkran = { date: '2026-04-30', state: 'closed', reason: 'Reunification Day', source: 'SBV' };
    const change = { complete: true, changes: [songkran], reason: 'From the central bank’s list' };
    await succeed(200, put(`${CALENDARS}/VND/2026`, change, 1));
    assert.equal((await succeed(200, indicative())).body.settlement.valueDate, '2026-03-06');
  });

  test('a year with every day in it fits', async () => {
    const days = Array.from({ length: 365 }, (_, index) => ({
      date: new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10),
      state: 'open',
      reason: '\u{1f4c5}'.repeat(100),
      source: '\u{1f4c5}'.repeat(300),
    }));
    const path = `${CALENDARS}/NGN/2026`;
    const set = await succeed(200, put(path, { complete: true, changes: days, reason: 'x' }, 1));
    assert.equal(set.body.changes.length, 365);
    const account = { accountHolder: 'Acme Ltd', accountNumber: '1234567890', bankCountry: 'NG' };
    const naira = { currency: 'NGN', ...account };
    await succeed(201, service.operate('POST', `${acme.path}/settlement-instructions`, naira));
    await acme.trade((await acme.quote({ buyCurrency: 'NGN' })).body.quoteId);
    const gone = await succeed(200, put(path, { changes: [], reason: 'x' }, 2));
    assert.deepEqual(gone.body.turnedDays, [{ date: '2026-03-06', state: 'unknown', openTransactions: 1 }]);
  });

  test('the list says how far each calendar goes, and which run short', async () => {
    const { body } = await succeed(200, service.operate('GET', CALENDARS));
    const rangeOf = (code: string) =>
      body.items.find((item: { currency: string }) => item.currency === code).range;
    assert.deepEqual([rangeOf('EUR').to, rangeOf('EUR').runsShort], ['2030-12-31', false]);
    assert.equal(rangeOf('NGN'), null);
    assert.deepEqual([rangeOf('VND').from, rangeOf('VND').runsShort], ['2026-01-01', true]);
    assert.deepEqual(body.runningShort, ['VND']);
  });

  test('an earlier year that leaves a gap is refused: the calendar would begin with it, and end before the gap', async () => {
    const year = { complete: true, changes: [], reason: 'for the archive' };
    const at = (of: number) => `${CALENDARS}/UGX/${of}`;
    await succeed(200, put(at(2026), year, 1));
    assert.deepEqual(await fieldErrors(put(at(2024), year, 1)), [['/complete', 'out_of_range']]);
    assert.equal((await service.operate('GET', at(2026))).body.known, true);
    await succeed(200, put(at(2025), year, 1));
    const all = await succeed(200, put(at(2024), year, 1));
    assert.deepEqual([all.body.range.from, all.body.range.to], ['2024-01-01', '2026-12-31']);
  });
});

test('a customer may not see or change them', async () => {
  for (const path of [CALENDARS, `${CALENDARS}/EUR/2026`, `${CALENDARS}/EUR/2026/versions`]) {
    await refused('insufficient_scope', service.call('GET', path), { requiredScope: 'operator:calendars' });
  }
  await refused('token_missing', service.call('GET', CALENDARS, { token: null }));
});

test('another instance follows soon, and a new one begins with what is in force', async () => {
  const other = await startTestService({}, { database: service.database, logger: createLogger('silent') });
  try {
    const shown = async () =>
      (await other.operate('GET', `${CALENDARS}/USD/2026`)).body.days.find(
        (day: { date: string }) => day.date === '2026-03-06',
      );
    const changes = [{ ...MOURNING, reason: 'Fedwire outage' }];
    const fedwire = `${CALENDARS}/USD/2026`;
    await succeed(200, put(fedwire, { changes, reason: 'x' }, 1));
    assert.equal((await shown()).name, 'Fedwire outage');
    const until = performance.now() + 60_000;
    const quoted = async () =>
      (
        await other.call('POST', '/v1/customer/quotes/indicative', {
          body: { sellCurrency: 'USD', buyCurrency: 'EUR' },
        })
      ).body.settlement.valueDate;
    while ((await quoted()) !== '2026-03-09' && performance.now() < until) await delay(25);
    assert.equal(await quoted(), '2026-03-09');
    const third = await startTestService({}, { database: service.database });
    const first = await third.call('POST', '/v1/customer/quotes/indicative', {
      body: { sellCurrency: 'USD', buyCurrency: 'EUR' },
    });
    assert.equal(first.body.settlement.valueDate, '2026-03-09');
    await third.stop();
  } finally {
    await other.stop();
  }
});

test('readiness and metrics tell how far the calendars go', async () => {
  const { body } = await succeed(200, service.call('GET', '/readyz/prices', { token: null }));
  assert.deepEqual([body.checks.calendars.ok, body.ready], [true, true]);
  assert.match(body.checks.calendars.detail, /^USD is known from 2024-01-01 to 2030-12-31; .*VND$/);
  const { text } = await service.call('GET', '/metrics', { token: null });
  assert.match(text, /^firmquote_calendar_days_left\{currency="VND"\} 302$/m);
});
