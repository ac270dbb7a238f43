import type { ApiError } from './errors.ts';
import type { Quote } from './generated/types.ts';
import { blank, problemError } from './problems.ts';

/** What the service would say, had it been asked to execute. */
export function notOpen(quote: Quote): ApiError {
  const { quoteId, status, expiresAt, transactionId } = quote;
  const code = status === 'executed' ? 'quote_already_executed' : `quote_${status}`;
  const isExecuted = transactionId !== null;
  return problemError({
    ...blank(code, 409),
    detail: `The quote is ${status}; nothing was sent.`,
    retry: isExecuted ? 'none' : 'new_quote',
    ...(isExecuted ? { transactionId } : { quoteStatus: status, expiresAt, requote: { requoteOf: quoteId } }),
  });
}
