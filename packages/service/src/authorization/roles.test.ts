import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OWN_ROLES_MAX } from '@firmquote/api/operations/roles';
import { BUILT_IN_ROLES } from '@firmquote/api/roles';
import { decodeJwt } from 'jose';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { scopesOfRoles } from './roles.ts';
import { OPERATOR_SCOPES } from './scopes.ts';
import { call, operatorClient, operatorToken, startServer, startWithDatabase } from './test-support.ts';

const ROLES = '/v1/operator/roles';
const server = await startWithDatabase();
const { clients } = server.authorization;
const desk = await operatorToken(server, await operatorClient(server));

const set = (role: string, scopes: readonly string[], token = desk, headers = {}) =>
  call(server, `${ROLES}/${role}`, token, { method: 'PUT', body: { description: 'x', scopes }, headers });
const remove = (role: string, token = desk) => call(server, `${ROLES}/${role}`, token, { method: 'DELETE' });

async function clientOf(roles: readonly string[], scopes?: readonly string[]) {
  const client = await clients.create({ owner: { kind: 'operator' }, name: 'x', roles, scopes });
  return { ...client, token: await operatorToken(server, client) };
}

const probes = (token: string, at = server) => call(at, '/v1/operator/probe', token);

test('the roles that are built in are listed, have scopes that exist, and cannot be changed', async () => {
  const { body } = await call(server, ROLES, desk);
  const listed = (body.roles as { role: string; builtIn: boolean; scopes: string[] }[]).filter(
    ({ builtIn }) => builtIn,
  );
  assert.deepEqual(
    listed.map(({ role }) => role),
    ['viewer', 'dealer', 'operations', 'finance', 'compliance', 'administrator'],
  );
  for (const { role, scopes } of listed) {
    for (const scope of scopes) assert.ok((OPERATOR_SCOPES as readonly string[]).includes(scope), scope);
    for (const answer of [await set(role, ['operator:ledger']), await remove(role)]) {
      assert.deepEqual([answer.status, answer.body.code], [400, 'validation_failed'], role);
    }
  }
});

test('operators make roles of their own, change them under their version, and delete them', async () => {
  const made = await set('night-desk', ['operator:market', 'operator:pricing:read']);
  assert.deepEqual([made.status, made.body.version, made.headers.get('etag')], [200, 1, '"v1"']);
  assert.equal((await set('night-desk', ['operator:market'], desk, { 'if-match': '"v1"' })).body.version, 2);
  const late = await set('night-desk', ['operator:market'], desk, { 'if-match': '"v1"' });
  assert.deepEqual([late.status, late.body.code, late.body.currentVersion], [412, 'version_mismatch', 2]);
  for (const [role, scopes] of [
    ['night-desk', []],
    ['night-desk', ['quotes:read']],
    ['Night', ['operator:market']],
  ] as const) {
    assert.equal((await set(role, scopes)).body.code, 'validation_failed');
  }
  assert.equal((await remove('night-desk')).status, 204);
  assert.deepEqual((await remove('night-desk')).body.code, 'role_not_found');
});

test('scopes follow the roles of a client at once', async () => {
  await set('spread-desk', ['operator:spreads']);
  const { token } = await clientOf(['spread-desk']);
  assert.equal(decodeJwt(token).scope, 'operator:spreads');
  assert.equal((await probes(token)).status, 200);
  await set('spread-desk', ['operator:ledger']);
  const refused = await probes(token);
  assert.deepEqual([refused.status, refused.body.requiredScope], [403, 'operator:spreads']);
  // A token never has more than it was given.
  await set('spread-desk', ['operator:spreads', 'operator:limits']);
  assert.deepEqual((await probes(token)).body.scopes, ['operator:spreads']);
});

test('a role that is taken away takes effect on another instance within five seconds', async () => {
  const options = { issuer: () => server.url, operatorAudience: () => `${server.url}/operator` };
  const second = await startServer(server.pool, options);
  await set('elsewhere', ['operator:spreads']);
  const { token } = await clientOf(['elsewhere']);
  assert.equal((await probes(token, second)).status, 200);
  await remove('elsewhere');
  assert.equal((await probes(token)).status, 403);
  second.realClock.advance(5_000);
  assert.equal((await probes(token, second)).status, 403);
});

test('a role that is made under the name of one that is gone is nobody’s', async () => {
  await set('brief', ['operator:spreads']);
  const { token } = await clientOf(['brief'], ['operator:reports']);
  await server.pool.query(
    `insert into persons (id, email, name, status, roles, created_at, updated_at)
     values ('0195f000-0000-8000-8000-0000000000aa', 'a@example.com', 'A', 'active', '{brief,viewer}', now(), now())`,
  );
  assert.equal((await probes(token)).status, 200);
  await remove('brief');
  await set('brief', ['operator:spreads']);
  assert.equal((await probes(token)).status, 403);
  const { rows } = await server.pool.query('select roles from persons');
  assert.deepEqual(rows, [{ roles: ['viewer'] }]);
});

test('a token for everything is one for what is left', async () => {
  const { token, id } = await clientOf(['administrator']);
  assert.equal((await probes(token)).status, 200);
  await server.pool.query(
    `update oauth_clients set roles = '{}', scopes = '{operator:ledger}' where id = $1`,
    [id],
  );
  server.realClock.advance(5_000);
  const refused = await probes(token);
  server.realClock.followRealTime();
  assert.deepEqual([refused.status, refused.body.requiredScope], [403, 'operator:spreads']);
});

