import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { fingerprint } from '../src/http/idempotency.ts';
import {
  type Customer,
  createCustomer,
  moveClock,
  refused,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { assertReplay, conforms, LEFT_NOW, STATUS_NOW, truthNow } from './support/answers.ts';
import { ownerOf } from './support/database.ts';
import type { TestService } from './support/service.ts';

/** `Idempotency-Key` on quotes, executions, cancellations and operators' requests: docs/interface.md#idempotency. */

const QUOTES = '/v1/customer/quotes';
const MARKET = '/v1/sandbox/market';
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

const withKey = (key: string) => ({ 'Idempotency-Key': key });
const quoteId = async (body = {}) => (await acme.quote(body)).body.quoteId as string;
/** As it was written until 0053, on a database of before. */
const keepWhole = async (key: string, digits: string) => {
  const { rowCount } = await ownerOf(service.pool).query(
    'update idempotency_keys set fingerprint = $2 where key = $1 and fingerprint = left($2, 32)',
    [key, digits],
  );
  assert.equal(rowCount, 1);
};
let keys = 0;
const newKey = () => `key-${++keys}`;

describe('quotes', () => {
  test('the same request again is the same quote, however it is written', async () => {
    const key = newKey();
    const first = await acme.quote({ metadata: { a: '1', b: '2' } }, withKey(key));
    const { sellCurrency, ...rest } = SELL_USD;
    const body = JSON.stringify({ metadata: { b: '2', a: '1' }, ...rest, sellCurrency }, null, 2);
    const second = await acme.post(QUOTES, body, withKey(`"${key}"`));
    conforms('quote', second);
    assertReplay(second, first);
  });

  test('another request under the key is refused, also one that would fail by itself', async () => {
    const key = newKey();
    await acme.quote({}, withKey(key));
    for (const extra of [
      { amount: '1.00' },
      { metadata: {} },
      { sellCurrency: 'XYZ' },
      { validitySeconds: 7 },
    ]) {
      await refused('idempotency_key_reused', acme.post(QUOTES, { ...SELL_USD, ...extra }, withKey(key)));
    }
  });

  test('the same, whether all of the digits of its fingerprint are kept or half of them', async () => {
    for (const isWhole of [true, false]) {
      const key = newKey();
      const first = await acme.quote({}, withKey(key));
      if (isWhole) await keepWhole(key, fingerprint(QUOTES, SELL_USD));
      assertReplay(await acme.quote({}, withKey(key)), first);
      await refused(
        'idempotency_key_reused',
        acme.post(QUOTES, { ...SELL_USD, amount: '1.00' }, withKey(key)),
      );
    }
  });

  test('at the same time they wait for the first', async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => acme.quote({}, withKey(key))));
    assert.equal(new Set(answers.map((answer) => answer.body.quoteId)).size, 1);
    const replayed = answers.filter((answer) => answer.headers.get('Idempotency-Replayed') === 'true');
    assert.equal(replayed.length, 19);
  });

  test('whatever has become of the quote, the market or the customer since', async () => {
    const key = newKey();
    const first = await acme.quote({ validitySeconds: 60 }, withKey(key));
    const again = () => acme.post(QUOTES, { ...SELL_USD, validitySeconds: 60 }, withKey(key));
    await moveClock(service, { advanceSeconds: 4 });
    const open = await again();
    assertReplay(open, first);
    assert.equal(open.headers.get(STATUS_NOW), 'open');
    const left = Number.parseInt(open.headers.get(LEFT_NOW) ?? '', 10);
    assert.ok(left > 0 && left <= 56_000 && first.body.validForMs > 56_000, `${left}`);
    await acme.trade(first.body.quoteId);
    const executed = await again();
    assertReplay(executed, first);
    assert.deepEqual(truthNow(executed), ['executed', '0']);
    await service.operate('POST', MARKET, { state: 'closed' });
    assertReplay(await again(), first);
    await service.operate('POST', MARKET, { state: 'open' });
    await moveClock(service, { advanceSeconds: 3_600 });
    assertReplay(await again(), first);
  });

  test('a key belongs to one customer and one kind of request', async () => {
    const key = newKey();
    const other = await createCustomer(service);
    const first = await acme.quote({}, withKey(key));
    const theirs = await other.quote({ amount: '5.00' }, withKey(key));
    assert.notEqual(theirs.body.quoteId, first.body.quoteId);
    const second = await quoteId();
    for (const id of [first.body.quoteId, second]) {
      const answer = await succeed(201, acme.execute(id, { clientReference: id.slice(-8) }, withKey(key)));
      assert.equal(answer.headers.get('Idempotency-Replayed'), null);
    }
  });

  test('one key text for a quote and its execution is two keys, and each is replayed for itself', async () => {
    const key = newKey();
    const quote = await succeed(201, acme.quote({}, withKey(key)));
    const execution = await succeed(201, acme.execute(quote.body.quoteId, {}, withKey(key)));
    assert.equal(execution.headers.get('Idempotency-Replayed'), null);
    const again = await succeed(201, acme.execute(quote.body.quoteId, {}, withKey(key)));
    assert.equal(again.headers.get('Idempotency-Replayed'), 'true');
    assert.equal(again.body.transactionId, execution.body.transactionId);
    const asked = await succeed(201, acme.quote({}, withKey(key)));
    assert.equal(asked.headers.get('Idempotency-Replayed'), 'true');
    assert.equal(asked.body.quoteId, quote.body.quoteId);
  });

  test('after a day the key is free again', async () => {
    const key = newKey();
    const first = await acme.quote({}, withKey(key));
    await moveClock(service, { advanceSeconds: 86_400 - 60 });
    assertReplay(await acme.quote({}, withKey(key)), first);
    await moveClock(service, { advanceSeconds: 120 });
    const second = await acme.quote({ amount: '7.00' }, withKey(key));
    assert.notEqual(second.body.quoteId, first.body.quoteId);
  });
});

