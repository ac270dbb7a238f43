import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the readers are told, as JSON in the first argument. */
export interface ReadOrder {
  readonly port: number;
  readonly readers: number;
  readonly pairs: string;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

export interface ReadResult {
  /** Prices that arrived in the measured time. */
  readonly delivered: number;
  readonly perSecond: number;
  readonly bytes: number;
  /** Age of the newest price of each piece that arrived. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly closed: number;
  /** The first and the last number of prices that one reader got: far apart when some starve. */
  readonly fewest: number;
  readonly most: number;
}

const EVENT = Buffer.from('event: price\n');
const AS_OF = Buffer.from('"asOf":"');
const STREAMS_OF_A_CUSTOMER = 5;
/** Every so many pieces, one is asked for its age: reading the time out of each would be the load. */
const SAMPLE = 16;

async function run(order: ReadOrder): Promise<ReadResult> {
  const counts = new Float64Array(order.readers);
  const ages: number[] = [];
  let measuring = false;
  let bytes = 0;
  let closed = 0;
  let pieces = 0;
  const sockets: Socket[] = [];
  for (let i = 0; i < order.readers; i++) {
    const socket = connect(order.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.on('close', () => {
      closed++;
    });
    socket.on('data', (chunk: Buffer) => {
      if (!measuring) return;
      bytes += chunk.length;
      for (let at = chunk.indexOf(EVENT); at >= 0; at = chunk.indexOf(EVENT, at + EVENT.length)) {
        counts[i] = (counts[i] ?? 0) + 1;
      }
      if (pieces++ % SAMPLE !== 0) return;
      const at = chunk.lastIndexOf(AS_OF);
      const age =
        Date.now() - Date.parse(chunk.toString('latin1', at + AS_OF.length, at + AS_OF.length + 24));
      if (at >= 0 && age >= 0) ages.push(age);
    });
    const customer = `customer-${Math.floor(i / STREAMS_OF_A_CUSTOMER)}`;
    socket.write(
      `GET /v1/customer/prices/stream?pairs=${order.pairs} HTTP/1.1\r\nHost: x\r\nAuthorization: ${customer}\r\n\r\n`,
    );
    sockets.push(socket);
    // The queue of connections that wait to be taken has 511 places.
    if (i % 100 === 99) await sleep(20);
  }
  await sleep(order.warmUpMs);
  process.send?.('begin');
  measuring = true;
  const from = performance.now();
  await sleep(order.measureMs);
  measuring = false;
  const seconds = (performance.now() - from) / 1000;
  const wereClosed = closed;
  process.send?.('end');
  for (const socket of sockets) socket.destroy();
  ages.sort((a, b) => a - b);
  const quantile = (q: number) => ages[Math.min(ages.length - 1, Math.floor(ages.length * q))] ?? 0;
  const delivered = counts.reduce((sum, count) => sum + count, 0);
  return {
    delivered,
    perSecond: delivered / seconds,
    bytes,
    p50Ms: quantile(0.5),
    p95Ms: quantile(0.95),
    p99Ms: quantile(0.99),
    closed: wereClosed,
    fewest: counts.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    most: counts.reduce((a, b) => Math.max(a, b), 0),
  };
}

const result = await run(JSON.parse(process.argv[2] ?? '{}') as ReadOrder);
process.send?.({ result });
