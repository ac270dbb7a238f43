import type { Socket } from 'node:net';
import { inodeOf, type ReadQueues, readSendQueues } from '../http/send-queue.ts';

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
