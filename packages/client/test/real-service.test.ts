import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  AuthenticationError,
  type ClientOptions,
  Firmquote,
  OutcomeUnknownError,
  type Transaction,
} from '@firmquote/client';
import { checkAmounts, formatDecimal, parseDecimal } from '@firmquote/client/money';
import fc from 'fast-check';
import { exportJWK, generateKeyPair } from 'jose';
import { createCustomer } from '../../service/test/support/acceptance.ts';
import { ownerOf } from '../../service/test/support/database.ts';
import { untilLocked } from '../../service/test/support/waiting-for-locks.ts';
import { REAL } from '../src/runtime.ts';
import { startFaultProxy } from './support/fault-proxy.ts';
import { startDesk } from './support/service.ts';

const { service, firmquote, operator, sandbox, options } = await startDesk();

const REQUEST = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '1000.00' } as const;

test('a trade from an estimate to its settlement', async () => {
  const estimate = await firmquote.quotes.indicative(REQUEST);
  assert.equal(estimate.type, 'indicative');
  const quote = await firmquote.quotes.create(REQUEST);
  assert.ok(checkAmounts(quote).isRight);
  const left = firmquote.quotes.secondsLeft(quote);
  assert.ok(left > 25 && left <= 30, `${left}`);
  const { data, attempts, idempotencyKey, etag } = await firmquote.quotes
    .execute(quote, { clientReference: 'PO-1' })
    .withResponse();
  assert.equal(attempts, 1);
  assert.match(idempotencyKey ?? '', /^[0-9a-f-]{36}$/);
  assert.equal(data.quoteId, quote.quoteId);
  assert.equal(data.sellAmount, quote.sellAmount);
  assert.ok(etag !== undefined);
  await sandbox.triggerSandboxEvent(data.transactionId, 'deposit');
  const changes: string[] = [];
  const settling = firmquote.transactions.waitFor(data.transactionId, 'settled', {
    onChange: ({ status }) => changes.push(status),
  });
  await sandbox.triggerSandboxEvent(data.transactionId, 'settle');
  assert.equal((await settling).status, 'settled');
  const seen = await operator.getAnyTransaction(data.transactionId);
  assert.equal(seen.clientReference, 'PO-1');
});

test('an execution that is under way when its quote runs out is known to its caller, not given up', async (t) => {
  const owner = ownerOf(service.pool);
  // Somebody holds what the trade has to write.
  const holder = await owner.connect();
  let isHeld = true;
  const letGo = async () => {
    if (!isHeld) return;
    isHeld = false;
    await holder.query('rollback');
    holder.release();
  };
  t.after(letGo);
  t.after(() => sandbox.moveSandboxClock({ real: true }));
  let isLost = true;
  const losing = new Firmquote(
    options({
      fetch: async (input, init) => {
        const answer = fetch(input, init);
        if (!isLost) {
          // Once it is asked whether it was executed.
          await answer.finally(letGo);
        } else if (String(input).endsWith('/execute')) {
          // It arrives, and its answer does not.
          answer.catch(() => undefined);
          await untilLocked(owner);
          throw Object.assign(new TypeError('fetch failed'), { code: 'ECONNRESET' });
        }
        return answer;
      },
    }),
  );
  const quote = await losing.quotes.create({ ...REQUEST, amount: '1234.00' });
  await holder.query('begin');
  await holder.query('select from customer_usage for update');
  const error = await losing.quotes.execute(quote, { maxRetries: 0 }).catch((reason: unknown) => reason);
  assert.ok(error instanceof OutcomeUnknownError, String(error));
  await sandbox.moveSandboxClock({ advanceSeconds: 31 });
  assert.equal((await firmquote.quotes.get(quote.quoteId)).status, 'expired');
  isLost = false;
  const traded = (await error.resolve()) as Transaction | null;
  assert.equal(traded?.quoteId, quote.quoteId);
});

