import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, QUOTE_BODY, readCredentials, sandboxApis, withToken } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { type End, runProgram, startService, temporaryFolder } from '../support/process.ts';
import { executePath } from '../support/traffic.ts';

const DAY_MS = 86_400_000;
/** So that tokens do not name the port, which is another one after a restart. */
const ADDRESSES = {
  FIRMQUOTE_AUDIENCE: 'https://fx.example.com',
  FIRMQUOTE_AUTH_URL: 'https://auth.example.com',
};

async function businessTime(api: Api): Promise<number> {
  const { body } = await api.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
  return Date.parse(body.createdAt);
}

/** The one line for people; what is written to the log beside it is on standard output. */
function refusal({ code, signal, stdout, stderr }: End): string {
  assert.equal(signal, null);
  assert.notEqual(code, 0, stdout);
  assert.match(stderr, /^firmquote: [^\n]+\n$/);
  assert.doesNotMatch(stdout, /Firmquote listens/);
  return stderr.slice('firmquote: '.length, -1);
}

test('a second start finds trades, credentials, tokens and the clock of the first', async (t) => {
  const dataDir = temporaryFolder(t);
  const first = await startService(t, dataDir, ADDRESSES);
  const { customer, operator } = await sandboxApis(first);
  await operator.expect(200, 'POST', '/v1/sandbox/bank', { autoDeposit: false });
  const quote = await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
  const trade = await customer.expect(201, 'POST', executePath(quote));
  await operator.expect(200, 'POST', '/v1/sandbox/clock', { advanceSeconds: 3 * 86_400 });
  const seen = await customer.expect(200, 'GET', `/v1/customer/transactions/${trade.body.transactionId}`);
  const credentials = readCredentials(dataDir);

  const other = await runProgram(t, { FIRMQUOTE_DATA_DIR: dataDir });
  const refused = `Another Firmquote is running on the data folder ${dataDir}. Stop it, or choose another folder.`;
  assert.equal(refusal(other), refused);
  assert.equal((await withToken(first.baseUrl, '').call('GET', '/readyz')).status, 200, 'undisturbed');
  assert.equal((await first.end('SIGTERM')).code, 0);

  const second = await startService(t, dataDir, ADDRESSES);
  assert.match(
    second.stdout(),
    / {2}Still changed {3}Business time is \S+\n {2}Still changed {3}The simulated bank is waiting: no money arrives on its own, settlement is 'fast'\n/,
  );
  assert.deepEqual(readCredentials(dataDir), { ...credentials, baseUrl: second.baseUrl });
  const { customer: renewed, operator: renewedOperator } = await sandboxApis(second);
  for (const api of [withToken(second.baseUrl, customer.token), renewed]) {
    const found = await api.expect(200, 'GET', `/v1/customer/transactions/${trade.body.transactionId}`);
    assert.deepEqual(found.body, seen.body);
  }
  const { body: list } = await renewed.expect(200, 'GET', '/v1/customer/transactions');
  assert.deepEqual(
    list.items.map((item: { transactionId: string }) => item.transactionId),
    [trade.body.transactionId],
  );
  const ahead = (await businessTime(renewed)) - Date.now();
  assert.ok(Math.abs(ahead - 3 * DAY_MS) < 60_000, `${ahead} ms ahead`);
  await renewedOperator.expect(200, 'POST', '/v1/sandbox/clock', { real: true });
  assert.ok(Math.abs((await businessTime(renewed)) - Date.now()) < 60_000);
});

test('a start that cannot be ends with one line that says why', async (t) => {
  const { url, owner } = await createTestDatabase();
  const folder = temporaryFolder(t);
  const service = await startService(t, `${folder}/running`, { DATABASE_URL: url });
  const { port } = new URL(service.baseUrl);
  const base = { FIRMQUOTE_DATA_DIR: `${folder}/other`, DATABASE_URL: url };
  const cases: readonly (readonly [environment: Record<string, string>, code: number, line: RegExp])[] = [
    [{ FIRMQUOTE_PORT: port }, 1, new RegExp(`^FIRMQUOTE_PORT: ${port} on 127\\.0\\.0\\.1 is in use\\.$`)],
    [{ FIRMQUOTE_PORT: 'http' }, 2, /^FIRMQUOTE_PORT must be a whole number from 0 to 65535, not "http"\.$/],
    [{ FIRMQUOTE_MODE: 'prod' }, 2, /^FIRMQUOTE_MODE must be one of sandbox, production, not "prod"\.$/],
    [
      { FIRMQUOTE_HOST: '203.0.113.7' },
      2,
      /^FIRMQUOTE_HOST: 203\.0\.113\.7 is not an address of this machine\.$/,
    ],
    [{ FIRMQUOTE_PROT: '4000' }, 2, /^FIRMQUOTE_PROT is not a setting of this service\.$/],
    [
      { FIRMQUOTE_SOURCES: 'replay:none.csv@EURUSD' },
      2,
      /^FIRMQUOTE_SOURCES: there is no file ".*none\.csv"\.$/,
    ],
    // A folder below a file can be made by nobody, root included.
    [
      { FIRMQUOTE_DATA_DIR: `${folder}/running/sandbox.json/data` },
      2,
      /^FIRMQUOTE_DATA_DIR: the folder \S+ cannot be created or written to \(ENOTDIR\)\.$/,
    ],
    [
      { DATABASE_URL: 'mysql://db' },
      2,
      /^DATABASE_URL must be a postgres:\/\/ or postgresql:\/\/ address\.$/,
    ],
    // Nobody listens on port 1; the name may stand for several addresses. Who tries again is right when the database is back.
    [
      { DATABASE_URL: 'postgres://u:pa55word@localhost:1/x' },
      1,
      /^DATABASE_URL cannot be used: connect ECONNREFUSED ((?!pa55word).)*$/,
    ],
    [
      { FIRMQUOTE_KEY_ENCRYPTION_KEY_COMMAND: 'false' },
      1,
      /^FIRMQUOTE_KEY_ENCRYPTION_KEY_COMMAND: the command ended with exit code 1\.$/,
    ],
    [
      { FIRMQUOTE_KEY_ENCRYPTION_KEY_COMMAND: '/nowhere/vault' },
      2,
      /^FIRMQUOTE_KEY_ENCRYPTION_KEY_COMMAND: the command cannot be run \(ENOENT\)\.$/,
    ],
    [
      { DATABASE_URL: new URL('/nowhere', url).href },
      2,
      /^DATABASE_URL cannot be used: database "nowhere" does not exist$/,
    ],
  ];
  for (const [environment, code, line] of cases) {
    const end = await runProgram(t, { ...base, ...environment });
    assert.match(refusal(end), line);
    assert.equal(end.code, code, end.stderr);
  }

  await service.end('SIGTERM');
  await owner.query(`insert into schema_migrations (name, checksum) values ('9999_of_tomorrow.sql', 'x')`);
  const end = await runProgram(t, base);
  assert.equal(end.code, 1);
  assert.equal(refusal(end), 'The database was migrated by a newer version: it has 9999_of_tomorrow.sql.');
});
