import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { EURUSD, moveClock, refused, SELL_USD, succeed } from './support/acceptance.ts';
import { whenFileEnds } from './support/file-end.ts';
import { until } from './support/process.ts';
import { type Answer, startTestService, type TestService } from './support/service.ts';

/** Keys of tokens and of signed terms are replaced and revoked on two instances of one database. */

const KEYS = '/v1/operator/keys';
const WHY = { 'Firmquote-Reason': 'drill' };

let one: TestService;
let other: TestService;

before(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fq-keys-'));
  whenFileEnds(() => rm(dataDir, { recursive: true, force: true }));
  // Instances behind one address.
  const environment = { FIRMQUOTE_AUTH_URL: 'http://fx.example.com' };
  one = await startTestService(environment, { dataDir });
  other = await startTestService(environment, { dataDir, database: one.database });
});

const ask = (service: TestService, token: string) =>
  service.call('GET', '/v1/customer/transactions', { token });
const newToken = (service: TestService) => {
  const { clientId, clientSecret } = service.sandbox.customer;
  return service.token(clientId, clientSecret);
};
const kidOf = (jws: string) => String(decodeProtectedHeader(jws).kid);
const published = async (service: TestService) =>
  (await succeed(200, service.call('GET', '/.well-known/jwks.json', { token: null }))).body;

interface Listed {
  readonly kid: string;
  readonly purpose: string;
  readonly state: string;
}

async function keysOf(purpose: string, service = one): Promise<Record<string, Listed[]>> {
  const { keys } = (await succeed(200, service.operate('GET', KEYS))).body as { keys: Listed[] };
  return Object.groupBy(
    keys.filter((key) => key.purpose === purpose),
    ({ state }) => state,
  ) as Record<string, Listed[]>;
}

async function kidThat(state: string, purpose: string): Promise<string> {
  const [key] = (await keysOf(purpose))[state] ?? [];
  assert.ok(key !== undefined, `a key that is ${state}`);
  return key.kid;
}

/** Keys last for months: instead of the clock, what was done with them is moved. */
const age = (days: number) =>
  one.pool.query(
    `with t as (update signing_keys set published_at = published_at - $1 * interval '1 day', activated_at = activated_at - $1 * interval '1 day')
     update evidence_keys set published_at = published_at - $1 * interval '1 day', activated_at = activated_at - $1 * interval '1 day'`,
    [days],
  );

async function acts(operation: string): Promise<{ actor: string; text: string }[]> {
  const { rows } = await one.pool.query<{ actor: string; text: string }>(
    `select actor, changes::text as text from audit_log where operation = $1 order by number`,
    [operation],
  );
  return rows;
}

describe('keys that are old enough', () => {
  test('are replaced once, by whichever instance sees it first, and no token is refused meanwhile', async () => {
    await age(91);
    const next = await kidThat('next', 'tokens');
    const tokens = [await newToken(one), await newToken(other)];
    let asked = 0;
    const refusals: number[] = [];
    let isOver = false;
    const traffic = [one, other].map(async (service) => {
      while (!isOver) {
        const token = asked++ % 4 === 0 ? await newToken(service) : (tokens[asked % 2] as string);
        for (const each of [one, other]) {
          const { status } = await ask(each, token);
          if (status !== 200) refusals.push(status);
        }
      }
    });
    await Promise.all([one, other].map((service) => moveClock(service, { advanceSeconds: 1 })));
    await until('the next key signs everywhere', async () => {
      const kids = await Promise.all([one, other].map(async (service) => kidOf(await newToken(service))));
      return kids.every((kid) => kid === next);
    });
    isOver = true;
    await Promise.all(traffic);
    assert.deepEqual(refusals, []);
    assert.ok(asked > 4, String(asked));
    const { active, next: after, retired } = await keysOf('tokens', other);
    assert.deepEqual([active?.length, after?.length, retired?.length], [1, 1, 1]);
    assert.equal(retired?.[0]?.kid, kidOf(tokens[0] as string));
    const rotations = (await acts('sweep:rotate_keys')).filter(({ text }) => text.includes('signing_keys'));
    assert.equal(rotations.length, 1);
    assert.equal(rotations[0]?.actor, 'service');
    assert.match(rotations[0]?.text ?? '', /"state": ?"retired"/);
    assert.doesNotMatch(rotations[0]?.text ?? '', /encrypted_private_key": ?"\\\\x/);
  });

  test('the metric tells how long they have', async () => {
    const metrics = await (await fetch(`${one.baseUrl}/metrics`)).text();
    const [, due] = /^firmquote_key_rotation_due_seconds\{purpose="tokens"\} (\S+)$/m.exec(metrics) ?? [];
    assert.ok(Math.abs(Number(due) - 90 * 86_400) < 600, due);
  });
});

