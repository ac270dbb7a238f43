import { marketHoursAt } from '@firmquote/fx';
import type { Random } from '../soak/random.ts';
import { PAIRS } from './feed.ts';
import { type Answer, type Instance, LOST, type Request } from './instance.ts';
import type { ModelCustomer, ModelQuote } from './model.ts';
import { minorOf } from './model.ts';
import { MAX_SKEW_MS, type Simulation } from './simulation.ts';
import { type Currency, TIGHT_OPEN_QUOTES, VALIDITIES } from './stage.ts';
import { hold } from './violation.ts';

/** Time within which every instance follows what an operator told another one, when it looks. */
const FOLLOWED_MS = 5_000;
const QUOTES = '/v1/customer/quotes';

/** What may stand against a request, by code; with one that must, the request may not succeed. */
export interface Reasons {
  readonly may: Set<string>;
  mustRefuse: string | undefined;
}

export function isMarketOpen(now: number): boolean {
  return marketHoursAt(now).open;
}

function must(reasons: Reasons, code: string): void {
  reasons.may.add(code);
  reasons.mustRefuse ??= code;
}

/** What stands against everything that an instance is asked to decide. */
function instanceReasons(sim: Simulation, instance: Instance, customer: ModelCustomer): Reasons {
  const reasons: Reasons = { may: new Set(), mustRefuse: undefined };
  if (Math.abs(instance.machine.skewMs) > MAX_SKEW_MS) must(reasons, 'maintenance');
  // Clocks have been put right meanwhile, and the database has not been asked since.
  if (instance.machine.wasSkewed) reasons.may.add('maintenance');
  if (customer.isSuspended) {
    // A quote may still be made by an instance that has not heard of it: it ends with the others of its customer.
    if (sim.world.now - customer.changedAt > FOLLOWED_MS) must(reasons, 'customer_suspended');
    else reasons.may.add('customer_suspended');
  } else if (sim.world.now - customer.changedAt < FOLLOWED_MS) reasons.may.add('customer_suspended');
  // A statement of somebody who stands still, or has just been killed, may be in the way.
  if (sim.stalls.length > 0)
    for (const code of ['overloaded', 'outcome_unknown', 'request_in_progress']) reasons.may.add(code);
  return reasons;
}

/** What may stand against a quote. */
function quoteReasons(sim: Simulation, instance: Instance, customer: ModelCustomer, wanted: Wanted): Reasons {
  const reasons = instanceReasons(sim, instance, customer);
  const { pair, tenor } = wanted;
  if (wanted.isOdd)
    for (const code of [
      'amount_precision_invalid',
      'amount_below_minimum',
      'amount_above_maximum',
      'limit_exceeded',
      'validation_failed',
    ])
      reasons.may.add(code);
  if (!isMarketOpen(instance.machine.now())) must(reasons, 'market_closed');
  // It closes early for what cannot be paid any more on its day.
  if (sim.feed.hasNone(instance, pair)) must(reasons, 'price_unavailable');
  if (!sim.feed.isSound(instance, pair))
    for (const code of ['price_unavailable', 'market_closed']) reasons.may.add(code);
  const halts = sim.model.haltsOf(pair, customer.customerId);
  if (halts.length > 0) reasons.may.add('market_closed');
  if (halts.some(({ since }) => instance.machine.followedAt > since)) must(reasons, 'market_closed');
  if (sim.world.now - sim.model.resumedAt < FOLLOWED_MS) reasons.may.add('market_closed');
  if (tenor !== 'spot')
    for (const code of ['cutoff_passed', 'tenor_not_supported', 'value_date_invalid']) reasons.may.add(code);
  if (customer.character === 'tight') {
    reasons.may.add('limit_exceeded');
    // What was never written down as expired may be counted for some seconds.
    reasons.may.add('too_many_open_quotes');
    if (
      sim.model.openQuotesOf(customer, instance.machine.now() + 1_000) >= TIGHT_OPEN_QUOTES &&
      sim.world.now - customer.lastQuoteAt > 0
    )
      must(reasons, 'too_many_open_quotes');
  }
  if (customer.character === 'prefunded') reasons.may.add('limit_exceeded');
  return reasons;
}

interface Wanted {
  readonly body: {
    readonly sellCurrency: Currency;
    readonly buyCurrency: Currency;
    readonly fixedSide: 'sell' | 'buy';
    readonly amount: string;
    readonly tenor?: string;
    readonly validitySeconds: number;
  };
  readonly pair: string;
  readonly tenor: string;
  /** Its amount is at an edge. */
  readonly isOdd: boolean;
}

