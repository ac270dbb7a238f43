import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { CUSTOMER_SCOPES } from '@firmquote/api/scopes';
import { createCustomer } from './support/acceptance.ts';
import { resolved as withoutReferences } from './support/api-document.ts';
import { startTestService, type TestService } from './support/service.ts';

/** Every field of every operation is given something wrong; what is said of it is a sentence under a JSON pointer. */

// biome-ignore lint/suspicious/noExplicitAny: a JSON schema is looked into freely
type Schema = any;
interface FieldError {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}
interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body: Schema | undefined;
  readonly parameters: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[];
}

/** Of an address, where not anything will do. */
const PARAMETERS: Readonly<Record<string, string>> = { currency: 'EUR', year: '2027', pair: 'EURUSD' };
let service: TestService;
/** Of a client that may do everything. */
let customerToken: string;
let operations: Operation[];

before(async () => {
  service = await startTestService();
  const { clientId, clientSecret } = await createCustomer(service, { scopes: Object.keys(CUSTOMER_SCOPES) });
  customerToken = await service.token(clientId, clientSecret);
  const { body } = await service.call('GET', '/openapi.json', { token: null });
  operations = Object.entries<Schema>(withoutReferences(body).paths).flatMap(([path, methods]) =>
    Object.entries<Schema>(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path: path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => PARAMETERS[name] ?? 'x'),
      body: operation.requestBody?.content['application/json']?.schema,
      parameters: operation.parameters ?? [],
    })),
  );
});

/** What a schema stands for: of a union its first branch that is not null, of a choice the one without conditions. */
function resolved(schema: Schema): Schema {
  const branch = schema.else ?? schema.anyOf?.find((each: Schema) => each.type !== 'null');
  if (branch !== undefined) return resolved(branch);
  const { type } = schema;
  return Array.isArray(type) ? { ...schema, type: type.find((each) => each !== 'null') } : schema;
}

type Wrong = (leaf: Schema) => unknown;

/** A value whose every leaf is wrong, where the schema leaves anything to be wrong with, and the pointers to these. */
function spoilt(given: Schema, wrong: Wrong, pointer: string, pointers: Map<string, Schema>): unknown {
  const schema = resolved(given);
  if (schema.properties !== undefined) {
    const members = Object.entries<Schema>(schema.properties).map(([name, member]) => [
      name,
      spoilt(member, wrong, `${pointer}/${name}`, pointers),
    ]);
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }
  if (schema.type === 'array') {
    const item = spoilt(schema.items, wrong, `${pointer}/0`, pointers);
    return item === undefined ? undefined : [item];
  }
  const value = wrong(schema);
  if (value !== undefined) pointers.set(pointer, schema);
  return value;
}

const WRONG: Readonly<Record<string, Wrong>> = {
  pattern: ({ pattern }) =>
    pattern === undefined
      ? undefined
      : ['!', '\u0000', '/', ' '].find((each) => !new RegExp(pattern, 'u').test(each)),
  type: ({ type }) => (type === undefined ? undefined : type === 'string' ? 12 : 'x'),
  'too small': ({ minLength, minimum }) =>
    minLength > 0 ? '' : minimum === undefined ? undefined : minimum - 1,
  'too large': ({ maxLength, maximum, pattern }) =>
    maxLength !== undefined
      ? 'a'.repeat(maxLength + 1)
      : maximum === undefined || pattern !== undefined
        ? undefined
        : maximum + 1,
  'not one of them': ({ enum: values }) => (values === undefined ? undefined : 'no such value'),
};

