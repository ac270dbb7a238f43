import type { Answer, Call } from './call.ts';
import { PriceMovedError, QuoteEndedError } from './errors.ts';
import type { Quote, Transaction } from './generated/types.ts';
import { said } from './headers.ts';
import { worseBps } from './money.ts';
import type { ExecuteOptions, Quotes, RequoteOptions } from './quotes.ts';

/** The service takes keys of up to 128 characters, of which the number of a new quote needs some. */
const KEY_CHARACTERS_MAX = 100;

/**
 * As `quotes.executeOrRequote`, which loads it when it is first called. Under a key of the caller's every step has a key that follows from
 * it: made again after a crash, the call finds the quotes that it got before, and the trade among them, and trades no other one.
 */
export async function executeOrRequote(
  quotes: Pick<Quotes, 'get' | 'create'>,
  execute: (quote: Quote, options: ExecuteOptions) => Promise<Answer<Transaction>>,
  given: string | Quote,
  options: RequoteOptions,
): Promise<Answer<Transaction>> {
  const { maxWorseBps = 0, maxRequotes = 1, ...rest } = options;
  const { signal } = options;
  const key = said(options, 'idempotency-key', options.idempotencyKey);
  const first = typeof given === 'string' ? await quotes.get(given, { signal }) : given;
  let quote = first;
  let requotes = 0;
  for (let number = 1; ; number++) {
    try {
      // A version is of one quote; a key is for all of them, since the service takes it for each apart.
      return await execute(quote, number === 1 ? rest : { ...rest, ifMatch: undefined });
    } catch (error) {
      if (!(error instanceof QuoteEndedError) || requotes >= maxRequotes) throw error;
      const idempotencyKey = key === undefined ? undefined : await keyOfNumber(key, number);
      const next = await answered(quotes.create({ requoteOf: quote.quoteId }, { signal, idempotencyKey }));
      quote = next.quote;
      if (!next.isReplay) requotes++;
      const isWorse = worseBps(first, quote);
      if (next.isOpen && isWorse.isMoreThan(maxWorseBps))
        throw new PriceMovedError(quote, isWorse.text, error);
    }
  }
}

/** One that an earlier call has got may have been executed or have ended since: the execution under its key says what came of it. */
async function answered(call: Call<Quote>) {
  const { data, isReplay, headers } = await call.withResponse();
  return {
    quote: data,
    isReplay,
    isOpen: (headers.get('firmquote-current-status') ?? data.status) === 'open',
  };
}

async function keyOfNumber(key: string, number: number): Promise<string> {
  return `${key.length > KEY_CHARACTERS_MAX ? await digestOf(key) : key}-requote-${number}`;
}

async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
