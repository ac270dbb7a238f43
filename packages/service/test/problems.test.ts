import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PROBLEM_CODES, PROBLEMS, type ProblemCode } from '@firmquote/api/problems';
import { marketOrder } from '@firmquote/fx';
import EXAMPLES from '@firmquote/site/problem-examples' with { type: 'json' };
import { SignJWT } from 'jose';
import { createKeys } from '../src/keys/room.ts';
import { csrfToken } from '../src/people/sessions.ts';
import { parseTypeId, typeId } from '../src/platform/ids.ts';
import { createLogger } from '../src/platform/logger.ts';
import {
  type Customer,
  createCustomer,
  moveClock,
  refused,
  SELL_USD,
  settingsOfPair,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { ownerOf } from './support/database.ts';
import { isStream, openStream } from './support/event-stream.ts';
import { exchange } from './support/raw-http.ts';
import { keepReports } from './support/report-jobs.ts';
import type { Answer, TestService } from './support/service.ts';

/** Every code of the registry: each is provoked over HTTP here, or stands below with the reason why not. */

const NOT_PROVOKED: Partial<Record<ProblemCode, string>> = {
  passkey_copied: 'it takes an authenticator: src/people/passkeys.test.ts',
  request_timeout: 'takes the 30 seconds that a request may take to arrive',
  internal_error: 'a fault of the service; no input may lead to it',
  maintenance: 'needs a database that cannot be reached; the process tests take it away',
  outcome_unknown: 'needs a database that waits for standbys; a process test has one',
  overloaded: 'needs more requests in the queue than a test should send; the batcher has its own test',
};

const QUOTES = '/v1/customer/quotes';
const LIST = '/v1/customer/transactions';
const MARKET = '/v1/sandbox/market';
const EVENT_STREAM = { Accept: 'text/event-stream' };
const CURRENCIES = ['USD', 'JPY', 'GBP', 'AUD', 'CAD', 'CHF', 'NZD', 'SEK', 'NOK', 'DKK'];
/** Of every two of ten currencies, in market order, one more than a customer may read. */
const PAIRS_41 = CURRENCIES.flatMap((a, i) =>
  CURRENCIES.slice(i + 1).map((b) => marketOrder(a, b).join('')),
).slice(0, 41);
const REPORTS = '/v1/operator/reports';
const SCHEDULES = '/v1/operator/report-schedules';
const EVERY_MORNING = {
  ...{ name: 'Overdue', report: 'overdue', format: 'csv', every: 'day', on: null, at: '06:30', zone: 'UTC' },
  ...{ holidays: 'run', calendar: null, customerId: null, currency: null, keepDays: 10, paused: false },
};
/** As the pages of the documentation show them. */
const DOCUMENTED: Partial<Record<string, object>> = EXAMPLES;
const provoked = new Set<string>();
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

const quoteId = async (body = {}) => (await acme.quote(body)).body.quoteId as string;
const ask = (body: Record<string, unknown>, headers = {}) =>
  acme.post(QUOTES, { ...SELL_USD, ...body }, headers);
const get = (path: string, token: string | null = acme.token, headers = {}) =>
  service.call('GET', path, { token, headers });
const operate = (method: string, path: string, body?: unknown) => service.operate(method, path, body);
const raw = (...lines: string[]) => exchange(service.baseUrl, `${lines.join('\r\n')}\r\n\r\n`);

/** Path of a proposal that needs a second person. */
async function proposal(bankReference: string): Promise<string> {
  const large = { bankReference, amount: '100000.01', currency: 'USD', remitterName: 'R' };
  const { depositId } = (await succeed(201, operate('POST', '/v1/operator/deposits', large))).body;
  const order = operate('POST', `/v1/operator/deposits/${depositId}/return`, {
    reason: 'not ours',
    account: { iban: 'DE89370400440532013000' },
  });
  return `/v1/operator/approvals/${(await succeed(202, order)).body.approvalId}`;
}

async function expiredToken(): Promise<string> {
  const options = {
    pool: service.pool,
    realClock: { now: () => Date.now() },
    logger: createLogger('silent'),
    encryption: {},
    rotationDays: { tokens: 90, evidence: 365 },
  };
  const { kid, privateKey } = await createKeys(options).tokens.signer();
  return new SignJWT({ client_id: acme.clientId, scope: 'quotes:read' })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
    .setIssuer(service.baseUrl)
    .setSubject(acme.clientId)
    .setAudience(service.sandbox.audience)
    .setIssuedAt(0)
    .setExpirationTime(86_400)
    .setJti('019a0000-0000-7000-8000-000000000000')
    .sign(privateKey);
}

/** As the page for signing in does, with a form. */
function signIn(email: string): Promise<Answer> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: service.baseUrl };
  return service.call('POST', '/auth/sandbox', { token: null, body: `email=${email}`, headers });
}