test('lists, events and files', async () => {
  const transactions = await firmquote.transactions.list().toArray({ limit: 10 });
  assert.ok(transactions.length >= 1);
  const types = [];
  for await (const event of firmquote.events.list()) types.push(event.type);
  assert.ok(types.includes('transaction.settled'));
  const currencies = await firmquote.reference.currencies();
  assert.ok(currencies.items.length > 10);
  const [first] = transactions;
  assert.ok(first !== undefined);
  const pdf = await firmquote.transactions.confirmation(first.transactionId, { format: 'pdf' });
  assert.equal(new TextDecoder().decode((await pdf.bytes()).slice(0, 5)), '%PDF-');
});

test('prices come', async () => {
  const end = new AbortController();
  const seen = new Set<string>();
  for await (const update of firmquote.prices.stream(
    { pairs: ['EURUSD', 'USDJPY'] },
    { signal: end.signal },
  )) {
    if (update.event === 'price') seen.add(update.data.pair);
    if (seen.size === 2) break;
  }
  const socket = await firmquote.prices.socket();
  socket.subscribe(['EURUSD']);
  for await (const event of socket) {
    if (event.event === 'price') break;
  }
  end.abort();
});

describe('a socket', () => {
  const ofCustomer = async () => {
    const customer = await createCustomer(service);
    const { clientId, clientSecret } = customer;
    const firmquote = new Firmquote(options({ clientId, clientSecret }));
    const priced = async () => {
      const socket = await firmquote.prices.socket();
      socket.subscribe(['EURUSD']);
      return socket;
    };
    return { ...customer, priced };
  };

  test('opens again after its token was revoked, by a program that calls nothing else', async () => {
    const { customerId, clientId, priced } = await ofCustomer();
    let reason: unknown;
    let isRevoked = false;
    for await (const event of await priced()) {
      if (event.event === 'bye') reason = event.data.reason;
      if (event.event !== 'price' || isRevoked) continue;
      isRevoked = true;
      await operator.revokeCredentialTokens(customerId, clientId, {});
    }
    assert.equal(reason, 'token_invalid');
    for await (const { event } of await priced()) if (event === 'price') break;
  });

  test('that is refused says why', async () => {
    const { customerId, clientId, priced } = await ofCustomer();
    const open = await Promise.all(Array.from({ length: 5 }, priced));
    await assert.rejects(priced(), { code: 'too_many_streams', status: 429 });
    for (const socket of open) socket.close();
    await operator.suspendCredential(customerId, clientId, {});
    await assert.rejects(priced(), { name: 'AuthenticationError', code: 'invalid_client' });
  });
});

describe('a private key instead of a secret', async () => {
  const { customerId, clientId } = await createCustomer(service, { currencies: [] });
  const pairs = await Promise.all(
    ['EdDSA', 'ES256', 'RS256'].map(async (alg) => {
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
      const [secret, open] = await Promise.all([exportJWK(privateKey), exportJWK(publicKey)]);
      return { alg, key: privateKey, jwk: { kty: '', ...secret, kid: alg }, known: { ...open, kid: alg } };
    }),
  );
  const setKeys = (keys: readonly object[]) =>
    operator.setCredentialKeys(customerId, clientId, { keys: keys as never });
  const clientOf = (more: ClientOptions) =>
    new Firmquote(options({ clientId, clientSecret: undefined, ...more }));
  await setKeys(pairs.map(({ known }) => known));
  const metadata = await fetch(`${service.baseUrl}/.well-known/oauth-authorization-server`);
  const { issuer } = (await metadata.json()) as { issuer: string };

  for (const { alg, key, jwk } of pairs) {
    test(`signs with ${alg}`, async () => {
      for (const more of [
        { privateKey: jwk },
        { privateKey: key, keyId: alg },
        { privateKey: jwk, assertionAudience: issuer },
      ]) {
        assert.deepEqual((await clientOf(more).quotes.list()).items, []);
      }
    });
  }

  test('that the service does not know any more is refused, and named', async () => {
    const [gone, ...others] = pairs;
    await setKeys(others.map(({ known }) => known));
    for (const keyId of ['EdDSA', 'ES256']) {
      const error = await clientOf({ privateKey: gone?.jwk, keyId })
        .quotes.list()
        .then(
          () => assert.fail('it was taken'),
          (thrown) => thrown,
        );
      assert.ok(error instanceof AuthenticationError);
      assert.equal(error.code, 'invalid_client');
      assert.match(error.nextStep, /privateKey/);
    }
  });
});

