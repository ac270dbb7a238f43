import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SERVICE_ROLE } from '@firmquote/embedded-postgres';
import { differenceOf, schemaFiles } from '../../../../scripts/generate-schema.ts';
import { readGrants } from '../../src/database/grants.ts';
import { previousVersion } from '../../src/database/migrate.ts';
import type { Pool } from '../../src/database/pool.ts';
import { reportRole } from '../../src/database/service-role.ts';
import { type Api, createDesks, sandboxApis, withToken } from '../support/api.ts';
import { assertNothingIsHalf, countOf } from '../support/audit.ts';
import { createTestDatabase } from '../support/database.ts';
import {
  embeddedPool,
  runProgram,
  type ServiceProcess,
  startService,
  temporaryFolder,
} from '../support/process.ts';
import { Traffic } from '../support/traffic.ts';

const MIGRATE = resolve(import.meta.dirname, '../../src/migrate.ts');
const MAIN = resolve(import.meta.dirname, '../../src/main.ts');
const ROOT = resolve(import.meta.dirname, '../../../..');
/** Tokens name these and not the port, so that both instances take them. */
const ADDRESSES = {
  FIRMQUOTE_AUDIENCE: 'https://fx.example.com',
  FIRMQUOTE_AUTH_URL: 'https://auth.example.com',
};
const CLIENTS = 6;
const ACKNOWLEDGED = 60;

function git(...args: string[]): Buffer {
  return execFileSync('git', ['-C', ROOT, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 28,
  });
}

/** The newest release before this state, else the version that the project names. */
function previousCommit(): string {
  try {
    return git('describe', '--tags', '--match', 'v*', '--abbrev=0', 'HEAD^').toString().trim();
  } catch {
    return previousVersion().commit;
  }
}

const COMMIT = previousCommit();

/** The code of a commit with the packages that are installed here; undefined where the history does not have it. */
function checkOut(commit: string, folder: string): string | undefined {
  let archive: Buffer;
  try {
    archive = git('archive', commit, 'packages', 'package.json');
  } catch {
    return undefined;
  }
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@firmquote'), { recursive: true });
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join(folder, 'packages', name), join(modules, '@firmquote', name));
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== '@firmquote' && !name.startsWith('.'))
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  return join(folder, 'packages/service/src');
}

/** The programs of the previous version; undefined where it is not to be had, and the test says so. */
function previousPrograms(t: TestContext): { readonly main: string; readonly migrate: string } | undefined {
  const folder = checkOut(COMMIT, temporaryFolder(t));
  if (folder === undefined) {
    t.skip(`there is no git history with the previous version (${COMMIT}) here`);
    return undefined;
  }
  return { main: join(folder, 'main.ts'), migrate: join(folder, 'migrate.ts') };
}

