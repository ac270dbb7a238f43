import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** Price vendors for tests, on free ports, that fail in every way that the test asks for. */

/** `live`: a price every 20 or 33 ms. `stalled`: connected and silent. `corrupt`: what nobody may trade on. `dead`: nobody there. */
export type VendorMode = 'live' | 'stalled' | 'corrupt' | 'dead';

export interface Vendor {
  readonly url: string;
  /** Connections that were asked for. */
  readonly connections: number;
  set(mode: VendorMode): void;
  close(): Promise<void>;
}

/** Not of one beat: what one of them says must stand for a while before the other says something. */
const OANDA_EVERY_MS = 20;
const MASSIVE_EVERY_MS = 33;
let step = 0;

/** A good price: the bid between 1.08400 and 1.08449, the offer 6 points above. */
function goodPrice(): { bid: string; ask: string } {
  step = (step + 7) % 50;
  const bid = 108_400 + step;
  return { bid: `1.${String(bid).slice(1)}`, ask: `1.${String(bid + 6).slice(1)}` };
}

const iso = (instant: number) => `${new Date(instant).toISOString().slice(0, -1)}123456Z`;

/** Speaks as OANDA's pricing stream does, of EUR/USD. */
export async function startOandaVendor(): Promise<Vendor> {
  let mode: VendorMode = 'live';
  let connections = 0;
  let corruption = 0;
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    connections += 1;
    if (mode === 'dead') {
      request.socket.destroy();
      return;
    }
    response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).flushHeaders();
    streams.add(response);
    response.on('close', () => streams.delete(response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const price = (bid: string, ask: string, at = Date.now()): string =>
    `${JSON.stringify({ type: 'PRICE', time: iso(at), instrument: 'EUR_USD', tradeable: true, bids: [{ price: bid }], asks: [{ price: ask }] })}\n`;
  const corrupt = (): string => {
    corruption += 1;
    const { bid, ask } = goodPrice();
    const kinds = [
      'rubbish\n',
      price('2.00000', '1.00000'),
      price('1.5e0', '1.6'),
      price('-1.50000', '1.60000'),
      price('1.50000', '1.50010', Date.now() + 60_000),
      price('1.50000', '1.50010').replace('EUR_USD', 'USD_EUR'),
      price('1.50000', '1.50010').replace('"tradeable":true', '"tradeable":false'),
      price(bid, ask, Date.UTC(1970, 0, 1)),
      `${price('1.50000', '1.50010').slice(0, 40)}\n`,
      `${'1.5'.repeat(30_000)}\n`,
    ];
    return kinds[corruption % kinds.length] ?? '';
  };
  const timer = setInterval(() => {
    const { bid, ask } = goodPrice();
    for (const stream of streams) {
      if (mode === 'live') stream.write(price(bid, ask));
      if (mode === 'corrupt') stream.write(corrupt());
    }
  }, OANDA_EVERY_MS);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    set(next) {
      mode = next;
      if (next === 'dead') for (const stream of streams) stream.destroy();
    },
    async close() {
      clearInterval(timer);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Speaks as Massive's forex WebSocket does, of EUR/USD. */
export async function startMassiveVendor(): Promise<Vendor> {
  let mode: VendorMode = 'live';
  let connections = 0;
  let corruption = 0;
  const subscribed = new Set<WebSocket>();
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const status = (text: string) => JSON.stringify([{ ev: 'status', status: text }]);
  server.on('connection', (socket) => {
    connections += 1;
    if (mode === 'dead') {
      socket.terminate();
      return;
    }
    socket.on('error', () => undefined);
    socket.on('close', () => subscribed.delete(socket));
    socket.on('message', (data) => {
      if (String(data).includes('"auth"')) socket.send(status('auth_success'));
      else {
        socket.send(status('success'));
        subscribed.add(socket);
      }
    });
    socket.send(status('connected'));
  });
  const price = (bid: string, ask: string, at = Date.now(), pair = 'EUR/USD'): string =>
    `[{"ev":"C","p":"${pair}","x":48,"a":${ask},"b":${bid},"t":${at}}]`;
  const corrupt = (): string => {
    corruption += 1;
    const kinds = [
      'rubbish',
      price('2.00000', '1.00000'),
      price('15e-1', '1.6'),
      price('0', '1.60000'),
      price('1.50000', '1.50010', Date.now() + 60_000),
      price('1.50000', '1.50010', Date.now(), 'USD/EUR'),
      price('1.50000', 'null'),
      price('1.50000', '1.50010', 12),
      price('1.50000', '1.50010').slice(0, 30),
    ];
    return kinds[corruption % kinds.length] ?? '';
  };
  const timer = setInterval(() => {
    const { bid, ask } = goodPrice();
    for (const socket of subscribed) {
      if (mode === 'live') socket.send(price(bid, ask));
      if (mode === 'corrupt') socket.send(corrupt());
    }
  }, MASSIVE_EVERY_MS);
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    set(next) {
      mode = next;
      if (next === 'dead') for (const socket of server.clients) socket.terminate();
    },
    async close() {
      clearInterval(timer);
      for (const socket of server.clients) socket.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}
