// What generators of the last decade stumble over in the OpenAPI document, said in a way that they know. Nothing that
// travels changes: a client of the prepared document sends and reads the same.

type Json = Record<string, unknown>;

/** Names in enumerations, for what has no letters; generators make one name of all of them. */
const SIGNS: Readonly<Record<string, string>> = {
  ' ': 'SPACE',
  "'": 'APOSTROPHE',
  ',': 'COMMA',
  '-': 'HYPHEN',
  '.': 'DOT',
  '/': 'SLASH',
  ';': 'SEMICOLON',
  '|': 'BAR',
  '\t': 'TAB',
};
const SCALARS: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean', 'null']);
const NULL = JSON.stringify({ type: 'null' });

interface Choice {
  readonly type: 'object';
  readonly properties: Json;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

export function prepareDocument(document: Json): Json {
  const { components, ...rest } = document as { components?: { schemas?: Json } };
  const schemas = components?.schemas ?? {};
  const merged = Object.entries(schemas).map(([name, schema]) => [name, withoutChoice(schema, schemas)]);
  return prepare({ ...rest, components: { ...components, schemas: Object.fromEntries(merged) } }) as Json;
}

/** A body that is one of several: generators put their members together, and ask for what any of them asks for. */
function withoutChoice(schema: unknown, schemas: Json): unknown {
  const { anyOf, ...rest } = schema as { anyOf?: readonly { $ref?: string }[] };
  if (anyOf === undefined) return schema;
  const choices = anyOf.map(({ $ref }) => schemas[$ref?.split('/').at(-1) ?? ''] as Choice | undefined);
  const bodies = choices.filter((choice) => choice?.additionalProperties === false);
  if (bodies.length < choices.length) return schema;
  const [first, ...others] = bodies.map((body) => body?.required ?? []);
  return {
    ...rest,
    type: 'object',
    properties: Object.assign({}, ...bodies.map((body) => body?.properties)),
    required: first?.filter((name) => others.every((each) => each.includes(name))) ?? [],
    additionalProperties: false,
  };
}

function prepare(document: unknown): unknown {
  if (Array.isArray(document)) return document.map(prepare);
  if (typeof document !== 'object' || document === null) return document;
  const members = Object.entries(document).map(([name, value]) => [name, prepare(value)]);
  return [withoutTruth, withoutScalars, withNames, withNullable, withDefault].reduce<Json>(
    (node, step) => step(node),
    Object.fromEntries(members),
  );
}

/** A constant that is true or false becomes an enumeration of texts in Java. */
function withoutTruth(node: Json): Json {
  if (typeof node.const !== 'boolean') return node;
  const { const: _, ...rest } = node;
  return rest;
}

/** A member that is a text or a number has no type in Java. */
function withoutScalars(node: Json): Json {
  const { anyOf, ...rest } = node;
  if (!Array.isArray(anyOf) || anyOf.some(({ type }) => !SCALARS.has(type))) return node;
  return anyOf.filter(({ type }) => type !== 'null').length > 1 ? rest : node;
}

function withNames(node: Json): Json {
  const values = node.enum;
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) return node;
  const plain = new Set(values.map((value: string) => value.replaceAll(/[^A-Za-z0-9]+/g, '').toUpperCase()));
  if (plain.size === values.length && !plain.has('')) return node;
  return { ...node, 'x-enum-varnames': values.map(nameOf) };
}

function nameOf(value: string): string {
  const named = value.replaceAll(/[^A-Za-z0-9]/g, (sign) => `_${SIGNS[sign] ?? sign.codePointAt(0)}_`);
  return named.replaceAll(/_+/g, '_').replaceAll(/^_|_$/g, '').toUpperCase();
}

/** A schema or null, which OpenAPI 3.0 says with `nullable`. */
function withNullable(node: Json): Json {
  const choices = node.anyOf;
  if (!Array.isArray(choices) || !choices.some((choice) => JSON.stringify(choice) === NULL)) return node;
  const { anyOf: _, ...rest } = node;
  const others = choices.filter((choice) => JSON.stringify(choice) !== NULL);
  const [only] = others;
  if (others.length > 1) return { ...rest, nullable: true, anyOf: others };
  return { ...('$ref' in only ? { allOf: others } : only), ...rest, nullable: true };
}

/** Not all of them know classes of statuses; every refusal is a problem anyway. */
function withDefault(node: Json): Json {
  if (!('4XX' in node) && !('5XX' in node)) return node;
  const { '4XX': refused, '5XX': failed, ...rest } = node;
  return { ...rest, default: refused ?? failed };
}
