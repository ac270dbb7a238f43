import assert from 'node:assert/strict';
import { setPairSettings } from '@firmquote/api/operations/market';
import { isProblem } from './answers.ts';
import { type Answer, startTestService, type TestService } from './service.ts';

/** The instant and the price of docs/interface.md#worked-examples: a Wednesday afternoon in London. */
export const EXAMPLE_NOW = '2026-03-04T14:30:00.000Z';
export const EURUSD = { pair: 'EURUSD', bid: '1.08488', ask: '1.08494' } as const;
/** 100,000.00 US dollars into euros: 91,987.01 at the price above and 20 basis points. */
export const SELL_USD = {
  sellCurrency: 'USD',
  buyCurrency: 'EUR',
  fixedSide: 'sell',
  amount: '100000.00',
} as const;

/** What is shown of a pair as a change of it takes it: without what only the service knows. */
export function settingsOfPair(shown: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = Object.keys(setPairSettings.body.properties);
  return Object.fromEntries(names.map((name) => [name, shown[name]]));
}

const UNLIMITED = { perMinute: 1_000_000 };
const NO_LIMITS = {
  currency: 'USD',
  dailyVolume: '100000000000.00',
  openPosition: '100000000000.00',
  singleTrade: '100000000.00',
  maxOpenQuotes: 100_000,
  rates: {
    indicative: UNLIMITED,
    quotes: UNLIMITED,
    execute: UNLIMITED,
    reads: UNLIMITED,
    revalidation: UNLIMITED,
    all: UNLIMITED,
  },
};

const ACCOUNTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  EUR: { iban: 'DE89370400440532013000', bankCountry: 'DE' },
  USD: { accountNumber: '1234567890', routingNumber: '021000021', bankCountry: 'US' },
  JPY: { accountNumber: '1234567', bankCountry: 'JP' },
  GBP: { iban: 'GB29NWBK60161331926819', bankCountry: 'GB' },
  IDR: { accountNumber: '1234567890', bankCountry: 'ID' },
};
const USUAL_CURRENCIES = ['EUR', 'USD', 'JPY', 'GBP'];

export interface CustomerOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Instead of limits that are out of reach. */
  readonly limits?: Readonly<Record<string, unknown>>;
  readonly scopes?: readonly string[];
  /** Currencies with an account to pay to. Default: EUR, USD, JPY and GBP. */
  readonly currencies?: readonly string[];
  readonly groupName?: string;
}

type Headers = Readonly<Record<string, string>>;

/** A customer made through the operator API, and its one OAuth client. */
export interface Customer {
  readonly customerId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly token: string;
  /** Path of the customer for operators. */
  readonly path: string;
  get(path: string, headers?: Headers): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Headers): Promise<Answer>;
  /** A firm quote of 100,000 US dollars into euros, unless the body differs; fails the test when there is none. */
  quote(body?: Readonly<Record<string, unknown>>, headers?: Headers): Promise<Answer>;
  /** Executes a quote, or a new one; fails the test when it is refused. */
  trade(quoteId?: string, body?: Readonly<Record<string, unknown>>): Promise<Answer>;
  execute(quoteId: string, body?: unknown, headers?: Headers): Promise<Answer>;
}

/**
 * Nothing is paid in by itself, and out on the value date. With the usual bank, who is slower than 5 s finds a trade paid: that is
 * for tests of the bank itself.
 */
const QUIET_BANK = { autoDeposit: false, settlement: 'calendar' };

/** The bank of a sandbox as it is at first: it pays in and out within seconds. */
export async function letBankPay(service: TestService): Promise<void> {
  await succeed(200, service.operate('POST', '/v1/sandbox/bank', { autoDeposit: true, settlement: 'fast' }));
}

