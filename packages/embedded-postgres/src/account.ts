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

/** Owns the books and nothing else. Made when it is not there. */
const OWN_ACCOUNT = 'firmquote';
/** Users of other databases of the machine, whose owners must not reach these books; the last is macOS's. */
const FOREIGN_ACCOUNTS: readonly string[] = ['postgres', '_postgres'];

/**
 * The account for a cluster, which root hands to a user of its own. `ownerUid` is the owner of the cluster's files when they
 * exist already: a person's cluster stays with that person, one of another database's user is taken over.
 */
export function findAccount(ownerUid: number | undefined): Account {
  if (process.getuid === undefined || process.getgid === undefined) {
    throw new Error(
      'The embedded database runs on Linux and macOS. Give a PostgreSQL server in DATABASE_URL.',
    );
  }
  if (process.getuid() !== 0) return { ...ownAccount(), switched: false };
  const owner = ownerUid === undefined ? undefined : accountOf(ownerUid);
  if (owner !== undefined && !FOREIGN_ACCOUNTS.includes(owner.name)) return owner;
  return lookUp(OWN_ACCOUNT) ?? createAccount();
}

/** The user with this id, for root to switch to. */
export function accountOf(uid: number): Account | undefined {
  return lookUp(String(uid));
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

function createAccount(): Account {
  const name = OWN_ACCOUNT;
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
    // Debian names no user of id 0 but root; a system where 'firmquote' is root would be refused by PostgreSQL.
    if (uid === 0) return undefined;
    return { name: ask('-un'), uid, gid: Number.parseInt(ask('-g'), 10), switched: true };
  } catch {
    return undefined;
  }
}
