import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { ConfigError, loadConfig } from '../src/config.ts';
import { greeting } from '../src/greeting.ts';
import { READY_PERSONS } from '../src/people/ready-persons.ts';
import { refused, succeed } from './support/acceptance.ts';
import { isProblem } from './support/answers.ts';
import { startTestService, type TestService } from './support/service.ts';

/** The operator API, the reference and the metrics at an address of their own. */

const INSIDE = [
  '/v1/operator/customers',
  '/v1/operator/transactions?limit=1',
  '/v1/sandbox/clock',
  '/metrics',
  '/docs',
  '/docs/',
  '/docs/quickstart',
  '/docs/quickstart.md',
  '/docs/try/',
  '/docs/try/js/scalar.js',
  '/docs/try/openapi.json',
  '/openapi.json',
  '/llms.txt',
  '/',
];
/** The interface of customers alone, which is where customers are. */
const CUSTOMERS_DOCUMENT = '/openapi-customer.json';
let service: TestService;
let operators: string;

before(async () => {
  service = await startTestService({ FIRMQUOTE_OPERATOR_LISTEN: '127.0.0.1:0' });
  operators = service.application.operatorUrl ?? assert.fail('no second address');
});

const authorization = () => ({ Authorization: `Bearer ${service.operatorToken}` });

describe('a second address', () => {
  test('has what operators use, and tokens', async () => {
    for (const path of INSIDE) {
      const answer = await fetch(`${operators}${path}`, { headers: authorization(), redirect: 'manual' });
      await answer.body?.cancel();
      assert.notEqual(answer.status, path === '/v1/sandbox/clock' ? 401 : 404, path);
    }
    const list = await fetch(`${operators}/v1/operator/customers`, { headers: authorization() });
    assert.equal(list.status, 200);
    assert.equal((await fetch(`${operators}/oauth/token`, { method: 'POST' })).status, 400);
    assert.equal((await fetch(`${operators}/readyz`)).status, 200);
  });

  test('and at the public one there is nothing of it, whatever the token or method', async () => {
    for (const path of [
      ...INSIDE,
      '/v1/operator/nothing',
      '/v1/oper%61tor/customers',
      '//v1/operator/customers',
    ]) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        const answer = await service.operate(method, path);
        await refused('route_not_found', answer);
        assert.equal(answer.headers.get('Allow'), null);
      }
    }
    assert.equal((await service.call('GET', '/v1/customer/transactions')).status, 200);
    assert.equal((await service.call('GET', '/healthz')).status, 200);
    const { body, text } = await succeed(200, service.call('GET', CUSTOMERS_DOCUMENT, { token: null }));
    assert.doesNotMatch(text, /operator:|\/v1\/(operator|sandbox)/);
    const { paths } = body;
    assert.deepEqual(
      Object.keys(paths).filter(
        (path) => !/^\/(v1\/(customer|problems)|oauth\/(token|revoke)|\.well-known)(\/|$)/.test(path),
      ),
      [],
    );
  });

  test('is where persons of a sandbox sign in', async () => {
    const [person] = READY_PERSONS;
    const signIn = (origin: string) =>
      fetch(`${operators}/auth/sandbox`, {
        method: 'POST',
        headers: { Origin: origin },
        body: new URLSearchParams({ email: person.email }),
        redirect: 'manual',
      });
    assert.equal((await signIn(operators)).status, 303);
    assert.equal((await signIn('http://127.0.0.1:1')).status, 403);
  });

  test('is where what the start prints leads to', () => {
    const { application } = service;
    assert.ok(application.sandbox !== undefined);
    const changes = [{ what: 'time', path: '/v1/sandbox/clock', body: { real: true } }];
    const printed = greeting({ ...application, sandbox: { ...application.sandbox, changes } });
    assert.ok(printed.startsWith(`Console           ${operators}/console\n`), printed);
    assert.ok(printed.includes(`curl -sS "${operators}/v1/sandbox/clock"`), printed);
  });

  test('refuses what is no request like the first, and ends with the service', async () => {
    const answer = await fetch(`${operators}/v1/operator/nothing`, { headers: authorization() });
    assert.equal(
      isProblem({ ...answer, status: 404, text: '', headers: answer.headers, body: await answer.json() })
        .code,
      'route_not_found',
    );
    await service.stop();
    await assert.rejects(fetch(`${operators}/healthz`));
  });
});

test('the console is printed where browsers of operators reach it', async () => {
  const behind = await startTestService({
    FIRMQUOTE_OPERATOR_LISTEN: '127.0.0.1:0',
    FIRMQUOTE_OPERATOR_URL: 'https://desk.example.com',
  });
  assert.match(greeting(behind.application), /^Console {11}https:\/\/desk\.example\.com\/console\n/);
  await behind.stop();
});

test('the documentation can be switched off', async () => {
  const bare = await startTestService({ FIRMQUOTE_DOCS: 'off' });
  const documentation = INSIDE.filter((each) => !each.startsWith('/v1/') && each !== '/metrics');
  for (const path of [...documentation, CUSTOMERS_DOCUMENT])
    await refused('route_not_found', bare.call('GET', path));
  assert.equal((await bare.operate('GET', '/v1/operator/customers')).status, 200);
  await bare.stop();
});

test('an address is host:port', () => {
  const listen = (text: string) => loadConfig({ FIRMQUOTE_OPERATOR_LISTEN: text }).operatorListen;
  assert.deepEqual(listen('10.0.0.5:4001'), { host: '10.0.0.5', port: 4001 });
  assert.deepEqual(listen('[::1]:4001'), { host: '::1', port: 4001 });
  for (const wrong of ['4001', '10.0.0.5', '10.0.0.5:', '::1:4001', 'a:70000', 'a b:1', ''])
    assert.throws(() => listen(wrong), ConfigError, wrong);
});