const ODD_AMOUNTS = [
  '0.01',
  '0.00',
  '0.005',
  '0.1',
  '1',
  '0',
  '999999999999999',
  '0.99',
  '1.0',
  '3.33',
  '149999999.99',
];

function want(random: Random, customer: ModelCustomer): Wanted {
  const pair = random.pick(PAIRS);
  const sides = [pair.slice(0, 3), pair.slice(3)] as [Currency, Currency];
  const [sell, buy] = random.chance(0.5) ? sides : [sides[1], sides[0]];
  const isOdd = random.chance(0.12);
  const fixedSide = random.pick(['sell', 'buy'] as const);
  const fixed = fixedSide === 'sell' ? sell : buy;
  const cents = `.${random.between(0, 99)}`.padEnd(3, '0');
  const whole = customer.character === 'prefunded' ? random.between(10, 20_000) : random.between(10, 90_000);
  // Yen by the hundred, without decimals.
  const amount = isOdd ? random.pick(ODD_AMOUNTS) : fixed === 'JPY' ? `${whole}00` : `${whole}${cents}`;
  const tenor = random.chance(0.85) ? 'spot' : random.pick(['tom', 'today']);
  const validitySeconds = random.pick(VALIDITIES);
  const body = {
    sellCurrency: sell,
    buyCurrency: buy,
    fixedSide,
    amount,
    validitySeconds,
    ...(tenor === 'spot' ? {} : { tenor }),
  };
  return { body, pair, tenor, isOdd };
}

/** The answer is one that the reasons permit. */
export function judge(what: string, answer: Answer, { may, mustRefuse }: Reasons, created: number): boolean {
  if (answer.status === created) {
    hold(
      `no ${what} against a rule that refuses it`,
      mustRefuse === undefined,
      () => `${mustRefuse} was ignored: ${answer.text}`,
    );
    return true;
  }
  hold(
    `no ${what} refused without a reason that is named and true`,
    may.has(answer.body?.code),
    () =>
      `${answer.status} ${answer.text}, where only these could stand against it: ${[...may].join(', ') || 'nothing'}`,
  );
  return false;
}

const REPLAYED = 'idempotency-replayed';

/** As a client does whose connection dropped: the same again, at whatever instance answers. */
export async function repeated(
  sim: Simulation,
  random: Random,
  customer: ModelCustomer,
  request: Request,
  first: Answer,
): Promise<void> {
  const instance = sim.pickInstance(random);
  const again = await sim.asCustomer(customer, instance, request);
  if (
    again === LOST ||
    again.status === 503 ||
    ['customer_suspended', 'request_in_progress'].includes(again.body?.code)
  )
    return;
  sim.count('answers lost, and asked for again');
  hold(
    'a repetition gets the first answer, to the byte',
    again.status === first.status && again.text === first.text && again.headers[REPLAYED] === 'true',
    () => `first ${first.status} ${first.text}\nthen ${again.status} ${again.text}`,
  );
}

/** A key of a client, which nobody has used. */
export function newKey(sim: Simulation): string {
  sim.keys++;
  return `key-${sim.keys}`;
}

export async function requestQuote(sim: Simulation, random: Random): Promise<string> {
  const customer = random.pick(sim.model.customers);
  const instance = sim.pickInstance(random);
  const wanted = want(random, customer);
  const key = newKey(sim);
  const request: Request = {
    method: 'POST',
    path: QUOTES,
    body: wanted.body,
    headers: { 'idempotency-key': key },
  };
  const reasons = quoteReasons(sim, instance, customer, wanted);
  const answer = await sim.asCustomer(customer, instance, request);
  if (answer === LOST) return 'lost';
  if (!judge('quote', answer, reasons, 201)) return `${customer.character} is refused ${answer.body.code}`;
  noteQuote(sim, instance, customer, wanted, key, answer);
  if (random.chance(0.08)) await repeated(sim, random, customer, request, answer);
  return `${customer.character} gets ${answer.body.quoteId} at ${instance.machine.name}`;
}

/** Mids of prices that are believed lie as near to the market as sources, rounding and forward points are. */
const TOLERANCE = 0.01;

