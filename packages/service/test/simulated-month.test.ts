import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { EXCEPTION_TYPES } from '@firmquote/api/operations/deposits';
import { addDays, formatAmount, knownCurrency } from '@firmquote/fx';
import { createClient } from '../src/authorization/create-client.ts';
import { ensurePerson } from '../src/people/ensure-person.ts';
import { systemClock } from '../src/platform/clock.ts';
import { type Customer, succeed } from './support/acceptance.ts';
import { assertBooksBalance } from './support/books.ts';
import { hledgerBalances, hledgerCheck, needsHledger, ownBalances } from './support/hledger.ts';
import {
  CURRENCIES,
  deskOf,
  type MonthCurrency,
  type MonthDesk,
  monthCustomer,
} from './support/month-desk.ts';
import { DRILLS_OF_PAYOUTS, drill, type Reported, SPECIALS, type Stage } from './support/month-stories.ts';
import { assertReconciled } from './support/reconciled.ts';
import { type Answer, startTestService, type TestService } from './support/service.ts';

/**
 * May 2026 on the virtual clock: two customers, six currencies, the holidays of the month (1, 4, 5, 6, 14, 18 and
 * 25 May), deposits and payouts through the files of the simulated bank, payment files to it.
 */
const FIRST_DAY = '2026-04-30';
const LAST_DAY = '2026-05-29';
/** Money of the last trades is paid out by then. */
const END = '2026-06-10';
const TRADES_A_DAY = 2;
const HOLIDAYS = [
  'EUR 2026-05-01',
  'CHF 2026-05-01',
  'GBP 2026-05-04',
  'JPY 2026-05-04',
  'JPY 2026-05-05',
  'JPY 2026-05-06',
  'CHF 2026-05-14',
  'CAD 2026-05-18',
  'USD 2026-05-25',
  'GBP 2026-05-25',
  'CHF 2026-05-25',
];

const PAIRS: readonly (readonly [MonthCurrency, MonthCurrency])[] = [
  ['USD', 'EUR'],
  ['EUR', 'USD'],
  ['GBP', 'JPY'],
  ['JPY', 'USD'],
  ['CHF', 'EUR'],
  ['USD', 'CAD'],
  ['CAD', 'GBP'],
  ['EUR', 'CHF'],
  ['USD', 'JPY'],
];

let service: TestService;
let desk: MonthDesk;
const stories: Reported[] = [];
/** Reasons of mismatches, in the order in which they came. */
const mismatches: string[] = [];
/** Those that began on a business day, by its number. */
const begun = new Map<number, readonly Reported[]>();
/** Types of exceptions that operations has seen, by transaction. */
const seen = new Map<string, Set<string>>();

const isWeekday = (date: string) => ![0, 6].includes(new Date(`${date}T00:00:00Z`).getUTCDay());

function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) if (isWeekday(day)) days.push(day);
  return days;
}

async function stageFor(customer: Customer): Promise<Stage> {
  const nobodyWaits = { onChange: () => undefined, onRolesChange: () => undefined };
  const context = { pool: service.pool, realClock: systemClock, ...nobodyWaits };
  const person = await ensurePerson(service.pool, { email: 'second@example.com' }, systemClock.now());
  const { clientId, clientSecret } = await createClient(context, {
    owner: { kind: 'operator' },
    name: 'second',
    responsible: person.id,
  });
  const token = await service.token(clientId, clientSecret);
  return { service, desk, customer, second: (path) => service.call('POST', path, { token, body: {} }) };
}

/**
 * What people say of entries of the bank that are no deposits and no payments of the house, by the reason of their
 * exceptions.
 */
const SAID: Readonly<Record<string, (stage: Stage) => Readonly<Record<string, string>>>> = {
  unknown_debit: () => ({ as: 'bank_charges' }),
  // Paid out already when the remitter's bank took the money back: the customer owes it.
  payout_begun: ({ customer }) => ({ as: 'customer_debt', customerId: customer.customerId }),
};

async function sayWhatItIs({ entryId, reason }: Answer['body'], stage: Stage): Promise<void> {
  mismatches.push(reason);
  const order = SAID[reason]?.(stage);
  assert.ok(order, `a mismatch that nobody has an answer for: ${reason}`);
  await desk.post(200, `/v1/operator/statement-entries/${entryId}/book`, { ...order, reason: 'as agreed' });
}

