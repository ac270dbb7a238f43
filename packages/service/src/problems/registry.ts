/**
 * Every error the API can answer with: stable code, HTTP status, retry class and what to do about it.
 * Served at `/v1/problems`, one page each at `/problems/<code with dashes>`.
 *
 * `retry`: `none` repeating cannot help; `after_fix` change the request first; `same_request` repeat it as it is
 * (same idempotency key); `new_quote` ask for a new quote; `later` repeat after the time the answer names.
 */
export type Retry = 'none' | 'after_fix' | 'same_request' | 'new_quote' | 'later';

export interface ProblemDefinition {
  readonly status: number;
  readonly title: string;
  readonly retry: Retry;
  /** What happened, and what the caller does next. One or two sentences, for the code's page. */
  readonly help: string;
}

function define<const T extends Record<string, ProblemDefinition>>(definitions: T): T {
  return definitions;
}

export const PROBLEMS = define({
  malformed_request: {
    status: 400,
    title: 'The request is not valid HTTP',
    retry: 'after_fix',
    help: 'Request line, headers or length could not be read. A proxy or a hand-made client is at fault.',
  },
  malformed_json: {
    status: 400,
    title: 'The body is not valid JSON',
    retry: 'after_fix',
    help: 'The request body could not be parsed. Send one JSON object encoded as UTF-8.',
  },
  validation_failed: {
    status: 400,
    title: 'The request is not valid',
    retry: 'after_fix',
    help: 'One or more fields are missing, unknown or of the wrong form. `errors` names each by JSON pointer. Amounts and rates are strings, never numbers.',
  },
  cursor_invalid: {
    status: 400,
    title: 'The cursor cannot be used',
    retry: 'after_fix',
    help: 'A cursor belongs to the filters and the sort order it was given for. Start the list again without it.',
  },
  idempotency_key_required: {
    status: 400,
    title: 'An Idempotency-Key is required',
    retry: 'after_fix',
    help: 'This customer is set to require the `Idempotency-Key` header on every POST that changes something.',
  },
  idempotency_key_invalid: {
    status: 400,
    title: 'The Idempotency-Key is not valid',
    retry: 'after_fix',
    help: 'A key is 1 to 128 printable ASCII characters without a double quote, bare or as a quoted string.',
  },
  token_missing: {
    status: 401,
    title: 'An access token is required',
    retry: 'after_fix',
    help: 'Send `Authorization: Bearer <token>`. Tokens come from `POST /oauth/token`.',
  },
  token_invalid: {
    status: 401,
    title: 'The access token is not valid',
    retry: 'after_fix',
    help: 'The token is malformed, not signed by this service, meant for another audience, or revoked. Ask for a new one.',
  },
  token_expired: {
    status: 401,
    title: 'The access token has expired',
    retry: 'after_fix',
    help: 'Ask for a new token. Clients should do so 300 seconds before `expires_in` runs out.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The token does not allow this',
    retry: 'none',
    help: 'The call needs the scope in `requiredScope`. Ask for a token with it, or have the client granted it.',
  },
  second_person_required: {
    status: 403,
    title: 'A second person has to decide',
    retry: 'none',
    help: 'Who proposed something cannot approve it. Another operator, with an OAuth client of its own, has to.',
  },
  customer_suspended: {
    status: 403,
    title: 'The customer is suspended',
    retry: 'none',
    help: 'The operator has suspended this customer or client. Nothing can be quoted or executed until it is resumed.',
  },
  ip_not_allowed: {
    status: 403,
    title: 'The address is not allowed',
    retry: 'none',
    help: 'The client may be used only from the addresses on its allow-list.',
  },
  pair_not_enabled: {
    status: 403,
    title: 'The pair is not enabled',
    retry: 'none',
    help: 'The pair exists, but it is switched off.',
  },
  quote_not_found: {
    status: 404,
    title: 'No such quote',
    retry: 'none',
    help: 'There is no quote with this id for this customer.',
  },
  transaction_not_found: {
    status: 404,
    title: 'No such transaction',
    retry: 'none',
    help: 'There is no transaction with this id for this customer.',
  },
  customer_not_found: {
    status: 404,
    title: 'No such customer',
    retry: 'none',
    help: 'There is no customer with this id.',
  },
  client_not_found: {
    status: 404,
    title: 'No such OAuth client',
    retry: 'none',
    help: 'The customer has no OAuth client or secret with this id.',
  },
  settlement_instruction_not_found: {
    status: 404,
    title: 'No such settlement instruction',
    retry: 'none',
    help: 'The customer has no settlement instruction with this id.',
  },
  deposit_not_found: {
    status: 404,
    title: 'No such deposit',
    retry: 'none',
    help: 'There is no deposit with this id.',
  },
  hold_not_found: {
    status: 404,
    title: 'Hold not found',
    retry: 'none',
    help: 'The transaction has no hold with this id that still stands.',
  },
  settlement_run_not_found: {
    status: 404,
    title: 'Settlement run not found',
    retry: 'none',
    help: 'There is no settlement run with this id, or it has no such file.',
  },
  approval_not_found: {
    status: 404,
    title: 'No such approval',
    retry: 'none',
    help: 'Nothing was ever proposed under this id.',
  },
  price_source_not_found: {
    status: 404,
    title: 'No such price source',
    retry: 'none',
    help: 'No price source of this name runs here, has sent a price, or was ever switched.',
  },
  route_not_found: {
    status: 404,
    title: 'No such address',
    retry: 'none',
    help: 'The path is not part of the API. The reference is at `/docs`.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed here',
    retry: 'after_fix',
    help: 'The address exists, but not for this method. `Allow` lists those that it takes.',
  },
  not_acceptable: {
    status: 406,
    title: 'The answer cannot be given in that form',
    retry: 'after_fix',
    help: 'Accept `application/json`.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    retry: 'same_request',
    help: 'The request was not complete within 30 seconds. Nothing was done.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    retry: 'after_fix',
    help: 'Address and headers together may be 16 KiB at most.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    retry: 'after_fix',
    help: 'Request bodies may be 64 KiB at most, unless the address says otherwise.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The media type is not supported',
    retry: 'after_fix',
    help: 'Send `Content-Type: application/json`.',
  },
  quote_expired: {
    status: 409,
    title: 'Quote has expired',
    retry: 'new_quote',
    help: 'The request arrived at or after `expiresAt`. Ask for a new quote; `requote` is a body that does it in one call.',
  },
  quote_cancelled: {
    status: 409,
    title: 'Quote has been cancelled',
    retry: 'new_quote',
    help: 'The quote was cancelled before this request. Ask for a new quote; `requote` is a body that does it in one call.',
  },
  quote_withdrawn: {
    status: 409,
    title: 'Quote has been withdrawn',
    retry: 'new_quote',
    help: 'The operator or a risk rule withdrew the quote. Ask for a new quote; `requote` is a body that does it in one call.',
  },
  quote_already_executed: {
    status: 409,
    title: 'Quote has already been executed',
    retry: 'none',
    help: 'The quote became the transaction named in `transactionId`. Nothing further happened.',
  },
  quote_terms_mismatch: {
    status: 409,
    title: 'The quote has other terms',
    retry: 'after_fix',
    help: 'The amounts in `expect` are not those of the quote. The quote stays open.',
  },
  request_in_progress: {
    status: 409,
    title: 'The same request is in progress',
    retry: 'same_request',
    help: 'Another request with this idempotency key has not finished. Repeat this one after `Retry-After`.',
  },
  market_closed: {
    status: 409,
    title: 'The market is closed',
    retry: 'later',
    help: 'No firm quote is made and none executed while the market is closed. `reopensAt` says when it opens.',
  },
  too_many_open_quotes: {
    status: 409,
    title: 'Too many quotes are open',
    retry: 'later',
    help: 'Execute, cancel or let expire an open quote before asking for another.',
  },
  invalid_state_transition: {
    status: 409,
    title: 'The state does not allow this',
    retry: 'none',
    help: 'The resource is in state `from`, from which `to` cannot be reached this way.',
  },
  already_exists: {
    status: 409,
    title: 'It already exists',
    retry: 'none',
    help: 'A resource with the same unique value exists; the answer names it. For deposits: same account and bank reference, other content.',
  },
  version_mismatch: {
    status: 412,
    title: 'The resource has changed',
    retry: 'after_fix',
    help: '`If-Match` names another version than the current one. Read it again and decide anew.',
  },
  precondition_required: {
    status: 428,
    title: 'If-Match is required',
    retry: 'after_fix',
    help: 'Read the resource first and send its `ETag` as `If-Match`.',
  },
  same_currency: {
    status: 422,
    title: 'Both currencies are the same',
    retry: 'after_fix',
    help: '`sellCurrency` and `buyCurrency` must differ.',
  },
  currency_not_supported: {
    status: 422,
    title: 'The currency is not supported',
    retry: 'after_fix',
    help: 'The code is not a currency that this service trades.',
  },
  currency_withdrawn: {
    status: 422,
    title: 'The currency has been withdrawn',
    retry: 'after_fix',
    help: 'The code was a currency once and has been replaced.',
  },
  pair_not_supported: {
    status: 422,
    title: 'The pair is not supported',
    retry: 'after_fix',
    help: 'Both currencies are known, but the service has no price source for the pair.',
  },
  amount_below_minimum: {
    status: 422,
    title: 'The amount is too small',
    retry: 'after_fix',
    help: 'The amount is zero, under the minimum in `min`, or would come to nothing in the other currency.',
  },
  amount_above_maximum: {
    status: 422,
    title: 'The amount is too large',
    retry: 'after_fix',
    help: 'The amount is over the maximum for one trade, in `max`.',
  },
  amount_precision_invalid: {
    status: 422,
    title: 'The amount has too many decimals',
    retry: 'after_fix',
    help: 'The amount has more decimals than the currency has minor units (ISO 4217).',
  },
  tenor_not_supported: {
    status: 422,
    title: 'The tenor is not supported',
    retry: 'after_fix',
    help: 'Value dates run from today to spot. Later dates would need forward points, which are not quoted.',
  },
  value_date_invalid: {
    status: 422,
    title: 'The value date is not possible',
    retry: 'after_fix',
    help: 'The date is not a settlement day for the pair. `reasons` says why, `nextValueDate` which day is next.',
  },
  cutoff_passed: {
    status: 422,
    title: 'The cut-off has passed',
    retry: 'after_fix',
    help: 'It is too late for this value date. `nextValueDate` is the next one possible.',
  },
  validity_not_permitted: {
    status: 422,
    title: 'The validity is not permitted',
    retry: 'after_fix',
    help: '`validitySeconds` must be one of the values in `permitted`.',
  },
  pricing_not_configured: {
    status: 422,
    title: 'No price is configured',
    retry: 'none',
    help: 'No spread rule applies to this customer, pair, tenor, validity and amount. The operator must add one.',
  },
  settlement_instructions_missing: {
    status: 422,
    title: 'Settlement instructions are missing',
    retry: 'none',
    help: 'There is no account to pay the bought currency to, or none to receive the sold one. The operator must add it.',
  },
  nothing_to_settle: {
    status: 422,
    title: 'Nothing is due to be paid',
    retry: 'later',
    help: 'No payout or refund of this currency and value date is due, in no other run, and payable. The preview says what stands against those that are `excluded`.',
  },
  limit_exceeded: {
    status: 422,
    title: 'A limit would be exceeded',
    retry: 'later',
    help: 'The trade would go over the limit named in `limitType`. `resetsAt` says when it is free again, where it is by time. Without a `limit` it is one of the house, which no number is told of.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The idempotency key was used for another request',
    retry: 'after_fix',
    help: 'The key is known with a different request body. Use a fresh key for each logical operation.',
  },
  too_many_pairs: {
    status: 422,
    title: 'Too many pairs in price streams',
    retry: 'after_fix',
    help: 'All price streams of a customer together read `limit` pairs at most; a pair that two of them read counts once. Ask for fewer, or end another stream.',
  },
  upgrade_required: {
    status: 426,
    title: 'This address is a WebSocket',
    retry: 'after_fix',
    help: 'Ask for an upgrade of the connection (RFC 6455). Over plain HTTP, `GET /v1/customer/prices/stream` has the same events.',
  },
  too_many_streams: {
    status: 429,
    title: 'Too many price streams are open',
    retry: 'later',
    help: 'A customer has `limit` price streams at once, event streams and WebSockets together. Close one, or read several pairs over one.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    retry: 'later',
    help: 'The policy in `violated-policies` is used up. Wait for `Retry-After` seconds.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong here',
    retry: 'same_request',
    help: 'The fault is on this side and logged under `requestId`. Repeat the request with the same idempotency key.',
  },
  price_unavailable: {
    status: 503,
    title: 'No current price',
    retry: 'later',
    help: 'The price is missing or older than the pair allows. No firm quote is made on a stale price.',
  },
  maintenance: {
    status: 503,
    title: 'The service is not available',
    retry: 'later',
    help: 'The service is starting, stopping or waiting for its database. Repeat after `Retry-After`.',
  },
  overloaded: {
    status: 503,
    title: 'The service is overloaded',
    retry: 'later',
    help: 'Too many requests wait for the database, or too many price streams are open. Nothing was done. Repeat after `Retry-After`.',
  },
});

export type ProblemCode = keyof typeof PROBLEMS;
export const PROBLEM_CODES = Object.keys(PROBLEMS) as ProblemCode[];

/** `quote_expired` → `/problems/quote-expired`. */
export function problemPath(code: ProblemCode): string {
  return `/problems/${code.replaceAll('_', '-')}`;
}
