import type { BodyOf } from '@firmquote/api/operation';
import * as api from '@firmquote/api/operations/prices';
import { findPair } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import { requirePair } from '../http/market-codes.ts';
import { serve } from '../http/serve.ts';
import { isoInstant } from '../platform/clock.ts';
import { type FieldError, validationProblem } from '../problems/problem.ts';
import { priceView } from './book-view.ts';
import type { MarketRoom } from './room.ts';
import type { PushedPrice, PushSource } from './sources/push.ts';

/** Room for as many prices as are permitted, each with a time and more digits than any market quotes. */
const BODY_LIMIT_BYTES = 128 * 1024; // limit: Body with pushed prices

/**
 * Prices as the book has them, and those that an operator, or a system of the house, brings. Each of these has an outcome of its
 * own, so the answer is 200 even where all are refused; only a request that cannot be read as prices is a problem as a whole.
 */
export function priceRoutes(app: FastifyInstance, { control, sources }: MarketRoom): void {
  const { clock } = control;
  serve(app, api.listPrices, ({ query: { pair: codes } }) => {
    const { book } = control.market;
    const pairs =
      codes === undefined ? control.quotedPairs() : codes.map((pair) => requirePair(pair, '/query/pair'));
    const now = clock.now();
    const items = pairs.map((pair) => priceView(control, book.view(pair), now));
    return { headers: { 'Cache-Control': 'no-store' }, body: { items } };
  });
  serve(app, api.withdrawPrices, ({ body }) => {
    const source = sourceOf(body, sources);
    requirePairs(body.pairs ?? []);
    const receivedAt = clock.now();
    const withdrawn = source.withdraw(body.pairs, receivedAt);
    return { body: { source: source.name, receivedAt: isoInstant(receivedAt), withdrawn } };
  });
  serve(
    app,
    api.pushPrices,
    ({ body }) => {
      const source = sourceOf(body, sources);
      const receivedAt = clock.now();
      const results = pricesOf(body).map((price) => {
        const outcome = source.push(price, receivedAt);
        return outcome === 'accepted'
          ? { pair: price.pair, outcome }
          : { pair: price.pair, outcome: 'refused', reason: outcome };
      });
      const accepted = results.filter(({ outcome }) => outcome === 'accepted').length;
      const counts = { accepted, refused: results.length - accepted };
      return { body: { source: source.name, receivedAt: isoInstant(receivedAt), ...counts, results } };
    },
    { bodyLimit: BODY_LIMIT_BYTES },
  );
}

/** @throws Problem validation_failed */
function requirePairs(codes: readonly string[]): void {
  const detail = 'must be a pair in market order, such as EURUSD';
  const unknown = codes.flatMap((code, index) =>
    findPair(code) === undefined ? [{ pointer: `/pairs/${index}`, code: 'not_permitted', detail }] : [],
  );
  if (unknown.length > 0) throw validationProblem(unknown);
}

function sourceOf(
  { source: name = 'push' }: { readonly source?: string | undefined },
  sources: MarketRoom['sources'],
): PushSource {
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
function pricesOf({ prices, pair, bid, ask, at }: BodyOf<typeof api.pushPrices>): readonly PushedPrice[] {
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
            detail: 'is not allowed with prices',
          }));
  if (wrong.length > 0) throw validationProblem(wrong);
  if (prices !== undefined) return prices;
  return [{ ...(single as { pair: string; bid: string; ask: string }), ...(at === undefined ? {} : { at }) }];
}