test('the previous version serves on while this one migrates its database and serves beside it', async (t) => {
  const previous = previousPrograms(t);
  if (previous === undefined) return;
  const { url, ownerUrl, owner: pool } = await createTestDatabase({ migrated: false });
  const dataDir = temporaryFolder(t);
  const migrateBy = async (program: string) => {
    const { code, stderr } = await runProgram(
      t,
      { DATABASE_OWNER_URL: ownerUrl, DATABASE_URL: url },
      program,
    );
    assert.equal(code, 0, stderr);
  };
  await migrateBy(previous.migrate);
  const old = await startService(t, dataDir, { ...ADDRESSES, DATABASE_URL: url }, previous.main);
  const desks = await createDesks(old);
  const { operator } = await sandboxApis(old);

  const onOld = new Traffic(desks, CLIENTS);
  await onOld.acknowledged(ACKNOWLEDGED);
  const before = await countOf(pool, 'transactions');
  const behind = await runProgram(t, { ...ADDRESSES, FIRMQUOTE_DATA_DIR: dataDir, DATABASE_URL: url });
  assert.equal(behind.code, 1, 'it does not migrate by itself');
  assert.match(behind.stderr, /^firmquote: The database is behind this version: /);
  await migrateBy(MIGRATE);
  await assertSchemaIsOurs(pool);
  const present = await startService(t, dataDir, { ...ADDRESSES, DATABASE_URL: url });
  assert.ok((await countOf(pool, 'transactions')) > before, 'traded during the migration');
  const moved = desks.map((desk) => withToken(present.baseUrl, desk.token));
  const onBoth = new Traffic(moved, CLIENTS);
  await Promise.all([onOld.acknowledged(ACKNOWLEDGED), onBoth.acknowledged(ACKNOWLEDGED)]);
  // What one has made the other one reads, executes and pays.
  await assertTheySpeakOfTheSame(desks, moved);
  await fund(operator, onOld, 3);
  await fund(withToken(present.baseUrl, operator.token), onOld, 3);
  await fund(operator, onBoth, 3);
  await assertStatementsAreOfBoth(operator, withToken(present.baseUrl, operator.token), onOld);
  await onOld.stop();
  assertNoErrors(old);
  assert.equal((await old.end('SIGTERM')).code, 0);
  await onBoth.acknowledged(ACKNOWLEDGED);
  await onBoth.stop();
  assertNoErrors(present);

  for (const traffic of [onOld, onBoth]) {
    const failed = traffic.attempts.flatMap(({ quote, execution }) =>
      [quote, execution].filter((answer) => answer?.status !== 201),
    );
    assert.deepEqual(
      failed.map((answer) => answer?.text ?? 'no answer'),
      [],
    );
  }
  assert.equal(
    await countOf(pool, 'transactions'),
    onOld.executed.length + onBoth.executed.length + desks.length * 2,
  );
  await assertNothingIsHalf(pool);
  t.diagnostic(
    `${onOld.executed.length} trades on ${COMMIT.slice(0, 12)}, ${onBoth.executed.length} on this version`,
  );
});

test('a data folder goes from the previous version to this one, and back', async (t) => {
  const previous = previousPrograms(t);
  if (previous === undefined) return;
  const dataDir = temporaryFolder(t);
  const paths: string[] = [];
  for (const program of [previous.main, MAIN, previous.main]) {
    const service = await startService(t, dataDir, ADDRESSES, program);
    const { customer } = await sandboxApis(service);
    for (const path of paths) await customer.expect(200, 'GET', path);
    const { body: quote } = await customer.expect(201, 'POST', '/v1/customer/quotes', BODY);
    const { body: trade } = await customer.expect(
      201,
      'POST',
      `/v1/customer/quotes/${quote.quoteId}/execute`,
    );
    paths.push(`/v1/customer/quotes/${quote.quoteId}`, `/v1/customer/transactions/${trade.transactionId}`);
    if (program === MAIN) await assertRoles(t, dataDir);
    assert.equal((await service.end('SIGTERM')).code, 0);
  }
});

/** What the previous version's tables have become is what a new database has, but for the triggers that a sandbox makes as it starts. */
async function assertSchemaIsOurs(pool: Pool): Promise<void> {
  for (const { path, text } of await schemaFiles(pool)) {
    const found = text.replaceAll(/\nCREATE TRIGGER sandbox_bank_.*/g, '');
    assert.deepEqual(differenceOf(found, readFileSync(join(ROOT, path), 'utf8')), [], path);
  }
}

async function assertRoles(t: TestContext, dataDir: string): Promise<void> {
  const owner = embeddedPool(t, dataDir);
  const { rows } = await owner.query(
    `select distinct usename as role from pg_stat_activity where application_name = 'firmquote' and pid <> pg_backend_pid()`,
  );
  assert.deepEqual(rows, [{ role: SERVICE_ROLE }]);
  await owner.query(`set role ${SERVICE_ROLE}`);
  const { risks, lacks } = await reportRole(owner, await readGrants());
  assert.deepEqual({ risks, lacks }, { risks: [], lacks: [] });
  await owner.end();
}

const BODY = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '2000.00' };

