import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { executeQuote } from '@firmquote/api/operations/transactions';
import { PROBLEMS, type ProblemCode } from '@firmquote/api/problems';
import {
  addCredential,
  type Customer,
  callsWith,
  createCustomer,
  EXAMPLE_NOW,
  fieldErrors,
  moveClock,
  refused,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import type { TestService } from './support/service.ts';

/** `/v1/customer/reference/…`: docs/interface.md#value-dates. */

const REFERENCE = '/v1/customer/reference';
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

const read = async (path: string) => (await succeed(200, acme.get(`${REFERENCE}/${path}`))).body;
const at = (now: string) => moveClock(service, { now });

describe('currencies, pairs and the market', () => {
  test('currencies as the table, the calendars and the cut-offs say', async () => {
    const { items } = await read('currencies');
    const of = (code: string) => items.find((item: { code: string }) => item.code === code);
    assert.deepEqual(of('JPY'), {
      code: 'JPY',
      numericCode: '392',
      name: 'Yen',
      minorUnits: 0,
      settlementIncrement: '1',
      status: 'tradable',
      validFrom: null,
      validTo: null,
      priced: true,
      calendar: { from: '2024-01-01', to: '2030-12-31', estimatedFrom: null, runsShort: false },
      cutOff: { time: '10:00', zone: 'Asia/Tokyo' },
    });
    assert.deepEqual([of('HRK').status, of('HRK').validTo], ['withdrawn', '2022-12-31']);
    assert.deepEqual([of('KWD').settlementIncrement, of('CNH').numericCode], ['0.001', null]);
    assert.equal(of('NGN').calendar, null);
  });

  test('a pair says how it is quoted, when it settles, and what the customer may trade of it', async () => {
    const { items } = await read('pairs?pair=EURUSD,EURGBP');
    assert.deepEqual(
      items.map(({ pair }: { pair: string }) => pair),
      ['EURGBP', 'EURUSD'],
    );
    const { market, ...pair } = items[1];
    assert.deepEqual(pair, {
      pair: 'EURUSD',
      baseCurrency: 'EUR',
      quoteCurrency: 'USD',
      decimals: 5,
      pipDecimals: 4,
      pip: '0.0001',
      price: 'direct',
      spotLagDays: 2,
      tenors: {
        today: { available: false, valueDate: null, reasons: ['cutoff_passed: EUR'] },
        tom: { available: true, valueDate: '2026-03-05', reasons: [] },
        spot: { available: true, valueDate: '2026-03-06', reasons: [] },
      },
      directions: [
        { sellCurrency: 'EUR', buyCurrency: 'USD', permitted: true, reasons: [] },
        { sellCurrency: 'USD', buyCurrency: 'EUR', permitted: true, reasons: [] },
      ],
      minAmounts: { EUR: '0.01', USD: '0.01' },
      minTradeValue: null,
      maxTradeValue: { amount: '100000000.00', currency: 'USD' },
    });
    assert.deepEqual(market, { tradable: true });
    const [cad] = (await read('pairs?pair=USDCAD')).items;
    assert.equal(cad.spotLagDays, 1);
    assert.deepEqual(cad.directions[0].reasons, [
      { code: 'settlement_instructions_missing', currency: 'CAD' },
    ]);
  });

  test('pairs come in pages that join', async () => {
    const codes: string[] = [];
    let query = 'pairs?currency=EUR&limit=20';
    for (let page = 0; page < 10; page++) {
      const body = await read(query);
      codes.push(...body.items.map(({ pair }: { pair: string }) => pair));
      if (!body.hasMore) break;
      query = `pairs?currency=EUR&limit=20&cursor=${body.nextCursor}`;
    }
    assert.ok(codes.length > 30 && codes.every((code) => code.includes('EUR')));
    assert.deepEqual(codes, [...new Set(codes)].sort());
    assert.deepEqual(await fieldErrors(acme.get(`${REFERENCE}/pairs?currency=eur&pair=x`)), [
      ['/query/pair', 'wrong_format'],
      ['/query/currency', 'wrong_format'],
    ]);
  });

  test('the market, open, closed and interrupted', async () => {
    await succeed(200, service.operate('POST', '/v1/sandbox/market', { state: 'calendar' }));
    const open = await read('market-status');
    assert.deepEqual(open.market, { state: 'open', closesAt: '2026-03-06T22:00:00.000Z' });
    assert.deepEqual([open.tradeDate, open.tradeDateEndsAt], ['2026-03-04', '2026-03-04T22:00:00.000Z']);
    assert.deepEqual(open.interruptedPairs, []);
    await at('2026-03-07T12:00:00.000Z');
    const closed = await read('market-status');
    assert.deepEqual(closed.market, {
      state: 'closed',
      reason: 'weekend',
      reopensAt: '2026-03-08T21:00:00.000Z',
    });
    assert.deepEqual((await read('pairs?pair=EURUSD')).items[0].market, {
      tradable: false,
      reason: 'market_closed',
    });
    await succeed(200, service.operate('POST', '/v1/sandbox/market', { state: 'open' }));
    await at(EXAMPLE_NOW);
  });

  test('answers have an ETag, and a revalidation is 304 and counted as one', async () => {
    for (const path of ['currencies', 'execution-policy', 'value-dates?pair=USDJPY']) {
      const first = await acme.get(`${REFERENCE}/${path}`);
      const tag = first.headers.get('ETag') ?? '';
      assert.match(first.headers.get('Cache-Control') ?? '', /^private, /);
      const again = await acme.get(`${REFERENCE}/${path}`, { 'If-None-Match': `"x", W/${tag}` });
      assert.deepEqual([again.status, again.text, again.headers.get('ETag')], [304, '', tag], path);
      const other = await acme.get(`${REFERENCE}/${path}`, { 'If-None-Match': '"x"' });
      assert.equal(other.status, 200);
    }
  });

  test('a token is needed, with the scope', async () => {
    const { clientId, clientSecret } = await addCredential(service, acme.path, ['transactions:read']);
    const blind = callsWith(service, await service.token(clientId, clientSecret));
    for (const path of ['currencies', 'pairs', 'value-dates', 'market-status', 'execution-policy']) {
      await refused('insufficient_scope', blind.get(`${REFERENCE}/${path}`));
      await refused('token_missing', service.call('GET', `${REFERENCE}/${path}`, { token: null }));
    }
  });
});

describe('the execution policy says what the code does', () => {
  test('the customer’s own settings are in it', async () => {
    const settings = { permittedValidities: [5, 10], pricingDisclosure: 'total', requireStatusCheck: true };
    const other = await createCustomer(service, { settings });
    const { facts } = (await succeed(200, other.get(`${REFERENCE}/execution-policy`))).body;
    assert.deepEqual(
      [facts.lastLook, facts.permittedValiditySeconds, facts.pricingDisclosure, facts.statusCheckRequired],
      [false, [5, 10], 'total', true],
    );
  });

  test('each reason to refuse is a problem of the registry, and the database decides in the order told', async () => {
    const { executionChecks, statements } = await read('execution-policy');
    const codes = executionChecks.map(({ code }: { code: string }) => code);
    assert.equal(new Set(codes).size, codes.length);
    for (const { code, status, retry } of executionChecks) {
      const known = PROBLEMS[code as ProblemCode];
      assert.deepEqual([status, retry], [known.status, known.retry], code);
    }
    assert.ok(statements.length >= 10);
    const decided = outcomesInOrder('decide_executions').filter((code) => code !== 'customer_suspended');
    const reported = codes.filter((code: string) => decided.includes(code));
    assert.deepEqual(reported, decided);
    assert.deepEqual(codes.slice(-2), ['limit_exceeded', 'price_unavailable']);
    // What else an execution may be answered is said of its request, before these.
    assert.deepEqual(executeQuote.problems.filter((code) => !codes.includes(code)).sort(), [
      'amount_precision_invalid',
      'idempotency_key_invalid',
      'request_in_progress',
    ]);
    const limits = executionChecks.find(({ code }: { code: string }) => code === 'limit_exceeded').check;
    for (const limit of ['daily', 'open position', 'balance', 'house'])
      assert.ok(limits.includes(limit), limit);
    const { text } = statements.find(({ id }: { id: string }) => id === 'validity');
    for (const end of ['close of the market', 'end of the trade date', 'cut-off'])
      assert.ok(text.includes(end), end);
  });
});

/** Outcomes of a SQL function, in the order of its cases. */
function outcomesInOrder(name: string): string[] {
  const body = readFileSync(join(import.meta.dirname, `../sql/functions/${name}.sql`), 'utf8');
  const outcomes = [...body.matchAll(/then '([a-z_]+)'/g)].map((match) => match[1] ?? '');
  assert.ok(outcomes.length > 5, body);
  return outcomes.filter((outcome) => outcome in PROBLEMS);
}
