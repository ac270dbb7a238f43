import { keptDifferences } from '../packages/service/src/ledger/kept-row-store.ts';
import { instantOf, uuidOf } from '../packages/service/src/platform/ids.ts';
import { assertBankAgrees } from '../packages/service/test/support/bank-agrees.ts';
import { assertBooksBalance } from '../packages/service/test/support/books.ts';
import { assertQuotesFollowFromEvidence } from '../packages/service/test/support/evidence-check.ts';
import { assertReconciled } from '../packages/service/test/support/reconciled.ts';
import { RULES } from '../soak/check.ts';
import type { Random } from '../soak/random.ts';
import { LOST } from './instance.ts';
import type { Simulation } from './simulation.ts';
import { hold, Violation } from './violation.ts';

/**
 * What must hold after every step, whatever the step was: one statement whose rows are what is broken. It looks at what is new, so
 * that a step costs the same after a million of them; the deep ones look at everything.
 */
const CHEAP = `
  select 'one transaction for each quote' as rule, string_agg(id::text, ' ') as what from (
    select id, quote_id, count(*) over (partition by customer_id, quote_id) as n from (
      select * from transactions order by id desc limit 60) newest) t where n > 1 having count(*) > 0
  union all
  select 'books balanced: every entry, in each currency', string_agg(id::text, ' ') from (
    select j.id from (select * from journal_entries order by id desc limit 60) j, unnest(j.currencies, j.amounts) as p (currency, amount)
    group by j.id, p.currency having sum(p.amount) <> 0) e having count(*) > 0
  union all
  select 'books balanced: owner by owner, the balances add up to nothing', string_agg(customer_id || ' ' || currency, ' ') from (
    select customer_id, currency from balances group by 1, 2 having sum(balance) <> 0) b having count(*) > 0
  union all
  select 'no balance below its floor', string_agg(customer_id || ' ' || currency || ' ' || balance, ', ') from balances
    where account = 'customer_balance' and balance > 0 having count(*) > 0
  union all
  select 'a feed of events has no gap', string_agg(u.customer_id || ' at ' || u.last_event_sequence, ', ') from customer_usage u
    join customers c on c.id = u.customer_id
    where u.last_event_sequence > 0 and (
      -- After thirty days events go, the oldest first: whoever is older may have lost some, or all.
      select count(*) <> coalesce(max(e.sequence) - min(e.sequence) + 1, 0) or max(e.sequence) <> u.last_event_sequence
        or coalesce(min(e.sequence), u.last_event_sequence + 1) > greatest(u.last_event_sequence - 19, 1)
           and c.created_at > (select at from simulated_clock) - interval '30 days'
      from feed_events e where e.customer_id = u.customer_id and e.kept_at > u.last_event_sequence - 20 and e.sequence > u.last_event_sequence - 20
    ) having count(*) > 0`;

export const CHEAP_RULES = 5;

/** What had been asked of the world outside when a story was looked at last: nothing else changes what is there. */
const lookedAt = new WeakMap<Simulation, number>();

export async function checkStep(sim: Simulation): Promise<void> {
  sim.count('invariants checked', CHEAP_RULES);
  const { asked } = sim.world.gate;
  if (lookedAt.get(sim) === asked) return;
  lookedAt.set(sim, asked);
  const broken = await sim.observer.rows<{ rule: string; what: string }>(CHEAP);
  for (const { rule, what } of broken) throw new Violation(rule, what);
}

type Check = (sim: Simulation) => Promise<void>;

/** Of everything that there is. */
const DEEP: readonly (readonly [rule: string, check: Check])[] = [
  ...RULES.map(([rule, sql]): readonly [string, Check] => [rule, (sim) => nothing(sim, rule, sql)]),
  [
    'books balanced: balances and kept rows are the sums of the journal',
    (sim) => assertBooksBalance(sim.observer.pool),
  ],
  [
    'kept rows are what they are sums of',
    async (sim) => reported('kept rows', await keptDifferences(sim.observer.pool, 20)),
  ],
  ['received = matched + returned + in exceptions', (sim) => assertReconciled(sim.observer.pool)],
  ['bank = ledger, but for what is listed', (sim) => assertBankAgrees(sim.observer.pool)],
  ['every acknowledged trade is stored, and no other', checkTold],
  ['four eyes: nothing was approved by who had proposed it', checkEyes],
  ['no execution that arrived in time was refused as expired', checkExpiries],
];

