import { readFile, readlink } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** A reader as far as its socket is concerned. */
interface QueuedReader {
  readonly transport: { readonly socket?: Socket | undefined };
  /** Bytes that the system holds for it, and that should have been taken long ago. */
  stuckBytes: number;
}

interface Watched {
  readonly socket: Socket;
  /** Number of the socket in the system's tables; undefined until it is known, and where it cannot be. */
  inode: string | undefined;
  /** What had been written when the queues were last looked at. */
  writtenBefore: number;
}

/** Bytes by inode of those sockets whose other side has not acknowledged everything. */
type ReadQueues = () => Promise<ReadonlyMap<string, number>>;

/**
 * What the system has taken from us and the reader's side has not acknowledged. A reader that stopped reading shows there
 * first: the system takes some hundred kilobytes for it, minutes of prices, before anything waits in this process.
 *
 * Bytes count as stuck when they were written before the look before: a reader far away is always some bytes behind.
 * Where the system does not tell (it is Linux that does), nothing is stuck, and only what waits in the process counts.
 */
export class SendQueues {
  readonly #read: ReadQueues;
  readonly #watched = new Map<QueuedReader, Watched>();
  #look: Promise<void> | undefined;

  constructor(read: ReadQueues = readSendQueues) {
    this.#read = read;
  }

  watch(reader: QueuedReader): void {
    const { socket } = reader.transport;
    if (socket === undefined) return;
    const watched: Watched = { socket, inode: undefined, writtenBefore: socket.bytesWritten };
    this.#watched.set(reader, watched);
    inodeOf(socket).then(
      (inode) => {
        watched.inode = inode;
      },
      () => undefined,
    );
  }

  forget(reader: QueuedReader): void {
    this.#watched.delete(reader);
  }

  /** Looks again, unless a look is under way. Never rejects. */
  look(): Promise<void> {
    if (this.#watched.size === 0) return Promise.resolve();
    this.#look ??= this.#takeLook()
      .catch(() => undefined)
      .finally(() => {
        this.#look = undefined;
      });
    return this.#look;
  }

  async #takeLook(): Promise<void> {
    // Taken before the tables are read: what is written meanwhile must not pass for acknowledged.
    const written = [...this.#watched].map(([reader, watched]) => ({
      reader,
      watched,
      bytes: watched.socket.bytesWritten,
    }));
    const queues = await this.#read();
    for (const { reader, watched, bytes } of written) {
      const { socket, inode, writtenBefore } = watched;
      const queued = (inode === undefined ? undefined : queues.get(inode)) ?? 0;
      const acknowledged = bytes - socket.writableLength - queued;
      reader.stuckBytes = queued > 0 && acknowledged < writtenBefore ? queued : 0;
      watched.writtenBefore = bytes;
    }
  }
}

/** Node has no public way to the descriptor of a socket; without one nothing is known of its queue. */
async function inodeOf(socket: Socket): Promise<string | undefined> {
  const handle = (socket as unknown as { readonly _handle?: { readonly fd?: number } | null })._handle;
  const fd = handle?.fd;
  if (fd === undefined || fd < 0) return undefined;
  return /^socket:\[(\d+)\]$/.exec(await readlink(`/proc/self/fd/${fd}`))?.[1];
}

const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'] as const;

/** Of a line of the table: the send queue in hexadecimal, where it is not empty, and the inode (proc_pid_net(5)). */
const LINE = /^ *\d+: \S+ \S+ \S+ (?!0{8}:)([0-9A-F]{8}):\S+ \S+ \S+ +\d+ +\d+ (\d+)/gm;

async function readSendQueues(): Promise<ReadonlyMap<string, number>> {
  const tables = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => '')));
  const queues = new Map<string, number>();
  for (const table of tables) {
    for (const [, bytes = '', inode = ''] of table.matchAll(LINE))
      queues.set(inode, Number.parseInt(bytes, 16));
  }
  return queues;
}
