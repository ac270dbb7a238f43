/** A JSON value in which every number is its source text, so that `1.08500` is still `1.08500`. */
export type ExactJson =
  | string
  | boolean
  | null
  | readonly ExactJson[]
  | { readonly [name: string]: ExactJson };

/** What the engine gives a reviver of a primitive value (ECMAScript 2026; the type library has it not yet). */
interface SourceContext {
  readonly source?: string;
}

type Reviver = (this: unknown, name: string, value: unknown, context: SourceContext) => unknown;
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;

/**
 * Parses JSON without ever making a floating point number matter: the digits are taken from the text.
 * @returns undefined when the text is no JSON
 */
export function parseExactJson(text: string): ExactJson | undefined {
  try {
    return parse(text, (_name, value, { source }) =>
      typeof value === 'number' ? (source ?? null) : value,
    ) as ExactJson;
  } catch {
    return undefined;
  }
}

export function isExactObject(value: ExactJson | undefined): value is { readonly [name: string]: ExactJson } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
