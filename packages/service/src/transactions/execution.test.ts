import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { isValidReference } from '@firmquote/fx';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { createDesk, type Desk, EXAMPLE_INSTANT, executionOf } from '../../test/support/trading.ts';
import { limitUsage } from '../customers/limits.ts';
import type { Pool } from '../database/pool.ts';
import { inTransaction } from '../database/pool.ts';
import { Problem } from '../problems/problem.ts';
import { endQuotesOf } from '../quotes/end-quotes.ts';
import { cancelQuote, expireQuotes, findQuote } from '../quotes/quote-lifecycle.ts';
import { requestQuote } from '../quotes/request-quote.ts';
import { executeQuote } from './execute-quote.ts';
import { renderTransaction } from './render.ts';
import { TransactionStore } from './store.ts';

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase());
});

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return error;
  }
  throw new Error('it succeeded');
}

async function balancesOf(customerId: string): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ account: string; currency: string; balance: string }>(
    'select account, currency, balance from balances where customer_id = $1',
    [customerId],
  );
  return Object.fromEntries(rows.map((row) => [`${row.account} ${row.currency}`, row.balance]));
}

describe('an execution', () => {
  test('books the worked example: transaction, ledger, events, limits in one commit', async () => {
    const desk = await createDesk(pool);
    const quote = await desk.quote();
    assert.equal(quote.buyMinor, 9_198_701n);
    assert.equal(quote.marketMinor, 9_217_100n);
    const transaction = await desk.execute(quote);
    assert.equal(transaction.status, 'awaiting_funds');
    assert.equal(transaction.sell_minor, '10000000');
    assert.equal(transaction.buy_minor, '9198701');
    assert.ok(isValidReference(transaction.reference), transaction.reference);
    assert.ok(transaction.created_at >= EXAMPLE_INSTANT && transaction.created_at < EXAMPLE_INSTANT + 60_000);
    assert.deepEqual(await balancesOf(desk.customerId), {
      'customer_receivable USD': '10000000',
      'position USD': '-10000000',
      'position EUR': '9217100',
      'customer_payable EUR': '-9198701',
      'markup_revenue EUR': '-18399',
    });
    const events = await pool.query<{ type: string; sequence: string }>(
      'select type, sequence from feed_events where customer_id = $1 order by sequence',
      [desk.customerId],
    );
    assert.deepEqual(events.rows, [
      { type: 'quote.executed', sequence: '1' },
      { type: 'transaction.created', sequence: '2' },
    ]);
    assert.equal(transaction.change_sequence, '2');
    const usage = await pool.query(
      'select daily_usd_minor, open_usd_minor from customer_usage where customer_id = $1',
      [desk.customerId],
    );
    assert.deepEqual(usage.rows[0], { daily_usd_minor: '10000000', open_usd_minor: '10000000' });
    const after = await desk.services.quotes.find(desk.customerId, quote.id);
    assert.equal(after?.status, 'executed');
    assert.equal(after?.version, 2);
    assert.equal(after?.transactionId, transaction.id);
  });

  test('with the buy side fixed the markup is in the sold currency', async () => {
    const desk = await createDesk(pool);
    const quote = await desk.quote({ fixedSide: 'buy', amount: '100000.00' });
    assert.equal(quote.sellMinor, 10_871_100n);
    await desk.execute(quote);
    assert.deepEqual(await balancesOf(desk.customerId), {
      'customer_receivable USD': '10871100',
      'position USD': '-10849400',
      'markup_revenue USD': '-21700',
      'position EUR': '10000000',
      'customer_payable EUR': '-10000000',
    });
  });

  test('two hundred at once make one transaction and 199 answers that name it', async () => {
    const desk = await createDesk(pool);
    const quote = await desk.quote();
    const results = await Promise.allSettled(Array.from({ length: 200 }, () => desk.execute(quote)));
    const done = results.filter((result) => result.status === 'fulfilled');
    assert.equal(done.length, 1);
    const id = done[0]?.status === 'fulfilled' ? done[0].value.id : '';
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      assert.ok(result.reason instanceof Problem, String(result.reason));
      assert.equal(result.reason.code, 'quote_already_executed');
      assert.match(String(result.reason.members.transactionUrl), /^\/v1\/customer\/transactions\/txn_/);
    }
    const { rows } = await pool.query<{ id: string }>('select id from transactions where customer_id = $1', [
      desk.customerId,
    ]);
    assert.deepEqual(rows, [{ id }]);
  });

  test('what arrived before the close of the market is executed after it, what arrived at it is not', async () => {
    const desk = await createDesk(pool);
    desk.market.override('calendar');
    // Friday 17:00 New York.
    const close = Date.UTC(2026, 2, 6, 22);
    desk.clock.set(close - 15_000);
    const quotes = [await desk.quote(), await desk.quote()] as const;
    assert.deepEqual(
      quotes.map(({ expiresAt, validityTruncated }) => [expiresAt, validityTruncated]),
      [
        [close, true],
        [close, true],
      ],
    );
    desk.clock.set(close + 40);
    const execute = (quote: (typeof quotes)[0], receivedAt: number) =>
      executeQuote(desk.services, {
        ...{ customerId: desk.customerId, clientId: desk.clientId, quoteId: quote.id },
        ...{ body: {}, receivedAt, key: undefined, ifMatch: undefined },
      });
    const { transaction } = await execute(quotes[0], close - 1);
    assert.equal(transaction.quote_id, quotes[0].id);
    assert.equal((await problemOf(execute(quotes[1], close))).code, 'quote_expired');
  });

  test('execute against cancel: the first commit wins and the other is told the real state', async () => {
    const desk = await createDesk(pool);
    for (let round = 0; round < 20; round++) {
      const quote = await desk.quote();
      const [executed, cancelled] = await Promise.allSettled([
        desk.execute(quote),
        cancelQuote(desk.services, desk.customerId, quote.id, desk.clock.now(), undefined),
      ]);
      assert.notEqual(executed.status, cancelled.status);
      const loser =
        executed.status === 'rejected'
          ? executed.reason
          : cancelled.status === 'rejected'
            ? cancelled.reason
            : undefined;
      assert.ok(loser instanceof Problem);
      assert.equal(loser.code, executed.status === 'rejected' ? 'quote_cancelled' : 'quote_already_executed');
    }
  });

  test('a quote that ended otherwise is refused with what to send for a new one', async () => {
    const desk = await createDesk(pool);
    const expired = await desk.quote({ validitySeconds: 10 });
    const cancelled = await desk.quote();
    await cancelQuote(desk.services, desk.customerId, cancelled.id, desk.clock.now(), undefined);
    desk.clock.set(expired.expiresAt);
    const late = await problemOf(desk.execute(expired));
    assert.equal(late.code, 'quote_expired');
    assert.deepEqual(Object.keys(late.members), ['quoteStatus', 'expiresAt', 'receivedAt', 'requote']);
    assert.equal((await problemOf(desk.execute(cancelled))).code, 'quote_cancelled');
    const withdrawn = await desk.quote();
    assert.deepEqual(
      await inTransaction(pool, (each) =>
        endQuotesOf(each, desk.customerId, 'customer_suspended', desk.clock.now()),
      ),
      { withdrawn: 1, expired: 1 },
    );
    assert.equal((await problemOf(desk.execute(withdrawn))).code, 'quote_withdrawn');
    assert.equal(await expireQuotes(desk.services), 0);
    const { rows } = await pool.query<{ type: string }>(
      'select type from feed_events where customer_id = $1 order by sequence',
      [desk.customerId],
    );
    assert.deepEqual(
      rows.map((row) => row.type),
      ['quote.cancelled', 'quote.withdrawn', 'quote.expired'],
    );
  });

  test('a request that arrived in time is executed although the quote ran out meanwhile', async () => {
    const desk = await createDesk(pool);
    const quote = await desk.quote({ validitySeconds: 10 });
    const receivedAt = quote.expiresAt - 1;
    desk.clock.set(quote.expiresAt + 5_000);
    const { transaction } = await executeQuote(desk.services, {
      customerId: desk.customerId,
      clientId: desk.clientId,
      quoteId: quote.id,
      body: {},
      receivedAt,
      key: undefined,
      ifMatch: undefined,
    });
    assert.equal(transaction.quote_id, quote.id);
  });

  test('from a quarter of a second before its end a quote is executed with the version after that of running out', async () => {
    const desk = await createDesk(pool);
    for (const [beforeEndMs, version] of [
      [5_000, 2],
      [250, 3],
    ] as const) {
      const quote = await desk.quote({ validitySeconds: 10 });
      desk.clock.set(quote.expiresAt - beforeEndMs);
      await desk.execute(quote);
      const executed = await findQuote(desk.services, desk.customerId, quote.id);
      assert.deepEqual(
        [executed.status, executed.version],
        ['executed', version],
        `${beforeEndMs} ms before`,
      );
      const { rows } = await pool.query(
        `select version from feed_events where customer_id = $1 and quote_id = $2 and type = 'quote.executed'`,
        [desk.customerId, quote.id],
      );
      assert.deepEqual(rows, [{ version }]);
    }
  });

  test('an idempotency key replays, refuses another body, and is kept for what decided', async () => {
    const desk = await createDesk(pool);
    const quote = await desk.quote();
    const execute = (fingerprint: string, ifMatch?: number) =>
      executeQuote(desk.services, {
        customerId: desk.customerId,
        clientId: desk.clientId,
        quoteId: quote.id,
        body: {},
        receivedAt: desk.clock.now(),
        key: { key: 'k1', fingerprint },
        ifMatch,
      });
    assert.equal((await problemOf(execute('a', 7))).code, 'version_mismatch');
    // The mismatch decided nothing, so the key is free again.
    const first = await execute('a');
    assert.equal(first.replayed, false);
    desk.clock.advance(3_600_000);
    const again = await Promise.all(Array.from({ length: 20 }, () => execute('a')));
    for (const each of again) {
      assert.equal(each.replayed, true);
      assert.equal(
        renderTransaction(each.transaction, 0, 'customer'),
        renderTransaction(first.transaction, 0, 'customer'),
      );
    }
    assert.equal((await problemOf(execute('b'))).code, 'idempotency_key_reused');

    const expired = await desk.quote({ validitySeconds: 10 });
    desk.clock.advance(60_000);
    const late = () =>
      problemOf(
        executeQuote(desk.services, {
          customerId: desk.customerId,
          clientId: desk.clientId,
          quoteId: expired.id,
          body: {},
          receivedAt: desk.clock.now(),
          key: { key: 'k2', fingerprint: 'c' },
          ifMatch: undefined,
        }),
      );
    const reported = await late();
    desk.clock.advance(1_000);
    assert.deepEqual((await late()).members, reported.members);
  });

  test('limits hold exactly under concurrency, and what is refused leaves nothing behind', async () => {
    // Ten trades of 100,000 USD fit under the limit, not eleven.
    const desk = await createDesk(pool, { limits: { dailyUsdMinor: 100_000_000n } });
    const quotes = await Promise.all(Array.from({ length: 25 }, () => desk.quote()));
    const results = await Promise.allSettled(quotes.map((quote) => desk.execute(quote)));
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 10);
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      assert.equal(result.reason.code, 'limit_exceeded');
      assert.equal(result.reason.members.limitType, 'daily');
      assert.equal(result.reason.members.used, '1000000.00');
    }
    const { rows } = await pool.query<{ status: string; n: string }>(
      'select status, count(*) as n from current_quotes where customer_id = $1 group by status order by status',
      [desk.customerId],
    );
    assert.deepEqual(rows, [
      { status: 'executed', n: '10' },
      { status: 'open', n: '15' },
    ]);
    // The next trade day has its own limit.
    desk.clock.advance(24 * 3_600_000);
    await desk.execute(await desk.quote());
  });

  test('the day of a limit never goes back: instances that roll one after the other share it', async () => {
    const desk = await createDesk(pool, { limits: { dailyUsdMinor: 20_000_000n } });
    const quotes = await Promise.all(Array.from({ length: 6 }, () => desk.quote()));
    const now = () => desk.clock.now();
    const instance = (day: string) => new TransactionStore({ pool, now, limitDay: () => day });
    const [before, after] = [instance('2026-03-04'), instance('2026-03-05')];
    const outcomes = [];
    for (const [i, store] of [before, after, before, after, before, after].entries()) {
      const { outcome, limit_type, used_minor } = await store.execute(executionOf(desk, quotes[i]?.id ?? ''));
      outcomes.push(outcome === 'created' ? outcome : [outcome, limit_type, used_minor]);
    }
    const full = ['limit_exceeded', 'daily', '20000000'];
    assert.deepEqual(outcomes, ['created', 'created', 'created', full, full, full]);
    const usage = await limitUsage(pool, desk.customerId, EXAMPLE_INSTANT);
    assert.equal(usage.dailyUsedMinor, 20_000_000n, 'also for who is still before the roll');
    const { rows } = await pool.query('select limit_day from customer_usage where customer_id = $1', [
      desk.customerId,
    ]);
    assert.deepEqual(rows, [{ limit_day: '2026-03-05' }]);
  });

  test("other customers' quotes do not exist", async () => {
    const [mine, yours] = [await createDesk(pool), await createDesk(pool)];
    const quote = await yours.quote();
    assert.equal((await problemOf(mine.execute(quote))).code, 'quote_not_found');
    assert.equal((await yours.services.quotes.find(yours.customerId, quote.id))?.status, 'open');
  });

  test('expect and If-Match are held against the quote, which stays open', async () => {
    const desk = await createDesk(pool);
    const quote = await desk.quote();
    const command = {
      customerId: desk.customerId,
      clientId: desk.clientId,
      quoteId: quote.id,
      receivedAt: desk.clock.now(),
      key: undefined,
    };
    const mismatch = await problemOf(
      executeQuote(desk.services, {
        ...command,
        body: { expect: { buyAmount: '91987.02' } },
        ifMatch: undefined,
      }),
    );
    assert.equal(mismatch.code, 'quote_terms_mismatch');
    assert.deepEqual(mismatch.members.actual, { sellAmount: '100000.00', buyAmount: '91987.01' });
    const stale = await problemOf(executeQuote(desk.services, { ...command, body: {}, ifMatch: 2 }));
    assert.equal(stale.code, 'version_mismatch');
    assert.equal(stale.members.currentVersion, 1);
    const { transaction } = await executeQuote(desk.services, {
      ...command,
      body: {
        expect: { sellAmount: '100000', buyAmount: '91987.01' },
        clientReference: 'PO-1',
        metadata: { a: 'b' },
      },
      ifMatch: 1,
    });
    assert.equal(transaction.client_reference, 'PO-1');
    assert.equal(transaction.metadata, '{"a":"b"}');
  });
});

