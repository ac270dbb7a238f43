import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { CUSTOMER_SCOPES } from '@firmquote/api/scopes';
import { WebSocket } from 'ws';
import { camt, txDtls } from '../../bank-formats/src/test-support.ts';
import {
  addCredential,
  type Customer,
  createCustomer,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { ownerOf } from './support/database.ts';
import { isStream } from './support/event-stream.ts';
import {
  COLUMNS,
  MARK,
  markColumns,
  NO_WORDS,
  OPERATOR,
  placesOf,
  templateOf,
} from './support/operator-words.ts';
import { streamCaller } from './support/price-stream.ts';
import type { Answer, TestService } from './support/service.ts';

/**
 * What operators write stays inside: whoever writes "money laundering, do not tip off" beside what they do must not tell
 * the customer. Customers read codes from lists.
 */

const QUOTES = '/v1/customer/quotes';

let service: TestService;
let acme: Customer;
/** What was said where: `POST path member`. */
const said = new Set<string>();
/** Answers of customers, each of which must be without the mark. */
const heard: { readonly what: string; readonly text: string }[] = [];

before(async () => {
  service = await startExampleService();
  await succeed(200, service.operate('POST', '/v1/sandbox/bank', { autoDeposit: false, settlement: 'runs' }));
  acme = await createCustomer(service, { scopes: Object.keys(CUSTOMER_SCOPES) });
});

/** An operator's request with marked words. `path` begins behind `/v1/operator`; ids in it stand for their template. */
async function say(
  method: string,
  path: string,
  words: readonly string[],
  body: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const marked = Object.fromEntries(words.map((name) => [name, `${MARK} ${name}`]));
  const answer = await service.operate(method, `${OPERATOR}${path}`, { ...body, ...marked }, headers);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  for (const name of words)
    said.add(`${method} ${templateOf(operator.document, `${OPERATOR}${path}`)} /${name}`);
  return answer;
}

const operator: { document: Answer['body'] } = { document: undefined };

async function ask(method: 'GET' | 'POST', path: string, body?: unknown, headers = {}): Promise<Answer> {
  const answer = method === 'GET' ? await acme.get(path, headers) : await acme.post(path, body, headers);
  const reported = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  heard.push({ what: `${method} ${path}`, text: `${reported}\n${answer.text}` });
  return answer;
}

/** A trade that is paid for, and its deposit's reference. */
async function funded(): Promise<string> {
  const { transactionId, reference } = (await acme.trade()).body;
  const paid = { reference, amount: '100000.00', currency: 'USD' };
  await succeed(201, service.operate('POST', '/v1/sandbox/deposits', paid));
  return transactionId;
}

let arrivals = 0;
/** Money that nobody can place. Answers the path behind `/v1/operator`. */
async function arrived(amount = '100000.00'): Promise<string> {
  const body = {
    bankReference: `IN-${++arrivals}`,
    amount,
    currency: 'USD',
    remitterName: 'Acme Ltd',
    remitterAccount: 'DE02120300000000202051',
  };
  const { body: deposit } = await succeed(201, service.operate('POST', `${OPERATOR}/deposits`, body));
  return `/deposits/${deposit.depositId}`;
}

/** A debit of the bank that is the customer's debt, in dollars. */
async function owe(amount: number): Promise<void> {
  const { items: accounts } = (await service.operate('GET', `${OPERATOR}/collection-accounts`)).body;
  const own = accounts.find(({ currency }: { currency: string }) => currency === 'USD');
  const debit = {
    amount: `${amount}.00`,
    currency: 'USD',
    direction: 'DBIT',
    details: [txDtls('a fee')],
  } as const;
  const options = { message: '054', currency: 'USD', account: own.iban ?? own.accountNumber } as const;
  const file = await service.call('POST', `${OPERATOR}/statements`, {
    token: service.operatorToken,
    body: camt([debit], options),
    headers: { 'Content-Type': 'application/octet-stream' },
  });
  const path = `${OPERATOR}/statements/${file.body.fileId}/entries`;
  const [{ entryId }] = (await service.operate('GET', path)).body.items;
  const debt = { as: 'customer_debt', customerId: acme.customerId, reason: 'charged for them' };
  await succeed(200, service.operate('POST', `${OPERATOR}/statement-entries/${entryId}/book`, debt));
}

test('operators say something in every place that they can', async () => {
  operator.document = (await succeed(200, service.call('GET', '/openapi.json'))).body;
  const customer = acme.path.slice(OPERATOR.length);
  await say('PATCH', customer, ['externalReference', 'groupName']);
  await say('POST', '/customers', ['externalReference', 'groupName'], { name: 'Other Ltd' });

  // The market.
  await acme.quote({ validitySeconds: 300 });
  await say('POST', '/market/halt', ['reason'], { scope: 'customer', customerId: acme.customerId });
  await ask('POST', QUOTES, { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '1.00' });
  await ask('GET', '/v1/customer/reference/market-status');
  await stream();
  await say('POST', '/market/resume', ['reason'], { scope: 'customer', customerId: acme.customerId });
  const { body: sources } = await service.operate('GET', `${OPERATOR}/market/health`);
  await say('POST', `/market/sources/${sources.sources[0].source}/disable`, ['reason']);
  await say('POST', `/market/sources/${sources.sources[0].source}/enable`, ['reason']);
  await say(
    'PUT',
    '/cutoffs/USD',
    ['reason', 'source'],
    { time: '15:00', zone: 'America/New_York' },
    {
      'If-Match': '*',
    },
  );
  const day = { date: '2026-03-07', state: 'open', source: MARK };
  // The name of a holiday is for customers, and why a day is open is not.
  const changes = [
    { ...day, reason: MARK },
    { ...day, date: '2026-03-06', state: 'closed', reason: 'Bank Holiday' },
  ];
  await say('PUT', '/calendars/EUR/2026', ['reason'], { changes }, { 'If-Match': '*' });
  said.add(`PUT ${OPERATOR}/calendars/{currency}/{year} /changes/[]/reason`);
  said.add(`PUT ${OPERATOR}/calendars/{currency}/{year} /changes/[]/source`);

  // Keys, of which the next has been public for long enough.
  await service.pool.query(
    `update evidence_keys set published_at = published_at - interval '1 day', activated_at = activated_at - interval '1 day'`,
  );
  const { body: active } = await say('POST', '/keys/rotate', ['reason'], { purpose: 'evidence' });
  await say('POST', `/keys/${active.kid}/revoke`, ['reason']);
  await ask('GET', '/.well-known/jwks.json');

  // Trades: holds, payouts, refunds.
  const trade = await funded();
  const { body: held } = await say('POST', `/transactions/${trade}/holds`, ['reason'], { kind: 'review' });
  await ask('GET', `/v1/customer/transactions/${trade}`);
  await say('DELETE', `/transactions/${trade}/holds/${held.holds[0].holdId}`, ['reason']);
  await succeed(200, service.operate('POST', `${OPERATOR}/transactions/${trade}/settle`));
  await say('POST', `/transactions/${trade}/payout-failed`, ['detail']);
  const failed = await ask('GET', `/v1/customer/transactions/${trade}`);
  assert.deepEqual(Object.keys(failed.body.failure), ['code', 'at']);
  assert.equal(failed.body.failure.code, 'payout_rejected');
  const inside = await service.operate('GET', `${OPERATOR}/transactions/${trade}`);
  assert.equal(inside.body.failure.detail, `${MARK} detail`, 'operators read what was said');
  await succeed(
    200,
    service.operate('POST', `${OPERATOR}/transactions/${trade}/unwind`, { reason: 'client_request' }),
  );
  await say('POST', `/transactions/${trade}/refund-failed`, ['detail']);
  const unpaid = await ask('GET', `/v1/customer/transactions/${trade}`);
  assert.equal(unpaid.body.refund.status, 'failed');
  const many = await funded();
  await succeed(200, service.operate('POST', `${OPERATOR}/transactions/${many}/settle`));
  const command = { command: 'payout-failed', items: [{ transactionId: many, detail: MARK }] };
  await say('POST', '/transactions/commands', [], command);
  said.add(`POST ${OPERATOR}/transactions/commands /items/[]/detail`);

  // Deposits.
  const deposit = await arrived();
  const { transactionId } = (await acme.trade()).body;
  await say('POST', `${deposit}/note`, ['note']);
  await say('POST', `${deposit}/assign`, ['note', 'assignee']);
  await say('POST', `${deposit}/match`, ['reason'], { allocations: [{ transactionId }] });
  await ask('GET', `/v1/customer/transactions/${transactionId}`);
  await say('POST', `${deposit}/unmatch`, ['reason']);
  const { body: back } = await say('POST', `${deposit}/return`, ['reason']);
  await say('POST', `${deposit}/returns/${back.returns[0].returnId}/cancel`, ['reason']);
  await say('POST', `${await arrived('7.00')}/ignore`, ['reason']);
  await say('POST', `${await arrived('8.00')}/book`, ['reason'], { as: 'bank_charges' });

  // Balances.
  const topUp = { currency: 'USD', amount: '500.00', bankReference: 'TOP-1' };
  await succeed(201, service.operate('POST', `${acme.path}/balances/top-ups`, topUp));
  const wrong = { ...topUp, bankReference: 'TOP-2' };
  await succeed(201, service.operate('POST', `${acme.path}/balances/top-ups`, wrong));
  await say('POST', `${customer}/balances/top-up-reversals`, ['reason'], { bankReference: 'TOP-2' });
  for (const verb of ['failed', 'cancel'] as const) {
    const wanted = { currency: 'USD', amount: '5.00' };
    const { body } = await say('POST', `${customer}/balances/withdrawals`, ['reason'], wanted, {
      'Idempotency-Key': verb,
    });
    await say('POST', `/withdrawals/${body.withdrawalId}/${verb}`, ['detail']);
  }

  await owe(9);
  const owed = { currency: 'USD', amount: '4.00' };
  for (const end of ['debt-payments', 'debt-write-offs'])
    await say('POST', `${customer}/balances/${end}`, ['reason'], owed, { 'Idempotency-Key': end });
  await ask('GET', '/v1/customer/balances');

  // The customer itself, last: it stays suspended for what follows.
  await acme.quote({ validitySeconds: 300 });
  await say('POST', `${customer}/suspend`, ['reason']);
});

test('no place is missing from these', () => {
  const inColumns = new Set(Object.keys(COLUMNS).map((place) => place.replace(' ', ` ${OPERATOR}/`)));
  const missing = placesOf(operator.document).filter(
    (place) => !said.has(place) && !inColumns.has(place) && !NO_WORDS.has(place),
  );
  assert.deepEqual(missing, []);
});

test('a customer reads none of it, at any address', async () => {
  const marked = await markColumns(ownerOf(service.pool));
  const unmarked = Object.values(COLUMNS).filter((column) => !marked.has(column));
  assert.deepEqual(unmarked, []);
  await walk();
  await ask('GET', '/v1/customer/quotes?status=withdrawn');
  await stream();
  await succeed(200, service.operate('POST', `${acme.path}/resume`));
  await walk();
  await socket();
  const leaks = heard.filter(({ text }) => text.includes('AML') || text.includes('4711'));
  assert.deepEqual(leaks, []);
  assert.ok(heard.length > 60, `${heard.length} answers were looked at`);
});

/** All that a customer can ask, with everything that it has, as GET and where it may change something. */
async function walk(): Promise<void> {
  const all = async (path: string, id: string) =>
    (await ask('GET', `${path}?limit=200`)).body.items.map((item: Record<string, string>) => item[id]);
  const ids: Record<string, string[]> = {
    quoteId: await all(QUOTES, 'quoteId'),
    transactionId: await all('/v1/customer/transactions', 'transactionId'),
    withdrawalId: await all('/v1/customer/balances/withdrawals', 'withdrawalId'),
    depositId: await all('/v1/customer/deposits', 'depositId'),
    webhookId: await all('/v1/customer/webhooks', 'webhookId'),
    // Not the one that asks, which would end itself.
    clientId: [(await addCredential(service, acme.path)).clientId],
  };
  const queries: Readonly<Record<string, string>> = {
    '/v1/customer/statements': '?from=2026-03-01T00:00:00Z&to=2026-03-05T00:00:00Z',
    '/v1/customer/reference/value-dates': '?pair=EURUSD',
    '/v1/customer/events': '?limit=200',
  };
  for (const [path, methods] of Object.entries(operator.document.paths as Record<string, object>)) {
    if (!path.startsWith('/v1/customer/') || path.includes('/prices/')) continue;
    const name = /\{(\w+)\}/.exec(path)?.[1];
    for (const id of name === undefined ? [''] : (ids[name] ?? assert.fail(path))) {
      const place = path.replace(`{${name}}`, id);
      for (const method of Object.keys(methods)) {
        const body = path.endsWith('/execute') || path.endsWith('/cancel') ? {} : WANTED[path];
        const verb = method === 'get' ? 'GET' : 'POST';
        const answer = await ask(verb, `${place}${queries[path] ?? ''}`, body, {
          'Idempotency-Key': `walk ${heard.length}`,
        });
        assert.ok(answer.status < 500 && answer.status !== 400, `${verb} ${place}: ${answer.text}`);
        for (const format of path.endsWith('confirmation') ? ['csv', 'pdf'] : [])
          assert.equal((await ask('GET', `${place}?format=${format}`)).status, 200);
      }
    }
  }
}

const SELL = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '2.00' };
const WANTED: Readonly<Record<string, unknown>> = {
  [QUOTES]: SELL,
  [`${QUOTES}/indicative`]: SELL,
  '/v1/customer/balances/withdrawals': { currency: 'USD', amount: '1.00' },
  '/v1/customer/credentials': { name: 'another' },
  '/v1/customer/webhooks': { url: 'http://127.0.0.1:9/' },
};

async function stream(): Promise<void> {
  const answer = await streamCaller(service).ask('pairs=EURUSD', acme);
  if (!isStream(answer)) {
    heard.push({ what: 'stream', text: answer.text });
    return;
  }
  const first = await answer.next('a price', ({ event }) => event === 'price');
  heard.push({ what: 'stream', text: JSON.stringify([first, ...answer.events]) });
  answer.close();
}

async function socket(): Promise<void> {
  const opened = new WebSocket(`${service.baseUrl.replace('http', 'ws')}/v1/customer/prices/ws`, {
    headers: { Authorization: `Bearer ${acme.token}` },
  });
  const text = await new Promise<string>((resolve) => {
    opened.on('message', (data) => resolve(String(data)));
    // A refusal, whose words the stream's refusal has too.
    opened.on('error', ({ message }) => resolve(message));
    opened.on('open', () => opened.send(JSON.stringify({ op: 'subscribe', pairs: ['EURUSD'] })));
  });
  opened.terminate();
  heard.push({ what: 'socket', text });
}
