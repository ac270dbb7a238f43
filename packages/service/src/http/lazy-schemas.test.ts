import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FastifySchema, fastify } from 'fastify';
import { lazySchemas } from './lazy-schemas.ts';

const atOnce = () => Promise.resolve();

const BODY = {
  type: 'object',
  properties: { amount: { type: 'string' } },
  required: ['amount'],
  additionalProperties: false,
};
const ANSWER = { type: 'object', properties: { shown: { type: 'string' } } };

function serverWith(schema: FastifySchema) {
  const schemas = lazySchemas();
  const server = fastify({
    schemaController: { compilersFactory: schemas.compilers },
    ajv: { customOptions: { allErrors: true, removeAdditional: false } },
  });
  server.post('/', { schema }, () => ({ shown: 'yes', hidden: 'no' }));
  const post = (payload: object) => server.inject({ method: 'POST', url: '/', payload });
  return { server, schemas, post };
}

for (const when of ['a request', 'the warm-up'] as const) {
  test(`compiled by ${when}, a schema refuses and shapes as it does without delay`, async () => {
    const { schemas, server, post } = serverWith({ body: BODY, response: { 200: ANSWER } });
    await server.ready();
    if (when === 'the warm-up') await schemas.compileRest(atOnce);
    for (let i = 0; i < 2; i++) {
      assert.deepEqual((await post({ amount: '1' })).json(), { shown: 'yes' });
      const refused = await post({ amount: {}, price: 1 });
      assert.equal(refused.statusCode, 400);
      assert.match(refused.json().message, /additional properties.*amount must be string/);
    }
  });
}

test('a schema that cannot be compiled holds up nothing but its own route, and fails the warm-up', async () => {
  const { schemas, server, post } = serverWith({ body: { type: 'no such type' } });
  server.get('/', { schema: { response: { 200: ANSWER } } }, () => ({ shown: 'yes' }));
  assert.deepEqual((await server.inject('/')).json(), { shown: 'yes' });
  assert.equal((await post({})).statusCode, 500);
  await assert.rejects(schemas.compileRest(atOnce), /no such type|must be equal to one of/);
});

test('the servers of a process share what was compiled', async () => {
  let read = 0;
  const watched = (schema: { properties: object }) =>
    Object.defineProperty({ ...schema }, 'properties', {
      enumerable: true,
      get() {
        read++;
        return schema.properties;
      },
    });
  const schema = { body: watched(BODY), response: { 200: watched(ANSWER) } };
  const outcomes: unknown[] = [];
  const reads: number[] = [];
  for (let i = 0; i < 2; i++) {
    const { schemas, post } = serverWith({ ...schema });
    outcomes.push([(await post({ amount: '1' })).json(), (await post({ price: 1 })).json()]);
    await schemas.compileRest(atOnce);
    reads.push(read);
  }
  assert.deepEqual(outcomes[1], outcomes[0]);
  assert.ok(reads[0] !== undefined && reads[0] > 0);
  assert.equal(reads[1], reads[0]);
});

test('a GET and its HEAD share the compiled answer', async () => {
  let read = 0;
  const answer = Object.defineProperty({ ...ANSWER }, 'properties', {
    enumerable: true,
    get() {
      read++;
      return ANSWER.properties;
    },
  });
  const { schemas, server } = serverWith({});
  server.get('/', { schema: { response: { 200: answer } } }, () => ({ shown: 'yes' }));
  await server.inject('/');
  const once = read;
  assert.ok(once > 0);
  await server.inject({ method: 'HEAD', url: '/' });
  await schemas.compileRest(atOnce);
  assert.equal(read, once);
});