/** What a page of an administrator does, with its session of another secret each time. */
async function changeWithSession(
  headers: Record<string, string>,
  path = '/v1/operator/customers',
  { method = 'POST', body = {}, isFresh = false }: { method?: string; body?: object; isFresh?: boolean } = {},
) {
  const cookie = (await signIn('approver@sandbox.example')).headers.get('Set-Cookie')?.split(';', 1)[0] ?? '';
  if (!isFresh) await service.pool.query(agedSessions);
  const page = { Cookie: cookie, 'X-CSRF-Token': csrfToken(cookie.split('=')[1] ?? ''), ...headers };
  return service.call(method, path, { token: null, body, headers: page });
}
const agedSessions = `update sessions set authenticated_at = now() - interval '1 day'`;

/** Each answers the problem of its name. */
const PROVOCATIONS: Partial<Record<ProblemCode, () => Promise<Answer>>> = {
  malformed_request: () => raw('BREW / HTTP/1.1'),
  malformed_json: () => acme.post(QUOTES, '{'),
  validation_failed: () => ask({ amount: 1 }),
  cursor_invalid: () => get(`${LIST}?cursor=x`),
  idempotency_key_invalid: () => ask({}, { 'Idempotency-Key': '"' }),
  token_missing: () => get(LIST, null),
  token_invalid: () => get(LIST, 'x'),
  token_expired: async () => get(LIST, await expiredToken()),
  insufficient_scope: () => get('/v1/operator/customers'),
  quote_not_found: () => get(`${QUOTES}/x`),
  transaction_not_found: () => get(`${LIST}/x`),
  customer_not_found: () => operate('GET', '/v1/operator/customers/x'),
  role_not_found: () => operate('DELETE', '/v1/operator/roles/x'),
  client_not_found: () => operate('DELETE', `${acme.path}/credentials/x`),
  settlement_instruction_not_found: () => operate('DELETE', `${acme.path}/settlement-instructions/x`),
  deposit_not_found: () => operate('GET', '/v1/operator/deposits/x'),
  statement_entry_not_found: () => operate('GET', '/v1/operator/statement-entries/x'),
  statement_file_not_found: () => operate('GET', '/v1/operator/statements/x'),
  statement_mapping_not_found: () => operate('GET', '/v1/operator/statement-mappings/x'),
  statement_refused: () => operate('POST', '/v1/operator/statements', 'no statement'),
  approval_not_found: () => operate('POST', '/v1/operator/approvals/apr_x/approve'),
  exception_not_found: () => operate('GET', '/v1/operator/exceptions/exc_x'),
  key_not_found: () =>
    operate('POST', `/v1/operator/keys/${'x'.repeat(43)}/revoke`, { reason: 'no such key' }),
  webhook_not_found: () => operate('GET', '/v1/operator/webhooks/whk_x'),
  withdrawal_not_found: () => operate('GET', '/v1/operator/withdrawals/wdr_x'),
  virtual_account_not_found: () => operate('DELETE', `${acme.path}/virtual-accounts/vac_x`),
  remitter_not_found: () => operate('DELETE', `${acme.path}/remitters/rem_x`),
  settlement_run_not_found: () => operate('GET', '/v1/operator/settlement-runs/run_x'),
  nothing_to_settle: () =>
    operate('POST', '/v1/operator/settlement-runs', { currency: 'EUR', valueDate: '2026-03-06' }),
  async hold_not_found() {
    const { transactionId } = (await acme.trade()).body;
    return operate('DELETE', `/v1/operator/transactions/${transactionId}/holds/hold_x`, { reason: 'x' });
  },
  person_not_found: () => operate('GET', '/v1/operator/persons/per_x'),
  session_not_found: () => operate('DELETE', '/v1/operator/sessions/ses_x'),
  invitation_invalid: () => operate('DELETE', '/v1/operator/persons/per_x/invitation'),
  passkey_not_found: () =>
    changeWithSession({ Origin: service.baseUrl }, '/auth/passkeys/pky_x', {
      method: 'PATCH',
      body: { name: 'x' },
    }),
  async last_passkey() {
    const id = '0195f000-0000-7000-8000-0000000000bb';
    await service.pool.query(
      `insert into passkeys (id, person_id, credential_id, public_key, sign_count, transports, name, created_at)
       select $1, id, '\\x01', '\\x01', 0, '{}', 'x', now() from persons where email = 'approver@sandbox.example'`,
      [id],
    );
    const path = `/auth/passkeys/${typeId('pky', id)}`;
    return changeWithSession({ Origin: service.baseUrl }, path, { method: 'DELETE', isFresh: true });
  },
  sign_in_refused: () => signIn('nobody@sandbox.example'),
  cross_site_request: async () => changeWithSession({ Origin: 'https://evil.example' }),
  fresh_sign_in_required: () =>
    changeWithSession({ Origin: service.baseUrl }, '/v1/operator/approvals/apr_x/approve'),
  second_person_required: async () => operate('POST', `${await proposal('B 2')}/approve`),
  async own_client() {
    const { clientId } = await operate('GET', '/v1/operator/clients').then(({ body }) => body.clients[0]);
    return operate('DELETE', `/v1/operator/clients/${clientId}`);
  },
  async approval_expired() {
    const path = await proposal('B 3');
    const [, id] = /approvals\/(apr_.*)$/.exec(path) ?? [];
    const old = "update approvals set proposed_at = proposed_at - interval '72 hours' where id = $1";
    await ownerOf(service.pool).query(old, [parseTypeId('apr', id ?? '')]);
    return operate('POST', `${path}/approve`);
  },
  calendar_import_not_found: () => operate('GET', '/v1/operator/calendar-imports/cim_x'),
  async proposal_outdated() {
    const query = 'source=x&reason=x&fromYear=2026&toYear=2026';
    const file = 'currency,date,name\nSEK,2026-01-01,New Year\n';
    const headers = { 'Content-Type': 'text/csv' };
    const sent = service.operate('POST', `/v1/operator/calendar-imports?${query}`, file, headers);
    const { approvalId } = (await succeed(202, sent)).body.approval;
    await service.pool.query(
      `insert into calendar_years values ('SEK', 2026, 2, false, '[]', 'x', $1, now())`,
      [parseTypeId('apr', approvalId)],
    );
    const { clientId, clientSecret } = service.sandbox.secondOperator;
    const token = await service.token(clientId, clientSecret);
    return service.call('POST', `/v1/operator/approvals/${approvalId}/approve`, { token });
  },
  price_source_not_found: () => operate('POST', '/v1/operator/market/sources/x/disable', { reason: 'x' }),
  route_not_found: () => get('/v1/x'),
  method_not_allowed: () => get(`${QUOTES}/x/execute`),
  not_acceptable: () => get(LIST, acme.token, { Accept: 'text/html' }),
  headers_too_large: () => raw(`GET ${LIST} HTTP/1.1`, `X: ${'x'.repeat(20_000)}`),
  body_too_large: () => ask({ clientReference: 'x'.repeat(70_000) }),
  unsupported_media_type: () => acme.post(QUOTES, 'x', { 'Content-Type': 'text/plain' }),
  same_currency: () => ask({ buyCurrency: 'USD' }),
  currency_not_supported: () => ask({ buyCurrency: 'XYZ' }),
  currency_withdrawn: () => ask({ buyCurrency: 'HRK' }),
  amount_below_minimum: () => ask({ amount: '0' }),
  amount_above_maximum: () => ask({ amount: '999999999999' }),
  amount_precision_invalid: () => ask({ amount: '1.001' }),
  tenor_not_supported: () => ask({ valueDate: '2026-09-01' }),
  value_date_invalid: () => ask({ valueDate: '2026-03-01' }),
  cutoff_passed: () => ask({ tenor: 'today' }),
  upgrade_required: () => get('/v1/customer/prices/ws'),
  too_many_pairs: () => get(`/v1/customer/prices/stream?pairs=${PAIRS_41.join()}`, acme.token, EVENT_STREAM),
  async too_many_streams() {
    const busy = await createCustomer(service);
    const url = `${service.baseUrl}/v1/customer/prices/stream?pairs=EURUSD`;
    const headers = { Authorization: `Bearer ${busy.token}` };
    const open = await Promise.all(Array.from({ length: 5 }, () => openStream(url, headers)));
    const answer = await get('/v1/customer/prices/stream?pairs=EURUSD', busy.token, EVENT_STREAM);
    for (const stream of open) if (isStream(stream)) stream.close();
    return answer;
  },
  validity_not_permitted: () => ask({ validitySeconds: 31 }),
  price_unavailable: () => ask({ amount: '901.00' }),
  async idempotency_key_required() {
    const strict = await createCustomer(service, { settings: { requireIdempotencyKey: true } });
    return strict.post(QUOTES, SELL_USD);
  },
  async idempotency_key_reused() {
    await succeed(201, ask({}, { 'Idempotency-Key': 'p' }));
    return ask({ amount: '1.00' }, { 'Idempotency-Key': 'p' });
  },
  async request_in_progress() {
    const id = await quoteId();
    const connection = await service.pool.connect();
    await connection.query('begin');
    await connection.query(
      'select from customer_usage where customer_id = (select customer_id from quotes order by id desc limit 1) for update',
    );
    const first = acme.execute(id, {}, { 'Idempotency-Key': 'q' });
    const second = await acme.execute(id, {}, { 'Idempotency-Key': 'q' });
    await connection.query('rollback');
    connection.release();
    await succeed(201, first);
    return second;
  },
  async customer_suspended() {
    const idle = await createCustomer(service);
    await succeed(200, operate('POST', `${idle.path}/suspend`));
    return idle.post(QUOTES, SELL_USD);
  },
  async ip_not_allowed() {
    const distant = await createCustomer(service);
    const list = `${distant.path}/credentials/${distant.clientId}/ip-allow-list`;
    await succeed(200, operate('PUT', list, { ipAllowList: ['203.0.113.7'] }));
    return distant.get(LIST);
  },
  async quote_expired() {
    const id = await quoteId({ amount: '902.00' });
    await moveClock(service, { advanceSeconds: 1 });
    return acme.execute(id);
  },
  async quote_cancelled() {
    const id = await quoteId();
    await succeed(200, acme.post(`${QUOTES}/${id}/cancel`));
    return acme.execute(id);
  },
  async quote_withdrawn() {
    const id = await quoteId({ amount: '903.00' });
    await moveClock(service, { advanceSeconds: 1 });
    return acme.execute(id);
  },
  async quote_already_executed() {
    const id = await quoteId();
    await acme.trade(id);
    return acme.execute(id);
  },
  quote_terms_mismatch: async () => acme.execute(await quoteId(), { expect: { sellAmount: '1.00' } }),
  async market_closed() {
    await operate('POST', MARKET, { state: 'closed' });
    const answer = await ask({});
    await operate('POST', MARKET, { state: 'open' });
    return answer;
  },
  async too_many_open_quotes() {
    const few = await createCustomer(service, { limits: { maxOpenQuotes: 1 } });
    await few.quote();
    return few.post(QUOTES, SELL_USD);
  },
  async invalid_state_transition() {
    const { transactionId } = (await acme.trade()).body;
    return operate('POST', `/v1/operator/transactions/${transactionId}/settle`);
  },
  async already_exists() {
    const deposit = { bankReference: 'B 1', amount: '1.00', currency: 'USD', remitterName: 'R' };
    await succeed(201, operate('POST', '/v1/operator/deposits', deposit));
    return operate('POST', '/v1/operator/deposits', { ...deposit, amount: '2.00' });
  },
  version_mismatch: async () => acme.execute(await quoteId(), {}, { 'If-Match': '"v2"' }),
  async precondition_required() {
    const careful = await createCustomer(service, { settings: { requireStatusCheck: true } });
    return careful.execute((await careful.quote()).body.quoteId);
  },
  async settlement_instructions_missing() {
    return (await createCustomer(service, { currencies: [] })).post(QUOTES, SELL_USD);
  },
  async limit_exceeded() {
    const poor = await createCustomer(service, { limits: { dailyVolume: '1.00' } });
    return poor.post(QUOTES, SELL_USD);
  },
  async rate_limited() {
    const rates = { quotes: { perMinute: 1 } };
    const slow = await createCustomer(service, { limits: { rates } });
    await slow.quote();
    return slow.post(QUOTES, SELL_USD);
  },
  async pricing_not_configured() {
    const rules = await operate('GET', '/v1/operator/spread-rules');
    const headers = { 'If-Match': rules.headers.get('ETag') ?? '' };
    const none = { rules: [{ pair: 'USDJPY', spreadBps: '20' }] };
    const set = await succeed(200, service.operate('PUT', '/v1/operator/spread-rules', none, headers));
    const answer = await ask({});
    const all = { rules: [{ spreadBps: '20' }] };
    const back = { 'If-Match': set.headers.get('ETag') ?? '' };
    await succeed(200, service.operate('PUT', '/v1/operator/spread-rules', all, back));
    return answer;
  },
  async pair_not_enabled() {
    const path = '/v1/operator/pairs/EURUSD';
    const settings = settingsOfPair((await operate('GET', path)).body);
    const set = (enabled: boolean) =>
      succeed(200, service.operate('PUT', path, { ...settings, enabled }, { 'If-Match': '*' }));
    await set(false);
    const answer = await ask({});
    await set(true);
    return answer;
  },
  account_not_found: () => operate('GET', '/v1/operator/ledger/accounts/cash/postings'),
  journal_entry_not_found: () => operate('GET', '/v1/operator/ledger/entries/je_1'),
  async deposit_return_not_found() {
    const deposit = { bankReference: 'R1', amount: '1.00', currency: 'USD', remitterName: 'R' };
    const { depositId } = (await succeed(201, operate('POST', '/v1/operator/deposits', deposit))).body;
    return operate('POST', `/v1/operator/deposits/${depositId}/returns/dpr_1/cancel`, { reason: 'not ours' });
  },
  report_not_found: () => operate('GET', `${REPORTS}/rep_1`),
  async report_not_ready() {
    const [id] = await keepReports(service.pool, 1, 'running');
    return operate('GET', `${REPORTS}/${typeId('rep', id ?? '')}/content`);
  },
  async too_many_reports() {
    await keepReports(service.pool, 100, 'failed');
    const answer = await operate('POST', REPORTS, { report: 'overdue' });
    await service.pool.query('delete from report_jobs');
    return answer;
  },
  report_schedule_not_found: () => operate('GET', `${SCHEDULES}/rps_1`),
  async too_many_report_schedules() {
    await service.pool.query(
      `insert into report_schedules (id, version, name, report, format, every, at_time, zone, holidays, keep_days, paused, next_date,
         created_by, created_at, updated_at)
       select uuid_floor(now() + n * interval '1 ms'), 1, 'Overdue', 'overdue', 'csv', 'day', '06:30', 'UTC', 'run', 10, true,
         date '2026-03-05', $1, now(), now()
       from generate_series(1, 50) n`,
      [parseTypeId('cus', acme.customerId)],
    );
    const answer = await operate('POST', SCHEDULES, EVERY_MORNING);
    await service.pool.query('delete from report_schedules');
    return answer;
  },
  spread_version_not_found: () => operate('GET', '/v1/operator/spread-rules/versions/999999'),
  async report_too_large() {
    await service.pool.query(
      `insert into journal_entries (customer_id, id, kind, at, accounts, currencies, amounts)
       select $1, uuid_floor(at + n * interval '1 ms'), 'deposit_allocated', at + n * interval '1 ms',
         '{bank,customer_receivable}', '{USD,USD}', '{1,-1}'
       from generate_series(1, 10001) n, (select timestamptz '2026-03-04' as at) t`,
      [parseTypeId('cus', acme.customerId)],
    );
    return get('/v1/customer/statements?from=2026-03-04T00:00:00Z&to=2026-03-05T00:00:00Z');
  },
  async pair_not_supported() {
    const body = { ...SELL_USD, sellCurrency: 'GBP', buyCurrency: 'EUR' };
    return operate('POST', MARKET, { pair: 'GBPEUR', bid: body.amount, ask: body.amount });
  },
};

