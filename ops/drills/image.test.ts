import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { QUOTE_BODY, sandboxApis } from '../../packages/service/test/support/api.ts';
import { executePath } from '../../packages/service/test/support/traffic.ts';
import { environmentOf, instructionsOf } from '../test/containerfile.ts';
import { ROOT } from '../test/kit.ts';
import { attempt, run, skipWithout } from './shell.ts';

/**
 * Builds the image as its Containerfile says and runs it: as its user, from a tree that nobody can write to, without any
 * right of root. No registry is asked: the bases are made here, of Debian's packages, and of the Node and npm of this machine.
 */

const SUITE = 'trixie';
const MIRROR = 'http://deb.debian.org/debian';
const BASES = { run: 'localhost/base-to-run', build: 'localhost/base-to-build' };
/** Not in memory: images and their layers take 3 GB. */
const PARENT = '/var/tmp';
const START_LIMIT_MS = 120_000;
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

const skip = skipWithout('root', 'buildah', 'debootstrap', 'bwrap', 'npm');
const folder = skip === false ? mkdtempSync(join(PARENT, 'firmquote-image-')) : '';
const store = ['--root', join(folder, 'images'), '--runroot', join(folder, 'run')];
const mounted: string[] = [];
after(() => {
  if (folder === '') return;
  for (const container of mounted) attempt('buildah', [...store, 'rm', container]);
  attempt('buildah', [...store, 'rmi', '--all', '--force']);
  attempt('umount', [join(folder, 'images/overlay')]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

function build(tag: string, context: string, ...options: string[]): string {
  const how = ['--isolation', 'chroot', '--format', 'docker', '--timestamp', '0', '--quiet'];
  return run('buildah', [...store, 'build', ...how, '-t', tag, ...options, context]).trim();
}

/** @returns why there are none */
function makeBases(): string | undefined {
  const system = join(folder, 'system');
  const made = attempt('debootstrap', ['--variant=minbase', SUITE, join(system, 'root'), MIRROR]);
  if (made.status !== 0)
    return `debootstrap has not come to an end: ${made.stdout.trim().split('\n').at(-1)}`;
  writeFileSync(join(system, 'Containerfile'), 'FROM scratch\nCOPY root /\n');
  build(BASES.run, system);
  const tools = join(folder, 'tools');
  const npm = dirname(dirname(realpathSync(run('sh', ['-c', 'command -v npm']).trim())));
  mkdirSync(tools);
  cpSync(npm, join(tools, 'npm'), { recursive: true, dereference: true });
  copyFileSync(process.execPath, join(tools, 'node'));
  const hasCertificates = existsSync(CERTIFICATES);
  if (hasCertificates) copyFileSync(CERTIFICATES, join(tools, 'ca.crt'));
  const lines = [
    `FROM ${BASES.run}`,
    'COPY node /usr/local/bin/node',
    'COPY npm /usr/local/lib/node_modules/npm',
    'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
    ...(hasCertificates ? ['COPY ca.crt /ca.crt', 'ENV NODE_EXTRA_CA_CERTS=/ca.crt'] : []),
  ];
  writeFileSync(join(tools, 'Containerfile'), `${lines.join('\n')}\n`);
  build(BASES.build, tools);
  return undefined;
}

/** What is committed or would be: what nobody has ignored. */
function checkOut(): string {
  const place = join(folder, 'checkout');
  const listed = run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: ROOT });
  for (const path of listed.split('\0').filter(Boolean)) {
    if (!existsSync(join(ROOT, path))) continue;
    mkdirSync(dirname(join(place, path)), { recursive: true });
    copyFileSync(join(ROOT, path), join(place, path));
  }
  return place;
}

describe('the image', { skip }, async () => {
  if (skip !== false) return;
  const reason = makeBases();
  if (reason !== undefined) {
    test('is built', { skip: reason }, () => undefined);
    return;
  }
  const checkout = checkOut();
  const bases = ['--build-arg', `BUILD_IMAGE=${BASES.build}`, '--build-arg', `RUN_IMAGE=${BASES.run}`];
  build('firmquote', checkout, ...bases, '--file', join(checkout, 'ops/container/Containerfile'));
  const container = run('buildah', [...store, 'from', '--pull-never', 'firmquote']).trim();
  mounted.push(container);
  const tree = run('buildah', [...store, 'mount', container]).trim();
  const instructions = instructionsOf(readFileSync(join(ROOT, 'ops/container/Containerfile'), 'utf8'));
  const last = (name: string) => instructions.findLast((each) => each.name === name)?.text ?? '';
  const [uid = '', gid = ''] = last('USER').split(':');
  const environment = environmentOf(instructions);
  const state = join(folder, 'state');
  mkdirSync(state, { mode: 0o700 });
  chownSync(state, Number.parseInt(uid, 10), Number.parseInt(gid, 10));

  /** Process 1 of its own, as the image's user, who can become nobody else, with nothing but the volume and /tmp to write to. */
  const inContainer = (args: readonly string[], more: Readonly<Record<string, string>> = {}): string[] => [
    ...['--unshare-pid', '--as-pid-1', '--unshare-ipc', '--unshare-uts', '--die-with-parent'],
    ...[
      '--cap-drop',
      'ALL',
      '--cap-add',
      'CAP_SETUID',
      '--cap-add',
      'CAP_SETGID',
      '--cap-add',
      'CAP_SETPCAP',
    ],
    ...['--ro-bind', tree, '/', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...['--bind', state, environment.FIRMQUOTE_DATA_DIR ?? '', '--chdir', last('WORKDIR'), '--clearenv'],
    ...Object.entries({ ...environment, ...more }).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['/usr/bin/setpriv', '--reuid', uid, '--regid', gid, '--clear-groups'],
    ...['--bounding-set', '-all', '--no-new-privs'],
    ...args,
  ];
  const entry = (...args: string[]) => [...JSON.parse(last('ENTRYPOINT')), ...args];

  test('holds what runs in production and nothing else', () => {
    const installed = (name: string) => existsSync(join(tree, 'app/node_modules', name));
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, { dev?: boolean; optional?: boolean }>>;
    };
    const direct = Object.entries(packages).flatMap(([path, each]) => {
      const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
      return name === undefined || each.optional === true ? [] : [{ name, isDev: each.dev === true }];
    });
    assert.deepEqual(
      direct.filter(({ name, isDev }) => installed(name) === isDev),
      [],
    );
    assert.deepEqual(
      globSync(['app/{packages,scripts,ops}/**/*.test.ts', 'app/.git', 'app/packages/*/test'], { cwd: tree }),
      [],
    );
    const sbom = JSON.parse(readFileSync(join(tree, 'app/firmquote.cdx.json'), 'utf8'));
    assert.equal(sbom.metadata.component.name, 'firmquote');
    assert.ok(existsSync(join(tree, 'app/packages/console/dist')), 'the console was built with it');
    const written = attempt('find', [
      join(tree, 'app'),
      '!',
      '-user',
      'root',
      '-o',
      '-perm',
      '/022',
      '!',
      '-type',
      'l',
    ]);
    assert.equal(written.stdout, '', 'the service could write to none of it even if it were not read-only');
  });

  test('serves a trade from a read-only tree, as nobody in particular, and ends in order at SIGTERM', async () => {
    const here = { FIRMQUOTE_HOST: '127.0.0.1', FIRMQUOTE_PORT: '0' };
    const child = spawn(
      'bwrap',
      ['--info-fd', '3', ...inContainer(entry(...JSON.parse(last('CMD'))), here)],
      {
        stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      },
    );
    let reported = '';
    let info = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        reported += text;
      });
    }
    child.stdio[3]?.on('data', (data: Buffer) => {
      info += data.toString();
    });
    const ended = once(child, 'exit');
    try {
      const deadline = performance.now() + START_LIMIT_MS;
      let baseUrl: string | undefined;
      while (baseUrl === undefined) {
        assert.ok(child.exitCode === null && performance.now() < deadline, reported);
        await sleep(50);
        baseUrl = /^Firmquote listens on (\S+)$/m.exec(reported)?.[1];
      }
      const { customer } = await sandboxApis({ baseUrl, dataDir: state });
      const quote = await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
      await customer.expect(201, 'POST', executePath(quote));
      assert.equal((await fetch(`${baseUrl}/docs`)).status, 200, 'the documentation was made with the image');
      const status = readFileSync(`/proc/${JSON.parse(info)['child-pid']}/status`, 'utf8');
      assert.match(status, new RegExp(`^Uid:\\s+${uid}\\s+${uid}\\s+${uid}\\s+${uid}$`, 'm'));
      assert.match(status, /^NSpid:\s+\d+\s+1$/m, 'it is process 1, no shell');
      for (const set of ['CapEff', 'CapPrm', 'CapBnd', 'CapAmb']) {
        assert.match(status, new RegExp(`^${set}:\\s+0+$`, 'm'));
      }
      const port = new URL(baseUrl).port;
      const [, ...probe] = JSON.parse(last('HEALTHCHECK').replace(/^.* CMD /, ''));
      const healthy = (at: string) =>
        attempt(process.execPath, probe, { env: { FIRMQUOTE_PORT: at } }).status;
      assert.deepEqual([healthy(port), healthy('9')], [0, 1], 'the health check tells');
      process.kill(JSON.parse(info)['child-pid'], 'SIGTERM');
      const [code] = await ended;
      assert.equal(code, 0, reported);
      assert.match(reported, /"msg":"stopped"/);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  });

  test('has the other programs by their names', () => {
    const made = attempt(
      'bwrap',
      inContainer(
        entry(
          'operator',
          'invite-person',
          '--email',
          'ada@example.com',
          '--name',
          'Ada',
          '--roles',
          'administrator',
        ),
      ),
    );
    assert.equal(made.status, 0, made.stderr);
    assert.match(made.stdout, /per_/);
    const backup = attempt('bwrap', inContainer(entry('backup', '/var/lib/firmquote/backup')));
    assert.match(backup.stdout, /^Backed up to /, backup.stderr);
    const refused = attempt('bwrap', inContainer(['/usr/bin/touch', '/app/x']));
    assert.match(refused.stderr, /Read-only file system/);
  });
});
