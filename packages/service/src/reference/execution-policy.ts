import type * as api from '@firmquote/api/operations/reference';
import { PROBLEMS, type ProblemCode } from '@firmquote/api/problems';
import type { CustomerProfile } from '../customers/profile.ts';

/**
 * The disclosures that the FX Global Code asks of a liquidity provider (principles 9, 10, 13, 14 and 17), as far as
 * they are a matter of this service. What is said here is what the code does; whoever changes one changes the other.
 */

/** Raised whenever a statement changes, so that a reader sees that there is something to read. */
const VERSION = '2026-11-28.1';

/** In the order in which they are looked at; nothing else stands against an execution. */
const EXECUTION_CHECKS: readonly (readonly [code: ProblemCode, check: string])[] = [
  ['customer_suspended', 'The customer is not suspended.'],
  ['idempotency_key_required', 'An Idempotency-Key is sent, if the customer must send one.'],
  ['precondition_required', 'If-Match is sent, if the customer must send it.'],
  [
    'market_closed',
    'While the quote is open: the market has not closed early, and no operator has halted trading and withdrawn open quotes. Price moves are no reason.',
  ],
  ['idempotency_key_reused', 'A known Idempotency-Key comes with the request it was first used for.'],
  ['quote_not_found', 'The quote belongs to the customer.'],
  ['quote_already_executed', 'The quote has not been executed before.'],
  [
    'quote_expired',
    'The request arrived before the quote expired; waiting inside the service does not count.',
  ],
  ['quote_cancelled', 'The customer did not cancel the quote.'],
  ['quote_withdrawn', 'The service did not withdraw the quote.'],
  ['version_mismatch', 'The open quote matches If-Match, if it is sent.'],
  ['quote_terms_mismatch', 'The amounts match `expect`, if it is sent.'],
  [
    'settlement_instructions_missing',
    'There are accounts to receive the sold currency and to pay out the bought one.',
  ],
  [
    'limit_exceeded',
    'The customer’s daily and open position limits are not exceeded, nor its balance where it pays from one, nor the position limits of the house. These value the house’s position at the market’s present prices, and move with them.',
  ],
  [
    'price_unavailable',
    'The house can value its position, if it has set limits to it. The price of the quote is not looked at.',
  ],
];

interface Statement {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

const STATEMENTS: readonly Statement[] = [
  {
    id: 'capacity',
    title: 'Capacity',
    text: 'The service acts as principal: each quote is an offer of its own, and a trade is with the house. It does not route orders.',
  },
  {
    id: 'firm_quotes',
    title: 'Firm quotes',
    text: 'A firm quote binds the service until `expiresAt`. Both amounts are fixed when the quote is made and are never computed again. Indicative prices are not binding and may differ.',
  },
  {
    id: 'no_last_look',
    title: 'No last look',
    text: 'Executing a quote involves no last look, no hold time, no price check and no slippage in either direction. The only reasons to refuse an execution are those listed under `executionChecks`.',
  },
  {
    id: 'validity',
    title: 'Validity',
    text: 'A quote is valid for the requested time, cut short at the close of the market, at the end of the trade date, and at the earlier cut-off of both currencies on the value date; `validityTruncated` says so. Expiry is judged by the arrival of the request head at the service, on the service’s clock, which `Date` and `validForMs` show.',
  },
  {
    id: 'withdrawal',
    title: 'Withdrawal',
    text: 'Only a person withdraws an open quote: an operator who suspends the customer, or who halts trading for everybody, a pair or the customer and orders the withdrawal of open quotes. Such a quote is shown as withdrawn, with an event and its reason, and cannot be executed from that moment on. An operator can also halt trading and let open quotes stand. The service never withdraws a quote on its own: when sources disagree, fall silent, withdraw their prices, or leave the limits of a pair, it makes no new quote of the pair, and executes every quote it has given until that expires. An executed quote is not withdrawn.',
  },
  {
    id: 'price_limits',
    title: 'Price limits',
    text: 'No quote is made on a price that is wider, or further from the last good price or from a reference rate, than the pair permits. Neither time nor repetition lifts these limits, only an operator’s decision, which is recorded. With three or more sources the majority decides, and a source that contradicts it is left out until it agrees again. These checks apply when a quote is made, never when it is executed.',
  },
  {
    id: 'pricing',
    title: 'How prices are made',
    text: 'A price is the market’s bid or ask with the customer’s spread applied to the rate and rounded away from the market at the last digit of the pair; amounts come from the rounded rate. A pair without a price of its own is the cross of its two US dollar pairs or of its two euro pairs: of those crosses with two current prices, the one with the smaller spread. It is as old as the older of its prices and is computed exactly, with the spread; the customer’s rate is rounded once. A firm quote is never made on a price older than the limit of its pair, nor on one that was refused as crossed, not positive, older than the one held, or ahead of the clock.',
  },
  {
    id: 'markup',
    title: 'Markup',
    text: 'The spread is found by customer, group and pair, and its rule and version are kept with each quote. Answers show spread, markup and cost against the mid as far as the customer’s `pricingDisclosure` permits.',
  },
  {
    id: 'information',
    title: 'Information',
    text: 'Requesting an indicative price reserves nothing and leaves no record of intent. A firm quote is recorded with the market it was made from. One customer’s quotes, trades and ids are never shown to another.',
  },
  {
    id: 'value_dates',
    title: 'Value dates',
    text: 'Value dates follow the rules and calendars that the value-dates reference explains. A change of a calendar or cut-off applies to new quotes; existing quotes and transactions keep their dates.',
  },
  {
    id: 'after_execution',
    title: 'After the execution',
    text: 'An execution is one commit: it happens as a whole or not at all, and repeating the request shows which. A customer cannot cancel a transaction. Unpaid transactions become overdue at their funding cut-off.',
  },
];

/** The policy as it holds for a customer. */
export function executionPolicy({ settings }: CustomerProfile): api.ExecutionPolicy {
  return {
    version: VERSION,
    facts: {
      capacity: 'principal',
      firmQuotes: true,
      lastLook: false,
      holdTimeMs: 0,
      priceCheckAtExecution: false,
      slippage: 'none',
      partialExecution: false,
      expiryJudgedBy: 'arrival_of_the_request',
      permittedValiditySeconds: [...settings.permittedValidities],
      pricingDisclosure: settings.pricingDisclosure,
      amountRounding: settings.amountRounding,
      statusCheckRequired: settings.requireStatusCheck,
      idempotencyKeyRequired: settings.requireIdempotencyKey,
    },
    statements: [...STATEMENTS],
    executionChecks: EXECUTION_CHECKS.map(([code, check], index) => ({
      order: index + 1,
      check,
      code,
      status: PROBLEMS[code].status,
      retry: PROBLEMS[code].retry,
    })),
    notExecuted:
      'Before these checks, a request can be refused because it is malformed, unauthorised or over its rate limit, or because the service is overloaded or under maintenance; the quote then stays unchanged.',
  };
}