describe('what was not decided releases the key', () => {
  test('a quote that could not be made', async () => {
    const few = await createCustomer(service, { limits: { maxOpenQuotes: 1 } });
    const key = newKey();
    const ask = (amount: string) => few.post(QUOTES, { ...SELL_USD, amount }, withKey(key));
    await refused('price_unavailable', ask('901.00'));
    await service.operate('POST', MARKET, { state: 'closed' });
    await refused('market_closed', ask('10.00'), { reason: 'halt' });
    await service.operate('POST', MARKET, { state: 'open' });
    await refused('validation_failed', ask('x'));
    await refused('amount_above_maximum', ask('900000000.00'));
    const { body } = await few.quote();
    const full = await ask('10.00');
    await refused('too_many_open_quotes', full, { limit: 1, open: 1 });
    assert.equal(full.headers.get('Retry-After'), '1');
    await few.post(`${QUOTES}/${body.quoteId}/cancel`);
    await succeed(201, ask('10.00'));
  });

  test('and no other key: of another quote, of an execution, or of somebody else', async () => {
    const few = await createCustomer(service, { limits: { maxOpenQuotes: 1 } });
    const other = await createCustomer(service);
    const [mine, theirs] = [newKey(), newKey()];
    const traded = await few.quote();
    const execution = await succeed(201, few.execute(traded.body.quoteId, {}, withKey(theirs)));
    const ofOther = await succeed(201, other.quote({}, withKey(theirs)));
    const kept = await succeed(201, few.quote({}, withKey(mine)));
    await refused(
      'too_many_open_quotes',
      few.post(QUOTES, { ...SELL_USD, amount: '10.00' }, withKey(theirs)),
    );
    assert.equal((await few.quote({}, withKey(mine))).body.quoteId, kept.body.quoteId);
    assert.equal((await other.quote({}, withKey(theirs))).body.quoteId, ofOther.body.quoteId);
    const again = await succeed(201, few.execute(traded.body.quoteId, {}, withKey(theirs)));
    assert.equal(again.body.transactionId, execution.body.transactionId);
  });

  test('an execution that could not be done', async () => {
    const limited = await createCustomer(service, { limits: { dailyVolume: '150000.00' } });
    const [first, second] = [await limited.quote(), await limited.quote({ validitySeconds: 300 })];
    await limited.trade(first.body.quoteId);
    const key = newKey();
    const execute = (body = {}) => limited.execute(second.body.quoteId, body, withKey(key));
    await refused('limit_exceeded', execute(), { limitType: 'daily', limit: '150000.00', used: '100000.00' });
    await refused('quote_terms_mismatch', execute({ expect: { sellAmount: '1.00' } }));
    await service.operate('POST', MARKET, { state: 'closed' });
    await refused('market_closed', execute());
    await service.operate('POST', MARKET, { state: 'open' });
    const limits = await service.operate('GET', `${limited.path}/limits`);
    const more = { ...limits.body, dailyVolume: '200000.00' };
    await succeed(200, service.operate('PUT', `${limited.path}/limits`, more));
    const done = await succeed(201, execute({ clientReference: 'finally' }));
    assert.equal(done.headers.get('Idempotency-Replayed'), null);
  });
});