function noteQuote(
  sim: Simulation,
  instance: Instance,
  customer: ModelCustomer,
  wanted: Wanted,
  key: string,
  answer: Answer,
): void {
  const { quoteId, sellAmount, buyAmount, rate, status } = answer.body;
  const expiresAt = Date.parse(answer.body.expiresAt);
  const mid = sim.feed.mid(wanted.pair);
  hold('a new quote is open', status === 'open', () => answer.text);
  hold(
    'no price outside the band',
    Math.abs(Number(rate.mid) / mid - 1) < TOLERANCE,
    () => `${wanted.pair} at ${rate.mid}, where the market is at ${mid}`,
  );
  const now = instance.machine.now();
  hold(
    'a quote is firm for as long as was asked for, or less where the day ends',
    expiresAt > now && expiresAt <= now + wanted.body.validitySeconds * 1_000,
    () => `${answer.body.expiresAt} at ${new Date(now).toISOString()}`,
  );
  const [fixed, given] =
    wanted.body.fixedSide === 'sell' ? [sellAmount, wanted.body.amount] : [buyAmount, wanted.body.amount];
  hold('the fixed amount is the one that was asked for', Number(fixed) === Number(given), () => answer.text);
  customer.lastQuoteAt = sim.world.now;
  sim.model.quotes.add({
    quoteId,
    customer,
    sell: wanted.body.sellCurrency,
    buy: wanted.body.buyCurrency,
    sellAmount,
    buyAmount,
    pair: wanted.pair,
    etag: String(answer.headers.etag),
    expiresAt,
    asked: { key, body: wanted.body, text: answer.text },
    state: 'open',
    // By an instance that had not heard yet of what ends it.
    isTakenBack:
      customer.isSuspended ||
      sim.model.haltsOf(wanted.pair, customer.customerId).some(({ keepsQuotes }) => !keepsQuotes),
    execution: undefined,
  });
}

/** An execution as it is sent. */
export interface Execution {
  readonly quote: ModelQuote;
  readonly by: ModelCustomer;
  readonly key: string | undefined;
  readonly body: object;
  readonly ifMatch: string | undefined;
}

export function executionRequest({ quote, key, body, ifMatch }: Execution): Request {
  const headers = {
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
  };
  return { method: 'POST', path: `${QUOTES}/${quote.quoteId}/execute`, body, headers };
}

/** What may stand against an execution, as things are. */
export function executionReasons(
  sim: Simulation,
  instance: Instance,
  { quote, by, body, ifMatch }: Execution,
): Reasons {
  const reasons = instanceReasons(sim, instance, by);
  const now = instance.machine.now();
  if (by.isSuspended) must(reasons, 'customer_suspended');
  if (by !== quote.customer) must(reasons, 'quote_not_found');
  if (by.character === 'careful' && ifMatch === undefined) must(reasons, 'precondition_required');
  if (quote.state === 'executed') must(reasons, 'quote_already_executed');
  if (quote.state === 'cancelled') must(reasons, 'quote_cancelled');
  if (now >= quote.expiresAt) must(reasons, 'quote_expired');
  if (quote.isTakenBack)
    for (const code of ['quote_withdrawn', 'market_closed', 'quote_expired']) reasons.may.add(code);
  if (!isMarketOpen(now)) must(reasons, 'market_closed');
  const halts = sim.model.haltsOf(quote.pair, by.customerId).filter(({ keepsQuotes }) => !keepsQuotes);
  if (halts.length > 0) reasons.may.add('market_closed');
  if (halts.some(({ since }) => instance.machine.followedAt > since)) must(reasons, 'market_closed');
  if (sim.world.now - sim.model.resumedAt < FOLLOWED_MS) reasons.may.add('market_closed');
  if ('expect' in body && (body as { expect: { sellAmount: string } }).expect.sellAmount !== quote.sellAmount)
    must(reasons, 'quote_terms_mismatch');
  if (ifMatch !== undefined && ifMatch !== quote.etag && ifMatch !== '*') must(reasons, 'version_mismatch');
  if (by.character === 'tight') reasons.may.add('limit_exceeded');
  if (sim.stalls.some(({ quoteId }) => quoteId === quote.quoteId)) reasons.may.add('quote_already_executed');
  return reasons;
}

export function pickQuote(sim: Simulation, random: Random): ModelQuote | undefined {
  const { items } = sim.model.quotes;
  if (items.length === 0) return undefined;
  const open = items
    .slice(-40)
    .filter(({ state, expiresAt }) => state === 'open' && expiresAt > sim.world.now);
  return open.length > 0 && random.chance(0.8) ? random.pick(open) : random.pick(items.slice(-60));
}

