import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressOwner } from './rate-limits.ts';

const SWEEP_MS = 50;

/** Streams of a process and as many again. Connections beyond them are closed before they are listened to. */
const CONNECTIONS_MAX = 20_000; // limit: Connections of callers to a process
/** Of one address, behind which may be an office of many desks. One that nobody limits could take all that there are. */
export const CONNECTIONS_PER_ADDRESS_MAX = 500; // limit: Connections from one address
/**
 * New ones of an address in a second: a pool of a client that starts. Each costs a handshake, whether or not anything is asked
 * on it.
 */
export const NEW_CONNECTIONS_PER_SECOND_MAX = 100; // limit: New connections from one address in a second
const SECOND_MS = 1_000;
/** Requests sent ahead on one connection: more than any client that means well, and few enough answers to hold at once. */
export const PIPELINED_MAX = 32; // limit: Requests sent ahead on one connection

const UNDER_WAY = Symbol('requests under way');
const LARGE = Symbol('large answer under way');
interface CountedSocket extends Socket {
  [UNDER_WAY]?: number;
  [LARGE]?: Promise<void>;
}

/**
 * Counts a request on its connection, and ends a connection that has too many under way: Node hands on everything that a
 * packet holds at once, and keeps the answers until those before them are written.
 */
export function isOneTooMany(socket: CountedSocket): boolean {
  const underWay = (socket[UNDER_WAY] ?? 0) + 1;
  socket[UNDER_WAY] = underWay;
  if (underWay > PIPELINED_MAX) socket.destroy();
  return socket.destroyed;
}

/**
 * What a packet holds behind the request that ended its connection is handed on too: nothing of it is begun. To be called once
 * the server has its one listener of requests.
 * @param before what each request passes first
 */
export function passOverEnded(
  server: Server,
  before: (listener: RequestListener) => RequestListener = (listener) => listener,
): void {
  const [listener, ...more] = server.listeners('request') as RequestListener[];
  if (listener === undefined || more.length > 0) throw new Error('a server has one listener of requests');
  server.removeListener('request', listener);
  const next = before(listener);
  server.on('request', (request, response) => {
    if (!request.socket.destroyed) next(request, response);
  });
}

export function answeredOn(socket: CountedSocket): void {
  socket[UNDER_WAY] = (socket[UNDER_WAY] ?? 1) - 1;
}

/**
 * `onRequest` of routes whose answers are large: the next one on a connection is not begun before the one before it has left,
 * so that who asks for many and reads none has one of them made.
 */
export function oneLargeAtATime(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const socket: CountedSocket = request.raw.socket;
  const before = socket[LARGE];
  socket[LARGE] = new Promise((resolve) => reply.raw.once('close', resolve));
  // Nobody is there to be answered when the connection ended meanwhile; what waits behind it ends with it.
  if (before === undefined) done();
  else
    before.then(() => {
      if (socket.destroyed) reply.hijack();
      else done();
    });
}

/** Why a connection was closed as it came: those of its address, its address's in this second, or those of the process. */
export type ConnectionRefusal = 'address' | 'rate' | 'process';

export interface ConnectionLimits {
  readonly perAddress: number;
  /** New ones of one address in a second. */
  readonly newPerSecond: number;
  /** Addresses with many callers behind them, such as those of reverse proxies. */
  readonly isShared: (address: string) => boolean;
  readonly onRefused?: (reason: ConnectionRefusal) => void;
  /** Milliseconds of real time. */
  readonly now?: () => number;
}

/** Ends connections beyond those that one address may have or open, before anything is read from them, a handshake included. */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const { perAddress, newPerSecond, isShared, onRefused = () => {}, now = () => performance.now() } = limits;
  const open = new Map<string, number>();
  const opened = new Map<string, number>();
  let second = Number.NEGATIVE_INFINITY;
  server.maxConnections = CONNECTIONS_MAX;
  server.on('drop', () => onRefused('process'));
  server.on('connection', (socket) => {
    // Its caller had gone before it was taken: while this machine stood still, say. What it has sent is not to be done.
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    const address = plain(socket.remoteAddress);
    if (isShared(address)) return;
    const owner = addressOwner(address);
    if (now() - second >= SECOND_MS) {
      opened.clear();
      second = now();
    }
    const openedNow = (opened.get(owner) ?? 0) + 1;
    const count = (open.get(owner) ?? 0) + 1;
    if (openedNow > newPerSecond || count > perAddress) {
      onRefused(openedNow > newPerSecond ? 'rate' : 'address');
      socket.destroy();
      return;
    }
    opened.set(owner, openedNow);
    open.set(owner, count);
    socket.once('close', () => {
      const left = (open.get(owner) ?? 1) - 1;
      if (left === 0) open.delete(owner);
      else open.set(owner, left);
    });
  });
}

/** An IPv4 address of a socket that listens for both is written as an IPv6 one. */
function plain(address: string): string {
  const mapped = address.replace(/^::ffff:/i, '');
  return isIP(mapped) === 4 ? mapped : address;
}

/**
 * Lets a stop end when the requests under way are answered. Node closes the idle connections once, at the beginning.
 * What it leaves open: connections on which nothing was asked yet (browsers and load balancers open them ahead), which
 * it does not count as idle, and those that become idle with the answer that was under way, such as a held poll's.
 * Both would hold up the stop for more than a minute.
 */
export function closeConnectionsOnStop(app: FastifyInstance, server: Server = app.server): void {
  const silent = new Set<Socket>();
  let sweep: NodeJS.Timeout | undefined;
  let closed: Promise<unknown> | undefined;
  server.on('connection', (socket) => {
    if (sweep !== undefined) {
      socket.destroy();
      return;
    }
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', (request) => {
    silent.delete(request.socket);
  });
  server.on('upgrade', (request: IncomingMessage) => {
    silent.delete(request.socket);
  });
  app.addHook('preClose', (done) => {
    for (const socket of silent) socket.destroy();
    sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    // Fastify closes its own.
    if (server !== app.server && server.listening) closed = new Promise((end) => server.close(end));
    done();
  });
  app.addHook('onClose', async () => {
    await closed;
    clearInterval(sweep);
  });
}