describe('executions', () => {
  test('the first answer again for seven days, whatever has become of the transaction', async () => {
    const id = await quoteId();
    const key = newKey();
    const body = { clientReference: 'PO 1', metadata: { a: 'b' } };
    const first = await succeed(201, acme.execute(id, body, withKey(key)));
    const { reference, transactionId } = first.body;
    const deposit = { reference, amount: '100000.00', currency: 'USD' };
    await succeed(201, service.operate('POST', '/v1/sandbox/deposits', deposit));
    const settle = `/v1/sandbox/transactions/${transactionId}/settle`;
    assert.equal((await succeed(200, service.operate('POST', settle))).body.status, 'settled');
    const again = await acme.execute(id, body, withKey(key));
    conforms('transaction', again);
    assertReplay(again, first);
    await refused('idempotency_key_reused', acme.execute(id, { ...body, metadata: {} }, withKey(key)));
    await moveClock(service, { advanceSeconds: 7 * 86_400 - 60 });
    assertReplay(await acme.execute(id, body, withKey(key)), first);
    await moveClock(service, { advanceSeconds: 120 });
    await refused('quote_already_executed', acme.execute(id, body, withKey(key)), { transactionId });
  });

  test('at the same time: one transaction, and every answer is that one', async () => {
    const id = await quoteId();
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => acme.execute(id, {}, withKey(key))));
    for (const answer of answers) assert.equal(answer.status, 201, answer.text);
    assert.equal(new Set(answers.map((answer) => answer.text)).size, 1);
  });

  test('that it came too late is decided: the same answer again', async () => {
    const expired = await quoteId({ validitySeconds: 10 });
    const cancelled = await quoteId();
    await acme.post(`${QUOTES}/${cancelled}/cancel`);
    const executed = await quoteId();
    await acme.trade(executed);
    await moveClock(service, { advanceSeconds: 11 });
    for (const [id, code] of [
      [expired, 'quote_expired'],
      [cancelled, 'quote_cancelled'],
      [executed, 'quote_already_executed'],
    ] as const) {
      const key = newKey();
      const first = await acme.execute(id, undefined, withKey(key));
      await refused(code, first);
      await moveClock(service, { advanceSeconds: 5 });
      const second = await acme.execute(id, undefined, withKey(key));
      await refused(code, second);
      assertReplay(second, first);
      await refused('idempotency_key_reused', acme.execute(id, { metadata: {} }, withKey(key)));
    }
  });

  test('a second request waits two seconds for the first, then is told to come again', async () => {
    const id = await quoteId();
    const key = newKey();
    const connection = await service.pool.connect();
    try {
      await connection.query('begin');
      await connection.query(
        'select from customer_usage where customer_id = (select customer_id from quotes order by id desc limit 1) for update',
      );
      const first = acme.execute(id, {}, withKey(key));
      const busy = await acme.execute(id, {}, withKey(key));
      await refused('request_in_progress', busy);
      assert.equal(busy.headers.get('Retry-After'), '1');
      await connection.query('commit');
      assertReplay(await acme.execute(id, {}, withKey(key)), await first);
    } finally {
      connection.release();
    }
  });
});

