import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { before, describe, test } from 'node:test';
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import {
  type Customer,
  createCustomer,
  moveClock,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { conforms } from './support/answers.ts';
import { whenDone } from './support/database.ts';
import type { Answer, TestService } from './support/service.ts';

/** `Prefer: signature`: docs/evidence.md. */

const QUOTES = '/v1/customer/quotes';
const SIGNED = { Prefer: 'signature' };
const DOCUMENT = resolve(import.meta.dirname, '../../../docs/evidence.md');
let service: TestService;
let acme: Customer;
let jwks: JSONWebKeySet;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
  jwks = (await succeed(200, service.call('GET', '/.well-known/jwks.json', { token: null }))).body;
});

interface Terms {
  [name: string]: string | Terms;
}

/** Rebuilt here, apart from the service and from the documented program. */
const rebuilt = {
  quote: ({ type, quoteId, sellCurrency, buyCurrency, ...q }: Answer['body']): Terms => ({
    buyAmount: q.buyAmount,
    buyCurrency,
    createdAt: q.createdAt,
    expiresAt: q.expiresAt,
    fixedSide: q.fixedSide,
    quoteId,
    rate: { pair: q.rate.pair, side: q.rate.side, value: q.rate.value },
    sellAmount: q.sellAmount,
    sellCurrency,
    settlement: { valueDate: q.settlement.valueDate },
    type,
  }),
  transaction: ({ transactionId, quoteId, reference, ...t }: Answer['body']): Terms => ({
    buyAmount: t.buyAmount,
    buyCurrency: t.buyCurrency,
    createdAt: t.createdAt,
    fixedSide: t.fixedSide,
    quoteId,
    rate: { pair: t.rate.pair, side: t.rate.side, value: t.rate.value },
    reference,
    sellAmount: t.sellAmount,
    sellCurrency: t.sellCurrency,
    settlement: { originalValueDate: t.settlement.originalValueDate },
    transactionId,
  }),
};
type Kind = keyof typeof rebuilt;

/** By jose, from the JWKS and the answer alone. The members above stand in the order of their names. */
async function verified(kind: Kind, body: Answer['body'], signature: string, keys = jwks) {
  const [head, middle, end] = signature.split('.');
  assert.equal(middle, '');
  const payload = Buffer.from(JSON.stringify(rebuilt[kind](body))).toString('base64url');
  const { protectedHeader } = await compactVerify(`${head}.${payload}.${end}`, createLocalJWKSet(keys), {
    algorithms: ['EdDSA'],
  });
  return protectedHeader;
}

function signatureOf(answer: Answer): string {
  assert.equal(answer.headers.get('Preference-Applied'), 'signature');
  return answer.headers.get('JWS-Signature') ?? '';
}

describe('a firm quote', () => {
  test('is signed when it is made, and the signature says who, for whom and when', async () => {
    const answer = await acme.quote({}, SIGNED);
    conforms('quote', answer);
    const { iat, kid, ...header } = await verified('quote', answer.body, signatureOf(answer));
    assert.deepEqual(header, {
      alg: 'EdDSA',
      typ: 'quote-terms.v1+jws',
      iss: service.baseUrl,
      sub: acme.customerId,
    });
    const now = Date.now();
    assert.ok(Math.abs(Number(iat) * 1_000 - now) < 60_000, 'real time, though the sandbox is in March');
    assert.equal(jwks.keys.find((key) => key.kid === kid)?.alg, 'EdDSA');
  });

  test('is signed whenever it is read, on the same terms, whatever has become of it', async () => {
    const { body } = await acme.quote();
    await succeed(200, acme.post(`${QUOTES}/${body.quoteId}/cancel`));
    const read = await succeed(200, acme.get(`${QUOTES}/${body.quoteId}`, SIGNED));
    assert.equal(read.body.status, 'cancelled');
    await verified('quote', body, signatureOf(read));
  });

  test('is signed when a key is replayed', async () => {
    const headers = { ...SIGNED, 'Idempotency-Key': 'signed-1' };
    const first = await acme.quote({}, headers);
    const again = await acme.quote({}, headers);
    assert.equal(again.headers.get('Idempotency-Replayed'), 'true');
    await verified('quote', first.body, signatureOf(again));
  });

  test('does not stand for other terms', async () => {
    const answer = await acme.quote({}, SIGNED);
    const signature = signatureOf(answer);
    const { body } = answer;
    for (const change of [
      { buyAmount: '91987.02' },
      { sellAmount: '100000.01' },
      { quoteId: (await acme.quote()).body.quoteId },
      { rate: { ...body.rate, value: '1.08710' } },
      { settlement: { ...body.settlement, valueDate: '2026-03-05' } },
      { expiresAt: body.createdAt },
      { type: 'indicative' },
    ]) {
      await assert.rejects(
        verified('quote', { ...body, ...change }, signature),
        /signature verification failed/,
      );
    }
    // What is not signed may change, and what is added to an answer later does no harm.
    await verified('quote', { ...body, status: 'executed', validForMs: 0, metadata: { a: 'b' } }, signature);
    await assert.rejects(
      verified('quote', body, `${signature.slice(0, -4)}AAAA`),
      /signature verification failed/,
    );
  });
});

