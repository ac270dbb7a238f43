import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sequenceLine } from '../../src/market/fix/protocol.ts';
import { readSequenceResets } from '../../src/market/source-store.ts';
import { readArguments } from '../../src/operator-commands.ts';
import { UsageError } from '../../src/platform/command-line.ts';
import { uuidOf } from '../../src/platform/ids.ts';
import {
  authorize,
  type Credentials,
  createTrader,
  QUOTE_BODY,
  withSecond,
  withToken,
} from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { type Environment, runProgram, startService, temporaryFolder } from '../support/process.ts';
import { executePath } from '../support/traffic.ts';

const OPERATOR = join(import.meta.dirname, '../../src/operator.ts');
const BASE_URL = 'https://fx.example.com';

function productionOf(folder: string): Environment {
  return {
    FIRMQUOTE_MODE: 'production',
    FIRMQUOTE_TRUST_PROXY: 'none',
    FIRMQUOTE_DATA_DIR: join(folder, 'data'),
    FIRMQUOTE_BASE_URL: BASE_URL,
    FIRMQUOTE_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    FIRMQUOTE_SOURCES: 'push',
    // The test also runs on Saturdays.
    FIRMQUOTE_MARKET_HOURS: 'always',
    // The servers of tests are fast instead of safe.
    FIRMQUOTE_UNSAFE_DATABASE: 'warn',
  };
}

type OperatorLine = Credentials & { readonly authUrl: string; readonly audience: string };

async function createOperator(
  t: TestContext,
  environment: Environment,
  ...more: string[]
): Promise<OperatorLine> {
  const { code, stdout, stderr } = await runProgram(
    t,
    environment,
    OPERATOR,
    'create-client',
    '--name',
    'Desk one',
    ...more,
  );
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^\{[^\n]+\}\n$/, 'one line of JSON');
  const line = JSON.parse(stdout) as OperatorLine;
  assert.doesNotMatch(stderr, new RegExp(line.clientSecret));
  return line;
}

test('production refuses the defaults of the sandbox', async (t) => {
  const complete = productionOf(temporaryFolder(t));
  const cases = [
    [
      'FIRMQUOTE_KEY_ENCRYPTION_KEY',
      undefined,
      'is required in production: it encrypts the token signing keys.',
    ],
    [
      'FIRMQUOTE_KEY_ENCRYPTION_KEY',
      'c2hvcnQ=',
      'must be 32 random bytes in base64 (openssl rand -base64 32).',
    ],
    ['FIRMQUOTE_SOURCES', undefined, 'is required in production: there is no price source.'],
    ['FIRMQUOTE_SOURCES', 'simulated', 'must not name the simulated source in production.'],
    [
      'FIRMQUOTE_SOURCES',
      'push,replay:EURUSD.csv@EURUSD',
      'must not name a recording (replay) in production: customers would trade at prices of another day.',
    ],
    ['FIRMQUOTE_BASE_URL', undefined, 'is required in production: it is the audience of tokens.'],
    [
      'FIRMQUOTE_TRUST_PROXY',
      undefined,
      'is required in production: the addresses of the proxies in front of the service, or none. Rate limits count by address.',
    ],
  ] as const;
  for (const [name, value, line] of cases) {
    const { [name]: _, ...rest } = complete;
    const { code, stdout, stderr } = await runProgram(
      t,
      value === undefined ? rest : { ...rest, [name]: value },
    );
    assert.deepEqual(
      { code, stdout, stderr },
      { code: 2, stdout: '', stderr: `firmquote: ${name} ${line}\n` },
    );
  }
  assert.ok(!existsSync(complete.FIRMQUOTE_DATA_DIR ?? ''), 'nothing was begun');
});

test('production refuses a database that may lose acknowledged trades', async (t) => {
  const { url, pool } = await createTestDatabase();
  const { rows } = await pool.query<{ fsync: string }>(`select current_setting('fsync') as fsync`);
  if (rows[0]?.fsync === 'on') {
    t.skip('the server of the tests is a safe one');
    return;
  }
  const { FIRMQUOTE_UNSAFE_DATABASE: _, ...environment } = productionOf(temporaryFolder(t));
  const { code, stdout, stderr } = await runProgram(t, { ...environment, DATABASE_URL: url });
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(
    stderr,
    /^firmquote: The database may lose acknowledged trades: fsync is off: .* FIRMQUOTE_UNSAFE_DATABASE=warn starts anyway\.\n$/,
  );
});

