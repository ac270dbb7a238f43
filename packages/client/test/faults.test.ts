import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  ConnectionError,
  Firmquote,
  OutcomeUnknownError,
  type Quote,
  UnexpectedAnswerError,
} from '@firmquote/client';
import { createCustomer } from '../../service/test/support/acceptance.ts';
import { startFaultProxy } from './support/fault-proxy.ts';
import { startDesk } from './support/service.ts';

/** A network at its worst, between the client and a real service. */

const TRADES = 1_000;
const AT_ONCE = 40;
const SEED = 20_260_304;

const { service, options, sandbox } = await startDesk();
// Only the network fails.
await sandbox.controlSandboxMarket({ pair: 'EURUSD', bid: '1.08488', ask: '1.08494' });
const { clientId, clientSecret } = await createCustomer(service);
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
