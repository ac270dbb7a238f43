import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCustomer } from './create-customer.ts';
import { startTestServer } from './test-server.ts';
import { customerView } from './view.ts';

const server = await startTestServer();
const { call, room } = server;
const iban = 'DE89 3704 0044 0532 0130 00';
const instruction = { currency: 'EUR', accountHolder: 'Acme GmbH', bic: 'cobadeffxxx', iban };

async function newCustomer(): Promise<{ id: string; path: string }> {
  const customer = await createCustomer(room, { name: 'Acme' });
  const { customerId } = customerView(customer);
  return { id: customer.id, path: `/v1/operator/customers/${customerId}/settlement-instructions` };
}

test('an account is kept in electronic form and shown masked', async () => {
  const { id, path } = await newCustomer();
  assert.deepEqual([...(await server.directory.profile(id)).payoutCurrencies], []);
  const added = await call('POST', path, { body: instruction });
  assert.equal(added.status, 201);
  assert.equal(added.body.accountMasked, 'DE** **** 3000');
  assert.equal(added.body.accountType, 'iban');
  assert.equal(added.body.bic, 'COBADEFFXXX');
  const { rows } = await server.database.pool.query<{ iban: string; masked: string }>(
    'select iban, mask_account(iban) as masked from settlement_instructions where customer_id = $1',
    [id],
  );
  assert.equal(rows[0]?.iban, 'DE89370400440532013000');
  assert.equal(rows[0]?.masked, added.body.accountMasked, 'the database masks in the same way');
  assert.deepEqual([...(await server.directory.profile(id)).payoutCurrencies], ['EUR']);
  const { rows: keys } = await server.database.pool.query('select * from idempotency_keys');
  assert.doesNotMatch(JSON.stringify(keys) + server.log(), /0532013|0532 013/);
});

test('each currency has one active account, also when two arrive at once', async () => {
  const { id, path } = await newCustomer();
  await call('POST', path, {
    body: { ...instruction, currency: 'USD', iban: null, accountNumber: '12345678' },
  });
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => call('POST', path, { body: instruction })),
  );
  assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [201]);
  const active = await call('GET', `${path}?status=active`);
  assert.deepEqual(active.body.items.map((item: { currency: string }) => item.currency).sort(), [
    'EUR',
    'USD',
  ]);
  const retired = await call('GET', `${path}?status=retired&currency=EUR&limit=5`);
  assert.equal(retired.body.items.length, 5);
  assert.equal(retired.body.hasMore, true);
  const rest = await call(
    'GET',
    `${path}?status=retired&currency=EUR&limit=5&cursor=${retired.body.nextCursor}`,
  );
  assert.equal(rest.body.items.length, 2);
  const other = await newCustomer();
  const foreign = await call(
    'GET',
    `${other.path}?status=retired&currency=EUR&cursor=${retired.body.nextCursor}`,
  );
  assert.equal(foreign.body.code, 'cursor_invalid', 'a cursor belongs to the list of one customer');

  const [euro] = active.body.items.filter((item: { currency: string }) => item.currency === 'EUR');
  const one = `${path}/${euro.settlementInstructionId}`;
  assert.equal((await call('DELETE', `${other.path}/${euro.settlementInstructionId}`)).status, 404);
  assert.equal((await call('DELETE', one)).status, 204);
  assert.equal((await call('DELETE', one)).status, 204);
  assert.equal((await call('DELETE', `${path}/ssi_x`)).body.code, 'settlement_instruction_not_found');
  assert.deepEqual([...(await server.directory.profile(id)).payoutCurrencies], ['USD']);
});

test('one key adds one account', async () => {
  const { path } = await newCustomer();
  const headers = { 'Idempotency-Key': 'ssi-1' };
  const first = await call('POST', path, { body: instruction, headers });
  const second = await call('POST', path, { body: instruction, headers });
  assert.deepEqual(second.body, first.body);
  assert.equal(second.headers.get('idempotency-replayed'), 'true');
  assert.equal((await call('GET', path)).body.items.length, 1);
});