test('nobody makes, changes, deletes or gives a role with more than it has', async () => {
  const own = await operatorToken(
    server,
    await operatorClient(server, ['operator:roles', 'operator:clients', 'operator:reports']),
  );
  const missing = async (answer: ReturnType<typeof call>) => {
    const { status, body } = await answer;
    return [status, body.code, body.requiredScope];
  };
  assert.equal((await set('reporters', ['operator:reports'], own)).status, 200);
  const refused = [403, 'insufficient_scope', 'operator:ledger'];
  assert.deepEqual(await missing(set('reporters', ['operator:reports', 'operator:ledger'], own)), refused);
  await set('books', ['operator:ledger']);
  assert.deepEqual(await missing(set('books', ['operator:reports'], own)), refused);
  assert.deepEqual(await missing(remove('books', own)), refused);
  const make = (roles: readonly string[]) =>
    call(server, '/v1/operator/clients', own, { method: 'POST', body: { name: 'x', roles } });
  assert.deepEqual(await missing(make(['reporters', 'books'])), refused);
  assert.equal((await make(['administrator'])).body.requiredScope, 'operator:*');
  assert.equal((await make(['reporters'])).status, 201);
  assert.equal((await make(['nothing'])).body.code, 'validation_failed');
  const { clientId } = await clientOf(['books'], []);
  const suspend = call(server, `/v1/operator/clients/${clientId}/suspend`, own, { method: 'POST' });
  assert.deepEqual(await missing(suspend), refused);
});

test('a role that is deleted while it is given to a client is nobody’s afterwards', async () => {
  await set('fleeting', ['operator:spreads']);
  const held = await server.pool.connect();
  // A client is made once there is room among the others: after its roles were judged.
  await held.query("begin; select pg_advisory_xact_lock(hashtext('operator_clients'))");
  const made = clients.create({ owner: { kind: 'operator' }, name: 'x', roles: ['fleeting', 'viewer'] });
  await untilLocked(server.pool);
  const gone = remove('fleeting');
  await Promise.race([gone, untilLocked(server.pool, 2)]);
  await held.query('commit');
  held.release();
  assert.equal((await gone).status, 204);
  const { rows } = await server.pool.query('select roles from oauth_clients where id = $1', [
    (await made).id,
  ]);
  assert.deepEqual(rows, [{ roles: ['viewer'] }]);
});

test('roles and those who have them change at once, and nobody waits for whoever waits for them', async () => {
  const made = await Promise.all([clientOf(['viewer']), clientOf(['viewer']), clientOf(['viewer'])]);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => [
      set('busy', ['operator:spreads']),
      ...made.map(({ clientId }) =>
        call(server, `/v1/operator/clients/${clientId}`, desk, {
          method: 'PATCH',
          body: { roles: at % 2 === 0 ? ['viewer', 'busy'] : ['viewer'] },
        }),
      ),
      remove('busy'),
    ]).flat(),
  );
  const refused = answers.filter(({ status }) => status >= 400).map(({ body }) => body.code);
  assert.deepEqual([...new Set([...refused, 'role_not_found', 'validation_failed'])].sort(), [
    'role_not_found',
    'validation_failed',
  ]);
  const { rows } = await server.pool.query(
    `select id from oauth_clients
     where 'busy' = any(roles) and not exists (select from roles where name = 'busy')`,
  );
  assert.deepEqual(rows, []);
});

test('a client with a role that there is not, or that has lost all it had, can still be changed', async () => {
  const patch = ({ clientId }: { clientId: string }, body: object) =>
    call(server, `/v1/operator/clients/${clientId}`, desk, { method: 'PATCH', body });
  const mistyped = await clientOf(['viewer']);
  await server.pool.query(`update oauth_clients set roles = '{viewer,no-such-role}' where id = $1`, [
    mistyped.id,
  ]);
  assert.equal((await patch(mistyped, { name: 'renamed' })).body.name, 'renamed');
  assert.equal((await patch(mistyped, { roles: ['no-such-role', 'dealer'] })).status, 200);
  const added = await patch(mistyped, { roles: ['dealer', 'no-such-role', 'neither-this'] });
  assert.deepEqual([added.status, added.body.code], [400, 'validation_failed']);
  await set('passing', ['operator:spreads']);
  const emptied = await clientOf(['passing']);
  await remove('passing');
  assert.equal((await patch(emptied, { name: 'left with nothing' })).body.name, 'left with nothing');
  assert.deepEqual((await patch(emptied, { roles: [] })).body.code, 'validation_failed');
});

test('the scopes of roles are those of all of them, and unknown ones have none', async () => {
  await set('sums', ['operator:ledger', 'operator:market']);
  const scopes = await scopesOfRoles(server.pool, ['dealer', 'sums', 'nothing']);
  assert.deepEqual(new Set(scopes), new Set([...BUILT_IN_ROLES.dealer.scopes, 'operator:ledger']));
  assert.deepEqual(await scopesOfRoles(server.pool, []), []);
});

test('there are so many roles and no more', async () => {
  const own = await startWithDatabase();
  for (let at = 0; at < OWN_ROLES_MAX; at++) {
    await own.authorization.roles.set({ name: `role-${at}`, description: 'x', scopes: ['operator:ledger'] });
  }
  const role = { description: 'x', scopes: ['operator:ledger'] };
  await assert.rejects(own.authorization.roles.set({ name: 'more', ...role }), { code: 'limit_exceeded' });
  await own.authorization.roles.set({ name: 'role-0', ...role });
});
