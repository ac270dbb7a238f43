import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import type { TestContext } from 'node:test';
import { attempt, run } from './shell.ts';

/** A PostgreSQL as somebody runs it for the service: with Debian's programs, and as a user of its own. */

const PROGRAMS = '/usr/lib/postgresql/15/bin';
const NEEDED = [
  'initdb',
  'pg_ctl',
  'pg_basebackup',
  'pg_verifybackup',
  'pg_dump',
  'pg_restore',
  'createdb',
  'psql',
];
const isRoot = process.getuid?.() === 0;
const user = isRoot ? accountOf('postgres') : undefined;

function accountOf(name: string): { uid: number; gid: number } | undefined {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const [, , uid, gid] = lines.find((each) => each.startsWith(`${name}:`))?.split(':') ?? [];
  if (uid === undefined || gid === undefined) return undefined;
  return { uid: Number.parseInt(uid, 10), gid: Number.parseInt(gid, 10) };
}

/** As whom servers run: nobody else than who asks, but for root. */
export function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  return user;
}

/** Why there can be none here, or false. */
export function skipWithoutPostgres(): string | false {
  const missing = NEEDED.filter((name) => !existsSync(join(PROGRAMS, name)));
  if (missing.length > 0) return `${PROGRAMS} lacks ${missing.join(', ')} (apt-get install postgresql-15)`;
  return isRoot && user === undefined && 'there is no user postgres, and PostgreSQL does not run as root';
}

export interface Cluster {
  readonly socket: string;
  readonly data: string;
  /** A new folder of the server's user; data folders of other servers are in such a one. */
  place(name: string): string;
  /** Runs lines as the server's user, with these variables. @returns what they have printed */
  shell(code: string, variables?: Readonly<Record<string, string>>): string;
}

/** Not begun yet: `initdb --pgdata "$PGDATA"` is the caller's. All servers in its folder are ended with the test. */
export function openCluster(t: TestContext): Cluster {
  // Short, since the path of a socket may not be long; passable for the server's user.
  const parent = realpathSync(tmpdir());
  const isPassable = (statSync(parent).mode & 0o001) !== 0;
  const folder = mkdtempSync(join(isPassable ? parent : dirname(parent), 'fq-pg-'));
  chmodSync(folder, 0o755);
  const place = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(path, { mode: 0o700 });
    if (user !== undefined) chownSync(path, user.uid, user.gid);
    return path;
  };
  const own = place('own');
  const socket = place('s');
  chmodSync(socket, 0o755);
  const data = join(own, 'data');
  const PATH = `${PROGRAMS}:${process.env.PATH}`;
  t.after(() => {
    for (const file of globSync('*/*/postmaster.pid', { cwd: folder })) {
      const args = ['stop', '--pgdata', join(folder, file, '..'), '--mode', 'immediate'];
      attempt(join(PROGRAMS, 'pg_ctl'), args, { ...user, cwd: own });
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  return {
    socket,
    data,
    place,
    shell: (code, variables) =>
      run('bash', ['--norc', '-euo', 'pipefail', '-c', code], {
        cwd: own,
        env: { PGDATA: data, PGHOST: socket, PATH, ...variables },
        ...user,
      }),
  };
}

/** Lines of its configuration. Nobody pulls the plug of a drill, so that nothing has to be on the disk. */
export function configure({ socket, shell }: Cluster): void {
  const lines = ["listen_addresses = ''", `unix_socket_directories = '${socket}'`, 'fsync = off'];
  shell(`cat >> "$PGDATA/postgresql.conf" <<END\n${lines.join('\n')}\nEND`);
}
