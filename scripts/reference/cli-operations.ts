import { openApiDocument } from '@firmquote/api/openapi';
import { jsonText } from '@firmquote/api/openapi-text';
import { mayChange } from '@firmquote/api/operation';
import { OPERATIONS } from '@firmquote/api/operations/index';
import { sufficientScopes } from '@firmquote/api/scopes';
import type { Page } from './page.ts';

/** What the command line says of each operation: from it `firmquote call` makes flags, help and completion. */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
interface Answer {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, unknown>>;
}
interface Said {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema?: Schema }>>;
  };
  readonly responses: Readonly<Record<string, Answer>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Said>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const NAME = 'packages/cli/src/operations/table.json';
const MERGED = ['allOf', 'anyOf', 'oneOf'] as const;

export function cliOperationsPage(): Page {
  const document = openApiDocument(OPERATIONS) as unknown as Document;
  const described = OPERATIONS.map((operation) => {
    const said = document.paths[operation.path]?.[operation.method.toLowerCase()];
    if (said === undefined) throw new Error(`the document lacks ${operation.id}`);
    const parameters = (said.parameters ?? []).map((each) => resolved(document, each));
    const of = (place: string) => parameters.filter((each) => each.in === place);
    return {
      id: operation.id,
      method: operation.method,
      path: operation.path,
      tag: operation.tag,
      summary: said.summary,
      description: said.description,
      audience: operation.access?.audience,
      scope: sufficientScopes(operation).join(' or ') || undefined,
      pages: operation.pages,
      changesNothing: (operation.method !== 'GET' && !mayChange(operation)) || undefined,
      keyed: operation.key !== undefined || undefined,
      params: of('path').map((each) => input(document, each.name, each.schema, each.description, false)),
      query: of('query').map((each) =>
        input(document, each.name, each.schema, each.description, each.required === true),
      ),
      headers: of('header').map((each) => each.name),
      body: bodyOf(document, said),
      answers: answersOf(document, said),
    };
  });
  return { name: NAME, text: jsonText(described) };
}

function bodyOf(document: Document, { requestBody }: Said) {
  const [found] = Object.entries(requestBody?.content ?? {});
  if (requestBody === undefined || found === undefined) return undefined;
  const [media, { schema }] = found;
  if (media !== 'application/json' || schema === undefined) return { media, required: true };
  const { properties, required } = membersOf(document, schema);
  const fields = [...properties].map(([name, each]) =>
    input(document, name, each, each.description, required.has(name)),
  );
  return { media, required: requestBody.required === true, fields };
}

/** Names of an object, also where it is one of several: then what any of them may have, and what all of them must. */
function membersOf(
  document: Document,
  given: Schema,
): { readonly properties: ReadonlyMap<string, Schema>; readonly required: ReadonlySet<string> } {
  const schema = resolved(document, given);
  const properties = new Map(Object.entries(schema.properties ?? {}));
  let required = new Set(schema.required);
  for (const word of MERGED) {
    const parts = (schema[word] ?? []).map((each) => membersOf(document, each));
    for (const part of parts) for (const [name, each] of part.properties) properties.set(name, each);
    const [first, ...others] = parts.map((part) => part.required);
    if (first === undefined) continue;
    const all =
      word === 'allOf'
        ? new Set([first, ...others].flatMap((each) => [...each]))
        : new Set([...first].filter((name) => others.every((each) => each.has(name))));
    required = new Set([...required, ...all]);
  }
  return { properties, required };
}

function input(
  document: Document,
  name: string,
  given: Schema,
  description: string | undefined,
  isRequired: boolean,
) {
  const schema = resolved(document, given);
  const items = schema.items === undefined ? undefined : resolved(document, schema.items);
  const type = isInstant(document, schema) ? 'instant' : typeOf(schema);
  const values =
    (items ?? schema).enum ?? ((items ?? schema).const === undefined ? undefined : [schema.const]);
  return {
    name,
    type: type === 'array' && items !== undefined && typeOf(items) !== 'object' ? `${typeOf(items)}[]` : type,
    required: isRequired || undefined,
    values: values?.every((value) => typeof value === 'string') === true ? values : undefined,
    description: description ?? given.description ?? schema.description,
  };
}

/** In a query by its format, in a body by its pattern. */
function isInstant({ components }: Document, { format, pattern }: Schema): boolean {
  const { Instant } = components.schemas as { readonly Instant: Schema };
  return format === 'date-time' || (pattern !== undefined && pattern === Instant.pattern);
}

function typeOf(schema: Schema): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  const first = Array.isArray(type) ? type.find((each) => each !== 'null') : undefined;
  return first ?? 'object';
}

/** Media types of good answers; none where there is nothing but a status. */
function answersOf(document: Document, said: Said): string[] {
  const good = Object.entries(said.responses).filter(([status]) => status.startsWith('2'));
  return [...new Set(good.flatMap(([, answer]) => Object.keys(resolved(document, answer).content ?? {})))];
}

function resolved<T extends { readonly $ref?: string }>(document: Document, given: T): T {
  if (given.$ref === undefined) return given;
  const [, , kind = '', name = ''] = given.$ref.split('/');
  const found = document.components[kind]?.[name] as T | undefined;
  if (found === undefined) throw new Error(`the document lacks ${given.$ref}`);
  return resolved(document, found);
}
