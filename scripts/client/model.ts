import { OPERATIONS, type Operation, openApiDocument } from '@firmquote/api';
import { mayChange } from '@firmquote/api/operation';
import { BY_HAND, CUSTOMER_NAMES, PUBLIC_NAMES, REPEATABLE_POSTS } from './names.ts';
import { namesIn, type Schema } from './type-text.ts';

interface Media {
  readonly schema?: Schema;
}
interface Answer {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Media>>;
}
interface DocumentParameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
interface DocumentOperation {
  readonly operationId: string;
  readonly parameters?: readonly DocumentParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>>; readonly required?: boolean };
  readonly responses: Readonly<Record<string, Answer>>;
}
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>> & {
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

export type Entry = 'customer' | 'operator' | 'sandbox';

/** What a method does with an answer. */
export type AnswerKind =
  | { readonly of: 'json'; readonly schemas: readonly Schema[] }
  | { readonly of: 'page'; readonly schema: Schema }
  | { readonly of: 'none' }
  /** A file in any case. */
  | { readonly of: 'file' }
  /** JSON, or a file where the query asks for another format. */
  | { readonly of: 'format'; readonly schemas: readonly Schema[] };

/** An operation as a client's method. */
export interface Method {
  readonly operation: Operation;
  readonly entry: Entry;
  /** `quotes` of `quotes.create`; none where the client has the method itself. */
  readonly resource: string | undefined;
  readonly name: string;
  readonly isByHand: boolean;
  readonly isRepeatable: boolean;
  readonly path: readonly DocumentParameter[];
  readonly query: readonly DocumentParameter[];
  readonly body:
    | { readonly schema: Schema; readonly isRequired: boolean; readonly media: string }
    | undefined;
  readonly answer: AnswerKind;
}

export interface Model {
  readonly methods: readonly Method[];
  readonly schemas: Readonly<Record<string, Schema>>;
  /** The first of the entries that needs a schema, by its name. */
  readonly homes: ReadonlyMap<string, Entry>;
  /** Names that requests refer to: their values are known. */
  readonly sent: ReadonlySet<string>;
}

/** What is written by hand is of these, too. */
const HAND_NEEDS = [
  'Problem',
  'PriceStreamEvent',
  'IndicativeEvent',
  'PriceSocketCommand',
  'PriceSocketEvent',
];

export const ENTRIES: readonly Entry[] = ['customer', 'operator', 'sandbox'];

/** The interface as methods of clients. */
export function readModel(): Model {
  const api = openApiDocument(OPERATIONS) as unknown as ApiDocument;
  const { schemas } = api.components;
  const methods = OPERATIONS.map((operation) => methodOf(api, operation));
  const homes = new Map<string, Entry>([...HAND_NEEDS.map((name) => [name, 'customer'] as const)]);
  for (const entry of ENTRIES) {
    const own = methods.filter((method) => method.entry === entry);
    const roots = namesIn(own.map(({ path, query, body, answer }) => [path, query, body?.schema, answer]));
    for (const root of [...homes.keys(), ...roots]) place(root, entry);
  }
  const sent = new Set<string>();
  for (const root of namesIn(methods.map(({ path, query, body }) => [path, query, body?.schema])))
    reach(root, sent);
  return { methods, schemas, homes, sent };

  function place(name: string, entry: Entry): void {
    for (const each of reach(name, new Set())) if (!homes.has(each)) homes.set(each, entry);
  }
  function reach(name: string, found: Set<string>): Set<string> {
    if (found.has(name)) return found;
    found.add(name);
    for (const each of namesIn(schemas[name])) reach(each, found);
    return found;
  }
}

function methodOf(api: ApiDocument, operation: Operation): Method {
  const { id, method, path, access, conditional } = operation;
  const said = api.paths[path]?.[method.toLowerCase()];
  if (said === undefined) throw new Error(`the document lacks ${id}`);
  const parameters = (said.parameters ?? []).map((each) => resolved(api, each));
  const [resource, name] = placeOf(operation);
  const [media = '', content] = Object.entries(said.requestBody?.content ?? {})[0] ?? [];
  return {
    operation,
    entry: path.startsWith('/v1/sandbox/')
      ? 'sandbox'
      : access?.audience === 'operator'
        ? 'operator'
        : 'customer',
    resource,
    name,
    isByHand: BY_HAND.has(id),
    isRepeatable:
      !mayChange(operation) || REPEATABLE_POSTS.has(id) || (method === 'PUT' && conditional === undefined),
    path: parameters.filter((parameter) => parameter.in === 'path'),
    query: parameters.filter((parameter) => parameter.in === 'query'),
    body:
      content?.schema === undefined
        ? undefined
        : { schema: content.schema, isRequired: said.requestBody?.required === true, media },
    answer: answerOf(api, operation, said),
  };
}

function placeOf({ id, access, path }: Operation): [string | undefined, string] {
  if (access?.audience === 'operator' || path.startsWith('/v1/sandbox/')) return [undefined, id];
  const place = (access === undefined ? PUBLIC_NAMES : CUSTOMER_NAMES)[id];
  if (place === undefined) throw new Error(`scripts/client/names.ts has no name for ${id}`);
  const [resource, name = ''] = place.split('.');
  return [resource, name];
}

function answerOf(api: ApiDocument, operation: Operation, said: DocumentOperation): AnswerKind {
  const good = Object.entries(said.responses)
    .filter(([status]) => /^2\d\d$/.test(status))
    .map(([, answer]) => resolved(api, answer).content ?? {});
  const types = new Set(good.flatMap((content) => Object.keys(content)));
  const schemas = good.flatMap((content) => content['application/json']?.schema ?? []);
  const [first] = schemas;
  if (types.size === 0) return { of: 'none' };
  if (operation.pages === true && first !== undefined) return { of: 'page', schema: schemaOf(api, first) };
  const others = [...types].filter((type) => type !== 'application/json' && type !== 'text/event-stream');
  if (others.length === 0) return { of: 'json', schemas };
  const choosesFormat = operation.query !== undefined && 'format' in operation.query;
  return schemas.length > 0 && choosesFormat ? { of: 'format', schemas } : { of: 'file' };
}

function schemaOf(api: ApiDocument, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (resolved(api, schema as { $ref?: string }) as Schema);
}

function resolved<T extends { readonly $ref?: string }>(api: ApiDocument, given: T): T {
  if (given.$ref === undefined) return given;
  const [, , kind = '', name = ''] = given.$ref.split('/');
  const found = api.components[kind]?.[name];
  if (found === undefined) throw new Error(`the document lacks ${given.$ref}`);
  return found as T;
}
