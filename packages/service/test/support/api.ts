import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxFile } from '../../src/sandbox/credentials-file.ts';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly body: any;
  readonly text: string;
}

export type Credentials = { readonly clientId: string; readonly clientSecret: string };

/** A running service and the folder that it keeps `sandbox.json` in. */
export interface Served {
  readonly baseUrl: string;
  readonly dataDir: string;
}

/** Calls to a service with one token. Rejects when the connection fails. */
export interface Api {
  readonly token: string;
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<ApiAnswer>;
  /** The same, and throws on any other status. */
  expect(
    status: number,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ApiAnswer>;
}

export function readCredentials(dataDir: string): SandboxFile {
  return JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as SandboxFile;
}

/** The two callers of a sandbox, with tokens that they have just asked for. */
export async function sandboxApis(service: Served): Promise<{ customer: Api; operator: Api }> {
  const file = readCredentials(service.dataDir);
  return {
    customer: await authorize(service.baseUrl, file.customer, file.audience),
    operator: await authorize(service.baseUrl, file.operator, file.audience),
  };
}

export async function authorize(baseUrl: string, client: Credentials, audience: string): Promise<Api> {
  const { body } = await withToken(baseUrl, '').expect(200, 'POST', '/oauth/token', {
    client_id: client.clientId,
    client_secret: client.clientSecret,
    audience,
    grant_type: 'client_credentials',
  });
  return withToken(baseUrl, body.access_token);
}

export function withToken(baseUrl: string, token: string): Api {
  const call: Api['call'] = async (method, path, body, headers = {}, signal) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      redirect: 'manual',
      ...(signal === undefined ? {} : { signal }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('Content-Type')?.includes('json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  };
  return {
    token,
    call,
    async expect(status, method, path, body, headers) {
      const answer = await call(method, path, body, headers);
      if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer;
    },
  };
}

/** The calls of one operator, of which another one approves what takes two: then the answer is what it came to. */
export function withSecond(first: Api, second: Api): Api {
  return {
    ...first,
    async expect(status, method, path, body, headers = {}) {
      const reason = { 'Firmquote-Reason': 'as agreed', ...headers };
      const answer = await first.call(method, path, body, reason);
      const { approvalId, clientSecret } = answer.body ?? {};
      if (answer.status !== 202 || approvalId === undefined) {
        if (answer.status === status) return answer;
        throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      }
      const approved = await second.expect(200, 'POST', `/v1/operator/approvals/${approvalId}/approve`);
      return {
        ...approved,
        status,
        body: { ...approved.body.result, ...(clientSecret && { clientSecret }) },
      };
    },
  };
}

/** 100,000 US dollars into euros; long enough valid for a restart in between. */
export const QUOTE_BODY = {
  sellCurrency: 'USD',
  buyCurrency: 'EUR',
  fixedSide: 'sell',
  amount: '100000.00',
  validitySeconds: 300,
} as const;

/** Makes a customer who can trade EUR against USD, and its credentials. The house's accounts must be there. */
export async function createTrader(
  operator: Api,
  name: string,
): Promise<{ readonly customerId: string; readonly client: Credentials }> {
  const { body } = await operator.expect(201, 'POST', '/v1/operator/customers', { name });
  const customer = `/v1/operator/customers/${body.customerId}`;
  const rates = Object.fromEntries(
    ['indicative', 'quotes', 'execute', 'reads', 'revalidation', 'all'].map((policy) => [
      policy,
      { perMinute: 1_000_000 },
    ]),
  );
  const limits = {
    currency: 'USD',
    dailyVolume: '100000000000.00',
    openPosition: '100000000000.00',
    singleTrade: '1000000.00',
    maxOpenQuotes: 100_000,
    rates,
  };
  const current = await operator.expect(200, 'GET', `${customer}/limits`);
  await operator.expect(200, 'PUT', `${customer}/limits`, limits, {
    'If-Match': current.headers.get('ETag') ?? '*',
  });
  for (const [currency, account] of [
    ['EUR', { iban: 'DE89370400440532013000', bankCountry: 'DE' }],
    ['USD', { accountNumber: '1234567890', routingNumber: '021000021', bankCountry: 'US' }],
  ] as const) {
    await operator.expect(201, 'POST', `${customer}/settlement-instructions`, {
      currency,
      accountHolder: name,
      ...account,
    });
  }
  const credential = await operator.expect(201, 'POST', `${customer}/credentials`, { name: `${name} desk` });
  return {
    customerId: body.customerId,
    client: { clientId: credential.body.clientId, clientSecret: credential.body.clientSecret },
  };
}

/** The sandbox's customer and two others, with a bank that leaves the trades alone. */
export async function createDesks(service: Served): Promise<Api[]> {
  const { customer, operator } = await sandboxApis(service);
  await operator.expect(200, 'POST', '/v1/sandbox/bank', { autoDeposit: false });
  const { audience } = readCredentials(service.dataDir);
  const desks = [customer];
  for (const name of ['Second customer', 'Third customer']) {
    const { client } = await createTrader(operator, name);
    desks.push(await authorize(service.baseUrl, client, audience));
  }
  return desks;
}
