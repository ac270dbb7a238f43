import { streamPrices } from '@firmquote/api/operations/price-streams';
import { findPair, type Pair } from '@firmquote/fx';
import { readAmount } from '../http/amounts.ts';
import { requireCurrency } from '../http/market-codes.ts';
import { readQuery } from '../http/parameters.ts';
import type { RateBook } from '../market/rate-book.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { type PriceSize, type PriceTerms, type PriceTermsRoom, priceTerms } from './customer-price.ts';

/** Prices that a stream is asked for, as they were sent. */
export interface PriceRequest {
  readonly pairs: readonly string[];
  readonly amount?: string | undefined;
  readonly amountCurrency?: string | undefined;
}

/** Pairs that can be priced, and the size that they are asked for. */
export interface WantedPrices {
  readonly pairs: readonly Pair[];
  readonly size: PriceSize | undefined;
}

/** @throws Problem validation_failed with everything that is wrong */
export function readPriceQuery(given: unknown): PriceRequest {
  const { query } = readQuery(streamPrices, given, ({ amount, amountCurrency }, refuse) => {
    if (amount !== undefined && amountCurrency === undefined) refuse('amountCurrency', 'required', TOGETHER);
    if (amount === undefined && amountCurrency !== undefined) refuse('amount', 'required', TOGETHER);
  });
  return query;
}

const TOGETHER = 'is required: amount and amountCurrency go together';

/**
 * @param pointerTo how a wrong field is named in errors
 * @throws Problem pair_not_supported, currency_not_supported, amount_precision_invalid, amount_below_minimum,
 *   validation_failed
 */
export function resolvePrices(
  request: PriceRequest,
  book: RateBook,
  pointerTo: (name: string) => string,
): WantedPrices {
  const pairs = [...new Set(request.pairs)].map((code) => supportedPair(code, book, pointerTo('pairs')));
  const { amount, amountCurrency } = request;
  if ((amount === undefined) !== (amountCurrency === undefined)) {
    const pointer = pointerTo(amount === undefined ? 'amount' : 'amountCurrency');
    throw validationProblem([{ pointer, code: 'required', detail: TOGETHER }]);
  }
  if (amount === undefined || amountCurrency === undefined) return { pairs, size: undefined };
  const currency = requireCurrency(amountCurrency, pointerTo('amountCurrency'));
  const other = pairs.find(({ base, quote }) => base.code !== currency.code && quote.code !== currency.code);
  if (other !== undefined) {
    const detail = `must be a currency of every pair, but is not in ${other.code}`;
    throw validationProblem([{ pointer: pointerTo('amountCurrency'), code: 'not_permitted', detail }]);
  }
  return { pairs, size: { minor: readAmount(amount, currency), currency } };
}

function supportedPair(code: string, book: RateBook, field: string): Pair {
  const pair = findPair(code);
  if (pair !== undefined && book.isSupported(pair)) return pair;
  const swapped = findPair(code.slice(3) + code.slice(0, 3));
  const hint =
    swapped !== undefined && book.isSupported(swapped) ? ` The market quotes ${swapped.code}.` : '';
  throw new Problem('pair_not_supported', `There is no price source for ${code}.${hint}`, {
    field,
    members: { pair: code },
  });
}

/**
 * The terms of a customer for each pair.
 * @throws Problem customer_not_found, pricing_not_configured, amount_below_minimum, amount_above_maximum,
 * price_unavailable
 */
export async function requireTerms(
  room: PriceTermsRoom,
  customerId: string,
  wanted: WantedPrices,
): Promise<ReadonlyMap<Pair, PriceTerms>> {
  const found = new Map<Pair, PriceTerms>();
  for (const pair of wanted.pairs) {
    const terms = await priceTerms(room, customerId, pair, wanted.size);
    if (terms.refusal instanceof Problem) throw terms.refusal;
    found.set(pair, terms);
  }
  return found;
}
