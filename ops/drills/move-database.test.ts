import assert from 'node:assert/strict';
import { accessSync, constants, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { packagedBinaries } from '@firmquote/embedded-postgres/testing';
import { blocksOf } from '@firmquote/site/snippet-blocks';
import { QUOTE_BODY, sandboxApis } from '../../packages/service/test/support/api.ts';
import { runProgram, startService, temporaryFolder } from '../../packages/service/test/support/process.ts';
import { executePath } from '../../packages/service/test/support/traffic.ts';
import { ROOT } from '../test/kit.ts';
import { configure, openCluster, serverUser, skipWithoutPostgres } from './cluster.ts';
import { run } from './shell.ts';

/** What docs/operations/database.md says of leaving the embedded database is done as it stands there. */

const PROGRAMS = Object.fromEntries(
  ['backup', 'migrate', 'operator'].map((name) => [name, join(ROOT, `packages/service/src/${name}.ts`)]),
);
const [COPY = '', SERVE = '', TRY = ''] = blocksOf(
  readFileSync(join(ROOT, 'docs/operations/database.md'), 'utf8').split('## From the embedded one')[1] ?? '',
)
  .filter(({ reason }) => reason === 'a drill runs it')
  .map(({ code }) => code);

/** Debian's programs are of an older one: the embedded one's own server has no clients, and needs none. */
const SERVER = join(packagedBinaries().directory, 'bin');

function whyNot(): string | false {
  const missing = skipWithoutPostgres();
  if (missing !== false || serverUser() === undefined) return missing || 'it takes root';
  try {
    for (let folder = SERVER; folder !== dirname(folder); folder = dirname(folder))
      run('test', ['-x', folder], serverUser());
    accessSync(join(SERVER, 'postgres'), constants.X_OK);
    return false;
  } catch {
    return `the user of the server cannot reach ${SERVER}`;
  }
}

test('the books of an embedded database go on in a server of its owner', { skip: whyNot() }, async (t) => {
  const first = await startService(t, join(temporaryFolder(t), 'data'));
  const { dataDir } = first;
  const trade = async (service: typeof first) => {
    const { customer } = await sandboxApis(service);
    const quote = await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
    const { body } = await customer.expect(201, 'POST', executePath(quote));
    return body.transactionId as string;
  };
  const before = await trade(first);
  await first.end('SIGTERM');

  const cluster = openCluster(t);
  const folder = temporaryFolder(t);
  const variables: Record<string, string> = { COPY: join(folder, 'copy'), PGDATA: cluster.data };
  /** A line of the page, whose programs are those of `npm run`. */
  const line = async (text: string) => {
    const [, settings = '', name = '', words = ''] =
      /^((?:\w+=\S+ )*)npm run (?:--silent )?(\w+) -- (.+)$/.exec(text) ?? assert.fail(text);
    const files = settings.trim().split(' ').filter(Boolean);
    const given = Object.fromEntries(files.map((each) => each.split('=') as [string, string]));
    const paths = Object.entries(given).map(([setting, file]) => [setting, join(folder, file)]);
    const args = words.replaceAll(/"\$(\w+)"/g, (_, variable) => variables[variable] ?? '').split(' ');
    // As the script of that name begins.
    const mode = name === 'backup' ? ['make'] : [];
    const done = await runProgram(
      t,
      { FIRMQUOTE_DATA_DIR: dataDir, ...Object.fromEntries(paths) },
      PROGRAMS[name],
      ...mode,
      ...args,
    );
    assert.equal(done.code, 0, `${text}: ${done.stdout}${done.stderr}`);
    return done.stdout;
  };

  for (const text of COPY.trim().split('\n')) {
    if (text.startsWith('npm ')) await line(text);
    else run('bash', ['-euc', text], { env: { ...process.env, ...variables } });
  }
  configure(cluster);
  cluster.shell(SERVE, { PATH: `${SERVER}:${process.env.PATH}` });
  const address = (user: string) => `postgres://${user}@${encodeURIComponent(cluster.socket)}/firmquote`;
  writeFileSync(join(folder, 'owner.url'), address('firmquote'));
  writeFileSync(join(folder, 'service.url'), address('firmquote_service:long-and-random'));
  const [migrate = '', verify = ''] = TRY.trim().split('\n');
  await line(migrate);
  assert.match(await line(verify), /"ok":true/);

  renameSync(join(dataDir, 'postgres'), join(folder, 'old'));
  const second = await startService(t, dataDir, { DATABASE_URL_FILE: join(folder, 'service.url') });
  const { customer } = await sandboxApis(second);
  await customer.expect(200, 'GET', `/v1/customer/transactions/${before}`);
  await trade(second);
  assert.equal((await second.end('SIGTERM')).code, 0);
});