describe('keys that operators replace', () => {
  test('the next one is not used before it was published for an hour', async () => {
    await refused(
      'invalid_state_transition',
      one.operate('POST', `${KEYS}/rotate`, { purpose: 'tokens', reason: 'drill' }),
    );
  });

  test('a rotation at once leaves the old key good for what it has signed', async () => {
    await age(1);
    const before = await newToken(one);
    const next = await kidThat('next', 'tokens');
    const { body } = await succeed(
      200,
      one.operate('POST', `${KEYS}/rotate`, { purpose: 'tokens', reason: 'drill' }),
    );
    assert.deepEqual(
      [body.kid, body.state, body.purpose, body.rotationReason],
      [next, 'active', 'tokens', 'drill'],
    );
    assert.equal(kidOf(await newToken(one)), next, 'at once here');
    for (const service of [one, other]) assert.equal((await ask(service, before)).status, 200);
    await until('it signs on the other instance', async () => kidOf(await newToken(other)) === next);
    const [act, ...more] = await acts('rotateKey');
    assert.deepEqual(more, []);
    assert.match(act?.text ?? '', /"rotation_reason": ?"drill"/);
    const { keys } = (await succeed(200, other.operate('GET', KEYS))).body;
    const reasons = keys.filter(({ purpose }: { purpose: string }) => purpose === 'tokens');
    assert.deepEqual(
      reasons.map(({ rotationReason }: { rotationReason: string | null }) => rotationReason).filter(Boolean),
      ['drill'],
      'by schedule there is none',
    );
  });

  test('tokens of a revoked key are refused at once here, and within a second elsewhere', async () => {
    const [stolen, kid] = [await newToken(one), await kidThat('active', 'tokens')];
    for (const service of [one, other]) assert.equal((await ask(service, stolen)).status, 200);
    const { body } = await succeed(200, one.operate('POST', `${KEYS}/${kid}/revoke`, { reason: 'stolen' }));
    assert.deepEqual([body.kid, body.state, body.revocationReason], [kid, 'revoked', 'stolen']);
    await refused('token_invalid', ask(one, stolen));
    await until('it is refused by the other instance', async () => (await ask(other, stolen)).status === 401);
    const fresh = await newToken(other);
    assert.notEqual(kidOf(fresh), kid);
    for (const service of [one, other]) assert.equal((await ask(service, fresh)).status, 200);
    const { keys } = await published(other);
    assert.ok(!keys.some((key: Listed) => key.kid === kid));
    assert.equal((await acts('revokeKey')).length, 1);
  });
});

describe('with new tokens', () => {
  let operator: string;
  let second: string;

  before(async () => {
    const { sandbox } = one;
    operator = await one.token(sandbox.operator.clientId, sandbox.operator.clientSecret);
    second = await one.token(sandbox.secondOperator.clientId, sandbox.secondOperator.clientSecret);
  });

  const operate = (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
    one.call(method, path, { token: operator, body, headers });

  test('terms that a revoked key has signed are told from those of today', async () => {
    const customer = await newToken(one);
    const quote = () =>
      succeed(
        201,
        one.call('POST', '/v1/customer/quotes', {
          token: customer,
          headers: { Prefer: 'signature' },
          body: SELL_USD,
        }),
      );
    await succeed(200, operate('POST', '/v1/operator/prices', EURUSD));
    const kid = kidOf(String((await quote()).headers.get('JWS-Signature')).replace('..', '.e30.'));
    await succeed(200, operate('POST', `${KEYS}/${kid}/revoke`, { reason: 'a copy of the database is out' }));
    const { keys, revoked_keys: revoked } = await published(one);
    assert.ok(!keys.some((key: Listed) => key.kid === kid));
    const [listed] = revoked;
    assert.deepEqual([listed.kid, listed.kty, revoked.length], [kid, 'OKP', 1]);
    assert.ok(Math.abs(listed.revoked.revoked_at - Date.now() / 1_000) < 60);
    assert.ok(!JSON.stringify(revoked).includes('copy'), 'the reason is for operators');
    const now = kidOf(String((await quote()).headers.get('JWS-Signature')).replace('..', '.e30.'));
    assert.ok(keys.some((key: Listed) => key.kid === now));
    await refused('invalid_state_transition', operate('POST', `${KEYS}/${kid}/revoke`, { reason: 'again' }));
  });

  test('two persons replace a key, and see which', async () => {
    const policy = await succeed(200, operate('GET', '/v1/operator/four-eyes'));
    const rules = policy.body.rules.map((rule: { kind: string }) =>
      rule.kind === 'service_key' ? { ...rule, needs: 'always', fromUsd: null } : rule,
    );
    const { rollingHours, accountWaitHours } = policy.body;
    const change = await succeed(
      202,
      operate(
        'PUT',
        '/v1/operator/four-eyes',
        { rules, rollingHours, accountWaitHours },
        { 'If-Match': policy.headers.get('ETag') ?? '', ...WHY },
      ),
    );
    const approve = (approvalId: string, token = second) =>
      one.call('POST', `/v1/operator/approvals/${approvalId}/approve`, { token });
    await succeed(200, approve(change.body.approvalId));

    await age(1);
    const listed = async () => (await succeed(200, operate('GET', KEYS))).body;
    const before = await listed();
    const next = before.keys.find((key: Listed) => key.purpose === 'tokens' && key.state === 'next').kid;
    const order = await succeed(
      202,
      operate('POST', `${KEYS}/rotate`, { purpose: 'tokens', reason: 'leaving' }),
    );
    assert.deepEqual(await listed(), before);
    assert.deepEqual(
      order.body.effects.find(({ at }: { at: string }) => at === '/state'),
      { at: '/state', before: 'next', after: 'active' },
    );
    await refused('second_person_required', approve(order.body.approvalId, operator));
    await succeed(200, approve(order.body.approvalId));
    assert.equal(kidOf(await newToken(one)), next);

    const revocation = await succeed(202, operate('POST', `${KEYS}/${next}/revoke`, { reason: 'stolen' }));
    const token = await newToken(one);
    assert.equal((await ask(one, token)).status, 200, 'nothing has happened yet');
    await succeed(200, approve(revocation.body.approvalId));
    await refused('token_invalid', ask(one, token));
  });
});