describe('the header', () => {
  test('1 to 128 printable ASCII characters without a double quote, once', async () => {
    const id = await quoteId();
    const wrong = ['', '""', 'x'.repeat(129), 'a"b', '"a', '"a" b', 'a\tb', 'ü'];
    for (const key of wrong) {
      await refused('idempotency_key_invalid', acme.post(QUOTES, SELL_USD, withKey(key)));
      await refused('idempotency_key_invalid', acme.execute(id, {}, withKey(key)));
      await refused('idempotency_key_invalid', acme.post(`${QUOTES}/${id}/cancel`, {}, withKey(key)));
      await refused(
        'idempotency_key_invalid',
        service.operate('POST', MARKET, { state: 'open' }, withKey(key)),
      );
    }
    for (const key of ['x'.repeat(128), '"q u o t e d"', "it's; a=b,c"]) await acme.quote({}, withKey(key));
  });

  test('requireIdempotencyKey: every POST that changes something', async () => {
    const strict = await createCustomer(service, { settings: { requireIdempotencyKey: true } });
    await refused('idempotency_key_required', strict.post(QUOTES, SELL_USD));
    const { body } = await strict.quote({}, withKey(newKey()));
    await refused('idempotency_key_required', strict.execute(body.quoteId));
    await refused('idempotency_key_required', strict.post(`${QUOTES}/${body.quoteId}/cancel`));
    await succeed(200, strict.post(`${QUOTES}/indicative`, SELL_USD));
    await succeed(201, strict.execute(body.quoteId, {}, withKey(newKey())));
  });

  test('operators too: the work is done once', async () => {
    const key = newKey();
    const create = (name: string) =>
      service.operate('POST', '/v1/operator/customers', { name }, withKey(key));
    const first = await succeed(201, create('Once Ltd'));
    assertReplay(await create('Once Ltd'), first);
    await refused('idempotency_key_reused', create('Twice Ltd'));
  });
});

describe('what is made with a secret', () => {
  /** While it lasts, the outcome of no key can be written: as if the process died before. */
  const whileKeysStay = async (work: () => Promise<void>) => {
    const owner = ownerOf(service.pool);
    await owner.query(`
      create function keys_stay() returns trigger language plpgsql as $$ begin raise exception 'the process is gone'; end $$;
      create trigger keys_stay before update on idempotency_keys for each row when (new.outcome = 'completed') execute function keys_stay()`);
    try {
      await work();
    } finally {
      await owner.query('drop function keys_stay cascade');
    }
  };
  /** How many clients there are, and secrets of one of them. */
  const listed = async (path: string, clientId: string): Promise<[clients: number, secrets: number]> => {
    const { credentials } = (await succeed(200, service.operate('GET', path))).body;
    const one = credentials.find((credential: { clientId: string }) => credential.clientId === clientId);
    return [credentials.length, one.secrets.length];
  };

  test('is made in the commit that keeps its key, and so once', async () => {
    const credentials = `/v1/operator/customers/${acme.customerId}/credentials`;
    const { clientId } = (await succeed(201, service.operate('POST', credentials, { name: 'first' }))).body;
    const before = await listed(credentials, clientId);
    const makings = [
      { path: credentials, body: { name: 'second' } },
      { path: `${credentials}/${clientId}/secrets`, body: {} },
    ].map((making) => ({ ...making, key: withKey(newKey()) }));
    const make = ({ path, body, key }: (typeof makings)[number]) => service.operate('POST', path, body, key);
    await whileKeysStay(async () => {
      for (const making of makings) await refused('internal_error', make(making));
    });
    assert.deepEqual(await listed(credentials, clientId), before);
    for (const making of makings) {
      const { body } = await succeed(201, make(making));
      assert.match(body.clientSecret, /^\S{20,}$/);
      await refused('already_exists', make(making));
    }
    assert.deepEqual(await listed(credentials, clientId), [before[0] + 1, before[1] + 1]);
  });
});
