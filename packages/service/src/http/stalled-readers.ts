import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../platform/logger.ts';
import { inodeOf, readSendQueues } from './send-queue.ts';

/**
 * Of an answer, seen from the other side's system. It takes in steps: who reads 10 kB/s takes 100 kB about every ten seconds, and
 * sometimes only every half minute.
 */
const STALL_MS = 60_000; // limit: Time in which a reader takes nothing of its answer before its connection is closed
/** A stop waits for answers under way, and not for somebody who does not read theirs. */
const STALL_AT_STOP_MS = 10_000; // limit: Time in which a reader takes nothing of its answer while the service stops
const LOOK_EVERY_MS = 5_000;
/** The log tells of it this often, not of each. */
const REPORT_EVERY_MS = 10_000;

export interface StallLimits {
  readonly limitMs?: number;
  readonly stopLimitMs?: number;
  readonly lookEveryMs?: number;
  /** Called for each connection that is closed. */
  readonly onClosed?: () => void;
}

interface WaitingSocket extends Socket {
  readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null;
  readonly _httpMessage?: ServerResponse | null;
}

/** What is known of a connection on which something waits to be sent. */
interface Waiting {
  /** Handed to the system. */
  sent: number;
  /** Acknowledged by the other side; known only once the system has taken nothing for a while. */
  taken: number | undefined;
  /** Milliseconds of looks. */
  since: number;
  readonly inode: Promise<string | undefined>;
}

/**
 * Closes connections whose other side takes nothing of what is to be sent to it. An answer that nobody reads would otherwise stay
 * for ever, with its memory, its place among the few exports at once, and its part of the work that is taken on. What the system
 * has taken for a reader counts as well: it takes megabytes, and whoever reads slowly shows nothing else for minutes.
 */
export function closeStalledReaders(
  app: FastifyInstance,
  server: Server,
  logger: Logger,
  {
    limitMs = STALL_MS,
    stopLimitMs = STALL_AT_STOP_MS,
    lookEveryMs = LOOK_EVERY_MS,
    onClosed,
  }: StallLimits = {},
): void {
  const open = new Set<WaitingSocket>();
  const report = reporter(logger);
  let waiting = new Map<WaitingSocket, Waiting>();
  let limit = limitMs;
  // Counted in looks: while this process stands still, nobody else is to blame.
  let now = 0;
  let isLooking = false;
  const look = async (): Promise<void> => {
    now += lookEveryMs;
    waiting = waitingOf(open, waiting, now);
    for (const socket of await stalledOf(waiting, limit, now)) {
      report(socket);
      onClosed?.();
      // What the system still holds for it goes as well.
      socket.resetAndDestroy();
    }
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }, lookEveryMs).unref();
  server.on('connection', (socket: WaitingSocket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preClose', (done) => {
    limit = stopLimitMs;
    done();
  });
  app.addHook('onClose', async () => clearInterval(timer));
}

/** On what something waits, with since when the system has taken none of it. */
function waitingOf(
  open: ReadonlySet<WaitingSocket>,
  before: ReadonlyMap<WaitingSocket, Waiting>,
  now: number,
): Map<WaitingSocket, Waiting> {
  const waiting = new Map<WaitingSocket, Waiting>();
  for (const socket of open) {
    const { bytesWritten, writeQueueSize } = socket._handle ?? {};
    if (socket.writableLength === 0 || bytesWritten === undefined || writeQueueSize === undefined) continue;
    const sent = bytesWritten - writeQueueSize;
    const known = before.get(socket);
    const inode = known?.inode ?? inodeOf(socket).catch(() => undefined);
    waiting.set(socket, known?.sent === sent ? known : { sent, taken: undefined, since: now, inode });
  }
  return waiting;
}

/** Of those to whom nothing was sent since the look before: who has taken nothing either, for as long as is waited. */
async function stalledOf(
  waiting: ReadonlyMap<WaitingSocket, Waiting>,
  limitMs: number,
  now: number,
): Promise<WaitingSocket[]> {
  const still = [...waiting].filter(([, { since }]) => since < now);
  if (still.length === 0) return [];
  const queues = await readSendQueues();
  const found: WaitingSocket[] = [];
  for (const [socket, each] of still) {
    const inode = await each.inode;
    const taken = each.sent - ((inode === undefined ? undefined : queues.get(inode)) ?? 0);
    if (each.taken !== undefined && taken > each.taken) each.since = now;
    each.taken = taken;
    if (now - each.since >= limitMs && !socket.destroyed) found.push(socket);
  }
  return found;
}

/** One line stands for all since the one before it. */
function reporter(logger: Logger): (socket: WaitingSocket) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  let closed = 0;
  return ({ remoteAddress, _httpMessage: response }) => {
    closed++;
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = performance.now();
    logger.warn(
      {
        address: remoteAddress,
        method: response?.req.method,
        path: response?.req.url?.split('?', 1)[0],
        requestId: response?.getHeader('x-request-id'),
        closed,
      },
      'connections closed: their readers had stopped reading an answer',
    );
    closed = 0;
  };
}
