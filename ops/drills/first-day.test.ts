import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startService, temporaryFolder } from '../../packages/service/test/support/process.ts';
import { blocksOf } from '../../packages/site/src/snippet-blocks.ts';
import { ROOT } from '../test/kit.ts';
import { configure, openCluster, skipWithoutPostgres } from './cluster.ts';
import { has } from './shell.ts';

/** docs/operations/first-day.md, line by line as two persons would paste it, on an empty server. */

const PAGE = blocksOf(readFileSync(join(ROOT, 'docs/operations/first-day.md'), 'utf8'));
const BASE = 'https://fx.example.com';
/** Between what two blocks print. */
const MARK = '\u001e';
/** Of what a failure shows. */
const LENGTH_MAX = 2_000;
const skip =
  skipWithoutPostgres() ||
  (['curl', 'openssl'].some((program) => !has(program)) && 'there is no curl or openssl here');

test('the first day ends with a funded trade, and nothing that takes two was done by one', {
  skip,
}, async (t) => {
  const code = (section: string) =>
    PAGE.filter((each) => each.section.startsWith(section)).map((each) => each.code);
  assert.ok(PAGE.every(({ reason }) => reason === 'a drill runs it'));
  const cluster = openCluster(t);
  cluster.shell(
    'initdb --pgdata "$PGDATA" --username postgres --auth trust --encoding UTF8 --no-locale --no-sync',
  );
  configure(cluster);
  cluster.shell('pg_ctl start --pgdata "$PGDATA" --log "$PGDATA/server.log" --wait');
  cluster.shell(code('1.').join(''), { PGUSER: 'postgres' });

  const folder = temporaryFolder(t);
  const address = (role: string) => `postgres://${role}@${encodeURIComponent(cluster.socket)}/firmquote`;
  writeFileSync(join(folder, 'owner.url'), address('firmquote_owner'));
  writeFileSync(join(folder, 'service.url'), address('firmquote_service:long-and-random'));
  // What `npm run` would do, without installing anything, and here.
  const npm = `npm() {
    shift; [ "$1" = --silent ] && shift; name=$1; shift; [ "\${1:-}" = -- ] && shift
    '${process.execPath}' '${join(ROOT, 'ops/container/entry.mjs')}' "$name" "$@"
  }\n`;
  const environment = {
    FIRMQUOTE_MARKET_HOURS: 'always',
    FIRMQUOTE_UNSAFE_DATABASE: 'warn',
    FIRMQUOTE_FIRST_PRICES: 'believe',
  };
  const shell = async (lines: string) => {
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', npm + lines], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...environment },
    }).catch(({ stderr }) => assert.fail(String(stderr).slice(-LENGTH_MAX)));
    return stdout;
  };
  const settings = code('2.').join('');
  const [migration = '', start] = code('3.').join('').split('npm start\n');
  assert.equal(start, '', 'the start is the last of its lines');
  const exported = await shell(`${settings}${migration}env`);
  assert.match(exported, /^Applied 0001_baseline\.sql\.$/m);
  const given = [...exported.matchAll(/^((?:FIRMQUOTE|DATABASE)_\w+)=(.*)$/gm)].map(
    ([, name = '', value = '']) => [name, name.endsWith('_FILE') ? join(folder, value) : value],
  );
  const service = await startService(t, join(folder, 'data'), Object.fromEntries(given));

  const story = ['4.', '5.', '6.', '7.', '8.', '9.', '10.']
    .flatMap(code)
    .map((lines) => lines.replace(BASE, service.baseUrl));
  // A bank's money is matched a moment after its statement; tokens are for the public name.
  const funded = `until as "$ACME" GET '/v1/customer/transactions?limit=1' | grep -q '"status":"funded"'; do sleep 0.2; done; `;
  const named = story.map((lines) =>
    lines
      .replace('sleep 2; ', funded)
      .replaceAll('"$BASE/operator"', `'${BASE}/operator'`)
      .replace('acme.json "$BASE"', `acme.json '${BASE}'`),
  );
  const printed = (await shell(`${settings}${named.join(`printf '${MARK}'\n`)}`)).split(MARK);
  const lines = printed.map((text) => text.trim().split('\n').filter(Boolean));
  const all = lines.flat().map((line) => JSON.parse(line));
  assert.deepEqual(
    all.slice(0, 2).map(({ name, roles }) => [name, roles]),
    [
      ['Ada', ['administrator']],
      ['Ben', ['administrator']],
    ],
  );
  const approvals = all.filter(({ approvalId }) => approvalId !== undefined);
  assert.equal(approvals.length, 5, JSON.stringify(approvals));
  for (const { status } of approvals) assert.equal(status, 'approved');
  const [trade] = all.find(({ items }) => items?.[0]?.transactionId !== undefined)?.items ?? [];
  assert.equal(trade?.status, 'funded', printed.at(-2));
  const left = all.at(-1).clients.filter(({ status }: { status: string }) => status === 'active');
  assert.deepEqual(
    left.map(({ name }: { name: string }) => name),
    ['prices'],
  );
});