/** Signs of a pattern, or of what the validator says by itself. */
const NO_SENTENCE = /[\^\\$]|\[[^\]]*-|\(\?|\{\d|NOT|must match|must pass|schema|is not valid/;

function assertSentences(errors: readonly FieldError[], where: string): void {
  for (const { pointer, code, detail } of errors) {
    assert.match(pointer, /^(\/[^/]*)*$/, `${where} ${pointer}`);
    assert.match(code, /^[a-z_]+$/, `${where} ${pointer}`);
    assert.match(detail, /^(must|is|takes|has|cannot|needs|goes|does) \S/, `${where} ${pointer}`);
    assert.doesNotMatch(detail, NO_SENTENCE, `${where} ${pointer}`);
  }
  const pointers = errors.map(({ pointer }) => pointer);
  assert.equal(new Set(pointers).size, pointers.length, `${where}: each place once`);
}

function ask({ method, path }: Operation, query: string, body?: unknown) {
  const token = path.startsWith('/v1/customer') ? customerToken : service.operatorToken;
  return service.call(method, `${path}${query}`, { token, ...(body === undefined ? {} : { body }) });
}

for (const [kind, wrong] of Object.entries(WRONG)) {
  test(`every wrong field of a body is told at once, in a sentence: ${kind}`, async () => {
    let fields = 0;
    for (const operation of operations) {
      if (operation.body === undefined || operation.path.startsWith('/oauth/')) continue;
      const pointers = new Map<string, Schema>();
      const body = spoilt(operation.body, wrong, '', pointers);
      if (pointers.size === 0) continue;
      const answer = await ask(operation, '', body);
      assert.equal(answer.body?.code, 'validation_failed', `${operation.name} ${answer.text}`);
      const errors: FieldError[] = answer.body.errors;
      assertSentences(errors, operation.name);
      const reported = new Set(errors.map(({ pointer }) => pointer));
      const missed = [...pointers.keys()].filter((pointer) => !reported.has(pointer));
      assert.deepEqual(missed, [], `${operation.name} ${answer.text}`);
      fields += pointers.size;
    }
    assert.ok(fields > 10, `${fields} fields`);
  });
}

test('a wrong parameter of an address or a query is told in a sentence, under /path and /query', async () => {
  let reported = 0;
  for (const operation of operations) {
    for (const { in: place, name, schema } of operation.parameters) {
      if (place !== 'query') continue;
      const value = WRONG.pattern?.(resolved(schema)) ?? '\u0001!';
      const answer = await ask(operation, `?${name}=${encodeURIComponent(String(value))}`);
      if (answer.status !== 400) continue;
      if (answer.body.code === 'validation_failed') assertSentences(answer.body.errors, operation.name);
      for (const { pointer } of answer.body.errors)
        assert.match(pointer, /^\/(query|path)\/\w+$/, answer.text);
      reported += answer.body.errors.length;
    }
  }
  assert.ok(reported > 50, `${reported} parameters`);
  const year = await service.operate('GET', '/v1/operator/calendars/EUR/19');
  assert.deepEqual(year.body.errors, [
    { pointer: '/path/year', code: 'not_permitted', detail: 'must be a whole number from 2000 to 2099' },
  ]);
  const unknown = await service.call('GET', '/v1/customer/quotes?a%2Fb~=1');
  assert.equal(unknown.body.errors[0].pointer, '/query/a~1b~0');
});

test('the form of a field is told, whatever stands in it', async () => {
  const sell = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell' };
  const errors = async (body: unknown): Promise<FieldError[]> =>
    (await service.call('POST', '/v1/customer/quotes', { body })).body.errors;
  for (const amount of [100, '1e5', null, ['100.00'], '1000000000000000.00']) {
    assert.deepEqual(await errors({ ...sell, amount }), [
      {
        pointer: '/amount',
        code: typeof amount === 'string' ? 'wrong_format' : 'wrong_type',
        detail: 'must be a decimal string such as "100.00", with at most 15 digits before the point',
      },
    ]);
  }
  const { body } = await service.operate('POST', '/v1/operator/customers/x/settlement-instructions', {
    lei: 'short',
  });
  const lei = body.errors.find(({ pointer }: FieldError) => pointer === '/lei');
  assert.equal(lei.detail, 'must be a LEI of 20 capital letters and digits, or null');
});

test('what is wrong between fields has the same form', async () => {
  const reported = async (change: object) => {
    const body = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '100.00', ...change };
    const answer = await service.call('POST', '/v1/customer/quotes', { body });
    assertSentences(
      answer.body.errors.filter(({ code }: FieldError) => code !== answer.body.code),
      answer.text,
    );
    return [answer.body.code, ...answer.body.errors.map((each: FieldError) => [each.pointer, each.code])];
  };
  assert.deepEqual(await reported({ buyCurrency: 'USD' }), [
    'same_currency',
    ['/buyCurrency', 'same_currency'],
  ]);
  assert.deepEqual(await reported({ amount: '1.001' }), [
    'amount_precision_invalid',
    ['/amount', 'amount_precision_invalid'],
  ]);
  assert.deepEqual(await reported({ amount: '0.00' }), [
    'amount_below_minimum',
    ['/amount', 'amount_below_minimum'],
  ]);
  assert.deepEqual(await reported({ sellCurrency: 'ZZZ' }), [
    'currency_not_supported',
    ['/sellCurrency', 'currency_not_supported'],
  ]);
  assert.deepEqual(await reported({ validitySeconds: 31 }), [
    'validity_not_permitted',
    ['/validitySeconds', 'validity_not_permitted'],
  ]);
  assert.deepEqual(await reported({ valueDate: '2020-01-01' }), [
    'value_date_invalid',
    ['/valueDate', 'value_date_invalid'],
  ]);
  assert.deepEqual(await reported({ tenor: 'spot', valueDate: '2026-03-06' }), [
    'validation_failed',
    ['/valueDate', 'not_permitted'],
  ]);
  assert.deepEqual(await reported({ sellAmount: '1.00', buyAmount: '1.00' }), [
    'validation_failed',
    ['/sellAmount', 'unknown_field'],
    ['/buyAmount', 'unknown_field'],
  ]);
});

test('headers are under /header, and a body that is no JSON is at fault as a whole', async () => {
  const path = '/v1/customer/quotes';
  const post = (body: unknown, headers = {}) => service.call('POST', path, { body, headers });
  const sell = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '100.00' };
  const key = await post(sell, { 'Idempotency-Key': '"' });
  assert.deepEqual(
    [key.body.code, key.body.errors[0].pointer],
    ['idempotency_key_invalid', '/header/Idempotency-Key'],
  );
  const tag = await service.call('POST', `${path}/x/execute`, { headers: { 'If-Match': 'v1' } });
  assert.deepEqual([tag.body.code, tag.body.errors[0].pointer], ['validation_failed', '/header/If-Match']);
  for (const text of ['{', '{"a":1,"a":1}']) {
    const { body } = await post(text);
    assert.deepEqual([body.code, body.errors[0].pointer], ['malformed_json', '']);
  }
  const cursor = await service.call('GET', `${path}?cursor=x`);
  assert.deepEqual([cursor.body.code, cursor.body.errors[0].pointer], ['cursor_invalid', '/query/cursor']);
});

test('of very many wrong fields the first hundred are told', async () => {
  const body = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`x${i}`, 1]));
  const answer = await service.call('POST', '/v1/customer/quotes', { body });
  assert.equal(answer.body.errors.length, 100);
});
