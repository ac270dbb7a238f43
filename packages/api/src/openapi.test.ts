import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { customersOperations, openApiDocument } from './openapi.ts';
import { jsonText } from './openapi-text.ts';
import { type Operation, operation } from './operation.ts';
import * as parameter from './parameters.ts';
import { described, literals, named, nullable, pageOf } from './schema.ts';
import { CUSTOMER_SCOPES } from './scopes.ts';
import { Type } from './typebox.ts';

/** The document of a made-up house. */

const COLOURS = ['red', 'green', 'blue', 'white', 'black', 'transparent', 'unknown'] as const;
const Colour = named('Colour', literals(COLOURS));
const Thing = named(
  'Thing',
  Type.Object({
    colour: nullable(Colour),
    inside: described(Colour, 'Within.'),
    note: nullable(Type.String({ pattern: '^[^\\p{Cc}\\p{Cs}]*$' })),
    tags: Type.Record(Type.String(), Type.String()),
  }),
);
const base = { tag: 'Operations', access: { audience: 'operator', scope: 'operator:ledger' } } as const;
const params = { thingId: parameter.id('txn') };
const OPERATIONS: readonly Operation[] = [
  operation({
    ...base,
    id: 'listThings',
    method: 'GET',
    path: '/things',
    summary: 'List things',
    query: {
      colour: parameter.list(COLOURS),
      size: parameter.required(parameter.text()),
      shape: parameter.byDefault(parameter.text(), 'round'),
    },
    pages: true,
    answers: { 200: pageOf(Thing) },
  }),
  operation({
    ...base,
    id: 'makeThing',
    method: 'POST',
    path: '/things/{thingId}',
    summary: 'Make a thing',
    params,
    key: 'kept',
    versioned: true,
    answers: { 201: Thing },
    problems: ['transaction_not_found', 'already_exists'],
    example: { answer: { colour: 'red' } },
  }),
  operation({
    ...base,
    id: 'lendThing',
    method: 'POST',
    path: '/lent/{thingId}',
    summary: 'Lend a thing',
    params,
    key: 'own',
    needsKey: true,
    unlocated: true,
    answers: { 201: Thing },
  }),
  operation({
    ...base,
    id: 'getThing',
    method: 'GET',
    path: '/thing/{thingId}',
    summary: 'Read',
    params,
    answers: { 200: Thing },
  }),
  operation({
    ...base,
    id: 'getOther',
    method: 'GET',
    path: '/other/{thingId}',
    summary: 'Read',
    params,
    answers: { 200: Thing },
  }),
];
// biome-ignore lint/suspicious/noExplicitAny: a document is looked into freely
const { paths, components } = openApiDocument(OPERATIONS) as any;

