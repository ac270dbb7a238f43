import type { Answer } from './call.ts';
import { PriceMovedError, QuoteEndedError } from './errors.ts';
import type { Quote, Transaction } from './generated/types.ts';
import { worseBps } from './money.ts';
import type { ExecuteOptions, Quotes, RequoteOptions } from './quotes.ts';

/** As `quotes.executeOrRequote`, which loads it when it is first called. */
export async function executeOrRequote(
  quotes: Pick<Quotes, 'get' | 'create'>,
  execute: (quote: Quote, options: ExecuteOptions) => Promise<Answer<Transaction>>,
  given: string | Quote,
  options: RequoteOptions,
): Promise<Answer<Transaction>> {
  const { maxWorseBps = 0, maxRequotes = 1, ...rest } = options;
  const first = typeof given === 'string' ? await quotes.get(given, { signal: options.signal }) : given;
  let quote = first;
  for (let requotes = 0; ; requotes++) {
    try {
      // A key is for one quote.
      return await execute(
        quote,
        requotes === 0 ? rest : { ...rest, idempotencyKey: undefined, ifMatch: undefined },
      );
    } catch (error) {
      if (!(error instanceof QuoteEndedError) || requotes >= maxRequotes) throw error;
      quote = await quotes.create({ requoteOf: quote.quoteId }, { signal: options.signal });
      const isWorse = worseBps(first, quote);
      if (isWorse.isMoreThan(maxWorseBps)) throw new PriceMovedError(quote, isWorse.text, error);
    }
  }
}
