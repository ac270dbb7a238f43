import { setTimeout as sleep } from 'node:timers/promises';
import {
  authorize,
  type Credentials,
  createTrader,
  readCredentials,
} from '../packages/service/test/support/api.ts';
import { type Account, Books, type Style } from './bank.ts';
import { check, type Truth } from './check.ts';
import { Client } from './client.ts';
import { Cluster } from './cluster.ts';
import { Desk } from './desk.ts';
import { Gate } from './gate.ts';
import { Payers } from './payers.ts';
import { Random } from './random.ts';
import type { Report } from './report.ts';
import { residentMb, type Slopes } from './slopes.ts';
import { type Customer, Trader, VALIDITIES } from './traders.ts';

export interface SoakOptions {
  /** An empty folder that the database's user can pass. */
  readonly folder: string;
  readonly seconds: number;
  readonly seed: number;
  /** Real seconds of a business day. */
  readonly daySeconds?: number;
  /** Business days in the end, on which everything comes to rest. */
  readonly lastDays?: number;
  /** Follows the memory of the instances and the times of their answers. */
  readonly slopes?: Slopes;
  /** The first instance is never killed. */
  readonly isSteady?: boolean;
  /** Called when all has been held against all, before the database goes. */
  readonly onChecked?: (databaseUrl: string, truth: Truth) => Promise<void>;
}

const DAY_SECONDS = 20;
/** Longer than other instances take to follow the clock. */
const CLOCK_FOLLOWED_MS = 1_500;
const STYLES: Readonly<Record<string, Style>> = { EUR: 'camt-batches', USD: 'camt', GBP: 'mt940' };
const CUSTOMERS = [
  { name: 'Acme Trading Ltd', preFunded: false, account: 'GB33BUKB20201555555555' },
  { name: 'Blue Harbour GmbH', preFunded: false, account: 'DE89370400440532013000' },
  // An account of a bank without IBANs.
  { name: 'Cedar Imports Inc', preFunded: false, account: '0009876543210' },
  { name: 'Delta Payroll Ltd', preFunded: true, account: 'FR1420041010050500013M02606' },
] as const;

/** Everything at once for a while, then everything is held against everything. What is broken is in the report. */
export async function soak(options: SoakOptions, report: Report): Promise<void> {
  const cluster = await Cluster.start(options.folder, report);
  try {
    report.note('the instances run');
    const stage = await prepare(cluster, options, report);
    report.note('customers and operators begin');
    await run(stage, options);
    report.note('they come to rest');
    await finish(stage, options.lastDays ?? LAST_DAYS);
    report.note('everything is held against everything');
    await check(cluster.databaseUrl, stage.truth, report);
    await options.onChecked?.(cluster.databaseUrl, stage.truth);
  } finally {
    await cluster.stop();
    report.note('stopped');
  }
}

interface Stage {
  readonly cluster: Cluster;
  readonly report: Report;
  readonly random: Random;
  readonly gate: Gate;
  readonly desk: Desk;
  readonly payers: Payers;
  readonly customers: readonly Customer[];
  readonly operator: Client;
  readonly truth: Truth;
  day: string;
}

/** The sandbox, for its clock that can be moved; its bank stays out of it, since the soak has one of its own. */
async function prepare(cluster: Cluster, options: SoakOptions, report: Report): Promise<Stage> {
  const random = new Random(options.seed);
  await cluster.query(
    `create or replace function enable_sandbox_bank() returns void language sql as 'select'`,
  );
  await cluster.query('select disable_sandbox_bank()');
  const urls = () => cluster.urls;
  const file = readCredentials(cluster.dataDir);
  const [url] = cluster.urls as readonly [string];
  const desk = await authorize(url, file.operator, file.audience);
  await desk.expect(200, 'POST', '/v1/sandbox/bank', { autoDeposit: false, settlement: 'runs' });
  // Of another person, so that it can approve.
  const colleague = ['--name', 'Second', '--responsible', 'second@example.com'];
  const credentials = (await cluster.operator('create-client', ...colleague)) as Credentials;
  const second = await authorize(url, credentials, file.audience);
  const timed = (url: string, ms: number) => options.slopes?.answered(cluster.nameOf(url), ms);
  const operator = new Client(desk.token, urls, random.fork(), report, timed);
  const customers: Customer[] = [];
  for (const { name, preFunded, account } of CUSTOMERS) {
    const { customerId, client } = await createTrader(desk, name);
    await desk.expect(201, 'POST', `/v1/operator/customers/${customerId}/settlement-instructions`, {
      currency: 'GBP',
      accountHolder: name,
      iban: 'GB29NWBK60161331926819',
      bankCountry: 'GB',
    });
    await desk.expect(200, 'PATCH', `/v1/operator/customers/${customerId}`, {
      settings: { permittedValidities: VALIDITIES, ...(preFunded ? { fundingMode: 'pre_funded' } : {}) },
    });
    const { token } = await authorize(url, client, file.audience);
    const caller = new Client(token, urls, random.fork(), report, timed);
    customers.push({ customerId, name, preFunded, account, client: caller });
  }
  const books = await accountsOf(operator, random);
  const payers = new Payers(books, random.fork(), report);
  const gate = new Gate();
  const traders = customers.map(
    (customer) => new Trader({ customer, gate, random: random.fork(), report, onTrade: payers.owes }),
  );
  return {
    cluster,
    report,
    random,
    gate,
    payers,
    customers,
    operator,
    day: '',
    desk: new Desk({
      operator,
      second: new Client(second.token, urls, random.fork(), report),
      books,
      payers,
      random: random.fork(),
      report,
    }),
    truth: { traders, books, paidIn: payers.paidIn, operator },
  };
}

