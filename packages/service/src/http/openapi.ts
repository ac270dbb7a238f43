import swagger from '@fastify/swagger';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { PROBLEM_CODES } from '../problems/registry.ts';
import { ProblemSchema } from './schema.ts';

const DESCRIPTION = `Foreign-exchange quoting and trade service.

1. Get a token: \`POST /oauth/token\`; it is good for a day, use it again.
2. Look at a price: \`POST /v1/customer/quotes/indicative\`.
3. Lock a rate: \`POST /v1/customer/quotes\`; check it: \`GET /v1/customer/quotes/{quoteId}\`.
4. Trade: \`POST /v1/customer/quotes/{quoteId}/execute\`.
5. Pay, and watch it settle: \`GET /v1/customer/transactions/{transactionId}\` or \`GET /v1/customer/events\`.

Amounts and rates are decimal strings. Errors are RFC 9457 problems with a stable \`code\`; all of them are at \`/v1/problems\`.`;

/** OpenAPI 3.1 at `/openapi.json`, made from the schemas that validate, and a self-hosted reference at `/docs`. */
export async function documentApi(app: FastifyInstance, baseUrl: () => string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Firmquote',
        version: '1',
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
          oauth: {
            type: 'oauth2',
            flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: {} } },
          },
        },
      },
    },
    transform: ({ schema, url, route }) => ({
      url,
      schema:
        route.config?.access === undefined
          ? schema
          : { ...schema, ...withAccess(schema, route.config.access.scope) },
    }),
  });
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    const document = { ...app.swagger(), servers: [{ url: baseUrl() }] };
    return reply.header('Cache-Control', 'no-cache').send(document);
  });
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      title: 'Firmquote API',
      withDefaultFonts: false,
      // Everything that would talk to somebody else's service.
      showDeveloperTools: 'never',
      hideClientButton: true,
      mcp: { disabled: true },
      telemetry: false,
      agent: { disabled: true },
    } as never,
  });
}

/** What holds for every protected route: the scope it needs and how its errors look. */
function withAccess(
  schema: { response?: unknown; description?: string } | undefined,
  scope: string,
): Record<string, unknown> {
  const { $id, ...problem } = ProblemSchema as typeof ProblemSchema & { $id?: string };
  const error = {
    description: `A problem (RFC 9457). Codes: ${PROBLEM_CODES.join(', ')}.`,
    content: { 'application/problem+json': { schema: problem } },
  };
  return {
    security: [{ oauth: [scope] }],
    response: { ...(schema?.response as object | undefined), default: error },
  };
}