describe('provoked', () => {
  for (const code of PROBLEM_CODES) {
    const provoke = PROVOCATIONS[code];
    if (provoke === undefined) continue;
    test(code, async () => {
      const answer = await provoke();
      await refused(code, answer);
      provoked.add(code);
      assert.deepEqual(
        Object.keys(answer.body).sort(),
        Object.keys(DOCUMENTED[code] ?? {}).sort(),
        'its page',
      );
      assert.doesNotMatch(
        answer.body.detail,
        /[a-z]_[a-z]/,
        'told in words, without the names that only programs use',
      );
      const { status } = PROBLEMS[code];
      if (status === 401) assert.ok(answer.headers.get('WWW-Authenticate'));
      if (status === 429 || status === 503)
        assert.match(answer.headers.get('Retry-After') ?? '', /^[1-9]\d*$/);
    });
  }
});

test('every code is provoked, or there is a reason why not', (t) => {
  const missing = PROBLEM_CODES.filter((code) => !provoked.has(code));
  assert.deepEqual(missing.sort(), Object.keys(NOT_PROVOKED).sort());
  for (const [code, reason] of Object.entries(NOT_PROVOKED))
    t.diagnostic(`not provoked: ${code} (${reason})`);
});

test('the registry and a page for each code are public', async () => {
  const { body } = await succeed(200, service.call('GET', '/v1/problems', { token: null }));
  assert.deepEqual(
    body.items.map((item: { code: string }) => item.code),
    PROBLEM_CODES,
  );
  for (const item of body.items) {
    const { status, title, retry, help } = PROBLEMS[item.code as ProblemCode];
    assert.deepEqual([item.status, item.title, item.retry, item.help], [status, title, retry, help]);
    const page = await fetch(item.type);
    assert.equal(page.status, 200);
    assert.match(page.headers.get('Content-Type') ?? '', /^text\/html/);
    assert.ok((await page.text()).includes(item.code));
  }
});

after(() => provoked.clear());
