import type { Type as Library } from 'typebox';

export type { Static, TObject, TProperties, TSchema } from 'typebox';

type Schema = Record<string, unknown>;
type Builder = Pick<
  typeof Library,
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Intersect'
  | 'Literal'
  | 'Null'
  | 'Object'
  | 'Optional'
  | 'Partial'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'
>;

/** Where the library keeps it, too; what is not enumerable is in no JSON and in no copy. */
const OPTIONAL = '~optional';

/**
 * TypeBox without its code: the types are the library's, and so are the schemas that come out, while its 600 modules, most
 * of them for types at run time, stay unloaded. A test holds every function against the library.
 */
export const Type = {
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Null: (options?: Schema) => ({ type: 'null', ...options }),
  Unknown: (options?: Schema) => ({ ...options }),
  Literal: (value: unknown, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Union: (anyOf: readonly Schema[], options?: Schema) => ({ anyOf, ...options }),
  Intersect: (allOf: readonly Schema[], options?: Schema) => ({ allOf, ...options }),
  Object: objectOf,
  Optional: optional,
  Partial: ({ properties }: { properties: Record<string, Schema> }, options?: Schema) =>
    objectOf(
      Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, optional(schema)])),
      options,
    ),
  Record: ({ pattern = '^.*$' }: { pattern?: string }, values: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { [pattern]: values },
    ...options,
  }),
  Unsafe: (schema: Schema) => ({ ...schema }),
} as unknown as Builder;

function objectOf(properties: Record<string, Schema>, options?: Schema): Schema {
  const required = Object.keys(properties).filter((name) => properties[name]?.[OPTIONAL] !== true);
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

function optional(schema: Schema): Schema {
  // With what is not enumerable: a schema keeps its name when it is made optional.
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as Schema;
  return Object.defineProperty(copy, OPTIONAL, { value: true });
}