describe('a token that is bound to a key', async () => {
  const { customerId, clientId, clientSecret } = await createCustomer(service);
  await operator.updateCredential(customerId, clientId, { dpopBoundTokens: true });
  const mine = options({ clientId, clientSecret });
  const firmquote = new Firmquote({ ...mine, dpop: true });

  test('trades, streams and opens sockets as any other', async () => {
    const quote = await firmquote.quotes.create(REQUEST);
    const { quoteId } = await firmquote.quotes.execute(quote);
    assert.equal(quoteId, quote.quoteId);
    for await (const { event } of firmquote.prices.stream({ pairs: ['EURUSD'] }))
      if (event === 'price') break;
    const socket = await firmquote.prices.socket();
    socket.subscribe(['EURUSD']);
    for await (const { event } of socket) if (event === 'price') break;
  });

  test('is worth nothing to whoever has stolen it', async () => {
    const token = (await firmquote.accessToken()) ?? '';
    const url = `${service.baseUrl}/v1/customer/quotes`;
    for (const scheme of ['Bearer', 'DPoP'])
      assert.equal(
        (await fetch(url, { headers: { authorization: `${scheme} ${token}` } })).status,
        401,
        scheme,
      );
    for (const dpop of [undefined, true] as const) {
      const thief = new Firmquote(options({ clientId: undefined, clientSecret: undefined, token, dpop }));
      await assert.rejects(thief.limits.get(), AuthenticationError);
    }
    await assert.rejects(
      new Firmquote(mine).limits.get(),
      { code: 'invalid_dpop_proof' },
      'the secret alone gets none',
    );
    assert.ok((await firmquote.quotes.list()).items.length > 0);
  });

  test('has a new proof in each attempt, through a network that fails', async () => {
    const proxy = await startFaultProxy({
      ...{ target: service.baseUrl, seed: 7, hits: () => true },
      faults: { reset: 0.1, drop: 0.15, unavailable: 0.1, truncate: 0.1 },
    });
    try {
      const patient = new Firmquote({
        ...{ ...mine, dpop: true, maxRetries: 20, deadlineMs: 60_000 },
        // The address is that of the service: only the way there is another one.
        fetch: (input, init) => fetch(String(input).replace(service.baseUrl, proxy.url), init),
        runtime: { ...REAL, random: () => 0.02 },
      });
      const attempts: number[] = [];
      for (let i = 0; i < 20; i++) {
        const { data, attempts: tried } = await patient.quotes.create(REQUEST).withResponse();
        attempts.push(tried);
        assert.equal((await patient.quotes.execute(data)).quoteId, data.quoteId);
      }
      assert.ok(Math.max(...attempts) > 1, 'some were sent again');
    } finally {
      await proxy.stop();
    }
  });
});