describe('the document', () => {
  test('refers to what has a name, also where it was written out', () => {
    const [colour] = paths['/things'].get.parameters;
    assert.deepEqual(colour.schema, { type: 'array', items: { $ref: '#/components/schemas/Colour' } });
    assert.deepEqual(components.schemas.Thing.properties, {
      colour: { anyOf: [{ $ref: '#/components/schemas/Colour' }, { type: 'null' }] },
      inside: { $ref: '#/components/schemas/Colour', description: 'Within.' },
      note: { type: ['string', 'null'], pattern: '^[^\\x00-\\x1F\\x7F-\\x9F]*$' },
      tags: { type: 'object', additionalProperties: { type: 'string' } },
    });
  });

  test('holds once what several operations have alike', () => {
    assert.deepEqual(paths['/other/{thingId}'].get, {
      ...paths['/thing/{thingId}'].get,
      operationId: 'getOther',
    });
    assert.deepEqual(paths['/thing/{thingId}'].get.parameters, [{ $ref: '#/components/parameters/thingId' }]);
    assert.deepEqual(paths['/thing/{thingId}'].get.responses, {
      200: { $ref: '#/components/responses/Thing' },
      '4XX': { $ref: '#/components/responses/4XX' },
      '5XX': { $ref: '#/components/responses/5XX' },
    });
  });

  test('has statuses with codes of the operation by themselves, each with all of its codes', () => {
    const { responses } = paths['/things/{thingId}'].post;
    assert.deepEqual(Object.keys(responses).sort(), ['201', '404', '409', '4XX', '5XX']);
    const codes = (status: string) => {
      const { content } = components.responses[responses[status].$ref.split('/').at(-1)];
      return content['application/problem+json'].schema.allOf[1].properties.code.enum;
    };
    assert.deepEqual(codes('409').sort(), ['already_exists', 'request_in_progress']);
    assert.ok(codes('4XX').includes('idempotency_key_reused') && codes('5XX').includes('outcome_unknown'));
  });

  test('shows headers, examples and what cannot be left out', () => {
    const made = paths['/things/{thingId}'].post.responses[201];
    assert.deepEqual(Object.keys(made.headers), ['ETag', 'Location']);
    assert.deepEqual(made.content['application/json'].example, { colour: 'red' });
    const shown = (named: string) => {
      const found = paths['/things'].get.parameters.find(({ name }: { name: string }) => name === named);
      return [found.required, found.schema.default];
    };
    assert.deepEqual(
      [shown('size'), shown('shape')],
      [
        [true, undefined],
        [undefined, 'round'],
      ],
    );
    const keyOf = (path: string) =>
      components.parameters[paths[path].post.parameters[1].$ref.split('/').at(-1)];
    assert.deepEqual(
      [keyOf('/things/{thingId}'), keyOf('/lent/{thingId}')].map(({ name, required }) => [name, required]),
      [
        ['Idempotency-Key', undefined],
        ['Idempotency-Key', true],
      ],
    );
  });

  test('cannot have two schemas of one name', () => {
    const answers = { 200: named('Thing', Type.Object({})) };
    const wrong = operation({
      ...base,
      id: 'wrong',
      method: 'GET',
      path: '/wrong',
      summary: 'Wrong',
      answers,
    });
    assert.throws(() => openApiDocument([...OPERATIONS, wrong]), /two schemas are named Thing/);
  });
});

test('its text is the document again, in lines that can be read one by one', () => {
  const value = { a: [], b: {}, c: 'x'.repeat(610), d: [{ e: 'y'.repeat(610), f: undefined }, 1, null] };
  const text = jsonText(value);
  assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
  const lines = ['{', '"a":[],', '"b":{},', `"c":"${value.c}",`, '"d":['];
  assert.deepEqual(text.split('\n').slice(0, 5), lines);
  assert.equal(jsonText({ a: [{ b: value.c, c: 1 }] }), `{"a":[{\n"b":"${value.c}",\n"c":1\n}]}\n`);
});

test('the document of customers has their operations, those of anybody, and nothing of operators', () => {
  const access = { audience: 'customer', scope: 'quotes:read' } as const;
  const hidden = named('Hidden', Type.Object({}));
  const more: readonly Operation[] = [
    ...OPERATIONS,
    { ...base, id: 'getHidden', method: 'GET', path: '/hidden', summary: 'Read', answers: { 200: hidden } },
    { ...OPERATIONS[0], id: 'listOwn', path: '/own', access } as Operation,
    {
      id: 'getKeys',
      method: 'GET',
      path: '/keys',
      tag: 'Authorization',
      summary: 'Keys',
      answers: { 204: Type.Null() },
    },
    {
      id: 'getHealth',
      method: 'GET',
      path: '/health',
      tag: 'Operations',
      forHouse: true,
      summary: 'Health',
      answers: { 204: Type.Null() },
    },
  ];
  const { paths, components } = openApiDocument(customersOperations(more)) as {
    paths: object;
    components: {
      schemas: object;
      securitySchemes: { oauth: { flows: { clientCredentials: { scopes: object } } } };
    };
  };
  assert.deepEqual(Object.keys(paths), ['/own', '/keys']);
  assert.ok('Thing' in components.schemas && !('Hidden' in components.schemas));
  assert.match(JSON.stringify(openApiDocument(more)), /"Hidden"/);
  const { scopes } = components.securitySchemes.oauth.flows.clientCredentials;
  assert.deepEqual(Object.keys(scopes), Object.keys(CUSTOMER_SCOPES));
});
