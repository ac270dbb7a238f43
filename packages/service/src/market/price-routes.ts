import { findPair } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import type { RouteAccess } from '../http/context.ts';
import { idempotent } from '../http/idempotency.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import { Instant, ProblemSchema } from '../http/schema.ts';
import { type Clock, isoInstant } from '../platform/clock.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { type FieldError, validationProblem } from '../problems/problem.ts';
import type { PushedPrice, PushSource } from './sources/push.ts';

const access: RouteAccess = { audience: 'operator', scope: 'operator:market' };
const PRICES_MAX = 500; // limit: Prices pushed in one request
/** Room for as many prices as are permitted, each with a time and more digits than any market quotes. */
const BODY_LIMIT_BYTES = 128 * 1024; // limit: Body with pushed prices

/** Judged price by price, so the schema bounds the texts and no more. */
const RateText = Type.String({
  maxLength: 40,
  description: 'Units of the quote currency for one of the base currency, a decimal string.',
  examples: ['1.08488'],
});
const TimeText = Type.String({
  maxLength: 40,
  description: 'When the price was made, RFC 3339. Default: when the request is judged.',
  examples: ['2026-03-04T14:30:00.112Z'],
});
const Pair = Type.String({
  maxLength: 20,
  description: 'Six letters in market order.',
  examples: ['EURUSD'],
});
const priceFields = { pair: Pair, bid: RateText, ask: RateText };
const closed = { additionalProperties: false };

const PushPrices = Type.Object(
  {
    source: Type.Optional(
      Type.String({
        maxLength: 50,
        description: 'Which of the configured push sources they come from. Default: `push`.',
        examples: ['push'],
      }),
    ),
    ...Type.Partial(Type.Object(priceFields)).properties,
    at: Type.Optional(TimeText),
    prices: Type.Optional(
      Type.Array(Type.Object({ ...priceFields, at: Type.Optional(TimeText) }, closed), {
        minItems: 1,
        maxItems: PRICES_MAX,
        description: 'A batch, instead of the fields of a single price.',
      }),
    ),
  },
  closed,
);
type PushPrices = Static<typeof PushPrices>;

const WithdrawPrices = Type.Object(
  {
    source: PushPrices.properties.source,
    pairs: Type.Optional(
      Type.Array(Pair, {
        minItems: 1,
        maxItems: PRICES_MAX,
        uniqueItems: true,
        description: 'Default: every pair of the source.',
        examples: [['EURUSD']],
      }),
    ),
  },
  closed,
);
type WithdrawPrices = Static<typeof WithdrawPrices>;

const WithdrawnPrices = Type.Object({
  source: Type.String(),
  receivedAt: Instant,
  withdrawn: Type.Array(Type.String({ examples: ['EURUSD'] }), {
    description: 'The pairs that had a price of this source.',
  }),
});

const PushedPrices = Type.Object({
  source: Type.String(),
  receivedAt: Instant,
  accepted: Type.Integer(),
  refused: Type.Integer(),
  results: Type.Array(
    Type.Object({
      pair: Type.String({ examples: ['EURUSD'] }),
      outcome: Type.Union([Type.Literal('accepted'), Type.Literal('refused')]),
      reason: Type.Optional(
        Type.String({ description: 'Why it was refused.', examples: ['crossed', 'future', 'not_a_number'] }),
      ),
    }),
    { description: 'One for each price, in the order of the request.' },
  ),
});

export interface PriceRoutesOptions {
  readonly clock: Clock;
  readonly sources: ReadonlyMap<string, PushSource>;
  readonly idempotency: IdempotencyStore;
}

/**
 * Prices that an operator, or a system of the house, brings. Each has an outcome of its own, so the
 * answer is 200 even where all are refused; only a request that cannot be read as prices is a problem as a whole.
 */
