import type { NewQuoteRequest, RequoteRequest } from '@firmquote/api/operations/quotes';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { CustomerProfile } from '../customers/profile.ts';
import type { ExposureReservation } from '../exposure/guard.ts';
import { parseTypeId } from '../platform/ids.ts';
import { pricingTerms } from '../pricing/pricing-terms.ts';
import { Problem } from '../problems/problem.ts';
import { type PricedQuote, priceQuote } from './price-quote.ts';
import type { QuoteRecord } from './record.ts';
import { asCreated } from './render.ts';
import type { QuotesRoom } from './room.ts';
import {
  type NewQuote,
  type NewQuoteOutcome,
  QUOTE_OPERATION,
  type QuoteKey,
  type QuoteOfKey,
} from './store.ts';
import { resolveTrade } from './trade-request.ts';

interface RequestQuote {
  readonly customerId: string;
  readonly clientId: string;
  readonly body: NewQuoteRequest | RequoteRequest;
  readonly key: QuoteKey | undefined;
}

interface RequestedQuote {
  readonly record: QuoteRecord;
  /** The instant that its time counts from in the answer, where that is to be the same each time that it is given. */
  readonly answeredAt: number | undefined;
  /** The quote as it is now, when this is the answer to an earlier request. */
  readonly current: QuoteRecord | undefined;
}

/** Up to here the number of open quotes is counted with every quote; above, the limit is far beyond any use. */
const COUNTED_OPEN_QUOTES = 1_000; // limit: Limit of open quotes up to which they are counted; a higher one is not enforced

/**
 * Makes a firm quote: price, then one durable insert (docs/interface.md#quotes). With an Idempotency-Key that is known, the
 * first quote is answered again, whatever has become of market, limits or the quote since.
 */
export function requestQuote(room: QuotesRoom, command: RequestQuote): Promise<RequestedQuote> {
  if (command.key === undefined) return makeQuote(room, command);
  const id = `${command.customerId} ${QUOTE_OPERATION} ${command.key.key}`;
  return room.gate.run(id, () => makeQuote(room, command));
}

async function makeQuote(room: QuotesRoom, command: RequestQuote): Promise<RequestedQuote> {
  let made: PricedQuote;
  let profile: CustomerProfile;
  let reservation: ExposureReservation;
  try {
    room.timekeeper.requireRight();
    const found = room.customers.profile(command.customerId);
    profile = found instanceof Promise ? await found : found;
    const making = makeRecord(room, command, profile);
    made = making instanceof Promise ? await making : making;
    const reserving = room.exposure.holdQuote(made.record);
    reservation = reserving instanceof Promise ? await reserving : reserving;
  } catch (error) {
    // The key is looked up before anything that changes with time may refuse the request.
    const first = command.key && (await room.store.byKey(command.customerId, command.key.key));
    if (first === undefined) throw error;
    return replay(first, command.key as QuoteKey);
  }
  const { maxOpenQuotes } = profile.limits;
  const outcome = await insertReserved(room, reservation, {
    ...made,
    key: command.key,
    maxOpen: maxOpenQuotes <= COUNTED_OPEN_QUOTES ? maxOpenQuotes : undefined,
  });
  switch (outcome.outcome) {
    case 'created':
      return {
        record: made.record,
        answeredAt: command.key === undefined ? undefined : outcome.at,
        current: undefined,
      };
    case 'known':
      return replayKnown(room, command);
    case 'customer_suspended':
      throw new Problem('customer_suspended', 'The customer is suspended; it can neither quote nor execute.');
    case 'too_many_open_quotes':
      throw new Problem(
        'too_many_open_quotes',
        `The customer has reached its open quote limit (${maxOpenQuotes}).`,
        {
          members: { limit: maxOpenQuotes, open: outcome.open },
          headers: { 'Retry-After': '1' },
        },
      );
  }
}