describe('firm quotes', () => {
  test('a key makes one quote, also when twenty requests race, and after market and price are gone', async () => {
    const desk = await createDesk(pool);
    const body = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '10.00' } as const;
    const request = (fingerprint: string) =>
      requestQuote(desk.services, {
        customerId: desk.customerId,
        clientId: desk.clientId,
        body,
        key: { key: 'one', fingerprint, receivedAt: desk.clock.now() },
      });
    // A batch never holds one key twice, because the HTTP layer lets one request with a key through at a time.
    const first = await request('a');
    const results = await Promise.all([request('a')]);
    desk.market.override('closed');
    results.push(await request('a'));
    for (const result of results) {
      assert.equal(result.current?.id, first.record.id);
      assert.deepEqual(result.record, first.record);
    }
    assert.equal((await problemOf(request('b'))).code, 'idempotency_key_reused');
  });

  test('no more quotes are open than permitted, exactly', async () => {
    const desk = await createDesk(pool, { limits: { maxOpenQuotes: 10 } });
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => desk.quote()));
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 10);
    for (const result of results) {
      if (result.status === 'rejected') assert.equal(result.reason.code, 'too_many_open_quotes');
    }
    desk.clock.advance(31_000);
    await desk.quote();
  });

  test('the open quotes of one customer count for no other in the same batch', async () => {
    const one = await createDesk(pool, { limits: { maxOpenQuotes: 2 } });
    const two = await createDesk(pool, { limits: { maxOpenQuotes: 2 }, clock: one.clock });
    // Both ask the same instance, so that what comes in one turn goes in one statement.
    const ask = ({ customerId, clientId, services: { customers } }: Desk, key: string) =>
      requestQuote(
        { ...one.services, customers },
        {
          customerId,
          clientId,
          body: { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '10.00' },
          key: { key, fingerprint: key, receivedAt: one.clock.now() },
        },
      );
    const answers = await Promise.allSettled(
      [one, two, one, two, one].map((desk, i) => ask(desk, `open-${i}`)),
    );
    assert.deepEqual(
      answers.map((each) => (each.status === 'fulfilled' ? 'made' : each.reason.code)),
      ['made', 'made', 'made', 'made', 'too_many_open_quotes'],
    );
    one.clock.advance(31_000);
    await pool.query(`update customers set status = 'suspended' where id = $1`, [two.customerId]);
    const later = await Promise.allSettled([two, one].map((desk, i) => ask(desk, `later-${i}`)));
    assert.deepEqual(
      later.map((each) => (each.status === 'fulfilled' ? 'made' : each.reason.code)),
      ['customer_suspended', 'made'],
    );
  });

  test('a key is kept for a day', async () => {
    const desk = await createDesk(pool);
    await requestQuote(desk.services, {
      customerId: desk.customerId,
      clientId: desk.clientId,
      body: { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '10.00' },
      key: { key: 'day', fingerprint: 'a', receivedAt: desk.clock.now() },
    });
    const { rows } = await pool.query(
      `select expires_at - created_at = interval '24 hours' as is_a_day from idempotency_keys where customer_id = $1`,
      [desk.customerId],
    );
    assert.deepEqual(rows, [{ is_a_day: true }]);
  });
});

test('the schema itself refuses an entry that does not balance, and any change to the journal', async () => {
  const desk = await createDesk(pool);
  await desk.execute(await desk.quote());
  await assert.rejects(
    pool.query(
      `insert into journal_entries (customer_id, id, kind, at, accounts, currencies, amounts)
       values ($1, gen_random_uuid(), 'payout_sent', now(), '{bank,position}', '{EUR,EUR}', '{100,-99}')`,
      [desk.customerId],
    ),
    /journal_entry_balances/,
  );
  await assert.rejects(
    ownerOf(pool).query('update journal_entries set at = now() where customer_id = $1', [desk.customerId]),
    /append-only/,
  );
  await assert.rejects(
    ownerOf(pool).query('delete from journal_entries where customer_id = $1', [desk.customerId]),
    /append-only/,
  );
});