export const DEEP_RULES = DEEP.length + 1;

/** @param isLast with what takes long: every quote is computed again from its evidence */
export async function checkDeep(sim: Simulation, isLast: boolean): Promise<void> {
  for (const [rule, check] of DEEP) await named(rule, () => check(sim));
  sim.count('invariants checked', DEEP.length);
  if (!isLast) return;
  await named('every price follows from its evidence', () =>
    assertQuotesFollowFromEvidence(sim.observer.pool).then(() => undefined),
  );
  sim.count('invariants checked');
}

async function named(rule: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (error instanceof Violation) throw error;
    throw new Violation(rule, error instanceof Error ? error.message : String(error));
  }
}

async function nothing(sim: Simulation, rule: string, sql: string): Promise<void> {
  const rows = await sim.observer.rows(sql);
  reported(rule, rows);
}

function reported(rule: string, rows: readonly unknown[]): void {
  hold(rule, rows.length === 0, () => JSON.stringify(rows.slice(0, 5)));
}

async function checkTold(sim: Simulation): Promise<void> {
  const rows = await sim.observer.rows<{ id: string; quote_id: string }>(
    'select id, quote_id from transactions',
  );
  const stored = new Map(rows.map(({ id, quote_id }) => [quote_id, id]));
  for (const [quoteId, transactionId] of sim.model.reported)
    hold(
      'every acknowledged trade is stored, and no other',
      stored.get(uuidOf('quote', quoteId)) === uuidOf('txn', transactionId),
      () => `${quoteId} ${transactionId}`,
    );
  const reported = new Set([...sim.model.reported.keys()].map((quoteId) => uuidOf('quote', quoteId)));
  // Whoever executed these stands still, or is gone, and has not been able to say so.
  const possible = new Set(
    [...sim.unsure, ...sim.stalls.map(({ quoteId }) => quoteId)].map((quoteId) => uuidOf('quote', quoteId)),
  );
  const unknown = [...stored.keys()].filter((quote) => !reported.has(quote) && !possible.has(quote));
  hold(
    'every acknowledged trade is stored, and no other',
    unknown.length === 0,
    () => `trades that nobody was told of, of the quotes ${unknown.join(', ')}`,
  );
}

async function checkEyes(sim: Simulation): Promise<void> {
  const rows = await sim.observer.rows(
    `select a.id, a.kind from approvals a
     left join oauth_clients p on p.id = a.proposed_by left join oauth_clients d on d.id = a.decided_by
     where a.status = 'approved' and coalesce(p.responsible, a.proposed_by) = coalesce(d.responsible, a.decided_by)`,
  );
  reported('four eyes: nothing was approved by who had proposed it', rows);
}

/** Quotes are written down as expired only when nothing that arrived in time can be under way. */
async function checkExpiries(sim: Simulation): Promise<void> {
  const rows = await sim.observer.rows(
    `select id from quotes where status = 'expired' and closed_at < expires_at limit 5`,
  );
  reported('no execution that arrived in time was refused as expired', rows);
}

/** A customer looks at what is somebody else's, and at its own lists. */
export async function pry(sim: Simulation, random: Random): Promise<string> {
  const customer = random.pick(sim.model.customers);
  const instance = sim.pickInstance(random);
  const foreign = sim.model.trades.items.filter(({ quote }) => quote.customer !== customer);
  const others = sim.model.quotes.items.filter((quote) => quote.customer !== customer);
  const paths: string[] = [];
  if (foreign.length > 0) {
    const { transactionId } = random.pick(foreign);
    const path = `/v1/customer/transactions/${transactionId}`;
    paths.push(path, `${path}/confirmation`);
  }
  if (others.length > 0) {
    const path = `/v1/customer/quotes/${random.pick(others).quoteId}`;
    paths.push(path, `${path}/explain`);
  }
  for (const path of paths) {
    const answer = await sim.asCustomer(customer, instance, { method: 'GET', path });
    if (answer !== LOST)
      hold(
        "tenants apart: another's things do not exist",
        answer.status === 404,
        () => `${path}: ${answer.status} ${answer.text}`,
      );
  }
  await readLists(sim, random, customer, instance);
  return `${customer.character} looks at ${paths.length} things of others`;
}

