import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FastifyInstance, fastify } from 'fastify';
import { generateKeyPair } from 'jose';
import { VirtualClock } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import { createLogger } from '../platform/logger.ts';
import { TermsSigner, type TermsSignerOptions } from './sign-terms.ts';

const BODY = JSON.stringify({
  type: 'firm',
  quoteId: 'quote_01jngx7z5d2m8r4v6t9k3b1c0a',
  sellCurrency: 'USD',
  buyCurrency: 'EUR',
  fixedSide: 'sell',
  sellAmount: '100000.00',
  buyAmount: '91987.01',
  rate: { pair: 'EURUSD', side: 'ask', value: '1.08711' },
  settlement: { valueDate: '2026-03-06' },
  createdAt: '2026-03-04T14:30:00.252Z',
  expiresAt: '2026-03-04T14:30:30.252Z',
});

async function answer(signer: TermsSignerOptions['signer']) {
  const realClock = new VirtualClock();
  const terms = new TermsSigner({ signer, realClock, issuer: () => 'https://fx.example.com' });
  const app = fastify() as unknown as FastifyInstance;
  app.decorate('logger', createLogger('silent'));
  app.get('/', async (_request, reply) => {
    await terms.attach(reply, 'quote', newUuid(realClock.now()), BODY);
    return reply.send(BODY);
  });
  const answered = await app.inject('/');
  await app.close();
  return answered;
}

test('what was done is answered, with its signature or without', async () => {
  const { privateKey } = await generateKeyPair('EdDSA');
  const signed = await answer(async () => ({ kid: 'k', privateKey }));
  assert.match(String(signed.headers['jws-signature']), /^[\w-]+\.\.[\w-]{86}$/);
  assert.equal(signed.headers['preference-applied'], 'signature');

  const failed = await answer(() => Promise.reject(new Error('the key is gone')));
  assert.deepEqual([failed.statusCode, failed.body], [200, BODY]);
  for (const name of ['jws-signature', 'preference-applied']) assert.equal(failed.headers[name], undefined);
});
