import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort, until } from '../../packages/service/test/support/process.ts';
import { ROOT } from '../test/kit.ts';
import { attempt, run, skipWithout } from './shell.ts';

/** The unit of ops/systemd under a systemd of its own, which applies all that the unit restricts, whatever process 1 is here. */

const MACHINE = join(ROOT, 'ops/drills/machine.sh');
const SYSTEMD = '/lib/systemd/systemd';
/** Outside of what the machine mounts over. */
const PARENT = '/var/lib';
const skip =
  skipWithout('root', 'unshare', 'nsenter', 'chroot', 'useradd', 'systemctl') ||
  (!existsSync(SYSTEMD) && `there is no ${SYSTEMD}`);

test('the unit serves under its own restrictions, comes back when it is killed, and stops in order', {
  skip,
}, async (t) => {
  const folder = mkdtempSync(join(PARENT, 'firmquote-machine-'));
  const [place, files] = [join(folder, 'machine'), join(folder, 'files')];
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const write = (path: string, text: string) => {
    mkdirSync(join(files, path, '..'), { recursive: true });
    writeFileSync(join(files, path), text, { mode: 0o600 });
  };
  mkdirSync(place);
  const port = await freePort();
  const settings = {
    FIRMQUOTE_MODE: 'production',
    FIRMQUOTE_BASE_URL: 'https://fx.example.com',
    FIRMQUOTE_TRUST_PROXY: 'none',
    FIRMQUOTE_SOURCES: 'push',
    FIRMQUOTE_PORT: String(port),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  write('etc/firmquote/firmquote.env', lines.join(''));
  write('etc/firmquote/key', `${randomBytes(32).toString('base64')}\n`);
  write(
    'etc/systemd/system/firmquote.service',
    readFileSync(join(ROOT, 'ops/systemd/firmquote.service'), 'utf8'),
  );
  // There is no journal to read.
  const log = 'run/firmquote.log';
  const streams = `StandardOutput=append:/${log}\nStandardError=append:/${log}\n`;
  write('etc/systemd/system/firmquote.service.d/log.conf', `[Service]\n${streams}`);
  write('etc/systemd/system/drill.target', '[Unit]\nRequires=basic.target\nAfter=basic.target\n');

  const namespaces = ['--mount', '--pid', '--cgroup', '--ipc', '--uts', '--fork', '--kill-child'];
  const child = spawn('unshare', [...namespaces, MACHINE, place, ROOT, files], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let reported = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      reported += text;
    });
  }
  const ended = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  /** Process 1 of the machine, which is the only child of `unshare`. */
  const booted = () => {
    const list = `/proc/${child.pid}/task/${child.pid}/children`;
    return existsSync(list) ? (readFileSync(list, 'utf8').trim().split(' ')[0] ?? '') : '';
  };
  const inside = (...args: string[]) =>
    attempt('nsenter', [
      '--target',
      booted(),
      '--mount',
      '--pid',
      '--cgroup',
      '--ipc',
      '--uts',
      '--root',
      ...args,
    ]);
  const systemctl = (...args: string[]) => inside('systemctl', '--no-pager', ...args);
  const property = (name: string) =>
    systemctl('show', '--value', '--property', name, 'firmquote').stdout.trim();
  await until('the machine', () => {
    return child.exitCode !== null || systemctl('is-active', 'drill.target').stdout.trim() === 'active';
  });
  if (child.exitCode !== null) {
    const [reason = 'it says nothing'] = reported.trim().split('\n').slice(-1);
    return t.skip(`systemd does not start in namespaces here: ${reason}`);
  }
  const output = () => inside('cat', `/${log}`).stdout;
  const ready = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  const whenReady = () =>
    until('the service', async () => {
      assert.notEqual(
        property('ActiveState'),
        'failed',
        `${output()}${systemctl('status', 'firmquote').stdout}`,
      );
      return ready();
    });

  const started = systemctl('start', 'firmquote');
  assert.equal(started.status, 0, started.stderr);
  await whenReady();
  const status = inside('cat', `/proc/${property('MainPID')}/status`).stdout;
  assert.match(status, /^NoNewPrivs:\s+1$/m);
  assert.match(status, /^Seccomp:\s+2$/m);
  assert.match(status, /^CapEff:\s+0+$/m);
  assert.match(status, /^CapBnd:\s+0+$/m);
  assert.doesNotMatch(status, /^Uid:\s+0\s/m);
  const threads = inside('sh', '-c', `cat /proc/${property('MainPID')}/task/*/stat`).stdout;
  // The 19th field is the niceness; that of the test is passed on.
  const nice = [...threads.matchAll(/\(V8Worker\) (?:\S+ ){16}(\S+)/g)].map(([, niceness]) =>
    Number(niceness),
  );
  assert.deepEqual(new Set(nice), new Set([getPriority() + 10]), 'threads of V8 give way');
  assert.equal(inside('stat', '--format', '%U %a', '/var/lib/firmquote').stdout.trim(), 'firmquote 700');

  systemctl('kill', '--kill-whom=main', '--signal=KILL', 'firmquote');
  await until('its end', async () => !(await ready()));
  await whenReady();
  assert.equal(property('NRestarts'), '1');

  assert.equal(systemctl('stop', 'firmquote').status, 0);
  assert.equal(property('Result'), 'success');
  assert.match(output(), /"msg":"stopped"\}\n$/);

  // A wrong setting is told once, and not tried again and again.
  inside('sh', '-c', 'echo FIRMQUOTE_MODE=neither >> /etc/firmquote/firmquote.env');
  systemctl('start', 'firmquote');
  await until('the refusal', () => property('ActiveState') === 'failed');
  assert.deepEqual([property('ExecMainStatus'), property('NRestarts')], ['2', '0']);
  assert.match(output(), /firmquote: FIRMQUOTE_MODE must be .*\n$/);
});

test('what the unit leaves open is little, as systemd-analyze scores it', {
  skip: skipWithout('anybody', 'systemd-analyze'),
}, () => {
  const unit = join(ROOT, 'ops/systemd/firmquote.service');
  const reported = run('systemd-analyze', ['security', '--offline=true', '--no-pager', unit]);
  const [, score = '10'] = /Overall exposure level for .*: ([\d.]+) /.exec(reported) ?? [];
  assert.ok(Number.parseFloat(score) < 2, reported);
});