/** A service whose business time stands at the worked examples (it goes on from there), with their price and a quiet bank. */
export async function startExampleService(
  environment: Readonly<Record<string, string>> = {},
): Promise<TestService> {
  const service = await startTestService(environment);
  await moveClock(service, { now: EXAMPLE_NOW });
  await succeed(200, service.operate('POST', '/v1/sandbox/market', EURUSD));
  await succeed(200, service.operate('POST', '/v1/sandbox/bank', QUIET_BANK));
  return service;
}

export async function moveClock(
  service: TestService,
  move: { readonly now: string } | { readonly advanceSeconds: number } | { readonly real: true },
): Promise<number> {
  const { body } = await succeed(200, service.operate('POST', '/v1/sandbox/clock', move));
  return Date.parse(body.now);
}

export async function createCustomer(service: TestService, options: CustomerOptions = {}): Promise<Customer> {
  const { settings, groupName } = options;
  const { body } = await succeed(
    201,
    service.operate('POST', '/v1/operator/customers', {
      name: 'Acme Ltd',
      ...(settings === undefined ? {} : { settings }),
      ...(groupName === undefined ? {} : { groupName }),
    }),
  );
  const path = `/v1/operator/customers/${body.customerId}`;
  await succeed(200, service.operate('PUT', `${path}/limits`, { ...NO_LIMITS, ...options.limits }));
  for (const currency of options.currencies ?? USUAL_CURRENCIES) {
    const account = { currency, accountHolder: 'Acme Ltd', ...ACCOUNTS[currency] };
    await succeed(201, service.operate('POST', `${path}/settlement-instructions`, account));
  }
  const credential = await addCredential(service, path, options.scopes);
  const token = await service.token(credential.clientId, credential.clientSecret);
  return { customerId: body.customerId, path, ...credential, ...callsWith(service, token) };
}

export async function addCredential(
  service: TestService,
  customerPath: string,
  scopes?: readonly string[],
): Promise<{ readonly clientId: string; readonly clientSecret: string }> {
  const { body } = await succeed(
    201,
    service.operate('POST', `${customerPath}/credentials`, {
      name: 'desk',
      ...(scopes === undefined ? {} : { scopes }),
    }),
  );
  return { clientId: body.clientId, clientSecret: body.clientSecret };
}

/** What a customer's token can be used for. */
export function callsWith(
  service: TestService,
  token: string,
): Pick<Customer, 'token' | 'get' | 'post' | 'quote' | 'trade' | 'execute'> {
  const post: Customer['post'] = (path, body, headers = {}) =>
    service.call('POST', path, { token, headers, ...(body === undefined ? {} : { body }) });
  const quote: Customer['quote'] = (body, headers) =>
    succeed(201, post('/v1/customer/quotes', { ...SELL_USD, ...body }, headers));
  const execute: Customer['execute'] = (quoteId, body, headers) =>
    post(`/v1/customer/quotes/${quoteId}/execute`, body, headers);
  return {
    token,
    get: (path, headers = {}) => service.call('GET', path, { token, headers }),
    post,
    quote,
    execute,
    trade: async (quoteId, body) => succeed(201, execute(quoteId ?? (await quote()).body.quoteId, body)),
  };
}

export async function succeed(status: number, calling: Promise<Answer>): Promise<Answer> {
  const answer = await calling;
  assert.equal(answer.status, status, answer.text);
  return answer;
}

/** The answer is this problem, complete and in the form of RFC 9457; answers its body. */
export async function refused(
  code: string,
  calling: Answer | Promise<Answer>,
  members: Readonly<Record<string, unknown>> = {},
): Promise<Answer['body']> {
  const answer = await calling;
  const body = isProblem(answer);
  assert.equal(body.code, code, answer.text);
  for (const [name, value] of Object.entries(members)) assert.deepEqual(body[name], value, name);
  return body;
}

/** Members of `errors`, as pointer and code. */
export async function fieldErrors(calling: Answer | Promise<Answer>): Promise<[string, string][]> {
  const body = await refused('validation_failed', calling);
  return body.errors.map((error: { pointer: string; code: string }) => [error.pointer, error.code]);
}
