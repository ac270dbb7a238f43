import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { Operation } from '@firmquote/api/operation';
import { OPERATIONS } from '@firmquote/api/operations/index';
import { PROBLEM_CODES, PROBLEMS, type ProblemCode } from '@firmquote/api/problems';
import { SERVED_CHANNEL } from '../src/http/serve.ts';
import { resolved } from './support/api-document.ts';
import { startTestService } from './support/service.ts';

/** Ids of the operations that a server has. */
const served: string[] = [];
subscribe(SERVED_CHANNEL.name, (operation) => served.push((operation as Operation).id));
/** As the API document lists them, by method and path. */
const listed = new Map<string, readonly ProblemCode[]>();
/** Operations whose parameters have a key. */
const keyed: string[] = [];

before(async () => {
  const service = await startTestService();
  const { body } = await service.call('GET', '/openapi.json', { token: null });
  assert.ok(body.components.schemas.Problem.properties.code);
  for (const [path, operations] of Object.entries<object>(resolved(body).paths)) {
    for (const [method, { responses, parameters = [] }] of Object.entries(operations)) {
      const name = `${method.toUpperCase()} ${path}`;
      if (parameters.some(({ name: of }: { name: string }) => of === 'Idempotency-Key')) keyed.push(name);
      if (name !== 'POST /oauth/token') assert.ok(!('default' in responses), name);
      const codes: ProblemCode[] = [];
      // biome-ignore lint/suspicious/noExplicitAny: answers of every form
      for (const [status, { content }] of Object.entries<any>(responses)) {
        const those: ProblemCode[] =
          content?.['application/problem+json']?.schema.allOf[1].properties.code.enum ?? [];
        for (const code of those) {
          assert.match(`${PROBLEMS[code].status}`, new RegExp(`^${status.replace('XX', '\\d\\d')}$`), name);
          if (!codes.includes(code)) codes.push(code);
        }
      }
      listed.set(name, codes.sort());
    }
  }
});

test('what is served is what the interface declares, all of it and nothing else', () => {
  assert.deepEqual(served.sort(), OPERATIONS.map(({ id }) => id).sort());
});

const OF_CALLERS = [
  'insufficient_scope',
  'internal_error',
  'ip_not_allowed',
  'maintenance',
  'not_acceptable',
  'overloaded',
  'rate_limited',
  'token_expired',
  'token_invalid',
  'token_missing',
];
const OF_BODIES = [
  'body_too_large',
  'malformed_json',
  'outcome_unknown',
  'unsupported_media_type',
  'validation_failed',
];
const OF_SESSIONS = ['cross_site_request'];
const OF_KEYS = ['idempotency_key_invalid', 'idempotency_key_reused', 'request_in_progress'];

function assertCodes(operation: string, ...codes: (readonly string[])[]): void {
  assert.deepEqual(listed.get(operation), codes.flat().sort(), operation);
}

test('an operation lists the codes that it can answer, and no others', () => {
  assertCodes('GET /healthz', ['internal_error', 'rate_limited', 'validation_failed']);
  assertCodes('GET /v1/customer/reference/currencies', OF_CALLERS, ['validation_failed']);
  assertCodes('GET /v1/operator/approvals/{approvalId}', OF_CALLERS, [
    'approval_not_found',
    'validation_failed',
  ]);
  assertCodes('GET /v1/operator/approvals', OF_CALLERS, ['cursor_invalid', 'validation_failed']);
  assertCodes('POST /v1/operator/customers', OF_CALLERS, OF_BODIES, OF_KEYS, OF_SESSIONS);
  assertCodes('POST /v1/customer/quotes/{quoteId}/cancel', OF_CALLERS, OF_BODIES, [
    'customer_suspended',
    'idempotency_key_invalid',
    'idempotency_key_required',
    'quote_already_executed',
    'quote_expired',
    'quote_not_found',
    'quote_withdrawn',
    'request_in_progress',
    'version_mismatch',
  ]);
  assertCodes('POST /v1/customer/quotes/{quoteId}/execute', OF_CALLERS, OF_BODIES, OF_KEYS, [
    'amount_precision_invalid',
    'customer_suspended',
    'idempotency_key_required',
    'limit_exceeded',
    'market_closed',
    'precondition_required',
    'price_unavailable',
    'quote_already_executed',
    'quote_cancelled',
    'quote_expired',
    'quote_not_found',
    'quote_terms_mismatch',
    'quote_withdrawn',
    'settlement_instructions_missing',
    'version_mismatch',
  ]);
});

