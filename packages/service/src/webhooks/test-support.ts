import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { whenFileEnds } from '../../test/support/file-end.ts';
import { silentLogger } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { appendEvents, type NewEvent } from '../events/append.ts';
import { CustomerFeed } from '../events/customer-feed.ts';
import { systemClock, VirtualClock } from '../platform/clock.ts';
import { AddressGuard, type GuardOptions } from './address-guard.ts';
import { Dispatcher } from './dispatcher.ts';
import { findEndpoint } from './endpoint-store.ts';
import { OperatorFeed } from './operator-feed.ts';
import type { Owner, WebhooksRoom } from './room.ts';
import { createEndpoint } from './set-endpoint.ts';

/** A message as a receiver got it. */
export interface Received {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely
  readonly message: any;
  readonly at: number;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** How the next messages are answered; by default with 204. */
  answer: (message: Received, response: ServerResponse) => void;
}

/** Takes messages on this machine, until the tests of the file end. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const receiver = {
    url: '',
    received,
    answer: (_: Received, response: ServerResponse) => void response.writeHead(204).end(),
  };
  const url = await listen((request, response) => {
    void read(request).then((message) => {
      received.push(message);
      receiver.answer(message, response);
    });
  });
  return Object.assign(receiver, { url: `${url}/hooks?a=b` });
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const headers = request.headers as Record<string, string>;
  return { id: headers['webhook-id'] ?? '', headers, body, message: JSON.parse(body), at: performance.now() };
}

export async function listen(handler: RequestListener): Promise<string> {
  return opened(createServer(handler));
}

/** Until the tests of the file end. @returns its address */
export async function opened(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenFileEnds(() => {
    if ('closeAllConnections' in server) (server as ReturnType<typeof createServer>).closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The library verifies it, by these secrets one after the other. @throws when none fits */
export function verified({ body, headers }: Received, ...secrets: readonly string[]): boolean {
  return secrets.every((secret) => {
    new Webhook(secret).verify(body, headers);
    return true;
  });
}

export interface Desk {
  readonly room: WebhooksRoom;
  readonly clock: VirtualClock;
  readonly dispatcher: Dispatcher;
  readonly outcomes: string[];
  /** Makes an endpoint of the owner, and answers its id and its secret. */
  endpoint(
    owner: Owner,
    input: Parameters<typeof createEndpoint>[2],
  ): Promise<{ id: string; secret: string }>;
  /** Sends all that is due. */
  send(): Promise<void>;
  notify(customerId: string, ...events: readonly Omit<NewEvent, 'customerId'>[]): Promise<void>;
  state(owner: Owner, id: string): Promise<NonNullable<Awaited<ReturnType<typeof findEndpoint>>>>;
}

export function createWebhookDesk(
  pool: Pool,
  { guard = {}, ...options }: Partial<Omit<WebhooksRoom, 'guard'>> & { guard?: Partial<GuardOptions> } = {},
): Desk {
  // It runs at the machine's pace, and is moved by hand.
  const clock = new VirtualClock(0, systemClock);
  const outcomes: string[] = [];
  const operators = new OperatorFeed(pool);
  const key = Buffer.alloc(8, 'key');
  const room: WebhooksRoom = {
    ...{ pool, clock: systemClock, realClock: clock, logger: silentLogger },
    guard: new AddressGuard({
      ...{ allowsHttp: true, allowsLoopback: true, networks: [], ports: undefined },
      ...guard,
    }),
    vault: {
      seal: async (_, plaintext, label) => ({
        sealed: Buffer.from(`${label}\n${plaintext}`),
        sealedUnder: String(key),
      }),
      open: async ({ sealed }, label) => Buffer.from(String(sealed).replace(`${label}\n`, '')),
    },
    feedOf: (owner) => (owner === null ? operators : new CustomerFeed(pool, owner)),
    onAttempt: (outcome) => outcomes.push(outcome),
    chance: () => 0.5,
    ...options,
  };
  const dispatcher = new Dispatcher(room);
  whenFileEnds(() => dispatcher.stop());
  return {
    room,
    clock,
    dispatcher,
    outcomes,
    async endpoint(owner, input) {
      let made: { id: string; secret: string } | undefined;
      await createEndpoint(room, owner, input, async (_, { endpoint: { id }, secret }) => {
        made = { id, secret };
      });
      if (made === undefined) throw new Error('no endpoint was made');
      return made;
    },
    async send() {
      while ((await dispatcher.claim()) > 0) await dispatcher.idle();
    },
    async notify(customerId, ...events) {
      await appendEvents(
        pool,
        events.map((event) => ({ customerId, ...event })),
        systemClock.now(),
      );
    },
    async state(owner, id) {
      const found = await findEndpoint(pool, owner, id);
      if (found === undefined) throw new Error('the endpoint is gone');
      return found;
    },
  };
}