export function priceRoutes(app: FastifyInstance, options: PriceRoutesOptions): void {
  withdrawRoute(app, options);
  app.post(
    '/v1/operator/prices',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { access },
      schema: {
        tags: ['Operator: market'],
        summary: 'Push prices',
        description: `A single price, or up to ${PRICES_MAX} in \`prices\`. Each is judged like one of a feed and has its own outcome. With an \`Idempotency-Key\` a repetition is answered again without making an old price look new.`,
        body: PushPrices,
        response: { 200: PushedPrices, default: ProblemSchema },
      },
    },
    idempotent({ store: options.idempotency }, async (request) => {
      const body = request.body as PushPrices;
      const source = sourceOf(body, options.sources);
      const receivedAt = options.clock.now();
      const results = pricesOf(body).map((price) => {
        const outcome = source.push(price, receivedAt);
        return outcome === 'accepted'
          ? { pair: price.pair, outcome }
          : { pair: price.pair, outcome: 'refused', reason: outcome };
      });
      const accepted = results.filter(({ outcome }) => outcome === 'accepted').length;
      return {
        status: 200,
        body: {
          source: source.name,
          receivedAt: isoInstant(receivedAt),
          accepted,
          refused: results.length - accepted,
          results,
        },
      };
    }),
  );
}

function withdrawRoute(app: FastifyInstance, options: PriceRoutesOptions): void {
  app.post(
    '/v1/operator/prices/withdraw',
    {
      config: { access },
      schema: {
        tags: ['Operator: market'],
        summary: 'Take pushed prices back',
        description:
          'Nothing is dealt on them from then on, whatever their age; firm quotes that were given stand. A price that was made before is refused when it comes later.',
        body: WithdrawPrices,
        response: { 200: WithdrawnPrices, default: ProblemSchema },
      },
    },
    idempotent({ store: options.idempotency }, async (request) => {
      const body = request.body as WithdrawPrices;
      const source = sourceOf(body, options.sources);
      const unknown = (body.pairs ?? []).flatMap((pair, index) =>
        findPair(pair) === undefined ? [index] : [],
      );
      if (unknown.length > 0) {
        throw validationProblem(
          unknown.map((index) => ({
            pointer: `/pairs/${index}`,
            code: 'not_permitted',
            detail: 'must be a pair in market order, such as EURUSD',
          })),
        );
      }
      const receivedAt = options.clock.now();
      const withdrawn = source.withdraw(body.pairs, receivedAt);
      return {
        status: 200,
        body: { source: source.name, receivedAt: isoInstant(receivedAt), withdrawn },
      };
    }),
  );
}

type Named = Pick<PushPrices, 'source'>;

function sourceOf({ source: name = 'push' }: Named, sources: PriceRoutesOptions['sources']): PushSource {
  const source = sources.get(name);
  if (source !== undefined) return source;
  const names = [...sources.keys()];
  const detail =
    names.length === 0
      ? 'no source takes pushed prices; FIRMQUOTE_SOURCES must name push'
      : `must be one of ${names.join(', ')}`;
  throw validationProblem([{ pointer: '/source', code: 'not_permitted', detail }]);
}

/** @throws Problem validation_failed unless it is one price or a batch, and not both */
function pricesOf({ prices, pair, bid, ask, at }: PushPrices): readonly PushedPrice[] {
  const single = { pair, bid, ask };
  const fields = Object.entries({ ...single, at });
  const wrong: FieldError[] =
    prices === undefined
      ? fields
          .filter(([name, value]) => name !== 'at' && value === undefined)
          .map(([name]) => ({ pointer: `/${name}`, code: 'required', detail: 'is required' }))
      : fields
          .filter(([, value]) => value !== undefined)
          .map(([name]) => ({
            pointer: `/${name}`,
            code: 'not_permitted',
            detail: 'does not go with prices',
          }));
  if (wrong.length > 0) throw validationProblem(wrong);
  if (prices !== undefined) return prices;
  return [{ ...(single as { pair: string; bid: string; ask: string }), ...(at === undefined ? {} : { at }) }];
}
