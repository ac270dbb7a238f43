import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type Account, runAs } from './account.ts';
import type { Binaries } from './binaries.ts';
import { giveTree } from './ownership.ts';

/** The superuser of the cluster, to whom its tables belong. The service connects as another one. */
export const ROLE = 'firmquote';
/** The role that the service connects as. It owns nothing. */
export const SERVICE_ROLE = 'firmquote_service';
const ROLES: readonly string[] = [ROLE, SERVICE_ROLE];

/** PostgreSQL got its own, library-independent collations with this version. */
const FIRST_WITH_BUILTIN_LOCALES = 17;
const OUTPUT_LINES_IN_ERROR = 8;

export interface ClusterInput {
  /** PGDATA. */
  readonly data: string;
  readonly account: Account;
  readonly binaries: Binaries;
  readonly durable: boolean;
  /** Connections that the server takes, where that is more than usual. */
  readonly connections?: number | undefined;
}

/**
 * Makes sure that PGDATA is a whole cluster of the right version and owner. A new one is made beside it and renamed
 * into place, so that an interrupted start leaves nothing that looks like a cluster. Returns whether it is new.
 */
export async function ensureCluster(input: ClusterInput): Promise<boolean> {
  removeInterrupted(input.data);
  const isNew = !existsSync(join(input.data, 'PG_VERSION'));
  if (isNew) await createCluster(input);
  else checkCluster(input);
  writeAccessFiles(input.data, input.account);
  return isNew;
}

async function createCluster(input: ClusterInput): Promise<void> {
  const { data, account } = input;
  if (existsSync(data)) {
    if (readdirSync(data).length > 0)
      throw new Error(`${data} is not empty and holds no PostgreSQL database.`);
    rmdirSync(data);
  }
  const temporary = `${data}.new-${randomUUID()}`;
  try {
    mkdirSync(temporary, { mode: 0o700 });
    if (account.switched) chownSync(temporary, account.uid, account.gid);
    await runInitdb(input, temporary);
    renameSync(temporary, data);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
}

function removeInterrupted(data: string): void {
  for (const name of readdirSync(dirname(data))) {
    if (name.startsWith(`${basename(data)}.new-`))
      rmSync(join(dirname(data), name), { recursive: true, force: true });
  }
}

async function runInitdb({ account, binaries, durable }: ClusterInput, target: string): Promise<void> {
  const locale =
    binaries.major >= FIRST_WITH_BUILTIN_LOCALES
      ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
      : ['--locale=C'];
  const child = spawn(
    join(binaries.directory, 'bin/initdb'),
    [
      `--pgdata=${target}`,
      `--username=${ROLE}`,
      '--encoding=UTF8',
      ...locale,
      '--auth-local=peer',
      '--auth-host=reject',
      '--data-checksums',
      '--no-instructions',
      ...(durable ? [] : ['--no-sync']),
    ],
    { ...runAs(account), env: serverEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (code !== 0) {
    const end = output.trim().split('\n').slice(-OUTPUT_LINES_IN_ERROR).join('\n');
    throw new Error(`initdb could not make the database (${signal ?? `exit code ${code}`}):\n${end}`);
  }
}

/** Nothing of the caller's PG* variables may reach the server. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

function checkCluster({ data, account, binaries }: ClusterInput): void {
  const version = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  if (version !== String(binaries.major)) {
    throw new Error(
      `The database in ${data} was made by PostgreSQL ${version}, and this is PostgreSQL ${binaries.major}. ` +
        `Dump it with PostgreSQL ${version} and restore it, or serve it with PostgreSQL ${version} through DATABASE_URL.`,
    );
  }
  const owner = statSync(data).uid;
  if (owner === account.uid) return;
  if (!account.switched) {
    throw new Error(
      `The database in ${data} belongs to another user (id ${owner}). Start as that user or as root.`,
    );
  }
  // The owner is not a user of this system (any more): a data folder brought along from another machine or image.
  // A start that is ended in the middle of it leaves the rest to the next one.
  giveTree(data, account);
}

/**
 * Who may connect: over the socket, the account itself, the user of this process, and root, each proven by the
 * operating system (peer authentication); nobody over a network. There is no password that could leak.
 */
function writeAccessFiles(data: string, account: Account): void {
  const users = [...new Set(['root', account.name, userInfo().username])];
  const map = users
    .flatMap((user) => ROLES.map((role) => `${ROLE} "${user.replaceAll('"', '""')}" ${role}\n`))
    .join('');
  for (const [name, text] of [
    ['pg_hba.conf', ROLES.map((role) => `local all ${role} peer map=${ROLE}\n`).join('')],
    ['pg_ident.conf', map],
  ] as const) {
    const path = join(data, name);
    if (readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
  }
}
