import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createCustomer, refused, SELL_USD, succeed } from './support/acceptance.ts';
import { ownerOf } from './support/database.ts';
import { startTestService, type TestService } from './support/service.ts';

/** Serving and pricing are two questions: `/readyz` and `/readyz/prices`. */

let service: TestService;

before(async () => {
  service = await startTestService({ FIRMQUOTE_SOURCES: 'push' });
});

const publicly = (path: string) => service.call('GET', path, { token: null });

async function metrics(): Promise<string> {
  return (await publicly('/metrics')).text;
}

test('it is ready before the first price is pushed, and says that it cannot price', async () => {
  const { body } = await succeed(200, publicly('/readyz'));
  assert.equal(body.ready, true);
  assert.deepEqual(Object.keys(body.checks), ['database', 'writes', 'migrations', 'clock', 'accepting']);
  const prices = await succeed(503, publicly('/readyz/prices'));
  assert.equal(prices.body.ready, false);
  assert.deepEqual(prices.body.checks.prices, { ok: false, detail: '0 of 0 pairs have a current price' });
  assert.match(await metrics(), /^firmquote_pricing_ready 0$/m);
});

test('a feed that stops takes nothing down but prices', async () => {
  const acme = await createCustomer(service);
  await succeed(
    200,
    service.operate('POST', '/v1/operator/prices', { pair: 'EURUSD', bid: '1.08488', ask: '1.08494' }),
  );
  const fresh = await succeed(200, publicly('/readyz/prices'));
  assert.deepEqual(fresh.body.checks.prices, { ok: true, detail: '1 of 1 pairs have a current price' });
  assert.match(await metrics(), /^firmquote_pricing_ready 1$/m);
  assert.match(await metrics(), /^firmquote_pairs\{state="fresh"\} 1$/m);
  const quote = await acme.quote({ validitySeconds: 300 });

  await succeed(200, service.operate('POST', '/v1/sandbox/clock', { advanceSeconds: 120 }));
  const stale = await succeed(503, publicly('/readyz/prices'));
  assert.deepEqual(stale.body.checks.prices, { ok: false, detail: '0 of 1 pairs have a current price' });
  assert.match(await metrics(), /^firmquote_pairs\{state="stale"\} 1$/m);
  await refused('price_unavailable', acme.post('/v1/customer/quotes', SELL_USD));

  assert.equal((await succeed(200, publicly('/readyz'))).body.ready, true);
  const { body } = await succeed(201, acme.execute(quote.body.quoteId));
  await succeed(200, acme.get(`/v1/customer/transactions/${body.transactionId}`));
  const { clientId, clientSecret } = service.sandbox.customer;
  assert.ok(await service.token(clientId, clientSecret));
  await succeed(200, publicly('/docs/'));
});

test('a database that was replaced by an older one is not ready', async () => {
  const { rows } = await ownerOf(service.pool).query(
    'delete from schema_migrations where name = (select max(name) from schema_migrations) returning *',
  );
  const { body } = await succeed(503, publicly('/readyz'));
  assert.deepEqual(body.checks.migrations, {
    ok: false,
    detail: `the database lacks ${rows[0].name}: it was replaced by an older one`,
  });
  await ownerOf(service.pool).query(
    'insert into schema_migrations (name, checksum, runs_with) values ($1, $2, $3), ($4, $2, $3)',
    [rows[0].name, rows[0].checksum, rows[0].runs_with, '9999_of_a_newer_version.sql'],
  );
  await succeed(200, publicly('/readyz'));
});