/** A quote of one is executed by the other, and both say the same of the trade. */
async function assertTheySpeakOfTheSame(old: readonly Api[], present: readonly Api[]): Promise<void> {
  for (const [i, before] of old.entries()) {
    const after = present[i] as Api;
    for (const [quoting, executing] of [
      [before, after],
      [after, before],
    ] as const) {
      const quote = await quoting.expect(201, 'POST', '/v1/customer/quotes', BODY);
      const trade = await executing.expect(201, 'POST', `/v1/customer/quotes/${quote.body.quoteId}/execute`);
      const path = `/v1/customer/transactions/${trade.body.transactionId}`;
      const [one, other] = [await before.expect(200, 'GET', path), await after.expect(200, 'GET', path)];
      for (const name of Object.keys(one.body))
        if (name !== 'nextPollAfterSeconds') assert.deepEqual(other.body[name], one.body[name], name);
      const given = await quoting.expect(201, 'POST', '/v1/customer/quotes', BODY);
      const ended = await executing.expect(200, 'POST', `/v1/customer/quotes/${given.body.quoteId}/cancel`);
      assert.deepEqual([ended.body.status, ended.body.rate], ['cancelled', given.body.rate]);
      const read = await quoting.expect(200, 'GET', `/v1/customer/quotes/${given.body.quoteId}`);
      assert.deepEqual(read.body, ended.body);
    }
  }
}

/** Deposits for some of the trades, told to one of the instances. */
async function fund(operator: Api, traffic: Traffic, count: number): Promise<void> {
  const waiting = traffic.executed.filter(({ execution }) => !funded.has(execution?.body.reference));
  assert.ok(waiting.length >= count);
  for (const { execution } of waiting.slice(0, count)) {
    const { reference, sellAmount, sellCurrency } = execution?.body ?? {};
    funded.add(reference);
    const { body } = await operator.expect(201, 'POST', '/v1/operator/deposits', {
      bankReference: `BK ${reference}`,
      amount: sellAmount,
      currency: sellCurrency,
      remitterName: 'Sandbox customer',
      remittanceText: reference,
    });
    assert.ok(['matched', 'held'].includes(body.status), body.status);
  }
}
const funded = new Set<string>();

/** What one has imported the other knows again, reads and books; either may be first. */
async function assertStatementsAreOfBoth(old: Api, present: Api, traffic: Traffic): Promise<void> {
  const { iban, accountNumber } = traffic.executed[0]?.execution?.body.funding.instructions ?? {};
  const statementOf = (bankReference: string, reference?: string) => {
    const fee = { amount: '12.50', direction: 'debit', bookingDate: '2026-03-04', bankReference };
    return { statements: [{ account: iban ?? accountNumber, currency: 'USD', reference, entries: [fee] }] };
  };
  for (const [first, second, name] of [
    [old, present, 'FEE OLD'],
    [present, old, 'FEE NEW'],
  ] as const) {
    const told = await first.expect(201, 'POST', STATEMENTS, statementOf(name));
    const again = await second.expect(201, 'POST', STATEMENTS, statementOf(name, 'again'));
    const [entry, same] = await Promise.all(
      [told, again].map(async ({ body }) => {
        const path = `${STATEMENTS}/${body.fileId}/entries`;
        const [here, there] = [await first.expect(200, 'GET', path), await second.expect(200, 'GET', path)];
        assert.deepEqual(here.body.items[0].sameAs, there.body.items[0].sameAs);
        return here.body.items[0];
      }),
    );
    assert.deepEqual([entry.paymentState, entry.new, same.new], ['unknown', true, false]);
    assert.equal(same.sameAs, entry.entryId);
    const path = `/v1/operator/statement-entries/${entry.entryId}`;
    await second.expect(200, 'POST', `${path}/book`, { as: 'bank_charges', reason: 'a fee of the bank' });
    const { body } = await first.expect(200, 'GET', path);
    assert.deepEqual([body.paymentState, body.bookedAs], ['by_hand', 'bank_charges']);
  }
}
const STATEMENTS = '/v1/operator/statements';

/** Whatever a sweep or a request could not do is in the log. */
function assertNoErrors(service: ServiceProcess): void {
  const errors = service
    .stdout()
    .split('\n')
    .filter((line) => /^\{"level":"(error|fatal)"/.test(line))
    .map((line) => JSON.parse(line));
  // A plan that the migration has overtaken costs a sweep one attempt, and nobody an answer.
  const left = errors.filter(({ err, sweep }) => !(err?.code === '0A000' && sweep !== undefined));
  assert.deepEqual(left, []);
}