describe('the amounts of real quotes, computed again', () => {
  const SEED = 20_260_304;
  const ACCOUNTS: readonly { readonly currency: string; readonly [member: string]: string }[] = [
    { currency: 'BHD', iban: 'BH67BMAG00001299123456', bankCountry: 'BH' },
    { currency: 'CHF', iban: 'CH9300762011623852957', bankCountry: 'CH' },
    { currency: 'CLP', accountNumber: '1234567890', bankCountry: 'CL' },
    { currency: 'KWD', iban: 'KW81CBKU0000000000001234560101', bankCountry: 'KW' },
    { currency: 'SEK', iban: 'SE4550000000058398257466', bankCountry: 'SE' },
  ];
  const DECIMALS: Readonly<Record<string, number>> = { BHD: 3, CLP: 0, JPY: 0, KWD: 3 };
  const CURRENCIES = ['BHD', 'CHF', 'CLP', 'EUR', 'JPY', 'KWD', 'SEK', 'USD'];
  const trades = CURRENCIES.flatMap((sellCurrency) =>
    CURRENCIES.filter((each) => each !== sellCurrency).flatMap((buyCurrency) =>
      (['sell', 'buy'] as const).map((fixedSide) => ({ sellCurrency, buyCurrency, fixedSide })),
    ),
  );
  // As often short as long, and none that chooses a drill, whatever its decimals.
  const choosesDrill = (whole: bigint) => whole % 1_000n > 900n && whole % 1_000n <= 910n;
  const units = fc
    .integer({ min: 2, max: 8 })
    .chain((zeros) => fc.bigInt(10n ** BigInt(zeros), 10n ** BigInt(zeros + 1)))
    .filter((all) => ![1n, 100n, 1_000n].some((minor) => choosesDrill(all / minor)));
  const amounts = fc.sample(units, { seed: SEED, numRuns: trades.length });

  test(`${trades.length} quotes of ${CURRENCIES.length} currencies`, async () => {
    const { customerId, clientId, clientSecret } = await createCustomer(service);
    for (const account of ACCOUNTS)
      await operator.addSettlementInstruction(customerId, { accountHolder: 'Acme Ltd', ...account } as never);
    const me = new Firmquote(options({ clientId, clientSecret }));
    const kinds: string[] = [];
    const check = async (trade: (typeof trades)[number], minor: bigint) => {
      const isSell = trade.fixedSide === 'sell';
      const [fixed, other] = isSell
        ? [trade.sellCurrency, trade.buyCurrency]
        : [trade.buyCurrency, trade.sellCurrency];
      const amount = formatDecimal({ units: minor, scale: DECIMALS[fixed] ?? 2 });
      const quote = await me.quotes.create({ ...trade, amount });
      assert.equal(isSell ? quote.sellAmount : quote.buyAmount, amount);
      const { isRight, expected, actual } = checkAmounts(quote);
      assert.ok(isRight, `${JSON.stringify(quote)}: ${expected}, not ${actual}`);
      const { scale: decimals } = parseDecimal(actual);
      assert.equal(decimals, DECIMALS[other] ?? 2);
      kinds.push(`${quote.rate.pair} ${quote.rate.baseCurrency === fixed ? 'times' : 'divided'} ${decimals}`);
    };
    await Promise.all(trades.map((trade, index) => check(trade, amounts[index] ?? 0n)));

    const pairs = [...new Set(kinds.map((kind) => kind.slice(0, 6)))];
    const listed = await me.reference.pairs({ pair: pairs, limit: pairs.length });
    const prices = new Map(listed.items.map(({ pair, price }) => [pair, price]));
    const met = new Set(kinds.map((kind) => `${prices.get(kind.slice(0, 6))}${kind.slice(6)}`));
    // No currency without two decimals is the base of a direct price.
    assert.deepEqual([...met].sort(), [
      ...['cross divided 0', 'cross divided 2', 'cross divided 3'],
      ...['cross times 0', 'cross times 2', 'cross times 3'],
      ...['direct divided 2', 'direct times 0', 'direct times 2', 'direct times 3'],
    ]);
  });
});

test('a quote is good for as long as it says with a service whose clock was moved by ten minutes', async () => {
  for (const byMs of [600_000, -600_000]) {
    await sandbox.moveSandboxClock({ now: new Date(Date.now() + byMs).toISOString() });
    for (const client of [firmquote, new Firmquote(options())]) {
      const quote = await client.quotes.create({ ...REQUEST, validitySeconds: 60 });
      const left = client.quotes.secondsLeft(quote);
      assert.ok(left > 50 && left <= 60, `${left} s`);
      assert.ok(Math.abs(Date.parse(quote.createdAt) - Date.now() - byMs) < 10_000);
      const { data, attempts } = await client.quotes.execute(quote).withResponse();
      assert.deepEqual([data.quoteId, attempts], [quote.quoteId, 1]);
    }
  }
});