/** Operations looks at every open exception and does what its story says. */
async function workExceptions(stage: Stage): Promise<void> {
  for (const exception of await desk.exceptions()) {
    if (exception.type === 'payout_mismatch') {
      await sayWhatItIs(exception, stage);
      continue;
    }
    const detail = await desk.get(`/v1/operator/exceptions/${exception.exceptionId}`);
    const suggested = detail.suggestions.map((each: Answer['body']) => each.transactionId);
    const ids = [detail.transactionId, ...suggested];
    const story = stories.find(
      (each) => ids.includes(each.transactionId) && each.exceptions.includes(exception.type),
    );
    assert.ok(story, `an exception that no story has: ${JSON.stringify(detail)}`);
    const types = seen.get(story.transactionId) ?? new Set();
    seen.set(story.transactionId, types.add(exception.type));
    await story.resolve?.(exception);
  }
}

/** What the stories of earlier days have for this one. */
async function goOn(index: number): Promise<void> {
  for (const [began, reported] of begun)
    for (const story of reported) await story.later?.get(index - began)?.();
}

async function tradeOn(index: number, stage: Stage): Promise<void> {
  const pairAt = (number: number) => PAIRS[number % PAIRS.length] as (typeof PAIRS)[number];
  const reported: Reported[] = [];
  for (let i = 0; i < TRADES_A_DAY; i++) {
    const number = index * TRADES_A_DAY + i;
    const [sell, buy] = pairAt(number);
    reported.push(await drill(stage, number, { sell, buy }, 10 + number));
  }
  const [sell, buy] = pairAt(index);
  const amount = sell === 'JPY' ? '2000907' : '20907.00';
  const special = SPECIALS[index];
  if (special !== undefined) reported.push(await special(stage, { sell, buy, amount }));
  begun.set(index, reported);
  stories.push(...reported);
}

/** A pre-funded customer pays in what it is going to trade. */
async function topUp({ customer }: Stage): Promise<void> {
  const { topUpReference } = await desk.get(`/v1/operator/customers/${customer.customerId}/balances`);
  for (const [currency, amount] of [
    ['USD', '200000.00'],
    ['EUR', '150000.00'],
  ]) {
    const deposit = { reference: `top-up ${topUpReference}`, amount, currency, remitterName: 'Globex BV' };
    await desk.post(201, '/v1/sandbox/deposits', deposit);
  }
}

/** A trade a day out of the balance: nothing of it waits for a deposit. */
async function tradeFromBalance(index: number, stage: Stage): Promise<void> {
  const [sell, buy] = index % 2 === 0 ? (['USD', 'GBP'] as const) : (['EUR', 'JPY'] as const);
  const number = DRILLS_OF_PAYOUTS[index % DRILLS_OF_PAYOUTS.length] as number;
  stories.push(await drill(stage, number, { sell, buy }, 9));
}

async function liveThrough(day: string, index: number, stage: Stage): Promise<void> {
  await desk.at(`${day}T08:00:00Z`);
  await desk.payOut(day);
  await goOn(index);
  if (day <= LAST_DAY) await tradeOn(index, stage);
  if (day === LAST_DAY) await chargeForTheMonth();
  await desk.at(`${day}T08:30:00Z`);
  await workExceptions(stage);
  await desk.at(`${day}T12:00:00Z`);
  await desk.payOut(day);
  await desk.at(`${day}T23:00:00Z`);
  await workExceptions(stage);
}

/** The bank takes its fees. */
async function chargeForTheMonth(): Promise<void> {
  for (const [currency, amount] of [
    ['EUR', '45.50'],
    ['JPY', '7000'],
  ]) {
    const entry = { currency, amount, direction: 'debit', kind: 'charge', text: 'Account fees May 2026' };
    await desk.post(201, '/v1/sandbox/bank/entries', entry);
  }
}

before(async () => {
  service = await startTestService();
  desk = deskOf(service);
  await desk.at(`${FIRST_DAY}T06:00:00Z`);
  await desk.post(200, '/v1/sandbox/bank', { autoDeposit: true, settlement: 'runs' });
  const acme = await stageFor(
    await monthCustomer(service, 'Sandbox customer', '1357913579', { thirdPartyPayments: 'hold' }),
  );
  const globex = await stageFor(
    await monthCustomer(service, 'Globex BV', '2468024680', { fundingMode: 'pre_funded' }),
  );
  for (const [index, day] of daysBetween(FIRST_DAY, END).entries()) {
    if (index % 10 === 0) await topUp(globex);
    await liveThrough(day, index, acme);
    if (day <= LAST_DAY) await tradeFromBalance(index, globex);
  }
});

