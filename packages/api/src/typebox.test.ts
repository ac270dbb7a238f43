import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Type as Library, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { Type } from './typebox.ts';

type Builder = typeof Type;
/** Builds one schema with the functions that it is given. */
type Plan = (type: Builder) => TSchema;

const options = fc.option(
  fc.record(
    { description: fc.string(), minimum: fc.nat(), additionalProperties: fc.boolean() },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const name = fc.constantFrom('a', 'b', '__proto__x', 'toString', 'length');

const { plan } = fc.letrec<{ plan: Plan; leaf: Plan; properties: Record<string, Plan> }>((tie) => ({
  leaf: fc.oneof(
    options.map(
      (given): Plan =>
        (type) =>
          type.String(given),
    ),
    options.map(
      (given): Plan =>
        (type) =>
          type.Integer(given),
    ),
    options.map(
      (given): Plan =>
        (type) =>
          type.Boolean(given),
    ),
    options.map(
      (given): Plan =>
        (type) =>
          type.Null(given),
    ),
    options.map(
      (given): Plan =>
        (type) =>
          type.Unknown(given),
    ),
    fc.record({ type: fc.string(), x: fc.nat() }).map(
      (given): Plan =>
        (type) =>
          type.Unsafe(given),
    ),
    fc.tuple(fc.oneof(fc.string(), fc.nat(), fc.boolean()), options).map(
      ([value, given]): Plan =>
        (type) =>
          type.Literal(value, given),
    ),
  ),
  properties: fc.dictionary(name, tie('plan'), { maxKeys: 4, noNullPrototype: true }),
  plan: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    tie('plan').map(
      (inner): Plan =>
        (type) =>
          type.Optional(inner(type)),
    ),
    fc.tuple(tie('plan'), options).map(
      ([inner, given]): Plan =>
        (type) =>
          type.Array(inner(type), given),
    ),
    fc.tuple(fc.array(tie('plan'), { maxLength: 3 }), options).map(
      ([inner, given]): Plan =>
        (type) =>
          type.Union(
            inner.map((each) => each(type)),
            given,
          ),
    ),
    fc.tuple(fc.constantFrom(undefined, '^[a-z]+$'), tie('plan'), options).map(
      ([pattern, inner, given]): Plan =>
        (type) =>
          type.Record(type.String(pattern === undefined ? {} : { pattern }), inner(type), given),
    ),
    fc.tuple(tie('properties'), options).map(
      ([inner, given]): Plan =>
        (type) =>
          type.Object(built(inner, type), given),
    ),
    tie('properties').map(
      (inner): Plan =>
        (type) =>
          type.Partial(type.Object(built(inner, type))),
    ),
    fc.tuple(tie('properties'), tie('properties'), options).map(
      ([one, two, given]): Plan =>
        (type) =>
          type.Intersect([type.Object(built(one, type)), type.Object(built(two, type))], given),
    ),
  ),
}));

function built(properties: Record<string, Plan>, type: Builder): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, inner(type)]));
}

test('property: schemas are the library’s, to the order of their members', () => {
  fc.assert(
    fc.property(plan, (make) => {
      const own = make(Type);
      assert.equal(JSON.stringify(own), JSON.stringify(make(Library as Builder)));
      // What validates and documents sees its own members only.
      assert.deepEqual(Object.keys(own), Object.keys(make(Library as Builder)));
    }),
    { numRuns: 1_000 },
  );
});

test('a schema that is made optional stays what it was for others', () => {
  const text = Type.String();
  const object = Type.Object({ must: text, may: Type.Optional(text) });
  assert.deepEqual(object.required, ['must']);
  assert.deepEqual(Object.keys({ ...Type.Optional(text) }), ['type']);
});

test('the library checks values against these schemas', () => {
  const schema = Type.Object(
    { a: Type.Optional(Type.Integer({ minimum: 1 })) },
    { additionalProperties: false },
  );
  assert.ok(Value.Check(schema, {}));
  assert.ok(Value.Check(schema, { a: 1 }));
  assert.ok(!Value.Check(schema, { a: 0 }));
  const [error] = Value.Errors(schema, { a: 1, b: 2 });
  assert.equal(error?.instancePath, '/b');
});
