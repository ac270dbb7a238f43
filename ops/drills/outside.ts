import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withToken } from '../../packages/service/test/support/api.ts';

/** Who is around the instances of a drill: whoever has prices, and whoever is told of events. */

const EVERY_MS = 200;
const ANSWER_MS = 1_000;

/** Pushes prices to one instance, which tells the others, and to another one as soon as that does not answer. */
export class PriceFeed {
  /** The first is the one that is pushed to. */
  readonly #urls: string[];
  readonly #token: string;
  readonly #running: Promise<void>;
  #stopped = false;

  constructor(urls: readonly string[], operatorToken: string) {
    this.#urls = [...urls];
    this.#token = operatorToken;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let tick = 0; !this.#stopped; tick++) {
      const pips = 1_084_88 + (tick % 20);
      const price = (value: number) => `1.${String(value).padStart(6, '0').slice(1)}`;
      const body = { pair: 'EURUSD', bid: price(pips), ask: price(pips + 6), at: new Date().toISOString() };
      const [url = ''] = this.#urls;
      const answer = await withToken(url, this.#token)
        .call('POST', '/v1/operator/prices', body, {}, AbortSignal.timeout(ANSWER_MS))
        // Stopped, killed, or just starting.
        .catch(() => undefined);
      if (answer?.status !== 200) this.#urls.push(...this.#urls.splice(0, 1));
      await sleep(EVERY_MS);
    }
  }
}

/** Takes webhooks, and remembers when it took which. */
export interface Receiver {
  readonly url: string;
  /** Instants of the process's clock, by event. */
  readonly taken: ReadonlyMap<string, readonly number[]>;
}

export async function startReceiver(t: TestContext): Promise<Receiver> {
  const taken = new Map<string, number[]>();
  const server = createServer(async (request, response) => {
    await text(request);
    const id = String(request.headers['webhook-id']);
    taken.set(id, [...(taken.get(id) ?? []), performance.now()]);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, taken };
}