describe('after a month', () => {
  test('the holidays of the month were nobody’s payment days', () => {
    for (const day of HOLIDAYS) assert.ok(desk.closed.has(day), day);
    assert.equal([...desk.closed].filter((day) => !HOLIDAYS.includes(day)).join(), '');
  });

  test('every transaction is in the state that its story says, and nothing waits for anybody', async () => {
    const ends = [];
    for (const story of stories) {
      const { status } = await desk.get(`/v1/operator/transactions/${story.transactionId}`);
      ends.push(`${story.name}: ${status}`);
    }
    assert.deepEqual(
      ends,
      stories.map((story) => `${story.name}: ${story.ends}`),
    );
    assert.deepEqual(await desk.exceptions(), []);
  });

  test('every story had its exceptions, and there was one of every type', () => {
    for (const story of stories) {
      assert.deepEqual([...(seen.get(story.transactionId) ?? [])], story.exceptions, story.name);
    }
    assert.deepEqual(mismatches, ['payout_begun', 'unknown_debit', 'unknown_debit']);
    // Faults, and dates that err, do not come from this bank; nobody has changed what was sealed, and nothing is scheduled.
    const others = ['payout_mismatch', 'implausible_date', 'not_applied', 'log_fault', 'report_failed'];
    const types = new Set([...stories.flatMap((story) => story.exceptions), ...others]);
    assert.deepEqual([...types].sort(), [...EXCEPTION_TYPES].sort());
  });

  test('the books balance, and what arrived is accounted for', async () => {
    await assertBooksBalance(service.pool);
    await assertReconciled(service.pool);
    const check = await desk.get('/v1/operator/ledger/check');
    assert.deepEqual([check.ok, check.differences, check.unbalancedCurrencies], [true, [], []]);
    const report = await desk.get(
      `/v1/operator/reports/reconciliation?format=json&from=${FIRST_DAY}T00:00:00Z&to=${END}T23:59:59Z`,
    );
    assert.equal(report.balanced, true, JSON.stringify(report));
  });

  test('the ledger has what the bank has, to the last cent', async () => {
    const { rows } = await service.pool.query<{ currency: string; minor: string }>(
      "select currency, sum(balance) as minor from balances where account = 'bank' group by currency",
    );
    const booked = rows.map(({ currency, minor }) => [
      currency,
      formatAmount(BigInt(minor), knownCurrency(currency)),
    ]);
    const { items } = await desk.get('/v1/sandbox/bank/accounts');
    const atBank = items.map(({ currency, balance }: Answer['body']) => [currency, balance]);
    assert.deepEqual(booked.sort(), atBank.sort());
    assert.equal(atBank.length, CURRENCIES.length);
  });

  test('the service says so itself, with nothing left to explain', async () => {
    const { balanced, currencies } = await desk.get('/v1/operator/ledger/bank-reconciliation');
    assert.equal(balanced, true);
    assert.deepEqual(
      currencies.map((each: Answer['body']) => [
        each.currency,
        /^0(\.00)?$/.test(each.difference),
        each.items,
      ]),
      [...CURRENCIES].sort().map((currency) => [currency, true, []]),
    );
  });

  test('hledger accepts the journal, and has our balances', needsHledger, async () => {
    const { text } = await succeed(200, service.operate('GET', '/v1/operator/ledger/export'));
    const { status, stderr } = hledgerCheck(text);
    assert.equal(status, 0, stderr);
    assert.deepEqual(hledgerBalances(text), await ownBalances(service.pool));
  });

  test('taking in every file of the bank once more changes nothing', async () => {
    const counts = async () =>
      (
        await service.pool.query(
          `select (select count(*) from deposits) as deposits, (select count(*) from bank_entries) as "bankEntries",
                  (select count(*) from journal_entries) as entries, (select count(*) from feed_events) as events`,
        )
      ).rows;
    const before = await counts();
    const { items } = await desk.get('/v1/sandbox/bank/files?limit=200&kind=camt.053');
    assert.ok(items.length >= 20, 'a statement for each business day');
    for (const { fileId } of items) {
      const { text } = await succeed(200, service.operate('GET', `/v1/sandbox/bank/files/${fileId}`));
      await succeed(
        200,
        service.operate('POST', '/v1/operator/statements', text, { 'Content-Type': 'application/xml' }),
      );
    }
    assert.deepEqual(await counts(), before);
  });
});