/** Where codes can be answered at all. */
const ONLY_AT: Partial<Record<ProblemCode, RegExp>> = {
  quote_expired: /^POST .*\/quotes\/\{quoteId\}\/(execute|cancel)$/,
  quote_terms_mismatch: /\/execute$/,
  idempotency_key_reused: /^POST /,
  malformed_json: /^(POST|PUT|PATCH|DELETE) /,
  version_mismatch: /^(POST|PUT|PATCH|DELETE) /,
  precondition_required: /^(PUT|DELETE) |\/(execute|activate|restore)$/,
  market_closed:
    /^POST \/v1\/(customer|operator\/customers\/\{customerId\})\/quotes(\/\{quoteId\}\/execute)?$/,
  too_many_open_quotes: /^POST \/v1\/(customer|operator\/customers\/\{customerId\})\/quotes$/,
  customer_suspended: /^POST .*(quotes|\/customer\/balances\/withdrawals)|\/prices\//,
  token_missing: /\/v1\/(customer|operator|sandbox)\/|\/auth\//,
  second_person_required: /\/approve$|^POST \/v1\/operator\/(prices|swap-points)$|\/files\/\{format\}$/,
  own_client:
    /\/operator\/persons\/\{personId\}|\/(operator\/clients|customer\/credentials)\/\{clientId\}|\/approve$/,
  cross_site_request: /^(POST|PUT|PATCH|DELETE) \/(v1\/(operator|sandbox)|auth)\//,
  fresh_sign_in_required: /^\w+ \/(v1\/operator|auth)\//,
  person_not_found: /\/persons\/|\/approve$/,
  session_not_found: /\/sessions\//,
  passkey_not_found: /\/passkeys\//,
  last_passkey: /\/passkeys\//,
  invitation_invalid: /\/invitation$/,
  statement_refused: /^POST .*\/(statements|approve)$/,
  nothing_to_settle: /^POST .*\/(settlement-runs|approve)$/,
  price_source_not_found: /\/sources\/|\/approve$/,
  upgrade_required: /\/prices\/ws$/,
  too_many_streams: /\/prices\//,
  report_too_large: /^GET .*\/(reports|statements)/,
  transaction_not_found: /transactions|match$|approve$/,
  deposit_not_found: /\/deposits|match$|approve$/,
};

test('an operation that takes a key lists what can be wrong with it, and approving what its proposal can still be refused for', () => {
  assert.ok(keyed.length > 0);
  for (const name of keyed) {
    const codes = listed.get(name) ?? [];
    for (const code of ['idempotency_key_invalid', 'request_in_progress'] as const)
      assert.ok(codes.includes(code), `${name}: ${code}`);
  }
  assertCodes(
    'POST /v1/operator/approvals/{approvalId}/approve',
    OF_CALLERS,
    OF_BODIES,
    OF_KEYS,
    OF_SESSIONS,
    [
      'fresh_sign_in_required',
      ...['approval_expired', 'approval_not_found', 'proposal_outdated', 'second_person_required'],
      ...['already_exists', 'invalid_state_transition', 'version_mismatch'],
      ...['customer_not_found', 'deposit_not_found', 'settlement_run_not_found', 'statement_entry_not_found'],
      ...['statement_file_not_found', 'statement_refused', 'transaction_not_found'],
      // Of the commands that the desk does anew.
      ...['amount_below_minimum', 'amount_precision_invalid', 'client_not_found', 'currency_withdrawn'],
      ...['deposit_return_not_found', 'hold_not_found', 'nothing_to_settle', 'own_client'],
      ...['pair_not_supported', 'person_not_found', 'price_source_not_found', 'value_date_invalid'],
      ...[
        'withdrawal_not_found',
        'virtual_account_not_found',
        'settlement_instruction_not_found',
        'key_not_found',
      ],
      ...['currency_not_supported', 'limit_exceeded', 'price_unavailable', 'settlement_instructions_missing'],
    ],
  );
});

/** It refuses as any command would that is tried there. */
const DRY_RUN = 'POST /v1/operator/four-eyes/dry-run';

test('no operation lists a code of something that it has nothing to do with', () => {
  for (const [code, where] of Object.entries(ONLY_AT)) {
    const at = [...listed].filter(([, codes]) => codes.includes(code as ProblemCode)).map(([name]) => name);
    assert.ok(at.length > 0, code);
    for (const name of at.filter((each) => each !== DRY_RUN)) assert.match(name, where, code);
  }
});

/** Answered before it is known which operation is meant, or to a page, which asks for none. */
const OF_NO_OPERATION = [
  ...['headers_too_large', 'malformed_request', 'method_not_allowed', 'passkey_copied', 'request_timeout'],
  'sign_in_refused',
];

test('every code is listed by an operation', () => {
  const somewhere = new Set([...listed.values()].flat());
  assert.deepEqual(PROBLEM_CODES.filter((code) => !somewhere.has(code)).sort(), OF_NO_OPERATION);
});

const ROOT = join(import.meta.dirname, '../../..');
/** `GET /v1/…` in a document, with `{parameters}` or what a reader puts in their place. */
const NAMED_OPERATION = /\b(GET|POST|PUT|PATCH|DELETE) (\/(?:v1|oauth|\.well-known)\/[^\s`"'?|)\]]*)/g;

test('every operation that the documents name is one', () => {
  const known = [...listed.keys()].map(
    (name) => new RegExp(`^${name.replaceAll(/[.$]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  );
  const unknown: string[] = [];
  let found = 0;
  for (const document of globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).sort()) {
    // What has been is told there too.
    if (document === 'CHANGELOG.md') continue;
    for (const [, method = '', path = ''] of readFileSync(join(ROOT, document), 'utf8').matchAll(
      NAMED_OPERATION,
    )) {
      const name = `${method} ${path.replace(/[.,:;]$/, '')}`;
      found += 1;
      if (!name.includes('…') && !known.some((each) => each.test(name))) unknown.push(`${document}: ${name}`);
    }
  }
  assert.deepEqual(unknown, []);
  assert.ok(found > 100, `${found} operations`);
});
