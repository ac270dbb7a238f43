import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { runProgram, startService, temporaryFolder } from '../../packages/service/test/support/process.ts';
import { ROOT } from '../test/kit.ts';
import { configure, openCluster, skipWithoutPostgres } from './cluster.ts';
import { run } from './shell.ts';

/** The parts of ops/compose by themselves, as they are set there: a database behind its socket, the migration, the service. */

interface Service {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const FOLDER = join(ROOT, 'ops/compose');
const { services } = parse(readFileSync(join(FOLDER, 'compose.yaml'), 'utf8')) as {
  services: Readonly<Record<'database' | 'migrate' | 'service', Service>>;
};
const { database, migrate, service } = services;
const SITE = 'fx.example.com';

test('database, migration and service of compose.yaml fit together, and the service cannot change what is kept', {
  skip: skipWithoutPostgres(),
}, async (t) => {
  const cluster = openCluster(t);
  const secrets = join(temporaryFolder(t), 'secrets');
  run(join(FOLDER, 'secrets.sh'), [secrets]);
  const secret = (name: string) => readFileSync(join(secrets, name), 'utf8').trim();
  // The socket is elsewhere here.
  for (const name of ['owner_url', 'service_url']) {
    const address = secret(name).replace('%2Fvar%2Frun%2Fpostgresql', encodeURIComponent(cluster.socket));
    assert.ok(address.includes(encodeURIComponent(cluster.socket)));
    writeFileSync(join(secrets, name), address);
  }
  const { POSTGRES_USER = '', POSTGRES_DB = '', POSTGRES_INITDB_ARGS = '' } = database.environment;
  const [program, ...settings] = database.command;
  assert.equal(program, 'postgres');
  const owner = { PGUSER: POSTGRES_USER, PGPASSWORD: secret('owner_password') };
  // As the image's own script begins a database.
  cluster.shell(
    `initdb --pgdata "$PGDATA" --username "$PGUSER" --pwfile <(printf '%s\\n' "$PGPASSWORD") --no-sync ${POSTGRES_INITDB_ARGS}`,
    owner,
  );
  configure(cluster);
  cluster.shell(
    `pg_ctl start --pgdata "$PGDATA" --log "$PGDATA/server.log" --wait --options "${settings.join(' ')}"`,
    owner,
  );
  cluster.shell(`createdb ${POSTGRES_DB}`, owner);

  const environmentOf = ({ environment }: Service) =>
    Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        value
          .replace('/run/secrets', secrets)
          .replace(/\$\{SITE:[^}]*\}/, SITE)
          .replace(/\$\{SOURCES:[^}]*\}/, 'push')
          .replace(/\$\{OPERATOR_URL:-([^}]*)\}/, '$1'),
      ]),
    );
  // The server of a drill is a fast one.
  const here = { FIRMQUOTE_UNSAFE_DATABASE: 'warn' };
  const dataDir = temporaryFolder(t);
  const entry = join(ROOT, 'ops/container/entry.mjs');
  const early = await runProgram(
    t,
    { ...environmentOf(service), ...here, FIRMQUOTE_DATA_DIR: dataDir },
    entry,
    ...service.command,
  );
  assert.notEqual(early.code, 0, 'there is nothing to start on before the migration');
  const migrated = () => runProgram(t, { ...environmentOf(migrate), ...here }, entry, ...migrate.command);
  const first = await migrated();
  assert.equal(first.code, 0, first.stderr);
  const again = await migrated();
  assert.equal(again.code, 0, again.stderr);

  const started = await startService(t, dataDir, {
    ...environmentOf(service),
    ...here,
    FIRMQUOTE_OPERATOR_LISTEN: '127.0.0.1:0',
  });
  assert.equal((await fetch(`${started.baseUrl}/readyz`)).status, 200);
  // The first person is invited to where there is a page to sign in.
  const [, inside = ''] = /^ {2}Operators +(\S+)$/m.exec(started.stdout()) ?? [];
  const invited = await runProgram(
    t,
    { ...environmentOf(service), ...here },
    entry,
    ...['operator', 'invite-person', '--email', 'ada@example.com', '--roles', 'administrator'],
  );
  assert.equal(invited.code, 0, invited.stderr);
  const { pathname, host } = new URL(JSON.parse(invited.stdout).invitationLink);
  assert.equal(host, 'localhost:4001');
  assert.equal((await fetch(`${inside}${pathname}`)).status, 200);
  assert.equal((await fetch(`${started.baseUrl}${pathname}`)).status, 404);
  const { username, password } = new URL(secret('service_url'));
  const asService = (sql: string) =>
    cluster.shell(`psql --set ON_ERROR_STOP=1 --dbname ${POSTGRES_DB} --command "${sql}"`, {
      PGUSER: username,
      PGPASSWORD: password,
    });
  for (const sql of [
    'create table x ()',
    'update audit_log set at = at',
    'delete from journal_entries',
    'drop table quotes',
  ]) {
    assert.throws(() => asService(sql), /permission denied|must be owner/, sql);
  }
  assert.throws(
    () =>
      cluster.shell(`psql --dbname ${POSTGRES_DB} --command select`, {
        PGUSER: username,
        PGPASSWORD: 'guessed',
      }),
    /password authentication failed/,
  );
  const ended = await started.end('SIGTERM');
  assert.equal(ended.code, 0, ended.stderr);
});
