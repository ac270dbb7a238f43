import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import {
  type Customer,
  createCustomer,
  moveClock,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { conforms } from './support/answers.ts';
import { resolved } from './support/api-document.ts';
import type { Answer, TestService } from './support/service.ts';
import { type Kind, rebuilt, signatureOf } from './support/terms.ts';

/** `Prefer: signature`: docs/evidence.md. */

const QUOTES = '/v1/customer/quotes';
const SIGNED = { Prefer: 'signature' };
let service: TestService;
let acme: Customer;
let jwks: JSONWebKeySet;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
  jwks = (await succeed(200, service.call('GET', '/.well-known/jwks.json', { token: null }))).body;
});

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
    assert.deepEqual([header.typ, header.sub], ['transaction-terms.v2+jws', acme.customerId]);
    await moveClock(service, { advanceSeconds: 1 });
    const path = `/v1/customer/transactions/${executed.body.transactionId}`;
    const read = await succeed(200, acme.get(path, SIGNED));
    await verified('transaction', executed.body, signatureOf(read));
    await verified('transaction', read.body, signatureOf(executed));
    const { funding, payout } = executed.body;
    const { instructions } = funding;
    assert.ok(instructions.accountHolder && instructions.accountNumber && instructions.reference);
    for (const changed of [
      { buyAmount: '91987.00' },
      ...[
        { accountNumber: '9876543211' },
        { iban: 'DE89370400440532013000' },
        { reference: 'RF18539007547034' },
      ].map((account) => ({ funding: { ...funding, instructions: { ...instructions, ...account } } })),
      { payout: { ...payout, destinationMasked: 'DE** **** 0000' } },
    ]) {
      await assert.rejects(
        verified('transaction', { ...executed.body, ...changed }, signatureOf(read)),
        /signature verification failed/,
      );
    }
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
    const { paths } = resolved((await service.call('GET', '/openapi.json', { token: null })).body);
    const names: string[] = [];
    for (const [path, methods] of Object.entries<Record<string, Answer['body']>>(paths)) {
      for (const [method, { parameters = [], responses }] of Object.entries(methods)) {
        const asks = parameters.some(
          ({ in: where, name, description = '' }: Record<string, string>) =>
            [where, name].join() === 'header,Prefer' && description.includes('`signature`'),
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
