import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { BUILT_IN_DATE_RULES, findPair, type Pair, parseDecimal } from '../packages/fx/src/index.ts';
import {
  type CustomerDirectory,
  DEFAULT_SETTINGS,
  NOTHING_USED,
} from '../packages/service/src/customers/profile.ts';
import {
  DEFAULT_PER_ADDRESS,
  DEFAULT_QUOTAS,
  RateLimiter,
} from '../packages/service/src/http/rate-limits.ts';
import { createServer as createService } from '../packages/service/src/http/server.ts';
import { Market } from '../packages/service/src/market/market.ts';
import { RateBook } from '../packages/service/src/market/rate-book.ts';
import { isoInstant, systemClock } from '../packages/service/src/platform/clock.ts';
import { createLogger } from '../packages/service/src/platform/logger.ts';
import { fixedPricingDesk } from '../packages/service/src/pricing/desk.ts';
import { DEFAULT_SETTINGS as DEFAULT_PRICING } from '../packages/service/src/pricing/settings.ts';
import { spreadCandidates } from '../packages/service/src/pricing/spread-book.ts';
import { asChunk, Frame } from '../packages/service/src/streams/frame.ts';
import { StreamHub, TURN_MS } from '../packages/service/src/streams/hub.ts';
import { streamRoutes } from '../packages/service/src/streams/routes.ts';

/**
 * One side of the stream measurement, told apart by the first argument:
 *
 * - `service`: the service's own server, access guard, rate book and streams. Tokens are names of customers, because
 *   a thousand readers need two hundred of them, and there is no database.
 * - `bare`: node:http with the same answers, which writes each price to each socket and does nothing else.
 * - `batched`: the same, with the prices of 20 ms in one write, as the service does it.
 */
const [mode = 'service', pairsText = ''] = process.argv.slice(2);
const pairs = pairsText.split(',').map((code) => {
  const pair = findPair(code);
  if (pair === undefined) throw new Error(`${code} is not a pair`);
  return pair;
});
/** A little over a quarter of a second: each tick of a pair is then a price of its own. */
const TICK_MS = 260;

function decimal(text: string) {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`${text} is not a number`);
  return value;
}

/** Calls back for one pair after another, each every 260 ms, spread evenly. */
function everyTick(work: (pair: Pair, number: number) => void): void {
  const startedAt = performance.now();
  let number = 0;
  setInterval(() => {
    const due = ((performance.now() - startedAt) / TICK_MS) * pairs.length;
    for (; number < due; number++) work(pairs[number % pairs.length] as Pair, number);
  }, 1);
}

/** 20 bps for everybody. */
const candidates = spreadCandidates([
  {
    id: '0198a000-0000-7000-8000-000000000001',
    version: 1,
    customerId: undefined,
    groupName: undefined,
    pair: undefined,
    spreadBps: decimal('20.00'),
    minBps: undefined,
    maxBps: undefined,
    tenor: undefined,
    validityUpToSeconds: undefined,
    amountFromUsdMinor: 0n,
    validFrom: undefined,
    validTo: undefined,
  },
]);

function serveService(): { server: Server; listen: () => Promise<unknown> } {
  const book = new RateBook({ clock: systemClock });
  const market = new Market({ clock: systemClock, book, hours: 'always' });
  const logger = createLogger('warn');
  const hub = new StreamHub({
    clock: systemClock,
    market,
    dates: { current: BUILT_IN_DATE_RULES },
    logger,
  });
  const unlimited = { perMinute: 1_000_000 };
  const quotas = { ...DEFAULT_QUOTAS, indicative: unlimited, all: unlimited };
  const profileOf = (id: string) => ({
    id,
    name: id,
    groupName: undefined,
    status: 'active' as const,
    settings: DEFAULT_SETTINGS,
    limits: { dailyUsdMinor: 1n, openUsdMinor: 1n, tradeUsdMinor: 1n, maxOpenQuotes: 1, quotas },
    quotas,
    payoutCurrencies: new Set<string>(),
    usage: NOTHING_USED,
  });
  const directory: CustomerDirectory = {
    profile: profileOf,
    collectionCurrencies: () => new Set<string>(),
  };
  const customers = { ...directory, access: profileOf };
  const scopes = new Set(['quotes:read']);
  const authenticator = {
    authenticate: (authorization: string | undefined) => ({
      actor: { kind: 'client' as const, id: 'c' },
      personId: undefined,
      tokenId: 't',
      customerId: authorization,
      scopes,
    }),
  };
  const app = createService({
    clock: systemClock,
    logger,
    accessLog: 'off',
    trustProxy: [],
    baseUrl: () => 'http://127.0.0.1',
    authenticator,
    customers,
    limiter: new RateLimiter(),
    perAddress: DEFAULT_PER_ADDRESS,
  });
  const pricing = fixedPricingDesk(DEFAULT_PRICING, () => candidates);
  streamRoutes(app, { clock: systemClock, market, customers, pricing, hub, authenticator });
  const tick = (pair: Pair, number: number) => {
    const price = decimal(`1.${String(10_000 + (number % 80_000))}`);
    book.apply({ pair: pair.code, bid: price, ask: price, at: systemClock.now(), source: 'bench' });
  };
  pairs.forEach(tick);
  everyTick(tick);
  return { server: app.server, listen: () => app.listen({ host: '127.0.0.1', port: 0 }) };
}

/** The bytes of an event of the service, with another time and price in it. */
function priceChunk(pair: Pair, number: number): Buffer {
  const data = `{"pair":"${pair.code}","bid":"1.08271","ask":"1.08711","mid":"1.${10_000 + (number % 80_000)}","spreadBps":"20.00","asOf":"${isoInstant(systemClock.now())}","spotDate":"2026-03-06","tradable":true}`;
  const sequence = number;
  const id = `1a2b3c4d-${String(sequence).padStart(9, '0')}`;
  return asChunk(new Frame('price', data, { sequence, id }).eventStream);
}

function serveFloor(isBatched: boolean): { server: Server; listen: () => Promise<unknown> } {
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
    response.flushHeaders();
    if (response.socket !== null) sockets.add(response.socket);
  });
  let batch: Buffer[] = [];
  const write = (bytes: Buffer) => {
    for (const socket of sockets) socket.write(bytes);
  };
  everyTick((pair, number) => {
    const chunk = priceChunk(pair, number);
    if (isBatched) batch.push(chunk);
    else write(chunk);
  });
  setInterval(() => {
    if (batch.length === 0) return;
    write(Buffer.concat(batch));
    batch = [];
  }, TURN_MS);
  const listen = () => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, listen };
}

const { server, listen } = mode === 'service' ? serveService() : serveFloor(mode === 'batched');
await listen();
let before = process.cpuUsage();
process.on('message', (message) => {
  if (message === 'begin') before = process.cpuUsage();
  else if (message === 'report') {
    const { user, system } = process.cpuUsage(before);
    const rssMb = Math.round(process.memoryUsage().rss / 2 ** 20);
    process.send?.({ cpuSeconds: (user + system) / 1e6, rssMb });
  }
});
process.send?.({ port: (server.address() as AddressInfo).port });
