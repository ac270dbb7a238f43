import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, describe, test } from 'node:test';
import {
  AuthenticationError,
  ConnectionError,
  Firmquote,
  FirmquoteError,
  OutcomeUnknownError,
  type Quote,
  UnexpectedAnswerError,
} from '@firmquote/client';
import { exportJWK, generateKeyPair } from 'jose';
import { createCustomer } from '../../service/test/support/acceptance.ts';
import { startFaultProxy } from './support/fault-proxy.ts';
import { startDesk } from './support/service.ts';

/** A network at its worst, between the client and a real service. */

const TRADES = 1_000;
const AT_ONCE = 40;
const SEED = 20_260_304;

const { service, options, operator, sandbox } = await startDesk();
// Only the network fails.
await sandbox.controlSandboxMarket({ pair: 'EURUSD', bid: '1.08488', ask: '1.08494' });
const { customerId, clientId, clientSecret } = await createCustomer(service);
const direct = new Firmquote(options({ clientId, clientSecret }));
const proxy = await startFaultProxy({
  ...{ target: service.baseUrl, seed: SEED },
  faults: {
    ...{
      reset: 0.03,
      drop: 0.05,
      unavailable: 0.03,
      slow: 0.02,
      stall: 0.005,
      truncate: 0.03,
      cut: 0.03,
      duplicate: 0.05,
    },
  },
});
after(() => proxy.stop());

const REQUEST = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', validitySeconds: 300 } as const;

test(`${TRADES} executions through a network that fails are ${TRADES} transactions, each known to its caller`, async () => {
  const firmquote = new Firmquote(
    options({
      ...{ baseUrl: proxy.url, authUrl: service.baseUrl, clientId, clientSecret },
      // Pauses as usual, but shorter; the faults are the same.
      ...{ timeoutMs: 2_000, maxRetries: 1, runtime: quick() },
    }),
  );
  const known: string[] = [];
  const outcomes = { atOnce: 0, again: 0, asked: 0, notTraded: 0 };

  /** Until it is certain that it has traded once, as a careful program would. */
  const trade = async (first: Quote): Promise<string> => {
    for (
      let quote = first;
      left > -AT_ONCE;
      quote = await direct.quotes.create({ requoteOf: quote.quoteId })
    ) {
      try {
        const { data, attempts } = await firmquote.quotes.execute(quote).withResponse();
        if (attempts > 1) outcomes.again++;
        else outcomes.atOnce++;
        return data.transactionId;
      } catch (error) {
        if (!(error instanceof OutcomeUnknownError)) {
          // The status could not be read, and nothing was sent.
          assert.ok(
            error instanceof ConnectionError || error instanceof UnexpectedAnswerError,
            String(error),
          );
          continue;
        }
        const traded = await ask(error);
        if (traded !== null) {
          outcomes.asked++;
          return traded.transactionId;
        }
        outcomes.notTraded++;
      }
    }
    throw new Error('another one has failed');
  };
  let left = TRADES;
  const worker = async () => {
    try {
      while (left-- > 0) {
        // Each its own, and none of those that choose a drill.
        const amount = `${100 + Math.floor(left / 100)}.${String(left % 100).padStart(2, '0')}`;
        known.push(await trade(await direct.quotes.create({ ...REQUEST, amount })));
      }
    } catch (error) {
      // The others stop, too.
      left = -AT_ONCE;
      throw error;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));

  assert.equal(known.length, TRADES);
  const { rows } = await service.pool.query<{ id: string; amount: string }>(
    'select id::text as id, sell_minor::text as amount from transactions',
  );
  assert.equal(rows.length, TRADES, 'no trade was made twice');
  // Each of the amounts once: no caller has another one's trade.
  assert.equal(new Set(rows.map(({ amount }) => amount)).size, TRADES);
  const stored = await direct.transactions
    .list({ sort: 'createdAt', limit: 200 })
    .toArray({ limit: TRADES + 1 });
  assert.deepEqual(stored.map(({ transactionId }) => transactionId).sort(), known.sort());
  for (const [fault, times] of Object.entries(proxy.happened))
    assert.ok(times > 0, `${fault} never happened`);
  for (const [outcome, times] of Object.entries(outcomes)) assert.ok(times > 0, `${outcome} never happened`);
});

test('wrong credentials are asked about once, and told without themselves', async () => {
  const before = proxy.requests;
  for (const wrong of [{ clientSecret: 'this-was-never-the-secret' }, { clientId: 'cli_nobody' }]) {
    const firmquote = new Firmquote(options({ baseUrl: proxy.url, ...wrong }));
    const error = await thrownBy(firmquote.quotes.list());
    assert.ok(error instanceof AuthenticationError);
    assert.equal(error.code, 'invalid_client');
    assert.match(error.nextStep, /clientSecret/);
    assert.ok(!JSON.stringify([error, error.message, error.stack]).includes('never-the-secret'));
  }
  assert.equal(proxy.requests - before, 2);
});

