import swagger from '@fastify/swagger';
import { openApiDocument } from '@firmquote/api/openapi';
import type { Operation } from '@firmquote/api/operation';
import { PROBLEMS, type ProblemCode } from '@firmquote/api/problems';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { oneLargeAtATime } from './connections.ts';
import { codesOf } from './operation-codes.ts';
import { once, preparePublicDocument, sendPublicDocument } from './public-document.ts';
import { serveReference } from './reference.ts';
import { ProblemSchema } from './schema.ts';

/**
 * OpenAPI 3.1 at `/openapi.json`, made from the schemas that validate, and a self-hosted reference at `/docs`.
 * @param isServed false where nobody shall read them
 */
export async function documentApi(
  app: FastifyInstance,
  baseUrl: () => string,
  authUrl: () => string = baseUrl,
  isServed = true,
): Promise<void> {
  if (!isServed) return;
  const { $id, ...problem } = ProblemSchema as typeof ProblemSchema & { $id?: string };
  const declared: Operation[] = [];
  app.addHook('onRoute', ({ config, method }) => {
    if (config?.operation !== undefined && method !== 'HEAD') declared.push(config.operation);
  });
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Firmquote', version: '1' },
      components: {
        schemas: { Problem: problem as object },
        securitySchemes: {
          oauth: {
            type: 'oauth2',
            flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: {} } },
          },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const { access, signsTerms, operation } = route.config ?? {};
      if (operation !== undefined) return { url, schema: { hide: true } };
      const security = access === undefined ? {} : { security: [{ oauth: [access.scope] }] };
      const documented = { ...schema, ...security, [CODES]: codesOfRoute(route) };
      return { url, schema: signsTerms ? { ...documented, ...withSignature(documented) } : documented };
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new Error('the document is made as OpenAPI 3');
      const { openapiObject } = document;
      for (const path of Object.values(openapiObject.paths ?? {})) {
        for (const operation of Object.values(path as Readonly<Record<string, Documented>>)) {
          tellProblems(operation);
        }
      }
      addDeclared(openapiObject, declared);
      return openapiObject;
    },
  });
  const document = once(() => {
    const text = JSON.stringify(app.swagger());
    return preparePublicDocument('application/json; charset=utf-8', text);
  });
  app.get('/openapi.json', LARGE, async (request, reply) =>
    sendPublicDocument(request, reply, await document(), 0),
  );
  serveReference(app, () => [baseUrl(), authUrl()]);
}

const LARGE = { schema: { hide: true }, onRequest: oneLargeAtATime };

/** Documented and not validated: a preference is never an error (RFC 7240 §2). */
const SIGNATURE_PREFERENCE = {
  type: 'object',
  properties: {
    Prefer: {
      type: 'string',
      description:
        '`signature`: the answer carries `JWS-Signature`, a detached JWS (Ed25519) over its terms, and `Preference-Applied: signature`.',
    },
  },
};

const SIGNATURE_HEADERS = {
  'JWS-Signature': {
    type: 'string',
    description: 'Where it was preferred: `<protected header>..<signature>`, RFC 7515 appendix F.',
  },
  'Preference-Applied': { type: 'string', description: 'The preferences that were followed (RFC 7240).' },
};

/** That a route signs the terms of its answer for who prefers it. */
function withSignature(schema: { response?: unknown } | undefined): Record<string, unknown> {
  const answers = Object.entries((schema?.response ?? {}) as Record<string, object>).map(
    ([status, answer]) => [status, status === 'default' ? answer : { ...answer, headers: SIGNATURE_HEADERS }],
  );
  return { headers: SIGNATURE_PREFERENCE, response: Object.fromEntries(answers) };
}

/** Operations that are declared as data stand in the document as that says it. */
function addDeclared(document: object, operations: readonly Operation[]): void {
  const whole = document as { paths: Record<string, object>; components: Record<string, object> };
  const { paths, components, ...rest } = openApiDocument(operations) as typeof whole;
  for (const [path, methods] of Object.entries(paths))
    whole.paths[path] = { ...whole.paths[path], ...methods };
  for (const [kind, parts] of Object.entries(components)) {
    whole.components[kind] = { ...whole.components[kind], ...parts };
  }
  Object.assign(whole, rest);
}

/** Carries the codes of a route into the document; taken out of it again. */
const CODES = 'x-codes';

interface Documented {
  responses: Record<string, object>;
  [CODES]?: readonly ProblemCode[];
}

function codesOfRoute({ method, url, config = {}, schema, handler }: RouteOptions): readonly ProblemCode[] {
  if (typeof method !== 'string') throw new Error(`${url} is documented for one method at a time`);
  return codesOf({ method, url, config, schema, handler });
}

/** The problems that an operation can answer and no others, by status, each with its codes. */
function tellProblems(operation: Documented): void {
  const { [CODES]: codes = [], responses } = operation;
  delete operation[CODES];
  if (codes.length === 0) return;
  delete responses.default;
  for (const [status, those] of Map.groupBy(codes, (code) => PROBLEMS[code].status)) {
    responses[status] ??= {
      description: `Codes: ${those.map((code) => `\`${code}\``).join(', ')}.`,
      content: {
        'application/problem+json': {
          schema: {
            allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: those } } }],
          },
        },
      },
    };
  }
}
