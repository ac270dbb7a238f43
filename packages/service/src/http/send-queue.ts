import { readFile, readlink } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** Bytes by inode of those sockets whose other side has not acknowledged everything. */
export type ReadQueues = () => Promise<ReadonlyMap<string, number>>;

/** Node has no public way to the descriptor of a socket; without one nothing is known of its queue. */
export async function inodeOf(socket: Socket): Promise<string | undefined> {
  const handle = (socket as unknown as { readonly _handle?: { readonly fd?: number } | null })._handle;
  const fd = handle?.fd;
  if (fd === undefined || fd < 0) return undefined;
  return /^socket:\[(\d+)\]$/.exec(await readlink(`/proc/self/fd/${fd}`))?.[1];
}

const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'] as const;

/** Of a line of the table: the send queue in hexadecimal, where it is not empty, and the inode (proc_pid_net(5)). */
const LINE = /^ *\d+: \S+ \S+ \S+ (?!0{8}:)([0-9A-F]{8}):\S+ \S+ \S+ +\d+ +\d+ (\d+)/gm;

/** What the system has taken and the other side has not acknowledged; where the system does not tell, nothing. */
export async function readSendQueues(): Promise<ReadonlyMap<string, number>> {
  const tables = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => '')));
  const queues = new Map<string, number>();
  for (const table of tables) {
    for (const [, bytes = '', inode = ''] of table.matchAll(LINE))
      queues.set(inode, Number.parseInt(bytes, 16));
  }
  return queues;
}