test('accounts that cannot be are refused by field, without repeating them', async () => {
  const { path } = await newCustomer();
  for (const [change, pointer, code] of [
    [{ iban: 'DE88370400440532013000' }, '/iban', 'iban_invalid'],
    [{ iban: 'DE8937040044053201300' }, '/iban', 'iban_invalid'],
    [{ iban: null }, '/iban', 'required'],
    [{ accountNumber: '12345678' }, '/accountNumber', 'not_permitted'],
    [{ iban: null, accountNumber: '123' }, '/accountNumber', 'wrong_format'],
    [{ bic: 'COBADEF' }, '/bic', 'wrong_format'],
    [{ currency: 'XXY' }, '/currency', 'currency_not_supported'],
    [{ currency: 'HRK' }, '/currency', 'currency_withdrawn'],
    [{ bankCountry: 'Germany' }, '/bankCountry', 'wrong_format'],
    [{ bankCountry: 'FR' }, '/bankCountry', 'not_permitted'],
    [{ bic: 'BNPAFRPP' }, '/bic', 'not_permitted'],
    [{ lei: '529900T8BM49AURSDO56' }, '/lei', 'wrong_format'],
    [{ lei: '529900T8BM49AURSDO5' }, '/lei', 'wrong_format'],
  ] as const) {
    const refused = await call('POST', path, { body: { ...instruction, ...change } });
    assert.equal(refused.status, 400, JSON.stringify(change));
    assert.deepEqual([refused.body.errors[0].pointer, refused.body.errors[0].code], [pointer, code]);
    assert.doesNotMatch(JSON.stringify(refused.body), /0532013/);
  }
  const missing = path.replace(/cus_[^/]+/, 'cus_01jngx7z5d2m8r4v6t9k3b1c0a');
  assert.equal((await call('POST', missing, { body: instruction })).body.code, 'customer_not_found');
  assert.equal((await call('GET', missing)).body.code, 'customer_not_found');
});

test("the house's accounts are set by currency and known at once", async () => {
  const path = '/v1/operator/collection-accounts';
  assert.equal((await server.directory.collectionCurrencies()).has('USD'), false);
  const body = {
    accountHolder: 'Example FX Ltd Client Money',
    bankName: 'Example Bank',
    bic: 'EXMPUS33XXX',
    accountNumber: '9876543210',
    routingNumber: '021000021',
    rails: ['fedwire', 'swift'],
  };
  const set = await call('PUT', `${path}/USD`, { body });
  assert.equal(set.status, 200);
  assert.equal(set.body.iban, null);
  assert.equal((await server.directory.collectionCurrencies()).has('USD'), true);
  await call('PUT', `${path}/USD`, { body: { ...body, bankName: 'Other Bank' } });
  await call('PUT', `${path}/EUR`, { body: { accountHolder: 'Example', iban } });
  const list = await call('GET', path);

  assert.deepEqual(
    list.body.items.map((item: { currency: string; bankName: string | null; iban: string | null }) => [
      item.currency,
      item.bankName,
      item.iban,
    ]),
    [
      ['EUR', null, 'DE89370400440532013000'],
      ['USD', 'Other Bank', null],
    ],
  );
  const { rows } = await server.database.pool.query<{ details: string }>(
    "select details::text as details from collection_accounts where currency = 'USD'",
  );
  assert.equal(
    rows[0]?.details,
    JSON.stringify({ ...body, iban: undefined, bankName: 'Other Bank', rails: undefined }).replace(
      '}',
      ',"iban":null,"rails":["fedwire","swift"]}',
    ),
  );
  assert.equal((await call('PUT', `${path}/usd`, { body })).status, 400);
  assert.equal((await call('PUT', `${path}/USD`, { body: { ...body, rails: ['Fed Wire'] } })).status, 400);
  assert.equal((await call('PUT', `${path}/USD`, { body: { ...body, accountNumber: null } })).status, 400);
});

