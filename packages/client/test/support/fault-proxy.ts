import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What can go wrong between a client and the service. */
export type Fault =
  /** The connection is reset before the request goes on. */
  | 'reset'
  /** The request arrives, and the connection breaks before its answer comes back. */
  | 'drop'
  /** A gateway answers 503 with HTML, twice to the same request, and nothing arrives. */
  | 'unavailable'
  /** The answer comes in pieces, with pauses. */
  | 'slow'
  /** Half of the answer comes, then nothing any more. */
  | 'stall'
  /** Half of the answer comes, then the connection breaks. */
  | 'truncate'
  /** Half of the answer comes, as if it were all. */
  | 'cut'
  /** The request arrives twice. */
  | 'duplicate';

export interface FaultProxyOptions {
  /** Address of the service: `http://127.0.0.1:4000`. */
  readonly target: string;
  /** The same seed makes the same faults for the same requests in the same order. */
  readonly seed: number;
  /** How often each fault happens, from 0 to 1; what is left goes through unharmed. */
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  /** Which requests it happens to. Default: all but those for tokens. */
  readonly hits?: (method: string, path: string) => boolean;
}

/** A stretch of network, on real sockets, that fails as it is told. */
export interface FaultProxy {
  /** Address of the service by way of here. */
  readonly url: string;
  /** How often each fault has happened. */
  readonly happened: Readonly<Record<Fault, number>>;
  /** Requests that came, also those that went no further. */
  readonly requests: number;
  stop(): Promise<void>;
}

const PIECES = 4;
const PIECE_PAUSE_MS = 2;
const TIMES_UNAVAILABLE = 2;

export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { target, faults, hits = (_, path) => !path.startsWith('/oauth/') } = options;
  const chance = lottery(options.seed);
  const agent = new Agent({ keepAlive: true });
  const happened: Record<Fault, number> = {
    ...{ reset: 0, drop: 0, unavailable: 0, slow: 0, stall: 0, truncate: 0, cut: 0, duplicate: 0 },
  };
  /** How often a request is still answered by the gateway. */
  const unavailable = new Map<string, number>();
  let requests = 0;

  const draw = (): Fault | undefined => {
    let left = chance();
    for (const [fault, share] of Object.entries(faults) as [Fault, number][]) {
      left -= share;
      if (left < 0) return fault;
    }
    return undefined;
  };
  const faultOf = (message: IncomingMessage): Fault | undefined => {
    const key = `${message.headers['x-request-id']}`;
    const left = unavailable.get(key) ?? 0;
    if (left > 0) {
      unavailable.set(key, left - 1);
      return 'unavailable';
    }
    const fault = hits(message.method ?? '', message.url ?? '') ? draw() : undefined;
    if (fault === undefined) return undefined;
    if (fault === 'unavailable') unavailable.set(key, TIMES_UNAVAILABLE - 1);
    happened[fault]++;
    return fault;
  };
  const forward = (message: IncomingMessage, body: Buffer) => send(target, agent, message, body);

  const server = createServer(async (message, response) => {
    requests++;
    const body = await bytesOf(message);
    const fault = faultOf(message);
    if (fault === 'reset') return void message.socket.resetAndDestroy();
    if (fault === 'unavailable') return void refuse(response);
    try {
      const twin = fault === 'duplicate' ? forward(message, body) : undefined;
      const answer = await forward(message, body);
      // Whoever comes second is not heard.
      await twin?.catch(() => undefined);
      if (fault === 'drop') return void message.socket.destroy();
      await reply(response, answer, fault);
    } catch {
      message.socket.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    happened,
    get requests() {
      return requests;
    },
    async stop() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Answered {
  readonly message: IncomingMessage;
  readonly body: Buffer;
}

async function send(target: string, agent: Agent, message: IncomingMessage, body: Buffer): Promise<Answered> {
  const { method = 'GET', url = '/', headers } = message;
  const { connection: _, ...rest } = headers;
  const sent = request(target + url, { method, agent, headers: rest });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { message: answer, body: await bytesOf(answer) };
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function refuse(response: ServerResponse): void {
  response.writeHead(503, { 'content-type': 'text/html' });
  response.end('<html><body>503 Service Temporarily Unavailable</body></html>');
}

async function reply(
  response: ServerResponse,
  { message, body }: Answered,
  fault: Fault | undefined,
): Promise<void> {
  const { connection: _, 'transfer-encoding': __, ...headers } = message.headers;
  const half = body.subarray(0, Math.floor(body.length / 2));
  const isWhole = fault !== 'cut';
  response.writeHead(message.statusCode ?? 502, {
    ...headers,
    ...(body.length > 0 ? { 'content-length': isWhole ? body.length : half.length } : {}),
  });
  switch (fault) {
    case 'cut':
      return void response.end(half);
    case 'stall':
      return void response.write(half);
    case 'truncate':
      response.write(half, () => response.destroy());
      return;
    case 'slow':
      for (let piece = 0; piece < PIECES; piece++) {
        const [from, to] = [piece, piece + 1].map((each) => Math.floor((body.length * each) / PIECES));
        response.write(body.subarray(from, to));
        await new Promise((resolve) => setTimeout(resolve, PIECE_PAUSE_MS));
      }
      return void response.end();
    default:
      response.end(body);
  }
}

/** From 0 up to 1; the same in every run (mulberry32). */
function lottery(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
