import { execFileSync, spawnSync } from 'node:child_process';
import { userInfo } from 'node:os';

/** The operating system's user that owns the cluster and runs PostgreSQL. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** True when this process is root and has to switch to the account: PostgreSQL refuses to run as root. */
  readonly switched: boolean;
}

/** Looked for in this order; the last is the name that macOS uses. The first is created when none is there. */
const SYSTEM_ACCOUNTS = ['firmquote', 'postgres', '_postgres'] as const;

/**
 * The account for a cluster. `ownerUid` is the owner of the cluster's files when they exist already: the cluster
 * stays with it, so that a system user which appears later does not cut a cluster off from its files.
 */
export function findAccount(ownerUid: number | undefined): Account {
  if (process.getuid === undefined || process.getgid === undefined) {
    throw new Error(
      'The embedded database runs on Linux and macOS. Give a PostgreSQL server in DATABASE_URL.',
    );
  }
  if (process.getuid() !== 0) return { ...ownAccount(), switched: false };
  const owner = ownerUid === undefined || ownerUid === 0 ? undefined : lookUp(String(ownerUid));
  return owner ?? firstSystemAccount() ?? createAccount();
}

/** Spawn options that run a program as the account, with the working directory where every user may be. */
export function runAs(account: Account): { cwd: string; uid?: number; gid?: number } {
  return account.switched ? { cwd: '/', uid: account.uid, gid: account.gid } : { cwd: '/' };
}

/** Whether the account passes a `test(1)` on a path. Asked of the system, since modes alone do not tell about ACLs. */
export function passesTest(account: Account, operator: '-x' | '-r', path: string): boolean {
  return spawnSync('/bin/sh', ['-c', `test ${operator} "$1"`, 'sh', path], runAs(account)).status === 0;
}

function ownAccount(): Omit<Account, 'switched'> {
  try {
    const { username, uid, gid } = userInfo();
    return { name: username, uid, gid };
  } catch {
    // initdb and peer authentication both need the name, as in a container started with an arbitrary user id.
    throw new Error(
      `The user id ${process.getuid?.()} has no name on this system, which PostgreSQL needs. ` +
        'Start as a named user or as root, or give a PostgreSQL server in DATABASE_URL.',
    );
  }
}

function firstSystemAccount(): Account | undefined {
  for (const name of SYSTEM_ACCOUNTS) {
    const account = lookUp(name);
    if (account !== undefined) return account;
  }
  return undefined;
}

function createAccount(): Account {
  const name = SYSTEM_ACCOUNTS[0];
  const options = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent'];
  const result = spawnSync('useradd', [...options, '--shell', '/usr/sbin/nologin', name], {
    encoding: 'utf8',
  });
  // Looked up whatever useradd said: another start may have created the user in the same moment.
  const account = lookUp(name);
  if (account !== undefined) return account;
  throw new Error(
    `PostgreSQL does not run as root, and the system user '${name}' could not be created ` +
      `(${result.error?.message ?? result.stderr.trim()}). Create it, start as a normal user, ` +
      'or give a PostgreSQL server in DATABASE_URL.',
  );
}

function lookUp(nameOrUid: string): Account | undefined {
  const ask = (flag: string): string =>
    execFileSync('id', [flag, '--', nameOrUid], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    const uid = Number.parseInt(ask('-u'), 10);
    // Debian names no user of id 0 but root; a system where 'postgres' is root would be refused by PostgreSQL.
    if (uid === 0) return undefined;
    return { name: ask('-un'), uid, gid: Number.parseInt(ask('-g'), 10), switched: true };
  } catch {
    return undefined;
  }
}
