import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prepareDocument } from './prepare-document.ts';

/** What becomes of something in a document. */
function prepared(node: unknown): unknown {
  return prepareDocument({ node }).node;
}

const named = { $ref: '#/components/schemas/Named' };

test('what old generators stumble over is said otherwise', () => {
  const said: readonly (readonly [unknown, unknown])[] = [
    [{ type: 'boolean', const: true }, { type: 'boolean' }],
    [
      { description: 'D', anyOf: [named, { type: 'null' }] },
      { description: 'D', nullable: true, allOf: [named] },
    ],
    [
      { anyOf: [named, { type: 'integer' }, { type: 'null' }] },
      { nullable: true, anyOf: [named, { type: 'integer' }] },
    ],
    [
      { description: 'D', anyOf: [{ type: 'object', description: 'O' }, { type: 'null' }] },
      { type: 'object', description: 'D', nullable: true },
    ],
    [
      { description: 'D', anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
      { description: 'D' },
    ],
    [{ responses: { 200: 1, '4XX': 2, '5XX': 3 } }, { responses: { 200: 1, default: 2 } }],
    [
      { enum: [',', ';', '\t'] },
      { enum: [',', ';', '\t'], 'x-enum-varnames': ['COMMA', 'SEMICOLON', 'TAB'] },
    ],
    [
      { enum: ['DD/MM', 'DD-MM'] },
      { enum: ['DD/MM', 'DD-MM'], 'x-enum-varnames': ['DD_SLASH_MM', 'DD_HYPHEN_MM'] },
    ],
  ];
  for (const [before, after] of said) assert.deepEqual(prepared(before), after);
});

test('anything else stays as it is', () => {
  for (const same of [
    { type: 'string', const: 'firm' },
    { anyOf: [named, { type: 'string' }] },
    { enum: ['open', 'executed'] },
    { type: ['string', 'null'] },
    { responses: { 200: { description: 'D' }, 404: { $ref: '#/components/responses/404' } } },
    [1, 'a', null, true],
  ]) {
    assert.deepEqual(prepared(same), same);
  }
});

test('a body that is one of several asks for what all of them ask for', () => {
  const body = (properties: object, required: string[]) => ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  });
  const anyOf = [{ $ref: '#/components/schemas/New' }, { $ref: '#/components/schemas/Again' }];
  const schemas = {
    New: body({ amount: 1, note: 2 }, ['amount', 'note']),
    Again: body({ again: 3, note: 2 }, ['again', 'note']),
    Answer: { type: 'object' },
    Either: { anyOf },
    Mixed: { anyOf: [...anyOf, { $ref: '#/components/schemas/Answer' }] },
  };
  const { components } = prepareDocument({ components: { schemas } }) as {
    components: { schemas: typeof schemas };
  };
  assert.deepEqual(components.schemas, {
    ...schemas,
    Either: body({ amount: 1, note: 2, again: 3 }, ['note']),
  });
});
