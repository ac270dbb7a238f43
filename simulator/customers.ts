import { marketHoursAt } from '@firmquote/fx';
import type { Random } from '../soak/random.ts';
import { PAIRS } from './feed.ts';
import { type Answer, type Instance, LOST, type Request } from './instance.ts';
import type { ModelCustomer } from './model.ts';
import type { Simulation } from './simulation.ts';
import { type Currency, TIGHT_OPEN_QUOTES, VALIDITIES } from './stage.ts';
import { hold } from './violation.ts';

/** Time within which every instance follows what an operator told another one, when it looks. */
const FOLLOWED_MS = 5_000;
export const QUOTES = '/v1/customer/quotes';

/** What may stand against a request, by code; with one that must, the request may not succeed. */
export interface Reasons {
  readonly may: Set<string>;
  mustRefuse: string | undefined;
}

/** Whether an instance may not have heard of what was told to another one: it was a moment ago, or this one stood still since. */
export function mayNotKnow(sim: Simulation, { machine }: Instance, since: number): boolean {
  // Who looked in the same instant may have done so before.
  return sim.world.now - since < FOLLOWED_MS || machine.followedAt <= since;
}

export function isMarketOpen(now: number): boolean {
  return marketHoursAt(now).open;
}

export function must(reasons: Reasons, code: string): void {
  reasons.may.add(code);
  reasons.mustRefuse ??= code;
}

/** What stands against everything that an instance is asked to decide. */
export function instanceReasons(sim: Simulation, instance: Instance, customer: ModelCustomer): Reasons {
  const reasons: Reasons = { may: new Set(), mustRefuse: undefined };
  if (!instance.machine.isRight) must(reasons, 'maintenance');
  // Clocks have been put right meanwhile, and the database has not been asked since.
  if (instance.machine.wasSkewed) reasons.may.add('maintenance');
  if (customer.isSuspended) {
    // A quote may still be made by an instance that has not heard of it: it ends with the others of its customer.
    if (mayNotKnow(sim, instance, customer.changedAt)) reasons.may.add('customer_suspended');
    else must(reasons, 'customer_suspended');
  } else if (mayNotKnow(sim, instance, customer.changedAt)) reasons.may.add('customer_suspended');
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
  // The pairs of a source that pushes are those that it has told of.
  if (sim.feed.isUnheard(instance, pair)) reasons.may.add('pair_not_supported');
  if (!sim.feed.isSound(instance, pair))
    for (const code of ['price_unavailable', 'market_closed']) reasons.may.add(code);
  const halts = sim.model.haltsOf(pair, customer.customerId);
  if (halts.length > 0) reasons.may.add('market_closed');
  if (halts.some(({ since }) => instance.machine.followedAt > since)) must(reasons, 'market_closed');
  if (mayNotKnow(sim, instance, sim.model.resumedAt)) reasons.may.add('market_closed');
  if (tenor !== 'spot')
    for (const code of ['cutoff_passed', 'tenor_not_supported', 'value_date_invalid']) reasons.may.add(code);
  if (customer.character === 'tight') {
    reasons.may.add('limit_exceeded');
    // What was never written down as expired may be counted for some seconds.
    reasons.may.add('too_many_open_quotes');
    const open = sim.model
      .openQuotesOf(customer, instance.machine.now() + 1_000)
      .filter(({ quoteId }) => !sim.mayBeExecuted(quoteId));
    if (open.length >= TIGHT_OPEN_QUOTES && sim.world.now - customer.lastQuoteAt > 0)
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