test('the operator command says how it is used', async (t) => {
  const help = await runProgram(t, {}, OPERATOR, '--help');
  assert.equal(help.code, 0);
  assert.match(help.stdout, /^Usage: npm run operator -- <command> \[options\]\n/);
  for (const args of [
    [],
    ['create-client'],
    ['delete'],
    ['create-client', '--name', 'a', '--responsible', 'ada'],
    ['answer-for-client', '--client', 'cli_01h455vb4pex5vsknk084sn02q'],
    ['invite-person', '--roles', 'viewer'],
    ['invite-person', '--email', 'ada'],
    ['create-client', '--name', ' '],
    ['create-client', '--nam'],
    ['create-client', '--name', 'a', '--format', 'hledger'],
    ['export'],
    ['export', '--format', 'csv'],
    ['export', '--format', 'hledger', '--name', 'a'],
    ['export', '--format', 'hledger', '--output', ''],
    ['list-clients', '--name', 'a'],
    ['suspend-client'],
    ['revoke-client', '--client', 'cus_01h455vb4pex5vsknk084sn02q'],
    ['rotate-secret', '--client', 'cli_x'],
    ['accept-price', '--pair', 'USDEUR', '--price', '1', '--reason', 'a'],
    ['accept-price', '--pair', 'EURUSD', '--price', '0', '--reason', 'a'],
    ['accept-price', '--pair', 'EURUSD', '--price', '1.08491'],
    ['reset-fix-sequence', '--session', 'lp1', '--reason', 'agreed'],
    ['constructor'],
  ]) {
    assert.throws(
      () => readArguments(args),
      (error) => error instanceof UsageError && /^[^\n]+$/.test(error.message),
      args.join(' '),
    );
  }
  const { code, stdout, stderr } = await runProgram(t, {}, OPERATOR, 'export', '--format', 'csv');
  assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
  assert.equal(stderr, 'firmquote: --format must be one of hledger, audit, journal. See --help.\n');
  const wrong = await runProgram(t, { FIRMQUOTE_MODE: 'x' }, OPERATOR, 'create-client', '--name', 'a');
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /^firmquote: FIRMQUOTE_MODE must be/);
});

test('on an embedded database operators are made before the service runs, and while it does', async (t) => {
  const folder = temporaryFolder(t);
  const environment = productionOf(folder);
  const dataDir = environment.FIRMQUOTE_DATA_DIR ?? '';
  const operator = await createOperator(t, environment);
  const service = await startService(t, dataDir, environment);
  const api = await authorize(service.baseUrl, operator, operator.audience);
  const { body } = await api.expect(200, 'GET', '/v1/operator/customers');
  assert.deepEqual(body.items, []);
  assert.ok(!existsSync(join(dataDir, 'sandbox.json')));
  const late = await createOperator(t, environment);
  await authorize(service.baseUrl, late, late.audience);
  const { code, stdout } = await runProgram(t, environment, OPERATOR, 'export', '--format', 'hledger');
  assert.equal(code, 0);
  assert.match(stdout, /^; /);
  assert.equal((await withToken(service.baseUrl, '').call('GET', '/readyz')).status, 200, 'undisturbed');
});

