import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  fieldErrors,
  refused,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { until } from './support/process.ts';
import type { Answer, TestService } from './support/service.ts';

/** The books over HTTP, as finance reads them. */

const LEDGER = '/v1/operator/ledger';
let service: TestService;
let acme: Customer;
let traded: Answer['body'];

const get = (path: string) => service.operate('GET', `${LEDGER}${path}`);
const read = async (path: string) => (await succeed(200, get(path))).body;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
  traded = (await acme.trade()).body;
  await acme.trade();
  await succeed(
    201,
    service.operate('POST', '/v1/operator/deposits', {
      bankReference: 'B-1',
      amount: '100000.00',
      currency: 'USD',
      remitterName: 'Acme Ltd',
      remittanceText: traded.reference,
    }),
  );
});

describe('the ledger', () => {
  test('has a chart of accounts with what each means', async () => {
    const { items } = await read('/accounts');
    assert.equal(items.length, 14);
    const receivable = items.find(({ account }: { account: string }) => account === 'customer_receivable');
    assert.deepEqual([receivable.type, receivable.normalSide], ['asset', 'debit']);
  });

  test('has a trial balance of a customer and of the house, now and before', async () => {
    const own = await read(`/trial-balance?customerId=${acme.customerId}&currency=USD`);
    assert.equal(own.balanced, true);
    assert.deepEqual(own.currencies, [
      {
        currency: 'USD',
        accounts: [
          { account: 'bank', debit: '100000.00', credit: '0.00' },
          { account: 'customer_receivable', debit: '100000.00', credit: '0.00' },
          { account: 'position', debit: '0.00', credit: '200000.00' },
        ],
        debit: '200000.00',
        credit: '200000.00',
        difference: '0.00',
      },
    ]);
    const house = await read('/trial-balance');
    assert.deepEqual([house.customerId, house.balanced], [null, true]);
    const { at, ...check } = await read('/check');
    assert.deepEqual(check, { ok: true, unbalancedCurrencies: [], differences: [], keptDifferences: [] });
    assert.equal((await read(`/trial-balance?at=${at}`)).balanced, true);
    const before = await read('/trial-balance?at=2026-03-04T14:00:00Z');
    assert.deepEqual(before.currencies, []);
    assert.deepEqual(
      await fieldErrors(get('/trial-balance?at=2099-01-01T00:00:00Z&currency=XXX&customerId=me&x=1')),
      [
        ['/query/at', 'out_of_range'],
        ['/query/customerId', 'wrong_format'],
        ['/query/currency', 'wrong_format'],
        ['/query/x', 'unknown_field'],
      ],
    );
  });

  test('has statements with the balance after each posting', async () => {
    const path = `/accounts/customer_receivable/postings?customerId=${acme.customerId}&currency=USD`;
    const whole = await read(path);
    assert.deepEqual(
      whole.items.map(({ kind, debit, credit, balance }: Record<string, string>) => [
        kind,
        debit,
        credit,
        balance,
      ]),
      [
        ['trade_executed', '100000.00', null, '100000.00'],
        ['trade_executed', '100000.00', null, '200000.00'],
        ['deposit_allocated', null, '100000.00', '100000.00'],
      ],
    );
    assert.deepEqual([whole.openingBalance, whole.closingBalance], ['0.00', '100000.00']);
    const first = await read(`${path}&limit=2`);
    assert.deepEqual([first.items.length, first.hasMore, first.closingBalance], [2, true, '200000.00']);
    const second = await read(`${path}&limit=2&cursor=${first.nextCursor}`);
    assert.deepEqual([second.openingBalance, second.items], ['200000.00', whole.items.slice(2)]);
    await refused('cursor_invalid', get(`${path.replace('USD', 'EUR')}&cursor=${first.nextCursor}`));
    await refused('account_not_found', get('/accounts/cash/postings'));
    assert.deepEqual(await fieldErrors(get('/accounts/bank/postings')), [
      ['/query/customerId', 'required'],
      ['/query/currency', 'required'],
    ]);
  });

  test('has journal entries, of all and of one trade, page by page', async () => {
    const all = await read('/entries?limit=200');
    assert.equal(all.items.length, 5);
    const pages: unknown[] = [];
    for (let cursor = ''; ; ) {
      const page = await read(`/entries?limit=2${cursor}`);
      pages.push(...page.items);
      if (page.nextCursor === null) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    assert.deepEqual(pages, all.items);
    const ofTransaction = await read(
      `/entries?customerId=${acme.customerId}&transactionId=${traded.transactionId}`,
    );
    assert.deepEqual(
      ofTransaction.items.map(({ kind }: { kind: string }) => kind),
      ['deposit_allocated', 'trade_executed'],
    );
    const [, execution] = ofTransaction.items;
    assert.deepEqual(execution.postings, [
      { account: 'customer_receivable', currency: 'USD', debit: '100000.00', credit: null },
      { account: 'position', currency: 'USD', debit: null, credit: '100000.00' },
      { account: 'position', currency: 'EUR', debit: '92171.00', credit: null },
      { account: 'customer_payable', currency: 'EUR', debit: null, credit: '91987.01' },
      { account: 'markup_revenue', currency: 'EUR', debit: null, credit: '183.99' },
    ]);
    assert.deepEqual(await read(`/entries/${execution.entryId}`), execution);
    await refused('journal_entry_not_found', get('/entries/je_00000000000000000000000000'));
    await refused('journal_entry_not_found', get('/entries/1'));
    assert.deepEqual(await fieldErrors(get(`/entries?transactionId=${traded.transactionId}`)), [
      ['/query/transactionId', 'required'],
    ]);
  });

  test('has entries and postings of a time, and refuses times that are none', async () => {
    const [newest] = (await read('/entries?limit=1')).items;
    const owner = `customerId=${acme.customerId}`;
    const counts = async (query: string) => (await read(`/entries?${query}`)).items.length;
    assert.deepEqual(
      [
        await counts('from=2026-03-04T00:00:00Z&to=2026-03-05T00:00:00Z'),
        await counts('to=2026-03-04T00:00:00Z'),
      ],
      [5, 0],
    );
    assert.equal(await counts(`${owner}&kind=trade_executed`), 2);
    assert.equal(await counts(`${owner}&depositId=${newest.depositId}`), 1);
    // Received by the house, then passed on to its owner.
    assert.equal(await counts('customerId=house'), 2);
    assert.deepEqual(await fieldErrors(get(`/entries?depositId=${newest.depositId}`)), [
      ['/query/depositId', 'required'],
    ]);
    assert.deepEqual(await fieldErrors(get('/entries?kind=trade_exectued')), [
      ['/query/kind', 'not_permitted'],
    ]);
    const noTime = 'from=2026-03-04T10:00:00Z&to=2026-03-04T10:00:00Z';
    assert.deepEqual(await fieldErrors(get(`/entries?${noTime}`)), [['/query/to', 'out_of_range']]);
    const statement = `/accounts/bank/postings?${owner}&currency=USD`;
    assert.deepEqual(await fieldErrors(get(`${statement}&${noTime}`)), [['/query/to', 'out_of_range']]);
    const early = await read(`${statement}&to=2026-03-04T00:00:00Z`);
    assert.deepEqual([early.items, early.closingBalance, early.customerId], [[], '0.00', acme.customerId]);
    const house = await get(`/accounts/suspense/postings?customerId=house&currency=USD`);
    assert.deepEqual([house.body.customerId, house.headers.get('Cache-Control')], ['house', 'no-store']);
    assert.deepEqual(await fieldErrors(get(`/accounts/bank/postings?customerId=me&currency=EURO`)), [
      ['/query/customerId', 'wrong_format'],
      ['/query/currency', 'wrong_format'],
    ]);
  });

  test('has positions with their result at the mid', async () => {
    const { positions, total } = await read(`/positions?customerId=${acme.customerId}`);
    assert.deepEqual(
      positions.map(({ currency, position }: Record<string, string>) => [currency, position]),
      [
        ['EUR', '-184342.00'],
        ['USD', '200000.00'],
      ],
      'the house has sold what its customer has bought',
    );
    assert.equal(positions[0].mid.value, '1.084910');
    // Sold for 200,000.00; 184,342.00 × 1.08491 = 199,994.47922 at the mid: half of the market's spread is earned.
    assert.deepEqual(
      [positions[0].valueUsd, positions[0].realisedUsd, positions[0].unrealisedUsd, total.resultUsd],
      ['-199994.48', '0.00', '5.52', '5.52'],
    );
  });

  test('has the positions that the exposure has', async () => {
    const exposure = (await succeed(200, service.operate('GET', '/v1/operator/exposure'))).body;
    const { positions } = await read('/positions');
    const exposed = new Map(exposure.positions.map((each: Answer['body']) => [each.currency, each.position]));
    assert.equal(positions.length, 2);
    for (const { currency, position } of positions) assert.equal(exposed.get(currency), position, currency);
  });

  test('is exported whole', async () => {
    const answer = await get('/export?format=hledger');
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('Content-Type') ?? '', /^text\/plain/);
    assert.match(answer.headers.get('Content-Disposition') ?? '', /filename="firmquote-2026-03-04\.journal"/);
    assert.equal(answer.text.match(/ \* \(je_/g)?.length, 5);
    assert.match(answer.text, /^2026-03-04 \* balances of house$/m);
    assert.deepEqual(await fieldErrors(get('/export?format=beancount')), [
      ['/query/format', 'not_permitted'],
    ]);
    // Places are given back by readers that go away, as soon as the service hears of it: more of them than there are.
    const headers = { Authorization: `Bearer ${service.operatorToken}` };
    for (let i = 0; i < 5; i++) {
      await until('a place for an export', async () => {
        const gone = new AbortController();
        const { status } = await fetch(`${service.baseUrl}${LEDGER}/export`, {
          headers,
          signal: gone.signal,
        });
        gone.abort();
        return status === 200;
      });
    }
    await until('a place for an export', async () => (await get('/export')).status === 200);
    // Connections come back: more exports than there are at once, one after the other.
    for (let i = 0; i < 5; i++) await succeed(200, get('/export'));
  });

  test('is for operators with the scope', async () => {
    for (const path of ['/accounts', '/check', '/trial-balance', '/positions', '/entries', '/export']) {
      assert.equal((await service.call('GET', `${LEDGER}${path}`, { token: null })).status, 401);
      const byCustomer = await service.call('GET', `${LEDGER}${path}`);
      assert.ok([401, 403].includes(byCustomer.status), path);
    }
  });
});