test('a host that is not there is tried again, and certain to have done nothing', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const dead = `http://127.0.0.1:${port}`;
  const quote = await direct.quotes.create({ ...REQUEST, amount: '100.00' });
  for (const where of [
    { baseUrl: dead, authUrl: dead },
    { baseUrl: dead, authUrl: service.baseUrl },
  ]) {
    const firmquote = new Firmquote(options({ clientId, clientSecret, runtime: quick(), ...where }));
    const error = await thrownBy(firmquote.quotes.execute(quote, { checkStatus: false }));
    assert.ok(error instanceof ConnectionError);
    assert.deepEqual([error.code, error.retryable], ['connection_failed', true]);
    assert.match(error.message, new RegExp(`127\\.0\\.0\\.1:${port}`));
  }
});

describe('an answer that is none', () => {
  const NOT_HTTP = 'SSH-2.0-OpenSSH_9.6\r\n';
  const json = (head: string, body: string) =>
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${head}connection: close\r\n\r\n${body}`;
  for (const [name, bytes] of [
    ['of another protocol', NOT_HTTP],
    ['of nothing', ''],
    ['of half a head', 'HTTP/1.1 200 OK\r\ncontent-ty'],
    ['with half of its body', json('content-length: 100\r\n', '{"quoteId":"quote_1"')],
    ['with half of a chunk', json('transfer-encoding: chunked\r\n', '40\r\n{"quoteId":')],
    [
      'that says that it is compressed, and is not',
      json('content-encoding: gzip\r\n', '{"quoteId":"quote_1"}'),
    ],
    ['that is JSON no more', json('', '{"quoteId":"quote_1"}}')],
    ['with a body of nothing', json('content-length: 0\r\n', '')],
    ['that is a page', 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<html>'],
    [
      'that leads elsewhere',
      'HTTP/1.1 302 Found\r\nlocation: https://login.example.com/\r\nconnection: close\r\n\r\n',
    ],
  ] as const) {
    test(name, async (t) => {
      let requests = 0;
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => {
          requests++;
          socket.end(bytes);
        });
      }).listen(0, '127.0.0.1');
      t.after(() => server.close());
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const firmquote = new Firmquote({ baseUrl: `http://127.0.0.1:${port}`, token: 't', runtime: quick() });
      const read = await thrownBy(firmquote.quotes.get('quote_1'));
      assert.ok(read instanceof ConnectionError || read instanceof UnexpectedAnswerError, String(read));
      assert.ok(!/login\.example|<html>/.test(read.message));
      assert.equal(requests, read.retryable ? 3 : 1);
      // What is no answer of the service says nothing of what was done.
      const written = await thrownBy(firmquote.quotes.execute('quote_1', { checkStatus: false }));
      assert.ok(written instanceof OutcomeUnknownError, String(written));
    });
  }
});

describe('a machine whose clock is ten minutes off trades', () => {
  const TEN_MINUTES_MS = 600_000;
  const trade = async (firmquote: Firmquote) => {
    const quote = await firmquote.quotes.create({ ...REQUEST, amount: '100.00' });
    const left = firmquote.quotes.secondsLeft(quote);
    assert.ok(left > REQUEST.validitySeconds - 10 && left <= REQUEST.validitySeconds, `${left} s`);
    const { data, attempts } = await firmquote.quotes.execute(quote).withResponse();
    assert.deepEqual([data.quoteId, attempts], [quote.quoteId, 1]);
    return quote;
  };

  for (const [name, byMs] of [
    ['ahead', TEN_MINUTES_MS],
    ['behind', -TEN_MINUTES_MS],
  ] as const) {
    test(`${name}, also with assertions`, async () => {
      const runtime = { ...quick(), wallMs: () => Date.now() + byMs };
      const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true });
      const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1' }] as never;
      await operator.setCredentialKeys(customerId, clientId, { keys });
      for (const proof of [{ clientSecret }, { clientSecret: undefined, privateKey, keyId: 'k1' }]) {
        const firmquote = new Firmquote(options({ clientId, runtime, ...proof }));
        const quote = await trade(firmquote);
        // As if it came from another process: nothing but the clocks tells how long it is good.
        const left = firmquote.quotes.secondsLeft({ ...quote });
        assert.ok(Math.abs(left - REQUEST.validitySeconds) < 10, `${left} s`);
        const offBy = firmquote.clock.now() - Date.now();
        assert.ok(Math.abs(offBy) < 2_000, `${offBy} ms`);
      }
    });
  }
});

async function thrownBy(work: PromiseLike<unknown>): Promise<FirmquoteError> {
  const error = await work.then(
    () => assert.fail('it succeeded'),
    (thrown) => thrown,
  );
  assert.ok(error instanceof FirmquoteError, String(error));
  return error;
}

/** Asking goes through the same network; whoever asks must ask again. */
async function ask(error: OutcomeUnknownError): Promise<{ transactionId: string } | null> {
  for (let times = 0; ; times++) {
    try {
      return (await error.resolve({ cancelIfOpen: true })) as { transactionId: string } | null;
    } catch (again) {
      assert.ok(again instanceof OutcomeUnknownError && times < 50, String(again));
    }
  }
}

/** Time as it is, in which pauses before another attempt are twenty times shorter. */
function quick() {
  return {
    monotonicMs: () => performance.now(),
    wallMs: () => Date.now(),
    random: () => 0.02,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms > 1_000 ? ms : ms / 20);
        signal?.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}
