import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { typeText } from './client/type-text.ts';
import { clientFiles, staleFiles } from './generate-client.ts';

const GENERATED = join(import.meta.dirname, '../packages/client/src/generated');

const files = clientFiles();

test("the client's generated files are what the interface says", () => {
  assert.deepEqual(staleFiles(GENERATED, files), [], 'run node scripts/generate-client.ts');
});

test('what was changed, and what is missing, is stale, and the difference is shown', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'firmquote-client-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(GENERATED, folder, { recursive: true });
  const path = join(folder, 'places.ts');
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace("'customer:quotes.create'", "'customer:quotes.make'"),
  );
  rmSync(join(folder, 'states.ts'));
  const [places, states, ...others] = staleFiles(folder, files);
  assert.deepEqual(places, {
    name: 'places.ts',
    difference: ["-   createQuote: 'customer:quotes.make',", "+   createQuote: 'customer:quotes.create',"],
  });
  assert.equal(states?.name, 'states.ts');
  assert.deepEqual(others, []);
});

describe('a schema is written as a type', () => {
  for (const [schema, isOpen, text] of [
    [{ type: 'string', enum: ['a', 'b'] }, false, '"a" | "b"'],
    [{ type: 'string', enum: ['a', 'b'] }, true, 'Open<"a" | "b">'],
    [{ type: 'string', enum: ['a'] }, true, '"a"'],
    [{ type: ['string', 'null'] }, true, 'string | null'],
    [{ type: 'array', items: { type: ['string', 'null'] } }, true, 'readonly (string | null)[]'],
    [{ anyOf: [{ $ref: '#/components/schemas/A' }, { type: 'null' }] }, true, 'A | null'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, true, 'Readonly<Record<string, string>>'],
    [
      { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'boolean' } }, required: ['a'] },
      true,
      '{\nreadonly a: number;\nreadonly b?: boolean | undefined;\n}',
    ],
    [{}, true, 'unknown'],
  ] as const) {
    test(text.replaceAll('\n', ' '), () => assert.equal(typeText(schema, isOpen), text));
  }
});
