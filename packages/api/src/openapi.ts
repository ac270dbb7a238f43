import { ANSWER_HEADERS, HEADERS } from './openapi-headers.ts';
import { namesOfAnswer, namesOfHeader, namesOfParameter, referToNamed, share } from './openapi-shared.ts';
import {
  type AnswerDeclaration,
  type AnswerHeader,
  answerHeadersOf,
  goodStatusOf,
  isDeclaration,
  type Operation,
} from './operation.ts';
import { PAGE_PARAMETERS, type Parameter, type Parameters } from './parameters.ts';
import { codesOfGroups, type ProblemGroup, problemCodesOf, problemGroupsOf } from './problem-codes.ts';
import { PROBLEMS, type ProblemCode } from './problems/registry.ts';
import { baseOf, nameOf, ProblemSchema } from './schema.ts';
import { CUSTOMER_SCOPES, OPERATOR_SCOPES, sufficientScopes } from './scopes.ts';
import { TAGS } from './tags.ts';
import type { TSchema } from './typebox.ts';

type Json = Record<string, unknown>;

const DESCRIPTION = `Foreign-exchange quoting and trade service.

1. Get a token: \`POST /oauth/token\`. It lasts a day; reuse it.
2. Look at a price: \`POST /v1/customer/quotes/indicative\`.
3. Lock a rate: \`POST /v1/customer/quotes\`. Check it: \`GET /v1/customer/quotes/{quoteId}\`.
4. Trade: \`POST /v1/customer/quotes/{quoteId}/execute\`.
5. Pay, and watch it settle: \`GET /v1/customer/transactions/{transactionId}\` or \`GET /v1/customer/events\`.

Amounts and rates are decimal strings. Errors are RFC 9457 problems with a stable \`code\`; \`/v1/problems\` lists them all, and
each operation lists its own. Any request can also be refused with \`malformed_request\`, \`headers_too_large\`,
\`request_timeout\`, \`route_not_found\` or \`method_not_allowed\`, before its operation is known.

Responses to customers say what is left of their quotas (\`RateLimit-Policy\`, \`RateLimit\`).`;

const INFO = {
  title: 'Firmquote',
  version: '1',
  description: DESCRIPTION,
  contact: { name: 'The operator of this installation' },
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

/** The operations that customers use: nothing of those of the house. */
export function customersOperations(operations: readonly Operation[]): readonly Operation[] {
  return operations.filter(({ access, forHouse }) =>
    access === undefined ? forHouse !== true : access.audience === 'customer',
  );
}

/** The OpenAPI 3.1 document of the operations. What has a name is held once, under `components`. */
export function openApiDocument(operations: readonly Operation[]): Json {
  const isForOperators = operations.some(({ access }) => access?.audience === 'operator');
  const writer = new Writer();
  const paths: Record<string, Json> = {};
  for (const each of operations) {
    paths[each.path] ??= {};
    (paths[each.path] as Json)[each.method.toLowerCase()] = writer.operation(each);
  }
  const webhooks = Object.fromEntries(operations.flatMap((each) => writer.messagesOf(each)));
  const used = new Set(operations.map(({ tag }) => tag));
  const components = writer.components({ ...CUSTOMER_SCOPES, ...(isForOperators && OPERATOR_SCOPES) });
  referToNamed(paths, components.schemas ?? {});
  share(paths, 'parameters', components.parameters, namesOfParameter);
  share(paths, 'headers', components.headers, namesOfHeader);
  share(paths, 'responses', components.responses, namesOfAnswer);
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/', description: 'Where this document is served.' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name as keyof typeof TAGS))
      .map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: Object.fromEntries(
      Object.entries(components).map(([kind, parts]) => [kind, Object.fromEntries(inOrder(parts))]),
    ),
  };
}

function inOrder(parts: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1));
}

const PROBLEM_MEDIA = 'application/problem+json';

/** Writes operations and gathers what they share. */
class Writer {
  readonly #schemas = new Map<string, Json>();
  readonly #sources = new Map<string, object>();
  readonly #responses = new Map<string, Json>();
  readonly #parameters = new Map<string, Json>();
  readonly #headers = new Set<AnswerHeader>();