/** Room that was taken for the quote counts from now on, unless it is certain that it was not made. */
function insertReserved(
  room: QuotesRoom,
  reservation: ExposureReservation,
  quote: NewQuote,
): Promise<NewQuoteOutcome> {
  return room.store.insert(quote).then(
    (outcome) => {
      if (outcome.outcome === 'created') reservation.commit();
      else reservation.rollback();
      return outcome;
    },
    (error: unknown) => {
      reservation.commit();
      throw error;
    },
  );
}

async function replayKnown(room: QuotesRoom, command: RequestQuote): Promise<RequestedQuote> {
  const key = command.key as QuoteKey;
  const first = await room.store.byKey(command.customerId, key.key);
  if (first !== undefined) return replay(first, key);
  throw new Problem('request_in_progress', 'The key of this request has just expired.', {
    headers: { 'Retry-After': '1' },
  });
}

function replay(first: QuoteOfKey, key: QuoteKey): RequestedQuote {
  // Half of its digits are kept, or all of them.
  if (first.fingerprint === '' || !key.fingerprint.startsWith(first.fingerprint)) {
    throw new Problem('idempotency_key_reused', 'The key was used for a quote with other terms.');
  }
  return { record: asCreated(first.record), answeredAt: first.at, current: first.record };
}

/**
 * Gathers what a price is made of, and makes it. Not a promise when all of it is known, which is the rule: each pause
 * would be one more turn of the event loop for each of many requests.
 */
function makeRecord(
  room: QuotesRoom,
  command: RequestQuote,
  profile: CustomerProfile,
): PricedQuote | Promise<PricedQuote> {
  const { customerId, body } = command;
  if ('requoteOf' in body) {
    return termsOf(room, customerId, body).then((request) =>
      makeAgain(room, { ...command, body: request }, profile),
    );
  }
  const { market, customers } = room;
  const now = room.clock.now();
  // Taken once: all dates of a quote are of the same calendars and cut-offs.
  const dates = room.dates.current;
  const trade = resolveTrade(body, market.book, dates, now);
  const currencies = customers.collectionCurrencies();
  const terms = pricingTerms(room, profile.id, trade.pair.code);
  const asked = { request: body, customerId, clientId: command.clientId, profile, trade, dates, now };
  if (!(currencies instanceof Promise || terms instanceof Promise)) {
    return priceQuote(room, { ...asked, collectionCurrencies: currencies, terms });
  }
  return Promise.all([currencies, terms]).then(([found, known]) =>
    priceQuote(room, { ...asked, collectionCurrencies: found, terms: known }),
  );
}

/** What is wrong with terms that the caller has not sent is told of the member that names them. */
async function makeAgain(
  room: QuotesRoom,
  command: RequestQuote,
  profile: CustomerProfile,
): Promise<PricedQuote> {
  try {
    return await makeRecord(room, command, profile);
  } catch (error) {
    if (!(error instanceof Problem) || error.members.errors === undefined) throw error;
    const { code, message, members, headers, cause } = error;
    throw new Problem(code, message, { field: '/requoteOf', members, headers, cause });
  }
}

/** The parameters of an earlier quote, to ask for the same again at today's price. */
async function termsOf(room: QuotesRoom, customerId: string, body: RequoteRequest): Promise<NewQuoteRequest> {
  const id = parseTypeId('quote', body.requoteOf);
  const old = id === undefined ? undefined : await room.store.find(customerId, id);
  if (old === undefined) throw new Problem('quote_not_found', `There is no quote ${body.requoteOf}.`);
  const fixedMinor = old.fixedSide === 'sell' ? old.sellMinor : old.buyMinor;
  const fixedCurrency = old.fixedSide === 'sell' ? old.sellCurrency : old.buyCurrency;
  return {
    sellCurrency: old.sellCurrency,
    buyCurrency: old.buyCurrency,
    fixedSide: old.fixedSide,
    amount: formatAmount(fixedMinor, knownCurrency(fixedCurrency)),
    ...(old.tenor === 'broken' ? { valueDate: old.valueDate } : { tenor: old.tenor }),
    validitySeconds: old.validitySeconds,
    ...(old.clientReference === null ? {} : { clientReference: old.clientReference }),
    metadata: JSON.parse(old.metadata) as Record<string, string>,
  };
}
