import { createHash } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Account } from './account.ts';

/** Only part of the socket's file name: no TCP port is opened. */
export const SOCKET_PORT = 5432;

/** The shortest limit of the platforms is 104 bytes with the closing zero (macOS; Linux has 108). */
const SOCKET_PATH_MAX = 103;
const FALLBACK_PREFIX = '/tmp/firmquote-socket-';

interface SocketDirectory {
  readonly path: string;
  remove(): void;
}

/** PGDATA itself, which nobody else can enter; a private folder in /tmp when that path is too long. */
export function openSocketDirectory(data: string, account: Account): SocketDirectory {
  // Postgres also puts '<socket>.lock' beside it, which is an ordinary file and has no such limit.
  const socket = join(data, `.s.PGSQL.${SOCKET_PORT}`);
  if (Buffer.byteLength(socket) <= SOCKET_PATH_MAX) return { path: data, remove: () => {} };
  const path = openFallback(data, account);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Always the same one for a cluster, so that killed servers leave no more than one behind. */
function openFallback(data: string, account: Account): string {
  const digest = createHash('sha256').update(data).digest('hex').slice(0, 16);
  const path = `${FALLBACK_PREFIX}${digest}`;
  try {
    if (isPrivate(path, account)) rmSync(path, { recursive: true });
    mkdirSync(path, { mode: 0o700 });
    return give(path, account);
  } catch {
    // Anybody may make folders in /tmp; a stranger's is not used but avoided.
    return give(mkdtempSync(FALLBACK_PREFIX), account);
  }
}

function isPrivate(path: string, account: Account): boolean {
  const folder = lstatSync(path, { throwIfNoEntry: false });
  return folder?.isDirectory() === true && [process.getuid?.(), account.uid].includes(folder.uid);
}

function give(path: string, account: Account): string {
  if (account.switched) chownSync(path, account.uid, account.gid);
  return path;
}