async function readLists(
  sim: Simulation,
  random: Random,
  customer: Simulation['model']['customers'][number],
  instance: ReturnType<Simulation['pickInstance']>,
): Promise<void> {
  const [path, member, prefix, table] = random.pick([
    ['/v1/customer/transactions?limit=30', 'transactionId', 'txn', 'transactions'],
    ['/v1/customer/quotes?limit=30', 'quoteId', 'quote', 'quotes'],
  ] as const);
  const answer = await sim.asCustomer(customer, instance, { method: 'GET', path });
  if (answer === LOST) return;
  hold('what is one’s own can be read', answer.status === 200, () => `${path}: ${answer.text}`);
  const ids = answer.body.items.map((item: Record<string, string>) => uuidOf(prefix, item[member] ?? ''));
  const own = uuidOf('cus', customer.customerId);
  const rows = await sim.observer.rows(
    `select from ${table} where customer_id = $1 and id = any($2::uuid[])`,
    [own, ids],
  );
  hold(
    'tenants apart: lists hold only what is one’s own',
    rows.length === ids.length,
    () => `${path}: ${rows.length} of ${ids.length}`,
  );
  const instants = ids.map(instantOf);
  hold(
    'lists are in their order',
    instants.every((at: number, i: number) => i === 0 || at <= instants[i - 1]),
    () => answer.text,
  );
}

/** Events as the customer reads them: in their order, each once. */
export async function readEvents(sim: Simulation, random: Random): Promise<string> {
  const customer = random.pick(sim.model.customers);
  const instance = sim.pickInstance(random);
  const after = customer.lastEvent === undefined ? '' : `&after=${customer.lastEvent}`;
  const answer = await sim.asCustomer(customer, instance, {
    method: 'GET',
    path: `/v1/customer/events?limit=100${after}`,
  });
  if (answer === LOST) return LOST;
  hold('what is one’s own can be read', answer.status === 200, () => answer.text);
  const { items } = answer.body;
  const sequences = items.map(({ eventId }: { eventId: string }) =>
    Number(BigInt(`0x${uuidOf('evt', eventId).replaceAll('-', '').slice(22)}`)),
  );
  hold(
    'a feed of events has no gap',
    (answer.body.missed ?? 0) > 0 ||
      sequences.every((sequence: number, i: number) => sequence === customer.eventsRead + i + 1),
    () => `after ${customer.eventsRead}: ${sequences.join()}`,
  );
  customer.lastEvent = items.at(-1)?.eventId ?? customer.lastEvent;
  customer.eventsRead = sequences.at(-1) ?? customer.eventsRead;
  return `${customer.character} reads ${items.length} events`;
}

/** A trade as its customer reads it is still on its terms. */
export async function pollTrade(sim: Simulation, random: Random): Promise<string> {
  const { items } = sim.model.trades;
  if (items.length === 0) return 'no trades';
  const { transactionId, quote, reference } = random.pick(items.slice(-100));
  const path = `/v1/customer/transactions/${transactionId}`;
  const answer = await sim.asCustomer(quote.customer, sim.pickInstance(random), { method: 'GET', path });
  if (answer === LOST) return LOST;
  const { body } = answer;
  hold(
    'a trade is on the terms of its quote',
    answer.status === 200 &&
      body.quoteId === quote.quoteId &&
      body.sellAmount === quote.sellAmount &&
      body.buyAmount === quote.buyAmount &&
      body.reference === reference,
    () => `${quote.asked.text}\n${answer.text}`,
  );
  return `${transactionId} is ${body.status}`;
}

/** A quote as its customer reads it is in the state that it is believed to be in. */
export async function pollQuote(sim: Simulation, random: Random): Promise<string> {
  const { items } = sim.model.quotes;
  if (items.length === 0) return 'no quotes';
  const quote = random.pick(items.slice(-60));
  const instance = sim.pickInstance(random);
  const now = instance.machine.now();
  const path = `/v1/customer/quotes/${quote.quoteId}`;
  const answer = await sim.asCustomer(quote.customer, instance, { method: 'GET', path });
  if (answer === LOST) return LOST;
  const { status } = answer.body;
  const states: string[] =
    quote.state !== 'open' ? [quote.state] : now >= quote.expiresAt ? ['expired'] : ['open'];
  if (quote.state === 'open' && quote.isTakenBack) states.push('withdrawn', 'open', 'expired');
  if (sim.mayBeExecuted(quote.quoteId)) states.push('executed');
  hold(
    'a quote is in the state that it must be in',
    answer.status === 200 && states.includes(status),
    () => `${states.join(' or ')}: ${answer.text}`,
  );
  return `${quote.quoteId} is ${status}`;
}