test('operator clients are listed, suspended, given a new secret and ended by the command', async (t) => {
  const { url, pool } = await createTestDatabase();
  const environment: Environment = { ...productionOf(temporaryFolder(t)), DATABASE_URL: url };
  const service = await startService(t, environment.FIRMQUOTE_DATA_DIR ?? '', environment);
  const command = async (...args: string[]) => {
    const { code, stdout, stderr } = await runProgram(t, environment, OPERATOR, ...args);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const first = await createOperator(t, environment);
  assert.deepEqual((await command('list-clients')).clients[0].responsible, null);
  const person = ['--responsible', ' Ada@Example.com'];
  const { responsible } = await command('answer-for-client', '--client', first.clientId, ...person);
  assert.match(responsible.personId, /^per_/);
  const invited = await command(
    'invite-person',
    '--email',
    'ada@example.com',
    '--roles',
    'administrator',
    '--name',
    'Ada',
  );
  assert.deepEqual(
    [invited.personId, invited.name, invited.status, invited.roles],
    [responsible.personId, 'Ada', 'invited', ['administrator']],
  );
  assert.match(invited.invitationLink, /^http[^#]+\/login\/invitation#fqi_live_[0-9A-Za-z]{49}$/);
  const unknown = await runProgram(
    t,
    environment,
    OPERATOR,
    'invite-person',
    '--email',
    'b@x.example',
    '--roles',
    'x',
  );
  assert.deepEqual([unknown.code, unknown.stdout], [2, '']);
  assert.deepEqual([responsible.name, responsible.email], ['ada@example.com', 'ada@example.com']);
  const second = await command('create-client', '--name', 'Desk two', ...person);
  const [one, two] = (await command('list-clients')).clients;
  assert.deepEqual([two.clientId, two.responsible], [second.clientId, one.responsible], 'one person');
  const narrowed = ['--scopes', '', '--roles', 'finance', '--expires', '2099-01-01T00:00:00Z'];
  const updated = await command('update-client', '--client', second.clientId, ...narrowed);
  assert.deepEqual(
    [updated.scopes, updated.roles, updated.expiresAt],
    [[], ['finance'], '2099-01-01T00:00:00.000Z'],
  );
  await command('revoke-client', '--client', second.clientId);
  const { clients } = await command('list-clients');
  assert.deepEqual(
    clients.map(({ clientId, status, scopes }: Record<string, unknown>) => ({ clientId, status, scopes })),
    [{ clientId: first.clientId, status: 'active', scopes: ['operator:*'] }],
  );
  const mine = ['--client', first.clientId];
  const price = ['--pair', 'USDAED', '--price', '3.6725', '--reason', 'the peg'];
  const { acceptedAt, ...accepted } = await command('accept-price', ...price, ...mine);
  assert.ok(Date.parse(acceptedAt));
  assert.deepEqual(accepted, {
    pair: 'USDAED',
    number: 1,
    price: '3.6725',
    previousPrice: null,
    reason: 'the peg',
    acceptedBy: first.clientId,
  });
  const sessions = join(environment.FIRMQUOTE_DATA_DIR ?? '', 'fix');
  mkdirSync(sessions, { recursive: true });
  const numbers = join(sessions, 'lp1.DESK-VENUE.seq');
  writeFileSync(numbers, sequenceLine({ nextSent: 7, nextReceived: 8 }, 'open'));
  const order = ['--session', 'lp1', '--next-received', '45', '--reason', 'agreed with the venue', ...mine];
  const used = await runProgram(t, environment, OPERATOR, 'reset-fix-sequence', ...order);
  assert.deepEqual([used.code, used.stdout], [2, '']);
  assert.match(used.stderr, /is in use, or its gateway was killed\./);
  assert.deepEqual(await readSequenceResets(pool), [], 'what was not set is not on record');
  const { resetAt, ...reset } = await command('reset-fix-sequence', '--stopped', ...order);
  const reported = { nextSent: 1, nextReceived: 45, reason: 'agreed with the venue' };
  assert.deepEqual(reset, { session: 'lp1', ...reported, file: numbers });
  assert.equal(readFileSync(numbers, 'latin1'), sequenceLine(reported, 'closed'));
  const resetBy = uuidOf('cli', first.clientId);
  const kept = { source: 'fix:lp1', number: 1, ...reported, resetAt: Date.parse(resetAt), resetBy };
  assert.deepEqual(await readSequenceResets(pool), [kept]);
  assert.equal((await command('suspend-client', ...mine)).status, 'suspended');
  await assert.rejects(authorize(service.baseUrl, first, first.audience), /invalid_client/);
  assert.equal((await command('resume-client', ...mine)).status, 'active');
  const rotated = await command('rotate-secret', ...mine);
  assert.deepEqual(Object.keys(rotated), ['clientId', 'clientSecret', 'authUrl', 'audience']);
  await assert.rejects(authorize(service.baseUrl, first, first.audience), /invalid_client/);
  await authorize(service.baseUrl, rotated, first.audience);
  await command('rotate-secret', ...mine, '--revoke-tokens');
  await assert.rejects(authorize(service.baseUrl, rotated, first.audience), /invalid_client/);
  assert.deepEqual(await command('revoke-client', ...mine), { clientId: first.clientId, status: 'revoked' });
  assert.deepEqual((await command('list-clients')).clients, []);
  const gone = await runProgram(t, environment, OPERATOR, 'resume-client', ...mine);
  assert.equal(gone.code, 2);
  assert.match(gone.stderr, /^firmquote: There is no client with this id, or it was revoked\.$/m);
});

test('production, from nothing to a funded trade', async (t) => {
  const { url } = await createTestDatabase();
  const folder = temporaryFolder(t);
  const environment: Environment = { ...productionOf(folder), DATABASE_URL: url };
  const dataDir = environment.FIRMQUOTE_DATA_DIR ?? '';
  const service = await startService(t, dataDir, environment);
  const { baseUrl } = service;
  const printed = service
    .stdout()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{'));
  assert.deepEqual(printed, [
    `Console           ${BASE_URL}/console`,
    `Firmquote listens on ${baseUrl}`,
    `  Public address  ${BASE_URL}`,
    '  No sign-in yet  npm run operator -- invite-person --email <address> --roles administrator',
  ]);
  assert.ok(!existsSync(dataDir), 'with a database elsewhere it keeps nothing in the data folder');

  // The servers of tests are fast instead of safe, and whoever watches is told.
  assert.match(await (await fetch(`${baseUrl}/metrics`)).text(), /^firmquote_unsafe_database 1$/m);

  // Beside the running service, since the database is not its own.
  const operator = await createOperator(t, environment, '--responsible', 'ada@example.com');
  assert.deepEqual([operator.authUrl, operator.audience], [BASE_URL, `${BASE_URL}/operator`]);
  await assert.rejects(authorize(baseUrl, operator, BASE_URL), /invalid_target/);
  const alone = await authorize(baseUrl, operator, operator.audience);
  const other = await createOperator(t, environment, '--responsible', 'grace@example.com');
  const desk = withSecond(alone, await authorize(baseUrl, other, operator.audience));
  for (const path of ['clock', 'market', 'bank', 'deposits']) {
    const { body } = await desk.expect(404, 'POST', `/v1/sandbox/${path}`, {});
    assert.equal(body.code, 'route_not_found');
  }

  const rules = await desk.expect(200, 'GET', '/v1/operator/spread-rules');
  assert.deepEqual(rules.body.rules, [], 'there is no default price');
  await desk.expect(
    200,
    'PUT',
    '/v1/operator/spread-rules',
    { rules: [{ spreadBps: '20.00' }] },
    {
      'If-Match': rules.headers.get('ETag') ?? '',
    },
  );
  const house = {
    accountHolder: 'Example FX Ltd Client Money',
    accountNumber: '9876543210',
    routingNumber: '021000021',
  };
  await desk.expect(200, 'PUT', '/v1/operator/collection-accounts/USD', house);
  const { customerId, client } = await createTrader(desk, 'Acme Ltd');
  const acme = await authorize(baseUrl, client, BASE_URL);
  const price = { pair: 'EURUSD', bid: '1.08488', ask: '1.08494' };
  await desk.expect(200, 'POST', '/v1/operator/prices', price);
  const quote = await acme.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
  assert.deepEqual(
    [quote.body.buyAmount, quote.body.rate.market],
    ['91987.01', '1.08494'],
    'the pushed price',
  );
  const trade = await acme.expect(201, 'POST', executePath(quote));
  assert.equal(trade.body.funding.instructions.accountHolder, house.accountHolder);
  const deposit = await desk.expect(201, 'POST', '/v1/operator/deposits', {
    bankReference: 'BK-1',
    amount: '100000.00',
    currency: 'USD',
    remitterName: 'Acme Ltd',
    remittanceText: `invoice 7 ${trade.body.reference}`,
  });
  assert.equal(deposit.body.status, 'matched');
  const funded = await acme.expect(200, 'GET', `/v1/customer/transactions/${trade.body.transactionId}`);
  assert.equal(funded.body.status, 'funded');
  const { body: usage } = await desk.expect(200, 'GET', `/v1/operator/customers/${customerId}/limits/usage`);
  assert.equal(usage.openPosition.used, '100000.00');
  // The books, beside the running service: the command and the service write the same journal.
  const file = join(folder, 'books.journal');
  const exported = ['export', '--format', 'hledger'];
  const printedBooks = await runProgram(t, environment, OPERATOR, ...exported);
  assert.deepEqual([printedBooks.code, printedBooks.stdout.match(/ \* \(je_/g)?.length], [0, 4]);
  assert.equal((await runProgram(t, environment, OPERATOR, ...exported, '--output', file)).code, 0);
  const served = await desk.expect(200, 'GET', '/v1/operator/ledger/export');
  const withoutTime = (text: string) => text.replace(/^; .*\n/, '');
  for (const text of [printedBooks.stdout, readFileSync(file, 'utf8')]) {
    assert.equal(withoutTime(text), withoutTime(served.text));
  }
  const again = await runProgram(t, environment, OPERATOR, ...exported, '--output', file);
  assert.deepEqual([again.code, again.stdout], [1, ''], 'a file that is there is left alone');
  // Tokens of the one kind are nothing to the routes of the other.
  assert.equal((await acme.call('GET', '/v1/operator/customers')).status, 401);
  assert.equal((await desk.call('GET', '/v1/customer/transactions')).status, 401);
  assert.equal((await withToken(baseUrl, '').call('GET', '/readyz')).status, 200);
  const { code, stdout, stderr } = await service.end('SIGTERM');
  assert.equal(code, 0);
  for (const secret of [operator.clientSecret, client.clientSecret, desk.token, acme.token]) {
    assert.ok(!`${stdout}${stderr}`.includes(secret));
  }
});
