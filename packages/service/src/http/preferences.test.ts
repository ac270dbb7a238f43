import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { applyPreference, prefers } from './preferences.ts';

test('a preference is found in a list, with parameters and in any case', () => {
  for (const [prefer, found] of [
    ['signature', true],
    ['Signature', true],
    ['wait=30, signature', true],
    ['signature;x=y, wait=30', true],
    [' signature ', true],
    ['signatures', false],
    ['x=signature', false],
    ['no signature', false],
    ['signature=no', false],
    ['', false],
    [undefined, false],
  ] as const) {
    const headers = prefer === undefined ? {} : { prefer };
    assert.equal(prefers({ headers }, 'signature'), found, String(prefer));
  }
});

test('what was followed is told in one header', async () => {
  const app = fastify();
  app.get('/', async (_request, reply) => {
    applyPreference(reply, 'wait=3');
    applyPreference(reply, 'signature');
    return {};
  });
  const { headers } = await app.inject('/');
  assert.equal(headers['preference-applied'], 'wait=3, signature');
  await app.close();
});