describe('an execution', () => {
  test('is signed, and so is the transaction as it goes on', async () => {
    const { quoteId } = (await acme.quote()).body;
    const executed = await succeed(201, acme.execute(quoteId, undefined, SIGNED));
    conforms('transaction', executed);
    const header = await verified('transaction', executed.body, signatureOf(executed));
    assert.deepEqual([header.typ, header.sub], ['transaction-terms.v1+jws', acme.customerId]);
    await moveClock(service, { advanceSeconds: 1 });
    const path = `/v1/customer/transactions/${executed.body.transactionId}`;
    const read = await succeed(200, acme.get(path, SIGNED));
    await verified('transaction', executed.body, signatureOf(read));
    await verified('transaction', read.body, signatureOf(executed));
    const changed = { ...executed.body, buyAmount: '91987.00' };
    await assert.rejects(
      verified('transaction', changed, signatureOf(read)),
      /signature verification failed/,
    );
  });

  test('a long poll may be signed as well', async () => {
    const trade = (await acme.trade()).body;
    const answer = await succeed(
      200,
      acme.get(`/v1/customer/transactions/${trade.transactionId}`, {
        Prefer: 'wait=0, Signature',
        'If-None-Match': '"v9"',
      }),
    );
    await verified('transaction', answer.body, answer.headers.get('JWS-Signature') ?? '');
  });
});

describe('only what is asked for', () => {
  test('nothing is signed without the preference, nor an answer without terms', async () => {
    const quote = await acme.quote({}, { Prefer: 'respond-async, x=signature' });
    const { quoteId } = quote.body;
    const cached = await acme.get(`${QUOTES}/${quoteId}`, { ...SIGNED, 'If-None-Match': '"v1"' });
    assert.equal(cached.status, 304);
    const missing = await acme.get(`${QUOTES}/quote_${'0'.repeat(26)}`, SIGNED);
    assert.equal(missing.status, 404);
    for (const answer of [quote, cached, missing]) {
      assert.equal(answer.headers.get('JWS-Signature'), null);
      assert.equal(answer.headers.get('Preference-Applied'), null);
    }
  });

  test('the API document tells of it', async () => {
    const { paths } = (await service.call('GET', '/openapi.json', { token: null })).body;
    const names: string[] = [];
    for (const [path, methods] of Object.entries<Record<string, Answer['body']>>(paths)) {
      for (const [method, { parameters = [], responses }] of Object.entries(methods)) {
        const asks = parameters.some(
          ({ in: where, name }: Record<string, string>) => [where, name].join() === 'header,Prefer',
        );
        const answers = Object.values<Answer['body']>(responses).some(
          ({ headers }) => headers?.['JWS-Signature'] !== undefined,
        );
        assert.equal(asks, answers, `${method} ${path}`);
        if (asks) names.push(`${method} ${path}`);
      }
    }
    assert.deepEqual(names.sort(), [
      'get /v1/customer/quotes/{quoteId}',
      'get /v1/customer/transactions/{transactionId}',
      'post /v1/customer/quotes',
      'post /v1/customer/quotes/{quoteId}/execute',
    ]);
  });
});

describe('the program of docs/evidence.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fq-terms-'));
  whenDone(async () => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string) => join(folder, name);
  before(() => {
    const text = readFileSync(DOCUMENT, 'utf8');
    const program = /^```js verify-terms\.mjs\n([\s\S]*?)^```$/m.exec(text)?.[1];
    assert.ok(program !== undefined, 'the document has the program');
    writeFileSync(file('verify-terms.mjs'), program);
  });

  /** Runs it as the document says, with nothing but the three files. */
  async function run(body: unknown, signature: string, keys: unknown = jwks) {
    writeFileSync(file('body.json'), JSON.stringify(body, null, 4));
    writeFileSync(file('signature.txt'), `${signature}\n`);
    writeFileSync(file('jwks.json'), JSON.stringify(keys));
    const child = spawn(process.execPath, ['verify-terms.mjs', 'body.json', 'signature.txt', 'jwks.json'], {
      cwd: folder,
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const [code] = await once(child, 'close');
    return { code, output };
  }

  test('takes a quote and a transaction, and no changed cent', async () => {
    const quote = await acme.quote({}, SIGNED);
    const trade = await succeed(201, acme.execute(quote.body.quoteId, undefined, SIGNED));
    for (const answer of [quote, trade]) {
      const { code, output } = await run(answer.body, signatureOf(answer));
      assert.equal(code, 0, output);
      assert.ok(output.includes(`valid: signed by ${service.baseUrl} for ${acme.customerId} at 20`), output);
      const changed = await run({ ...answer.body, buyAmount: '91987.02' }, signatureOf(answer));
      assert.equal(changed.code, 1);
      assert.match(changed.output, /NOT VALID/);
    }
    const crossed = await run(trade.body, signatureOf(quote));
    assert.equal(crossed.code, 1, 'a signature of a quote is none of a transaction');
  });

  test('takes no other key, and no signature of another kind', async () => {
    const quote = await acme.quote({}, SIGNED);
    const signature = signatureOf(quote);
    const { kid } = decodeProtectedHeader(`${signature.split('.')[0]}..`);
    const others = { keys: jwks.keys.filter((key) => key.kid !== kid) };
    assert.match((await run(quote.body, signature, others)).output, /no Ed25519 key/);
    const next = others.keys.find((key) => key.alg === 'EdDSA');
    const swapped = { keys: [{ ...next, kid }] };
    assert.match((await run(quote.body, signature, swapped)).output, /NOT VALID/);
    const head = Buffer.from(JSON.stringify({ alg: 'none', typ: 'quote-terms.v1+jws' })).toString(
      'base64url',
    );
    assert.equal((await run(quote.body, `${head}..`)).code, 1);
  });
});
