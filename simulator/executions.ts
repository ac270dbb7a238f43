import type { Random } from '../soak/random.ts';
import {
  instanceReasons,
  isMarketOpen,
  judge,
  mayNotKnow,
  must,
  newKey,
  QUOTES,
  type Reasons,
  repeated,
} from './customers.ts';
import { type Answer, type Instance, LOST, type Request } from './instance.ts';
import type { ModelCustomer, ModelQuote } from './model.ts';
import { minorOf } from './model.ts';
import type { Simulation } from './simulation.ts';
import { hold } from './violation.ts';

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
  if (mayNotKnow(sim, instance, sim.model.resumedAt)) reasons.may.add('market_closed');
  if ('expect' in body && (body as { expect: { sellAmount: string } }).expect.sellAmount !== quote.sellAmount)
    must(reasons, 'quote_terms_mismatch');
  if (ifMatch !== undefined && ifMatch !== quote.etag && ifMatch !== '*') must(reasons, 'version_mismatch');
  if (by.character === 'tight') reasons.may.add('limit_exceeded');
  if (sim.mayBeExecuted(quote.quoteId)) reasons.may.add('quote_already_executed');
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
  if (isRemembered(sim, quote) && random.chance(0.5)) return replayExecution(sim, random, quote);
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
  if (!judge('execution', answer, reasons, 201)) return noteRefusal(sim, quote, answer);
  noteTrade(sim, execution, answer);
  if (execution.key !== undefined && random.chance(0.1)) await repeated(sim, random, by, request, answer);
  return 'executed';
}

function noteRefusal(sim: Simulation, quote: ModelQuote, { body }: Answer): string {
  const isNew = sim.mayBeExecuted(quote.quoteId) && !sim.model.reported.has(quote.quoteId);
  if (body.code === 'quote_already_executed' && isNew) {
    // Done by an instance that has not been able to say so.
    quote.state = 'executed';
    sim.unsure.delete(quote.quoteId);
    sim.model.reported.set(quote.quoteId, body.transactionId);
  } else if (body.code === 'quote_already_executed')
    hold(
      'a quote that was executed names its transaction',
      sim.model.reported.get(quote.quoteId) === body.transactionId,
      () => `${quote.quoteId}: told ${sim.model.reported.get(quote.quoteId)}, now ${body.transactionId}`,
    );
  return body.code;
}

/** A trade that the service tells of. */
export function noteTrade(sim: Simulation, { quote, key, body }: Execution, answer: Answer): void {
  const { transactionId, quoteId, sellAmount, buyAmount, reference, createdAt } = answer.body;
  const known = sim.model.reported.get(quote.quoteId);
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
  sim.unsure.delete(quote.quoteId);
  if (known !== undefined) return;
  // Its key counts from then, however long the answer took.
  quote.execution = { key, body, text: answer.text, at: Date.parse(createdAt) };
  sim.model.reported.set(quote.quoteId, transactionId);
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

/** As long as `docs/interface.md` promises it for executions. Clocks may be a little wrong. */
const KEYS_KEPT_MS = 7 * 86_400_000 - 60_000;

/** Whether its key still stands for it: afterwards it is a key as any other. */
function isRemembered(sim: Simulation, { execution }: ModelQuote): boolean {
  return execution?.key !== undefined && sim.world.now - execution.at < KEYS_KEPT_MS;
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
  if (!judge('cancellation', answer, reasons, 200)) return noteRefusal(sim, quote, answer);
  if (quote.state === 'open') quote.state = 'cancelled';
  sim.unsure.delete(quote.quoteId);
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
  if (sim.mayBeExecuted(quote.quoteId)) reasons.may.add('quote_already_executed');
  return reasons;
}