test('a postal address is no part of the customer, whose version says when that has changed', async () => {
  const { path } = await newCustomer();
  const [customer, url] = ['', '/postal-address'].map((rest) =>
    path.replace('/settlement-instructions', rest),
  );
  const before = await call('GET', customer ?? '');
  server.clock.advance(60_000);
  const postalAddress = { townName: 'Köln', country: 'DE' };
  assert.equal((await call('PUT', url ?? '', { body: { postalAddress } })).status, 200);
  const after = await call('GET', customer ?? '');
  assert.equal(after.headers.get('etag'), before.headers.get('etag'));
  assert.deepEqual(after.body, before.body, 'one tag is one answer');
});

test('postal addresses of customers and of the house, and its identifier, are kept apart from what trades show', async () => {
  const { path } = await newCustomer();
  const url = path.replace('settlement-instructions', 'postal-address');
  assert.deepEqual((await call('GET', url)).body, { postalAddress: null });
  const postalAddress = { streetName: 'Hohe Straße', buildingNumber: '1', townName: 'Köln', country: 'DE' };
  assert.deepEqual((await call('PUT', url, { body: { postalAddress } })).body, { postalAddress });
  assert.deepEqual((await call('GET', url)).body, { postalAddress });
  for (const [patch, pointer, code] of [
    [{ country: 'ZZ' }, '/postalAddress/country', 'wrong_format'],
    [{ country: 'QX' }, '/postalAddress/country', 'wrong_format'],
    [{ addressLines: ['x'] }, '/postalAddress/addressLines', 'not_permitted'],
    [{ townName: '' }, '/postalAddress/townName', undefined],
    [{ more: 1 }, undefined, undefined],
  ] as const) {
    const refused = await call('PUT', url, { body: { postalAddress: { ...postalAddress, ...patch } } });
    assert.deepEqual([refused.status, refused.body.code], [400, 'validation_failed']);
    if (code !== undefined) {
      assert.deepEqual([refused.body.errors[0].pointer, refused.body.errors[0].code], [pointer, code]);
    }
  }
  assert.equal((await call('PUT', url, { body: { postalAddress: null } })).body.postalAddress, null);
  const missing = url.replace(/cus_[^/]+/, 'cus_01jngx7z5d2m8r4v6t9k3b1c0a');
  assert.equal((await call('GET', missing)).body.code, 'customer_not_found');
  assert.equal((await call('PUT', missing, { body: { postalAddress } })).body.code, 'customer_not_found');
  const house = {
    accountHolder: 'Example',
    iban,
    holderAddress: { townName: 'London', country: 'GB' },
    holderLei: '529900T8BM49AURSDO55',
  };
  const set = await call('PUT', '/v1/operator/collection-accounts/GBP', { body: house });
  assert.deepEqual(set.body.holderAddress, house.holderAddress);
  assert.equal(set.body.holderLei, house.holderLei);
  for (const holderLei of ['529900T8BM49AURSDO56', '529900T8BM49AURSDO5', '']) {
    const { status, body } = await call('PUT', '/v1/operator/collection-accounts/GBP', {
      body: { ...house, holderLei },
    });
    assert.deepEqual([status, body.errors[0].pointer], [400, '/holderLei'], holderLei);
  }
  const listed = (await call('GET', '/v1/operator/collection-accounts')).body.items;
  const leis = listed.map(({ currency, holderLei }: Record<string, string>) => [currency, holderLei]);
  assert.ok(leis.some(([currency, lei]: string[]) => currency === 'GBP' && lei === house.holderLei));
  const wrong = { ...house, holderAddress: { townName: 'London', country: 'EU' } };
  const refused = await call('PUT', '/v1/operator/collection-accounts/GBP', { body: wrong });
  assert.equal(refused.body.errors[0].pointer, '/holderAddress/country');
  const { rows } = await server.database.pool.query<{ details: string }>(
    "select details::text as details from collection_accounts where currency = 'GBP'",
  );
  assert.doesNotMatch(rows[0]?.details ?? '', /London|529900/);
});
