import assert from 'node:assert/strict';
import { test } from 'node:test';
import { streamPrices } from '@firmquote/api/operations/price-streams';
import type { FastifyRequest } from 'fastify';
import type { Authenticator, CustomerAccess } from '../http/access.ts';
import type { Caller } from '../http/context.ts';
import { DEFAULT_QUOTAS } from '../http/rate-limits.ts';
import { Problem } from '../problems/problem.ts';
import { accessCheck } from './access-check.ts';

const CALLER: Caller = {
  actor: { kind: 'client', id: 'client' },
  personId: undefined,
  tokenId: 'token',
  customerId: 'customer',
  scopes: new Set(['quotes:read']),
};
const ACTIVE: CustomerAccess = { status: 'active', quotas: DEFAULT_QUOTAS };
const request = {
  ...{ headers: { authorization: 'Bearer x' }, ip: '192.0.2.1' },
  routeOptions: { config: { operation: streamPrices } },
} as unknown as FastifyRequest;

function checkOf(
  authenticate: Authenticator['authenticate'],
  access: () => CustomerAccess | Promise<CustomerAccess>,
) {
  return accessCheck({ authenticator: { authenticate }, customers: { access } }, request);
}

test('nothing ends while token and customer are good, and the same token and address are asked about', async () => {
  const asked: unknown[] = [];
  const check = checkOf(
    (...args) => {
      asked.push(args);
      return CALLER;
    },
    () => ACTIVE,
  );
  assert.equal(check(), undefined);
  assert.deepEqual(asked, [['Bearer x', '192.0.2.1', 'customer', 'rechecked']]);
  const later = checkOf(
    async () => CALLER,
    async () => ACTIVE,
  );
  assert.equal(await later(), undefined);
});

test('the reason is the code of the problem that the request would get now', async () => {
  for (const code of ['token_expired', 'token_invalid', 'ip_not_allowed', 'maintenance'] as const) {
    const fail = () => {
      throw new Problem(code, 'no');
    };
    assert.equal(checkOf(fail, () => ACTIVE)(), code);
    const failLater = () => Promise.reject(new Problem(code, 'no'));
    assert.equal(await checkOf(failLater, () => ACTIVE)(), code);
    assert.equal(await checkOf(() => CALLER, failLater)(), code);
  }
  const narrowed = { ...CALLER, scopes: new Set(['transactions:read']) };
  assert.equal(
    checkOf(
      () => narrowed,
      () => ACTIVE,
    )(),
    'insufficient_scope',
  );
  assert.equal(
    await checkOf(
      async () => narrowed,
      () => ACTIVE,
    )(),
    'insufficient_scope',
  );
  const suspended: CustomerAccess = { ...ACTIVE, status: 'suspended' };
  assert.equal(
    checkOf(
      () => CALLER,
      () => suspended,
    )(),
    'customer_suspended',
  );
  assert.equal(
    await checkOf(
      () => CALLER,
      async () => suspended,
    )(),
    'customer_suspended',
  );
});

test('a database that does not answer ends the stream: who was suspended meanwhile cannot be known', async () => {
  const away = () => Promise.reject(new Error('ECONNREFUSED'));
  assert.equal(await checkOf(() => CALLER, away)(), 'maintenance');
  assert.equal(await checkOf(away, () => ACTIVE)(), 'maintenance');
});