  operation(operation: Operation): Json {
    const { id, tag, summary, body } = operation;
    const parameters = this.#parametersOf(operation);
    return {
      operationId: id,
      tags: [tag],
      summary,
      description: descriptionOf(operation),
      security:
        operation.access?.anyScope === true
          ? [{ oauth: [] }]
          : sufficientScopes(operation).map((scope) => ({ oauth: [scope] })),
      ...(parameters.length > 0 && { parameters }),
      ...(body !== undefined && { requestBody: this.#body(operation, body) }),
      responses: { ...this.#answers(operation), ...this.#refusals(operation) },
    };
  }

  /** What an operation makes the service send. */
  messagesOf({ tag, sends }: Operation): readonly [string, Json][] {
    if (sends === undefined) return [];
    const { name, message } = sends;
    const post = {
      operationId: name,
      tags: [tag],
      summary: name === 'event' ? 'Customer event' : 'Operator event',
      description: 'Sent to your webhooks, signed as in Standard Webhooks.',
      security: [],
      requestBody: { required: true, content: { 'application/json': { schema: this.schema(message) } } },
      responses: {
        '2XX': { description: 'Received.' },
        '4XX': { description: 'Sent again later, except after 410.' },
      },
    };
    return [[name, { post }]];
  }

  /** @param scopes that tokens can have, with what each allows */
  components(scopes: Readonly<Record<string, string>>): Record<string, Record<string, unknown>> {
    this.schema(ProblemSchema);
    return {
      schemas: Object.fromEntries(this.#schemas),
      responses: Object.fromEntries(this.#responses),
      parameters: Object.fromEntries(this.#parameters),
      headers: Object.fromEntries([...this.#headers].map((name) => [name, ANSWER_HEADERS[name]])),
      securitySchemes: {
        oauth: {
          type: 'oauth2',
          description: 'A client credentials token lasts a day; reuse it.',
          flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes } },
        },
      },
    };
  }

  /** A schema, or where it has a name the reference to it. */
  schema(schema: object): Json {
    const base = baseOf(schema);
    if (base !== undefined) {
      return { $ref: schemaRef(base), description: (schema as { description: string }).description };
    }
    const name = nameOf(schema);
    if (name === undefined) return this.#inline(schema);
    const known = this.#sources.get(name);
    if (known === undefined) {
      this.#sources.set(name, schema);
      this.#schemas.set(name, this.#inline(schema));
    } else if (known !== schema && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two schemas are named ${name}`);
    }
    return { $ref: schemaRef(name) };
  }

  #inline(schema: object): Json {
    const written: Json = {};
    const simple = simpleOrNull(schema);
    if (simple !== undefined) return this.#inline(simple);
    if ('if' in schema) return this.#choice(schema);
    for (const [keyword, value] of Object.entries(schema)) {
      // Generators know one way of saying that all members are alike.
      const isRecord = keyword === 'patternProperties' && ANY_NAME in (value as object);
      if (isRecord)
        written.additionalProperties = this.schema((value as Record<string, object>)[ANY_NAME] ?? {});
      else written[keyword] = this.#keyword(keyword, value);
    }
    return written;
  }

  /** Validators take the form that is meant, to tell what is wrong with it; generators know forms that exclude each other. */
  #choice(schema: object): Json {
    const {
      if: _,
      then,
      else: otherwise,
      type: __,
      ...rest
    } = schema as { if: object; then: object; else: object; type: string };
    return { ...rest, anyOf: [this.schema(otherwise), this.schema(then)] };
  }

  #keyword(keyword: string, value: unknown): unknown {
    if (keyword === 'pattern') return portable(value as string);
    if (keyword === 'properties' || keyword === 'patternProperties') {
      const members = Object.entries(value as Record<string, object>);
      return Object.fromEntries(members.map(([name, member]) => [name, this.schema(member)]));
    }
    if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'allOf') {
      return (value as object[]).map((each) => this.schema(each));
    }
    const holdsSchema = ['items', 'additionalProperties', 'propertyNames', 'not'];
    return holdsSchema.includes(keyword) && typeof value === 'object' && value !== null
      ? this.schema(value)
      : value;
  }

  #parametersOf({ params = {}, query = {}, pages, ...operation }: Operation): Json[] {
    const { key, needsKey, conditional, proposes, revalidates, resumes, waits, signs } = operation;
    const header = (name: keyof typeof HEADERS) => {
      this.#parameters.set(name, HEADERS[name] as Json);
      return { $ref: `#/components/parameters/${name}` };
    };
    const ofAddress = (parameters: Parameters, place: 'path' | 'query') =>
      Object.entries(parameters).map(([name, parameter]) => this.#parameter(name, parameter, place));
    return [
      ...ofAddress(params, 'path'),
      ...ofAddress(pages === true ? { ...query, ...PAGE_PARAMETERS, ...query } : query, 'query'),
      ...(key === undefined ? [] : [header(needsKey === true ? 'IdempotencyKeyRequired' : 'IdempotencyKey')]),
      ...(conditional === undefined
        ? []
        : [header(conditional === 'required' ? 'IfMatchRequired' : 'IfMatch')]),
      ...(proposes === true ? [header('Reason')] : []),
      ...(revalidates === true ? [header('IfNoneMatch')] : []),
      ...(resumes === true ? [header('LastEventId')] : []),
      ...(waits === true && signs !== true ? [header('PreferWait')] : []),
      ...(signs === true ? [header(waits === true ? 'PreferWaitOrSignature' : 'PreferSignature')] : []),
    ];
  }

  #parameter(name: string, parameter: Parameter<unknown>, place: 'path' | 'query'): Json {
    const { description, ...rest } = parameter.schema as TSchema & { description?: string };
    const must = place === 'path' || parameter.isRequired;
    return {
      name,
      in: place,
      ...(must && { required: true }),
      ...(description !== undefined && { description }),
      schema: this.schema(rest),
    };
  }

  #body({ bodyMedia = ['application/json'], optionalBody, example }: Operation, body: TSchema): Json {
    const schema = this.schema(body);
    return {
      ...(optionalBody !== true && { required: true }),
      content: Object.fromEntries(
        bodyMedia.map((media) => [media, { schema, ...exampleOf(media, example?.body) }]),
      ),
    };
  }

  #answers(operation: Operation): Json {
    const answers = Object.entries(operation.answers).map(([status, given]) => {
      return [status, this.#answer(operation, status, isDeclaration(given) ? given : ofBody(status, given))];
    });
    // Every operation is wanted to have an answer of this kind.
    if (operation.answers[101] !== undefined) answers.push(['2XX', { description: 'Never sent.' }]);
    if (operation.revalidates === true) answers.push(['304', { description: 'Nothing has changed.' }]);
    return Object.fromEntries(answers);
  }

  #answer(operation: Operation, status: string, { description, content, headers = {} }: AnswerDeclaration) {
    const own = Object.entries(headers).map(([name, about]) => [
      name,
      { description: about, schema: { type: 'string' } },
    ]);
    const isExample = Number.parseInt(status, 10) === goodStatusOf(operation);
    const shared = answerHeadersOf(operation, Number.parseInt(status, 10)).map((name) => {
      this.#headers.add(name);
      return [name, { $ref: `#/components/headers/${name}` }];
    });
    const all = [...shared, ...own];
    return {
      description,
      ...(all.length > 0 && { headers: Object.fromEntries(all) }),
      ...(content !== undefined && {
        content: Object.fromEntries(
          Object.entries(content).map(([media, schema]) => [
            media,
            {
              schema: this.schema(schema),
              ...exampleOf(media, isExample ? operation.example?.answer : undefined),
            },
          ]),
        ),
      }),
    };
  }

  /**
   * The problems that it can answer and no others. Those that follow from what it is stand under `4XX` and `5XX`; statuses with
   * codes of its own stand by themselves, with every code of the status.
   */
  #refusals(operation: Operation): Json {
    const all = problemCodesOf(operation);
    const groups = problemGroupsOf(operation);
    const common = new Set(codesOfGroups(groups));
    const own = new Set(all.filter((code) => !common.has(code)).map((code) => PROBLEMS[code].status));
    const refusals: [string, Json][] = [...own].sort().map((status) => {
      const codes = all.filter((code) => PROBLEMS[code].status === status);
      const own = codes.filter((code) => !common.has(code));
      const shaping = groups.filter((group) => codesOfGroups([group]).some((code) => codes.includes(code)));
      return [`${status}`, this.#refusal(refusalName(status, own, shaping), codes)];
    });
    for (const range of [4, 5]) {
      const codes = [...common].filter((code) => Math.floor(PROBLEMS[code].status / 100) === range);
      if (codes.length === 0) continue;
      const shaping = groups.filter((group) => codesOfGroups([group]).some((code) => codes.includes(code)));
      const name = [`${range}XX`, ...kindOf(groups), ...shaping.filter((group) => !USUAL.has(group))].join(
        '.',
      );
      refusals.push([`${range}XX`, this.#refusal(name, codes)]);
    }
    return Object.fromEntries(refusals);
  }

  #refusal(name: string, codes: readonly ProblemCode[]): Json {
    if (!this.#responses.has(name)) {
      const known = {
        allOf: [
          this.schema(ProblemSchema),
          // Their types are in the problem's schema.
          { properties: { code: { enum: codes } } },
        ],
      };
      this.#responses.set(name, {
        description: 'See `code`.',
        content: { [PROBLEM_MEDIA]: { schema: known } },
      });
    }
    return { $ref: `#/components/responses/${name}` };
  }
}

/** `{ type: 'string' }` or null in the short form, which says the same. */
function simpleOrNull(schema: object): Json | undefined {
  const { anyOf, ...rest } = schema as { anyOf?: Json[] };
  const [value, none] = anyOf ?? [];
  if (anyOf?.length !== 2 || value === undefined || none?.type !== 'null') return undefined;
  if (typeof value.type !== 'string' || nameOf(value) !== undefined || baseOf(value) !== undefined)
    return undefined;
  if (!SIMPLE.has(value.type) || 'enum' in value) return undefined;
  return { ...value, ...rest, type: [value.type, 'null'] };
}

const SIMPLE: ReadonlySet<string> = new Set(['string', 'integer', 'boolean']);

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted: done later, or once a second operator approves it.',
  204: 'Done.',
};

/** What a body with a description of its own says of itself is said once, of the answer. */
function ofBody(status: string, schema: TSchema): AnswerDeclaration {
  const { description, ...rest } = schema as TSchema & { description?: string };
  const body = nameOf(schema) === undefined && baseOf(schema) === undefined ? rest : schema;
  return {
    description: description ?? DESCRIPTIONS[status] ?? 'Done.',
    content: { 'application/json': body },
  };
}

function schemaRef(name: string): string {
  return `#/components/schemas/${name}`;
}

/** What nearly every operation can be refused with has no part in the name. */
const USUAL: ReadonlySet<ProblemGroup> = new Set(['any', 'caller', 'media']);

function kindOf(groups: readonly ProblemGroup[]): string[] {
  if (!groups.includes('caller')) return ['public'];
  return groups.includes('media') ? [] : ['file'];
}

/**
 * Few programs read classes of Unicode: control characters are written out. Halves of surrogate pairs are left out, since no text
 * in UTF-8 has any.
 */
function portable(pattern: string): string {
  return pattern.replaceAll('\\p{Cc}', '\\x00-\\x1F\\x7F-\\x9F').replaceAll('\\p{Cs}', '');
}

/** The pattern of `Type.Record`. */
const ANY_NAME = '^.*$';

function exampleOf(media: string, example: object | undefined): Json {
  return example === undefined || media !== 'application/json' ? {} : { example };
}

const NAMED_CODES_MAX = 3;

/** Says itself what it is: the status, the operation's own codes as far as there is room, and the groups of the others. */
function refusalName(status: number, own: readonly ProblemCode[], groups: readonly ProblemGroup[]): string {
  if (own.length <= NAMED_CODES_MAX) return [status, ...own, ...groups].join('.');
  return [status, own[0], `and-${own.length - 1}-more`, digestOf(own.join()), ...groups].join('.');
}

/** FNV-1a, 32 bits: tells sets of codes that begin alike from each other. */
function digestOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** None is without a word. */
function descriptionOf({ summary, description, pages }: Operation): string {
  return [description ?? `${summary}.`, pages === true ? 'Paginated.' : ''].join(' ').trim();
}
