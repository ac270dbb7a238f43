import type { QuoteStatus } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import type { Pool } from '../database/pool.ts';
import { customerOf } from '../http/context.ts';
import { type CursorCodec, type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, nullable } from '../http/schema.ts';
import type { Clock } from '../platform/clock.ts';
import { Type } from '../platform/typebox.ts';
import { listQuotes, type QuoteFilter } from './list-store.ts';
import { renderQuote } from './render.ts';
import { QuoteAnswer } from './schema.ts';

const STATUSES = [
  'open',
  'executed',
  'cancelled',
  'expired',
  'withdrawn',
] as const satisfies readonly QuoteStatus[];

const text = (description: string) => Type.Optional(Type.String({ description }));
const QuoteQuery = Type.Object(
  {
    status: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String())], {
        description: `Repeatable or comma list of: ${STATUSES.join(', ')}.`,
      }),
    ),
    createdFrom: text('RFC 3339, inclusive.'),
    createdTo: text('RFC 3339, exclusive.'),
    pair: text('Six letters in market order.'),
    sellCurrency: text('ISO 4217 code.'),
    buyCurrency: text('ISO 4217 code.'),
    clientReference: text('Exact.'),
    limit: text('1 to 200, default 50.'),
    cursor: text('From nextCursor; bound to the filters.'),
  },
  { additionalProperties: false },
);
const QuoteList = Type.Object({
  items: Type.Array(QuoteAnswer),
  nextCursor: nullable(Type.String()),
  hasMore: Type.Boolean({
    description: 'With a filter, a page may have fewer items than its limit although there are more: go on.',
  }),
});

export interface QuoteListServices {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
}

/** `GET /v1/customer/quotes` (docs/interface.md#lists): the customer's quotes, newest first, in keyset pages. */
export function quoteListRoute(app: FastifyInstance, services: QuoteListServices): void {
  app.get(
    '/v1/customer/quotes',
    {
      config: { access: { audience: 'customer', scope: 'quotes:read' }, rate: 'reads' },
      schema: {
        summary: 'List quotes',
        tags: ['Quotes'],
        querystring: QuoteQuery,
        response: { 200: QuoteList },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const { customerId } = customerOf(request);
      const { body, nextCursor } = await listCustomerQuotes(services, customerId, request.query);
      linkedPage(request, reply, { nextCursor });
      return reply
        .header('Content-Type', 'application/json; charset=utf-8')
        .header('Cache-Control', 'no-store')
        .send(body);
    },
  );
}

async function listCustomerQuotes(
  { pool, clock, cursors }: QuoteListServices,
  customerId: string,
  query: unknown,
): Promise<{ readonly body: string; readonly nextCursor: string | null }> {
  const reader = new QueryReader(query);
  const filter = readFilter(reader);
  const limit = reader.limit();
  const cursor = reader.cursor();
  reader.finish();
  const scope: CursorScope = {
    list: `quotes ${customerId}`,
    sort: '-createdAt',
    filters: filter as Record<string, unknown>,
  };
  const [before] = cursor === undefined ? [] : cursors.decode(scope, cursor);
  const now = clock.now();
  const found = await listQuotes(
    pool,
    customerId,
    filter,
    now,
    limit,
    typeof before === 'string' ? before : undefined,
  );
  const nextCursor = found.next === undefined ? null : cursors.encode(scope, [found.next]);
  const items = found.records.map((record) => renderQuote(record, now)).join(',');
  const body = `{"items":[${items}],"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${nextCursor !== null}}`;
  return { body, nextCursor };
}

function readFilter(reader: QueryReader): QuoteFilter {
  const filter = {
    status: reader.list('status', STATUSES),
    createdFrom: reader.instant('createdFrom'),
    createdTo: reader.instant('createdTo'),
    pair: readCode(reader, 'pair', /^[A-Z]{6}$/),
    sellCurrency: readCode(reader, 'sellCurrency', /^[A-Z]{3}$/),
    buyCurrency: readCode(reader, 'buyCurrency', /^[A-Z]{3}$/),
    clientReference: reader.text('clientReference', 64),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

function readCode(reader: QueryReader, name: string, pattern: RegExp): string | undefined {
  const code = reader.text(name, 6);
  if (code !== undefined && !pattern.test(code)) {
    reader.refuse(name, 'wrong_format', 'must be upper-case currency codes');
  }
  return code;
}