export function planExecution(sim: Simulation, random: Random, quote: ModelQuote): Execution {
  const by = random.chance(0.04) ? random.pick(sim.model.customers) : quote.customer;
  const body = random.chance(0.15)
    ? {
        expect: { sellAmount: random.chance(0.8) ? quote.sellAmount : quote.sell === 'JPY' ? '17' : '17.00' },
      }
    : {};
  const isSeen = by.character === 'careful' ? random.chance(0.95) : random.chance(0.15);
  const ifMatch = isSeen ? (random.chance(0.93) ? quote.etag : '"v77"') : undefined;
  return { quote, by, key: random.chance(0.8) ? newKey(sim) : undefined, body, ifMatch };
}

export async function executeQuote(sim: Simulation, random: Random): Promise<string> {
  const quote = pickQuote(sim, random);
  if (quote === undefined) return 'there is no quote';
  if (quote.execution?.key !== undefined && random.chance(0.5)) return replayExecution(sim, random, quote);
  const instance = sim.pickInstance(random);
  const execution = planExecution(sim, random, quote);
  return `${quote.quoteId} at ${instance.machine.name}: ${await execute(sim, random, instance, execution)}`;
}

/** At the very end of a quote: a moment before it, at it, or a moment after. */
export async function executeAtTheEnd(sim: Simulation, random: Random): Promise<string> {
  const open = sim.model.quotes.items
    .slice(-40)
    .filter(({ state, expiresAt }) => state === 'open' && expiresAt > sim.world.now);
  if (open.length === 0) return 'no quote is open';
  const quote = random.pick(open);
  const instance = sim.pickInstance(random);
  const offset = random.pick([-250, -1, 0, 1, 200]);
  const ms = quote.expiresAt + offset - instance.machine.now();
  if (ms <= 0) return 'it is over';
  await sim.drive(sim.pass(ms));
  const by = quote.customer;
  const ifMatch = by.character === 'careful' ? quote.etag : undefined;
  const outcome = await execute(sim, random, instance, { quote, by, key: newKey(sim), body: {}, ifMatch });
  return `${quote.quoteId}, ${offset} ms from its end: ${outcome}`;
}

export async function execute(
  sim: Simulation,
  random: Random,
  instance: Instance,
  execution: Execution,
): Promise<string> {
  const { quote, by } = execution;
  const available = by.character === 'prefunded' ? await balanceOf(sim, instance, by, quote.sell) : undefined;
  const reasons = executionReasons(sim, instance, execution);
  if (available !== undefined && by === quote.customer && available < minorOf(quote.sellAmount))
    must(reasons, 'limit_exceeded');
  const request = executionRequest(execution);
  const answer = await sim.asCustomer(by, instance, request);
  if (answer === LOST) return LOST;
  if (!judge('execution', answer, reasons, 201)) return noteRefusal(sim, execution, answer);
  noteTrade(sim, execution, answer);
  if (execution.key !== undefined && random.chance(0.1)) await repeated(sim, random, by, request, answer);
  return 'executed';
}

function noteRefusal(sim: Simulation, { quote }: Execution, { body }: Answer): string {
  const isStalled = sim.stalls.some(({ quoteId }) => quoteId === quote.quoteId);
  if (body.code === 'quote_already_executed' && isStalled && !sim.model.told.has(quote.quoteId)) {
    // Done by an instance that has not been able to say so.
    quote.state = 'executed';
    sim.model.told.set(quote.quoteId, body.transactionId);
  } else if (body.code === 'quote_already_executed')
    hold(
      'a quote that was executed names its transaction',
      sim.model.told.get(quote.quoteId) === body.transactionId,
      () => `${quote.quoteId}: told ${sim.model.told.get(quote.quoteId)}, now ${body.transactionId}`,
    );
  return body.code;
}

/** A trade that the service tells of. */
export function noteTrade(sim: Simulation, { quote, key, body }: Execution, answer: Answer): void {
  const { transactionId, quoteId, sellAmount, buyAmount, reference } = answer.body;
  const known = sim.model.told.get(quote.quoteId);
  hold(
    'one transaction for each quote',
    known === undefined || known === transactionId,
    () => `${quote.quoteId}: ${known} and ${transactionId}`,
  );
  hold(
    'a trade is on the terms of its quote',
    quoteId === quote.quoteId && sellAmount === quote.sellAmount && buyAmount === quote.buyAmount,
    () => `${quote.asked.text}\n${answer.text}`,
  );
  quote.state = 'executed';
  if (known !== undefined) return;
  quote.execution = { key, body, text: answer.text };
  sim.model.told.set(quote.quoteId, transactionId);
  sim.model.trades.add({ transactionId, quote, reference, sellMinor: minorOf(sellAmount), paidMinor: 0n });
  sim.count('trades');
}