async function accountsOf(operator: Client, random: Random): Promise<Map<string, Books>> {
  const books = new Map<string, Books>();
  const { body: all } = await operator.settled({ method: 'GET', path: '/v1/operator/collection-accounts' });
  for (const [currency, style] of Object.entries(STYLES)) {
    const body = all.items.find((each: { currency: string }) => each.currency === currency);
    const account: Account = {
      currency,
      number: body.iban ?? body.accountNumber,
      isIban: body.iban !== null && body.iban !== undefined,
      style,
    };
    books.set(currency, new Books(account, random.fork()));
  }
  return books;
}

/** A Monday morning; days follow each other as fast as the soak goes. */
const FIRST_DAY = '2026-03-02';

async function run(stage: Stage, options: SoakOptions): Promise<void> {
  const { truth, report } = stage;
  await beginDay(stage, FIRST_DAY);
  const until = performance.now() + options.seconds * 1_000;
  const isOver = () => performance.now() >= until;
  const traders = truth.traders.map((trader) => trader.run());
  const trouble = makeTrouble(stage, isOver, options.isSteady === true);
  const followed = follow(stage.cluster, options.slopes, isOver);
  while (!isOver()) {
    const dayEnds = performance.now() + (options.daySeconds ?? DAY_SECONDS) * 1_000;
    while (performance.now() < dayEnds && !isOver()) await workADay(stage);
    const next = new Date(Date.parse(stage.day) + 86_400_000).toISOString().slice(0, 10);
    await stage.gate.shut(async () => {
      await stage.desk.endOfDay(stage.day);
      await beginDay(stage, next);
    });
    report.count('business days');
  }
  for (const trader of truth.traders) trader.stop();
  await Promise.all([...traders, trouble, followed]);
}

const FOLLOWED_EVERY_MS = 2_000;

async function follow(cluster: Cluster, slopes: Slopes | undefined, isOver: () => boolean): Promise<void> {
  while (slopes !== undefined && !isOver()) {
    for (const instance of cluster.running) {
      const megabytes = residentMb(instance.pid);
      if (megabytes !== undefined) slopes.remember(instance, megabytes);
    }
    await sleep(FOLLOWED_EVERY_MS);
  }
}

async function beginDay(stage: Stage, day: string): Promise<void> {
  const { status, text } = await stage.operator.settled({
    method: 'POST',
    path: '/v1/sandbox/clock',
    body: { now: `${day}T06:00:00Z` },
  });
  if (status !== 200) stage.report.violation('the clock can be moved', text);
  stage.day = day;
  await sleep(CLOCK_FOLLOWED_MS);
  stage.desk.comeBack(day);
}

async function workADay({ desk, payers, customers, random, day }: Stage): Promise<void> {
  payers.payAFew();
  const prepaid = customers.filter(({ preFunded }) => preFunded);
  if (random.chance(0.4)) {
    const customer = random.pick(prepaid);
    const { body } = await customer.client.settled({ method: 'GET', path: '/v1/customer/balances' });
    if (body?.topUpReference) payers.topUp(customer, body.topUpReference, random.pick(['USD', 'EUR', 'GBP']));
  }
  await desk.report(day);
  if (random.chance(0.3)) await desk.workExceptions();
  if (random.chance(0.25)) await desk.payOut(day);
  if (random.chance(0.08)) await desk.suspendForAWhile(random.pick(customers));
  if (random.chance(0.05)) await desk.haltForAWhile();
  await sleep(random.between(200, 1_200));
}

const TROUBLE_EVERY_MS = [12_000, 30_000] as const;

/** What breaks: the database, an instance, an instance that only seems to be gone. */
async function makeTrouble(
  { cluster, random: chance, report }: Stage,
  isOver: () => boolean,
  isSteady: boolean,
): Promise<void> {
  const random = chance.fork();
  for (let turn = 0; ; turn++) {
    const next = performance.now() + random.between(...TROUBLE_EVERY_MS) / (turn === 0 ? 4 : 1);
    while (performance.now() < next) {
      if (isOver()) return;
      await sleep(200);
    }
    const kind = (['freeze', 'kill database', 'kill instance', 'stop database'] as const)[turn % 4];
    report.note(`trouble: ${kind}`);
    if (kind === 'kill database') await cluster.killDatabase();
    else if (kind === 'stop database') await cluster.stopDatabase();
    else if (kind === 'kill instance') await cluster.killInstance(random, isSteady);
    else await cluster.freezeInstance(random, random.between(3_000, 12_000));
  }
}

const LAST_DAYS = 4;
const SWEEPS_DONE_MS = 2_000;

/** Everybody pays, the bank tells of everything, and what is due is paid out. */
async function finish(stage: Stage, days: number): Promise<void> {
  stage.payers.payAll();
  for (let i = 0; i < days; i++) {
    await stage.desk.report(stage.day);
    await stage.desk.workExceptions();
    await stage.desk.payOut(stage.day);
    await stage.desk.endOfDay(stage.day);
    const next = new Date(Date.parse(stage.day) + 86_400_000).toISOString().slice(0, 10);
    await beginDay(stage, next);
  }
  await stage.desk.endOfDay(stage.day);
  // The sweeps have seen the last of it.
  await sleep(SWEEPS_DONE_MS);
}
