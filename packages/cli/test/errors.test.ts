import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { COMPILED } from '../../service/test/support/shell.ts';
import { EXIT_MEANINGS } from '../src/exit-codes.ts';
import { Home } from './support/command.ts';
import { startFaultProxy } from './support/fault-proxy.ts';
import { BIN } from './support/terminal.ts';
import { startWorld } from './support/world.ts';

const world = await startWorld();
const { service, run, data, asCustomer, asOperator } = world;
const proxy = await startFaultProxy(service.baseUrl);
const behindProxy = { ...asCustomer, FIRMQUOTE_BASE_URL: proxy.url };
after(() => {
  proxy.drop = () => false;
});

/** Nobody listens there any more. */
const NOWHERE = await closedAddress();
const EUR = ['quote', '--sell', '1000', 'EUR', '--buy', 'USD'];
const countTransactions = async () => (await data('transactions list --all')).length;

async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

test('a failure has its code, also where nobody reads what went wrong', async () => {
  const child = spawn(process.execPath, [BIN, 'quotes', 'get', 'quote_x'], {
    env: { ...COMPILED, PATH: process.env.PATH ?? '', HOME: world.home.folder, ...asCustomer },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.destroy();
  const [code] = await once(child, 'close');
  assert.equal(code, 5);
});

describe('each end has its code, and says what to do next', () => {
  const LINES: readonly (readonly [
    code: number,
    line: string | readonly string[],
    says: RegExp,
    env?: Record<string, string>,
  ])[] = [
    [2, 'quotes lst', /Unknown command 'lst'\.\nnext: Did you mean list\? See firmquote quotes --help/],
    [
      2,
      'rates EURUSD',
      /Unknown command 'EURUSD'\.\nnext: Commands: get, watch\. See firmquote rates --help/,
    ],
    [2, 'quotes get', /Missing required argument 'quoteId'/],
    [2, 'quotes list --stauts open', /Did you mean --status\?/],
    [2, 'quotes list -o xml', /--output must be one of table, json, ndjson, csv, yaml/],
    [2, 'call createCustomer', /Missing: --name/],
    [2, 'call noSuchThing', /There is no operation “noSuchThing”\.\nnext: firmquote call --list/],
    [
      2,
      'quote --sell 1.000,00 EUR --buy USD',
      /“1\.000,00” is not an amount\.\nnext: Write the decimal point/,
    ],
    [2, 'quote --sell 1 EUR --buy 2 USD', /Exactly one side has an amount/],
    [2, 'rates get EURO', /“EURO” is not a pair/],
    [2, 'quotes list --timeout 5x', /is not a duration/],
    [2, 'quotes get ..', /\{quoteId\} is not a valid path value.*\n.*request_not_made/],
    [2, 'quotes cancel quote_x --idempotency-key INV–1', /a header is not valid/],
    [3, 'quote --sell 1000.123 EUR --buy USD', /amount_precision_invalid · status 422 · request req_/],
    [3, 'quote --sell 1000 EUR --buy EUR', /same_currency/],
    [
      3,
      'quote --sell 1k EUR --buy USD --valid 11s',
      /of 11 s is not permitted\. Permitted .*\n {2}\/validitySeconds\n/,
    ],
    [4, 'market health', /insufficient_scope|scope/],
    [4, 'whoami', /invalid_client/, { ...asCustomer, FIRMQUOTE_CLIENT_SECRET: 'wrong-wrong-wrong' }],
    [4, 'quotes list', /token_invalid/, { FIRMQUOTE_BASE_URL: service.baseUrl, FIRMQUOTE_TOKEN: 'nonsense' }],
    [5, 'quotes get quote_01jngx7z5d2m8r4v6t9k3b1c0a', /quote_not_found · status 404/],
    [5, 'api GET /v1/nowhere', /route_not_found/],
    [
      8,
      'quotes list',
      /cannot be reached.*\n.*\nnext: Look for the cause: firmquote doctor/,
      { FIRMQUOTE_BASE_URL: NOWHERE, FIRMQUOTE_TOKEN: 'x.y.z' },
    ],
  ];
  for (const [code, line, says, env] of LINES) {
    test(`${code}: ${typeof line === 'string' ? line : line.join(' ')}`, async () => {
      const end = await run(line, env === undefined ? {} : { env });
      assert.equal(end.code, code, end.stderr);
      assert.equal(end.stdout, '');
      assert.match(end.stderr, says);
      assert.match(end.stderr, /^next: /m);
    });
  }

  test('6: an expired quote', async () => {
    const { quoteId } = await data(EUR);
    await service.operate('POST', '/v1/sandbox/clock', { advanceSeconds: 60 });
    const end = await run(`quotes execute ${quoteId}`);
    assert.equal(end.code, 6, end.stderr);
    assert.match(end.stderr, /quote_expired · status 409.*\nnext: Ask for a new quote/);
  });

  test('help of a command is asked for before or after its name', async () => {
    for (const name of ['quotes', 'quotes cancel', 'call createQuote']) {
      const asked = await run(`help ${name}`);
      assert.deepEqual([asked.code, asked.stdout], [0, (await run(`${name} --help`)).stdout], name);
    }
  });

  test('the help lists every code', async () => {
    const { stdout } = await run('--help');
    for (const [code, meaning] of Object.entries(EXIT_MEANINGS)) {
      assert.match(stdout, new RegExp(`^ +${code} {2}${meaning.replaceAll(/[()]/g, '\\$&')}$`, 'm'));
    }
  });
});

test('with -o json an error is a problem with exit code and next step', async () => {
  const refused = await run([...EUR.slice(0, 2), '1000.123', 'EUR', '--buy', 'USD', '-o', 'json']);
  const problem = JSON.parse(refused.stderr);
  assert.equal(problem.code, 'amount_precision_invalid');
  assert.equal(problem.status, 422);
  assert.equal(problem.exitCode, 3);
  assert.match(problem.next, /Change the request/);
  const wrong = JSON.parse((await run('quotes lst --output=json')).stderr);
  assert.deepEqual([wrong.code, wrong.exitCode], ['usage', 2]);
});

test('a host that speaks HTML, or answers with half a body', async (t) => {
  const server = createServer((request, response) => {
    if (request.url === '/oauth/token')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"access_tok');
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome to the proxy</h1>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const html = await run('quotes list', { env: { FIRMQUOTE_BASE_URL: url, FIRMQUOTE_TOKEN: 'x.y.z' } });
  assert.equal(html.code, 8, html.stderr);
  assert.match(html.stderr, /The answer is text\/html, not JSON/);
  const half = await run('quotes list', { env: { ...asCustomer, FIRMQUOTE_BASE_URL: url } });
  assert.equal(half.code, 8, half.stderr);
  assert.match(half.stderr, /answer_malformed/);
});

test('the doctor finds an unreachable host, and says what to do', async () => {
  const end = await run('doctor', { env: { ...asCustomer, FIRMQUOTE_BASE_URL: NOWHERE } });
  assert.equal(end.code, 8);
  const found = JSON.parse(end.stdout).find(({ check }: { check: string }) => check === 'reachable');
  assert.equal(found.status, 'failed');
  assert.match(found.next, /Check baseUrl/);
});

test('a clock that is 10 minutes off: the doctor says so, and the countdown is right', async () => {
  proxy.aheadMs = 600_000;
  try {
    const findings = await data('doctor', { env: behindProxy });
    const clock = findings.find(({ check }: { check: string }) => check === 'clock');
    assert.equal(clock.status, 'warning');
    assert.match(clock.detail, /^This machine is (599|600|601) s behind/);
    assert.match(clock.next, /NTP/);
    assert.equal((await run([...EUR, '--execute'], { env: behindProxy })).code, 0);
  } finally {
    proxy.aheadMs = 0;
  }
});

test('an execution whose answers are lost is asked for, and done once', async () => {
  const before = await countTransactions();
  proxy.drop = (method, url) => method === 'POST' && url.endsWith('/execute');
  const end = await run([...EUR, '--execute', '--ref', 'LOST-1'], { env: behindProxy });
  proxy.drop = () => false;
  assert.equal(end.code, 0, end.stderr);
  assert.match(end.stderr, /Looking up the outcome/);
  assert.equal(JSON.parse(end.stdout).clientReference, 'LOST-1');
  assert.equal(await countTransactions(), before + 1);
});

test('7: the network breaks at the execution and stays so; the key repeats it without a second trade', async () => {
  const before = await countTransactions();
  let isCut = false;
  proxy.drop = (_method, url) => {
    isCut ||= url.endsWith('/execute');
    return isCut;
  };
  const end = await run([...EUR, '--execute', '-o', 'json'], { env: behindProxy });
  proxy.drop = () => false;
  assert.equal(end.code, 7, end.stderr);
  assert.equal(end.stdout, '');
  const said = JSON.parse(end.stderr.slice(end.stderr.indexOf('{')));
  assert.equal(said.code, 'outcome_unknown');
  assert.match(said.next, new RegExp(`firmquote quotes get ${said.quoteId}`));
  assert.equal(await countTransactions(), before + 1);
  const read = await data(`quotes get ${said.quoteId}`);
  assert.equal(read.status, 'executed');
  const again = await run(`quotes execute ${said.quoteId} --idempotency-key ${said.idempotencyKey}`);
  assert.notEqual(again.code, 7);
  assert.equal(await countTransactions(), before + 1);
});

test('7: another change whose answer is lost names its key', async () => {
  proxy.drop = (method) => method === 'POST';
  const end = await run(
    'api POST /v1/customer/quotes -f sellCurrency=EUR -f buyCurrency=USD -f fixedSide=sell -f amount=5.00 --timeout 3s',
    {
      env: { FIRMQUOTE_BASE_URL: proxy.url, FIRMQUOTE_TOKEN: service.customerToken },
    },
  );
  proxy.drop = () => false;
  assert.equal(end.code, 7, end.stderr);
  assert.match(end.stderr, /key [0-9a-f-]{36}/);
  assert.match(end.stderr, /--idempotency-key [0-9a-f-]{36}/);
});

test('changes of a production service are confirmed; nobody to ask means --yes', async () => {
  const home = new Home();
  await home.run(['login', '--sandbox', world.sandboxFile]);
  const file = join(home.folder, '.config/firmquote/config.json');
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replaceAll('"environment": "sandbox"', '"environment": "production"'),
    { mode: 0o600 },
  );
  const refused = await home.run(['customers', 'create', '--name', 'Nobody']);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /changes a production service.*\nnext: Pass --yes/);
  assert.equal((await home.run(['customers', 'create', '--name', 'Somebody', '--yes'])).code, 0);
  assert.equal((await home.run(['customers', 'list'])).code, 0);
  const executed = await home.run([...EUR, '--execute']);
  assert.equal(executed.code, 2, executed.stderr);
});

test('no secret and no token in what is said, also with --debug and --dry-run', async () => {
  const { customer, operator } = service.sandbox;
  const lines = [
    'quotes list --debug',
    'whoami --debug',
    'market health --debug',
    'quotes get quote_x --debug',
    'api POST /v1/customer/quotes -f amount=1 --dry-run',
  ];
  for (const line of lines) {
    const ofTwoLines = { FIRMQUOTE_BASE_URL: service.baseUrl, FIRMQUOTE_TOKEN: 'eyJhbGciOiJ\nIUzI1NiJ9' };
    for (const env of [
      asCustomer,
      asOperator,
      { ...asCustomer, FIRMQUOTE_CLIENT_ID: 'cli_wrong' },
      ofTwoLines,
    ]) {
      const { stdout, stderr } = await run(line, { env });
      assert.doesNotMatch(stdout + stderr, /eyJ/, line);
      for (const secret of [customer.clientSecret, operator.clientSecret])
        assert.ok(!(stdout + stderr).includes(secret), line);
    }
  }
});
