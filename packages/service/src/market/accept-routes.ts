import type { Decimal } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import { idempotent } from '../http/idempotency.ts';
import { requirePair } from '../http/market-codes.ts';
import { type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { validationProblem } from '../problems/problem.ts';
import { acceptablePrice, acceptedView, acceptPrice } from './accept-price.ts';
import * as schema from './accept-schema.ts';
import { listAcceptedPrices } from './level-store.ts';
import { access, actorOf, type MarketRoutesOptions, tags } from './route-helpers.ts';
import { PairParams } from './schema.ts';

const PATH = '/v1/operator/pairs/:pair/accepted-prices';

/** What operators say of where a pair stands, when its prices have left what is believed by itself. */
export function acceptRoutes(
  app: FastifyInstance,
  { control, idempotency, cursors }: MarketRoutesOptions,
): void {
  app.post(
    PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Accept a price of a pair that moved too far to be believed by itself',
        description:
          'Says which price is right: prices within the band of it are believed from now on, others are not. It stands in for the reference rate until there are rates of a later day. Sources that were set aside and say the same are back. Kept with who accepts it and why; followed by every instance within a second.',
        params: PairParams,
        body: schema.AcceptPrice,
        response: { 201: schema.AcceptedPriceAnswer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request) => {
      const pair = requirePair((request.params as { pair: string }).pair, '/path/pair');
      const { price, reason } = request.body as schema.AcceptPrice;
      const accepted = await acceptPrice(control, pair, readPrice(price), {
        actor: actorOf(request),
        reason,
      });
      return { status: 201, body: acceptedView(accepted) };
    }),
  );
  app.get(
    PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Prices of a pair that operators accepted, newest first, with who and why',
        params: PairParams,
        querystring: schema.AcceptedPricesQuery,
        response: { 200: schema.AcceptedPriceList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const { code } = requirePair((request.params as { pair: string }).pair, '/path/pair');
      const query = new QueryReader(request.query);
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const scope: CursorScope = { list: 'accepted prices', sort: '-number', filters: { pair: code } };
      const before = cursor === undefined ? undefined : BigInt(String(cursors.decode(scope, cursor)[0]));
      const rows = await listAcceptedPrices(control.pool, code, before, limit + 1);
      const page = cursors.page(scope, rows, limit, (row) => [String(row.number)], acceptedView);
      linkedPage(request, reply, page);
      return page;
    },
  );
}

/** @throws Problem validation_failed */
function readPrice(text: string): Decimal {
  const price = acceptablePrice(text);
  if (price !== undefined) return price;
  throw validationProblem([{ pointer: '/price', code: 'out_of_range', detail: 'must be more than zero' }]);
}
