import type * as api from '@firmquote/api/operations/reference';
import { PROBLEMS, type ProblemCode } from '@firmquote/api/problems';
import type { CustomerProfile } from '../customers/profile.ts';

/**
 * The disclosures that the FX Global Code asks of a liquidity provider (principles 9, 10, 13, 14 and 17), as far as
 * they are a matter of this service. What is said here is what the code does; whoever changes one changes the other.
 */

/** Raised whenever a statement changes, so that a reader sees that there is something to read. */
const VERSION = '2026-11-22.2';

/** In the order in which they are looked at; nothing else stands against an execution. */
const EXECUTION_CHECKS: readonly (readonly [code: ProblemCode, check: string])[] = [
  ['customer_suspended', 'The customer is not suspended.'],
  ['idempotency_key_required', 'An Idempotency-Key is given, where the customer is set to need one.'],
  ['precondition_required', 'If-Match is given, where the customer is set to need it.'],
  [
    'market_closed',
    'While the quote is open: the market has not closed early, and no operator has stopped trading and taken back open quotes. What prices do is no reason.',
  ],
  ['idempotency_key_reused', 'A known Idempotency-Key comes with the request that it was first used for.'],
  ['quote_not_found', 'The quote is one of the customer’s own.'],
  ['quote_already_executed', 'The quote was not executed before.'],
  [
    'quote_expired',
    'The request arrived before the quote expired; waiting inside the service does not count.',
  ],
  ['quote_cancelled', 'The customer did not cancel the quote.'],
  ['quote_withdrawn', 'The service did not withdraw the quote.'],
  ['version_mismatch', 'The open quote is as If-Match says, where it is given.'],
  ['quote_terms_mismatch', 'The amounts are as `expect` says, where it is given.'],
  [
    'settlement_instructions_missing',
    'There are accounts to receive the sold and to pay the bought currency.',
  ],
  ['limit_exceeded', 'The daily and the open position limit hold.'],
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
    text: 'A firm quote binds the service until `expiresAt`. Both amounts are fixed when the quote is made and are never computed again. Indicative prices bind nobody and may differ.',
  },
  {
    id: 'no_last_look',
    title: 'No last look',
    text: 'No price is looked at when a quote is executed: there is no last look, no hold time, no price check and no slippage in either direction. The only reasons to refuse an execution are the ones listed under `executionChecks`.',
  },
  {
    id: 'validity',
    title: 'Validity',
    text: 'A quote lives for the validity asked for, cut at the close of the market and, for value today, at the earlier same-day cut-off; `validityTruncated` says so. Expiry is judged by the arrival of the request head at the service, on the service’s clock, which `Date` and `validForMs` show.',
  },
  {
    id: 'withdrawal',
    title: 'Withdrawal',
    text: 'Only a person takes back an open quote: an operator who suspends the customer, or who stops trading for everybody, for a pair or for the customer and orders that open quotes are taken back. Such a quote is shown as withdrawn, with an event and its reason, and is not executed any more from the moment of the order. An operator can also stop trading and let open quotes stand. What the service does by itself never takes back a quote: when sources disagree, fall silent, take back their prices, or leave the limits of a pair, no new quote of it is made, and every quote that was given is executed until it expires. A quote that was executed is not withdrawn.',
  },
  {
    id: 'price_limits',
    title: 'Limits of prices',
    text: 'No quote is made on a price that is wider, or further from the last good price or from a reference rate, than the pair permits; the limits run out neither by time nor by repetition, and an operator’s word, which is recorded, moves them. Of three and more sources the majority decides, and one that contradicts it is left out until it agrees again. These checks are made when a quote is made and never when it is executed.',
  },
  {
    id: 'pricing',
    title: 'How prices are made',
    text: 'A price is the market’s bid or ask with the customer’s spread applied to the rate and rounded away from the market at the last digit of the pair; amounts come from the rounded rate. A pair without a price of its own is the cross of its two US dollar pairs or of its two euro pairs: of the ways whose two prices are current the one with the smaller spread, as old as the older of them. It is computed exactly, with the spread, and the rate of the customer is rounded once. A firm quote is never made on a price older than the limit of its pair, nor on one that was refused as crossed, not positive, older than the one held, or ahead of the clock.',
  },
  {
    id: 'markup',
    title: 'Markup',
    text: 'The spread is found by customer, group and pair, and its rule and version are kept with each quote. Answers show spread, markup and cost against the mid as far as the customer’s disclosure goes; `pricingDisclosure` says how far that is.',
  },
  {
    id: 'information',
    title: 'Information',
    text: 'Asking for an indicative price reserves nothing and leaves no record of intent. A firm quote is recorded with the market it was made from. One customer’s quotes, trades and ids are never shown to another.',
  },
  {
    id: 'value_dates',
    title: 'Value dates',
    text: 'Value dates follow the rules and calendars that the value-dates reference explains. A change of a calendar or a cut-off holds for new quotes; quotes and transactions that exist keep their dates.',
  },
  {
    id: 'after_execution',
    title: 'After the execution',
    text: 'An execution is one commit: it happened as a whole or not at all, and repeating the request tells which. A customer cannot cancel a transaction. Unpaid transactions become overdue at their funding cut-off.',
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
      'Before any of these, a request can be refused as one that is not understood, not authorised, over its rate limit, or while the service is overloaded or under maintenance; the quote is then as it was.',
  };
}