async function balanceOf(
  sim: Simulation,
  instance: Instance,
  customer: ModelCustomer,
  currency: string,
): Promise<bigint> {
  const answer = await sim.asCustomer(customer, instance, { method: 'GET', path: '/v1/customer/balances' });
  if (answer === LOST || answer.status !== 200) return 0n;
  const found = answer.body.items.find((each: { currency: string }) => each.currency === currency);
  return found === undefined ? 0n : minorOf(found.available);
}

/** The same key with the same body, or with another one. */
async function replayExecution(sim: Simulation, random: Random, quote: ModelQuote): Promise<string> {
  const { execution, customer } = quote;
  if (execution === undefined) return 'nothing to repeat';
  const instance = sim.pickInstance(random);
  const isSame = random.chance(0.7);
  const body = isSame ? execution.body : { clientReference: 'another' };
  const ifMatch = customer.character === 'careful' ? quote.etag : undefined;
  const request = executionRequest({ quote, by: customer, key: execution.key, body, ifMatch });
  const reasons = instanceReasons(sim, instance, customer);
  const answer = await sim.asCustomer(customer, instance, request);
  if (answer === LOST) return LOST;
  if (reasons.may.has(answer.body.code)) return answer.body.code;
  if (isSame)
    hold(
      'a repetition gets the first answer, to the byte',
      answer.status === 201 && answer.text === execution.text,
      () => `first ${execution.text}\nthen ${answer.status} ${answer.text}`,
    );
  else
    hold(
      'a key with another body is refused',
      answer.body.code === 'idempotency_key_reused',
      () => answer.text,
    );
  return `${quote.quoteId} again with ${isSame ? 'the same body' : 'another body'}`;
}

export async function cancelQuote(sim: Simulation, random: Random): Promise<string> {
  const quote = pickQuote(sim, random);
  if (quote === undefined) return 'there is no quote';
  const instance = sim.pickInstance(random);
  const by = random.chance(0.05) ? random.pick(sim.model.customers) : quote.customer;
  const reasons = cancellationReasons(sim, instance, quote, by);
  const answer = await sim.asCustomer(by, instance, {
    method: 'POST',
    path: `${QUOTES}/${quote.quoteId}/cancel`,
  });
  if (answer === LOST) return LOST;
  if (!judge('cancellation', answer, reasons, 200)) return answer.body.code;
  if (quote.state === 'open') quote.state = 'cancelled';
  return `${quote.quoteId} is cancelled`;
}

export function cancellationReasons(
  sim: Simulation,
  instance: Instance,
  quote: ModelQuote,
  by: ModelCustomer,
): Reasons {
  const reasons = instanceReasons(sim, instance, by);
  reasons.may.delete('maintenance');
  if (reasons.mustRefuse === 'maintenance') reasons.mustRefuse = undefined;
  if (by !== quote.customer) must(reasons, 'quote_not_found');
  if (quote.state === 'executed') must(reasons, 'quote_already_executed');
  const isOver = instance.machine.now() >= quote.expiresAt;
  if (isOver && quote.state === 'open') must(reasons, 'quote_expired');
  if (quote.isTakenBack) reasons.may.add('quote_withdrawn').add('quote_expired');
  if (isOver) reasons.may.add('quote_expired');
  if (sim.stalls.some(({ quoteId }) => quoteId === quote.quoteId)) reasons.may.add('quote_already_executed');
  return reasons;
}

/** An indicative price says the truth as well, or that there is none to trade at. */
export async function askIndicative(sim: Simulation, random: Random): Promise<string> {
  const customer = random.pick(sim.model.customers);
  const instance = sim.pickInstance(random);
  const { body, pair, tenor, isOdd } = want(random, customer);
  const { validitySeconds: _, ...terms } = body;
  const hasNone = sim.feed.hasNone(instance, pair);
  const answer = await sim.asCustomer(customer, instance, {
    method: 'POST',
    path: `${QUOTES}/indicative`,
    body: terms,
  });
  if (answer === LOST) return LOST;
  if (answer.status !== 200) return answer.body.code;
  if (hasNone || !isMarketOpen(instance.machine.now()))
    hold('no price of withdrawn liquidity', answer.body.tradable === false, () => answer.text);
  if (answer.body.tradable && !isOdd && tenor === 'spot')
    hold(
      'no price outside the band',
      Math.abs(Number(answer.body.rate.mid) / sim.feed.mid(pair) - 1) < TOLERANCE,
      () => `${answer.text}, where the market is at ${sim.feed.mid(pair)}`,
    );
  return `${pair} ${answer.body.tradable ? 'tradable' : answer.body.reason}`;
}
