import assert from 'node:assert/strict';
import { COMMAND_KINDS, type CommandKind, type Rule } from '@firmquote/api/command-kinds';
import { csrfToken } from '../../src/people/sessions.ts';
import { type Customer, createCustomer, succeed } from './acceptance.ts';
import { until } from './process.ts';
import type { Answer, TestService } from './service.ts';

const POLICY = '/v1/operator/four-eyes';
const APPROVALS = '/v1/operator/approvals';
const REASON = { 'Firmquote-Reason': 'rules of the house' };

type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** Two persons at a service, and what one proposes and the other approves. */
export interface FourEyes {
  /** Token of the second person; the first one is the operator of the service. */
  readonly second: string;
  /** Token of another client of the first person. */
  readonly alsoFirst: string;
  /** Somebody who has signed in with a browser. */
  person(email: string): Promise<Call>;
  /** As a new installation of a production has it, but that accounts do not wait, and for these kinds. */
  setPolicy(
    but?: Readonly<Partial<Record<CommandKind, 'never' | 'always'>>>,
    hours?: Partial<PolicyHours>,
  ): Promise<void>;
  /** What the first person proposes: the approval that waits. */
  proposed(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer['body']>;
  approve(approvalId: string, token?: string, body?: unknown): Promise<Answer>;
  reject(approvalId: string): Promise<Answer>;
  /** Token of the first person for no more than this. */
  narrowToken(scopes: readonly string[]): Promise<string>;
  /** Has 5,000,000.00 EUR in its balance. */
  readonly customer: Customer;
  /** Trades against funds that it sends. */
  readonly buyer: Customer;
  /** Where it sends US dollars. */
  readonly usdAccount: string;
}

interface PolicyHours {
  readonly rollingHours: number;
  readonly accountWaitHours: number;
}

export async function fourEyes(service: TestService): Promise<FourEyes> {
  const { clientId, clientSecret } = service.sandbox.secondOperator;
  const second = await service.token(clientId, clientSecret);
  const other = await succeed(201, service.operate('POST', '/v1/operator/clients', { name: 'the other me' }));
  const alsoFirst = await service.token(other.body.clientId, other.body.clientSecret);
  // Before the policy asks for two.
  const customer = await createCustomer(service, { settings: { fundingMode: 'pre_funded' } });
  const topUp = { currency: 'EUR', amount: '5000000.00', bankReference: 'FUNDS' };
  await succeed(201, service.operate('POST', `${customer.path}/balances/top-ups`, topUp));
  const buyer = await createCustomer(service);
  const { items } = (await service.operate('GET', '/v1/operator/collection-accounts')).body;
  const usd = items.find((each: { currency: string }) => each.currency === 'USD');
  const narrowToken: FourEyes['narrowToken'] = async (scopes) => {
    const { operator, audience } = service.sandbox;
    const answer = await service.call('POST', '/oauth/token', {
      token: null,
      body: {
        client_id: operator.clientId,
        client_secret: operator.clientSecret,
        audience,
        grant_type: 'client_credentials',
        scope: scopes.join(' '),
      },
    });
    return (await succeed(200, Promise.resolve(answer))).body.access_token;
  };
  const approve: FourEyes['approve'] = (approvalId, token = second, body = undefined) =>
    service.call('POST', `${APPROVALS}/${approvalId}/approve`, {
      token,
      ...(body !== undefined && { body }),
    });
  const proposed: FourEyes['proposed'] = async (method, path, body, headers = {}) => {
    const answer = await succeed(202, service.operate(method, path, body, { ...REASON, ...headers }));
    assert.equal(answer.body.status, 'pending');
    return answer.body;
  };
  return {
    second,
    alsoFirst,
    customer,
    buyer,
    usdAccount: usd.iban ?? usd.accountNumber,
    narrowToken,
    approve,
    proposed,
    person: (email) => signIn(service, email),
    reject: (approvalId) => service.operate('POST', `${APPROVALS}/${approvalId}/reject`),
    async setPolicy(but = {}, hours = {}) {
      const rules = Object.entries(COMMAND_KINDS).map(([kind, { production }]) => {
        const needs = but[kind as CommandKind];
        const rule: Rule = needs === undefined ? production : { needs, fromUsd: null };
        return { kind, ...rule };
      });
      const { headers } = await succeed(200, service.operate('GET', POLICY));
      const document = { rules, rollingHours: 24, accountWaitHours: 0, ...hours };
      const ifMatch = { 'If-Match': headers.get('ETag') ?? '' };
      const { approvalId } = await proposed('PUT', POLICY, document, ifMatch);
      await succeed(200, approve(approvalId));
    },
  };
}

/** Waits for the audit trail, which has refusals within a second: approvals were refused with each of these codes. */
export async function refusalsAreReported(service: TestService, codes: Iterable<string>): Promise<void> {
  const query = 'operation=approve&kind=refusal';
  await until(`${query}: ${[...codes].join(', ')}`, async () => {
    const { items } = (await succeed(200, service.operate('GET', `/v1/operator/audit?${query}`))).body;
    const reported = new Set(items.map(({ outcome }: { outcome: string }) => outcome));
    return [...codes].every((code) => reported.has(code));
  });
}

/** As the page for signing in does, with a form. */
async function signIn(service: TestService, email: string): Promise<Call> {
  const page = await sessionHeaders(service, email);
  return (method, path, body, more = {}) =>
    service.call(method, path, {
      token: null,
      headers: { ...page, ...more },
      ...(body !== undefined && { body }),
    });
}

/** What a page sends with each request of somebody who has signed in just now. */
export async function sessionHeaders(service: TestService, email: string): Promise<Record<string, string>> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: service.baseUrl };
  const form = { token: null, body: `email=${email}`, headers };
  const answer = await succeed(303, service.call('POST', '/auth/sandbox', form));
  const cookie = answer.headers.get('Set-Cookie')?.split(';', 1)[0] ?? '';
  return {
    Cookie: cookie,
    'X-CSRF-Token': csrfToken(cookie.split('=')[1] ?? ''),
    Origin: service.baseUrl,
  };
}
