import { isIban } from '../soak/files.ts';
import type { Random } from '../soak/random.ts';
import { repeated } from './customers.ts';
import { PAIRS } from './feed.ts';
import { type Instance, LOST } from './instance.ts';
import { isOf, type ModelHalt, type ModelTrade } from './model.ts';
import type { Simulation } from './simulation.ts';
import { BANKED, limitsOf } from './stage.ts';
import { hold } from './violation.ts';

/** What people at the house do, and what money does that comes and goes. */

const OPERATOR = '/v1/operator';
const RUNS = `${OPERATOR}/settlement-runs`;

function isBanked(currency: string): boolean {
  return (BANKED as readonly string[]).includes(currency);
}

/** A customer pays: mostly what it owes, sometimes anything else. */
export async function payIn(sim: Simulation, random: Random): Promise<string> {
  const owing = sim.model.trades.items.filter(
    ({ quote, paidMinor, sellMinor }) =>
      isBanked(quote.sell) && quote.customer.character !== 'prefunded' && paidMinor < sellMinor,
  );
  const trade = owing.length > 0 && random.chance(0.85) ? random.pick(owing.slice(0, 30)) : undefined;
  return trade === undefined ? payAnything(sim, random) : payTrade(sim, random, trade);
}

function payTrade(sim: Simulation, random: Random, trade: ModelTrade): string {
  const { quote, sellMinor, reference } = trade;
  const pay = (minor: bigint, text = `INV 7 ${reference}`, currency: string = quote.sell) => {
    if (minor > 0n) sim.bank.receive(random, currency, minor, text, quote.customer.name);
  };
  trade.paidMinor += sellMinor;
  const what = random.next();
  sim.count('payments of customers');
  if (what < 0.6) pay(sellMinor);
  else if (what < 0.68) pay(sellMinor - BigInt(random.between(1, 2_500)));
  else if (what < 0.75) {
    trade.paidMinor += sellMinor / 2n - sellMinor;
    pay(sellMinor / 2n);
  } else if (what < 0.82) pay(sellMinor + BigInt(random.between(1, 90_000)));
  else if (what < 0.88) {
    pay(sellMinor);
    pay(sellMinor);
  } else if (what < 0.93) pay(sellMinor, 'thank you for the quick service');
  else if (what < 0.97) pay(sellMinor, reference, random.pick(BANKED.filter((each) => each !== quote.sell)));
  else pay(sellMinor, `${reference} and another one`);
  return `${quote.customer.character} pays for ${trade.transactionId}`;
}

function payAnything(sim: Simulation, random: Random): string {
  const prefunded = sim.model.customer('prefunded');
  const currency = random.pick(BANKED);
  const minor = BigInt(random.between(100, 6_000_000));
  const isTopUp = random.chance(0.75);
  sim.bank.receive(
    random,
    currency,
    minor,
    isTopUp ? `top up ${prefunded.topUpReference}` : 'who knows',
    prefunded.name,
  );
  sim.count(isTopUp ? 'payments to balances' : 'payments that nobody knows');
  return isTopUp ? `a top-up of ${minor} ${currency}` : 'money from nowhere';
}

/** The bank books and tells; the house takes its files in, some twice. */
export async function deliverFiles(sim: Simulation, random: Random): Promise<string> {
  sim.bank.report(sim.bank.dayAt(sim.world.now));
  return takeIn(sim, random);
}

export async function takeIn(
  sim: Simulation,
  random: Random,
  instance: Instance = sim.pickInstance(random),
): Promise<string> {
  const { files, known } = sim.bank;
  let taken = 0;
  for (let file = files[0]; file !== undefined; file = files[0]) {
    const answer = await sim.asOperator('bank', instance, {
      method: 'POST',
      path: `${OPERATOR}/statements`,
      content: file.content,
    });
    if (answer === LOST || answer.status === 503) return 'lost on the way';
    hold(
      'every file of the bank is taken in',
      answer.status === 200 || answer.status === 201,
      () => `${file.kind}: ${answer.text}\n${file.content}`,
    );
    files.shift();
    known.push(file);
    if (known.length > 50) known.shift();
    taken++;
    sim.count(`files: ${file.kind}`);
  }
  if (known.length > 0 && random.chance(0.15)) {
    const again = random.pick(known);
    const answer = await sim.asOperator('bank', instance, {
      method: 'POST',
      path: `${OPERATOR}/statements`,
      content: again.content,
    });
    if (answer !== LOST && answer.status < 500)
      hold(
        'a file that comes again changes nothing',
        answer.status === 200,
        () => `${again.kind}: ${answer.status} ${answer.text}`,
      );
    sim.count('files taken in again');
  }
  return `${taken} files`;
}

/** Somebody looks at an exception and does something about it. */
export async function workException(sim: Simulation, random: Random): Promise<string> {
  const instance = sim.pickInstance(random);
  const answer = await sim.asOperator('first', instance, {
    method: 'GET',
    path: `${OPERATOR}/exceptions?status=open&limit=20`,
  });
  if (answer === LOST || answer.status !== 200 || answer.body.items.length === 0) return 'nothing to do';
  const each = random.pick(
    answer.body.items as {
      type: string;
      depositId: string | null;
      transactionId: string | null;
      entryId?: string;
    }[],
  );
  if (each.type === 'excess' && each.transactionId !== null) {
    const path = `${OPERATOR}/transactions/${each.transactionId}/refund-excess`;
    const done = await sim.order(instance, { method: 'POST', path, body: {} });
    return done === undefined ? 'no refund' : 'excess refunded';
  }
  if (each.depositId === null) return `seen: ${each.type}`;
  return random.chance(0.6)
    ? matchByHand(sim, random, each.depositId)
    : sendBack(sim, random, each.depositId);
}

async function matchByHand(sim: Simulation, random: Random, depositId: string): Promise<string> {
  const instance = sim.pickInstance(random);
  const { items } = sim.model.trades;
  if (items.length === 0) return 'nothing to match with';
  const allocations = [{ transactionId: random.pick(items.slice(-60)).transactionId }];
  const body = { allocations, reason: 'told by the customer' };
  const done = await sim.order(instance, {
    method: 'POST',
    path: `${OPERATOR}/deposits/${depositId}/match`,
    body,
  });
  sim.count(done === undefined ? 'matches by hand refused' : 'matches by hand');
  return done === undefined ? 'not matched' : `${depositId} is matched by hand`;
}

async function sendBack(sim: Simulation, random: Random, depositId: string): Promise<string> {
  const instance = sim.pickInstance(random);
  const path = `${OPERATOR}/deposits/${depositId}`;
  const found = await sim.asOperator('first', instance, { method: 'GET', path });
  if (found === LOST || found.status !== 200) return 'not found';
  const { remitterAccount } = found.body;
  const account =
    remitterAccount === null
      ? { account: { accountHolder: 'Their Bank', iban: 'DE89370400440532013000' } }
      : isIban(remitterAccount)
        ? {}
        : { account: { bic: 'CHASUS33' } };
  const done = await sim.order(instance, {
    method: 'POST',
    path: `${path}/return`,
    body: { reason: 'nobody knows it', ...account },
  });
  sim.count(done === undefined ? 'returns refused' : 'returns');
  return done === undefined ? 'not sent back' : `${depositId} goes back`;
}

/** A payment file for what is due, which the bank executes. */
export async function payOut(sim: Simulation, random: Random): Promise<string> {
  const instance = sim.pickInstance(random);
  const currency = random.pick(BANKED);
  const valueDate = sim.bank.dayAt(sim.world.now);
  const query = `currency=${currency}&valueDate=${valueDate}`;
  const preview = await sim.asOperator('first', instance, {
    method: 'GET',
    path: `${RUNS}/preview?${query}`,
  });
  if (preview === LOST || preview.status !== 200 || preview.body.paymentCount === 0) return 'nothing is due';
  const run = await sim.order(instance, { method: 'POST', path: RUNS, body: { currency, valueDate } });
  if (run?.runId === undefined) return 'no run';
  const path = `${RUNS}/${run.runId}`;
  const file = await sim.asOperator('second', instance, { method: 'GET', path: `${path}/files/pain.001` });
  if (file === LOST || file.status !== 200) return 'no file';
  if (random.chance(0.1)) {
    const cancelled = await sim.order(instance, {
      method: 'POST',
      path: `${path}/cancel`,
      body: { reason: 'not now' },
    });
    if (cancelled !== undefined) {
      sim.count('runs cancelled');
      return 'a run is given up';
    }
  }
  const sent = await sim.order(instance, { method: 'POST', path: `${path}/mark-sent` });
  if (sent === undefined) return 'not sent';
  sim.count('runs sent');
  return `${currency}: ${sim.bank.execute(random, currency, file.text, sim.bank.dayAt(sim.world.now))}`;
}

export async function withdraw(sim: Simulation, random: Random): Promise<string> {
  const customer = sim.model.customer('prefunded');
  const instance = sim.pickInstance(random);
  const currency = random.pick(BANKED);
  const amount = `${random.between(1, 3_000)}.${random.between(10, 99)}`;
  sim.keys++;
  const headers = { 'idempotency-key': `withdrawal-${sim.keys}` };
  const request = {
    method: 'POST',
    path: '/v1/customer/balances/withdrawals',
    body: { currency, amount },
    headers,
  } as const;
  const answer = await sim.asCustomer(customer, instance, request);
  if (answer === LOST) return LOST;
  if (answer.status !== 201) return answer.body.code;
  sim.count('withdrawals');
  if (random.chance(0.2)) await repeated(sim, random, customer, request, answer);
  return `${amount} ${currency} are withdrawn`;
}

/** Stops a pair, a customer or everything, or lets it go on. */
export async function haltOrResume(sim: Simulation, random: Random): Promise<string> {
  const halts = [...sim.model.halts.values()];
  if (halts.length > 0 && random.chance(0.75)) return resume(sim, random, random.pick(halts));
  const instance = sim.pickInstance(random);
  const scope = random.pick(['pair', 'pair', 'customer', 'all'] as const);
  const pair = scope === 'pair' ? random.pick(PAIRS) : undefined;
  const customerId = scope === 'customer' ? random.pick(sim.model.customers).customerId : undefined;
  const keepsQuotes = random.chance(0.5);
  const body = {
    scope,
    ...(pair && { pair }),
    ...(customerId && { customerId }),
    reason: 'a strange price',
    openQuotes: keepsQuotes ? 'keep' : 'withdraw',
  };
  const answer = await sim.asOperator('first', instance, {
    method: 'POST',
    path: `${OPERATOR}/market/halt`,
    body,
  });
  if (answer === LOST || answer.status >= 300) return 'no halt';
  const halt = noteHalt(sim, { scope, pair, customerId, keepsQuotes });
  hold(
    'what takes back quotes is not told to keep them by halting once more',
    answer.body.openQuotes === (halt.keepsQuotes ? 'keep' : 'withdraw'),
    () => answer.text,
  );
  if (!keepsQuotes)
    sim.model.takeBack(
      ({ pair: of, customer }) => scope === 'all' || isOf(pair, of) || customer.customerId === customerId,
    );
  sim.count('halts');
  return `${scope} ${pair ?? customerId ?? ''} is halted`;
}

/** Halting what is halted changes nothing, but that what kept quotes may take them back from then on. */
function noteHalt(sim: Simulation, ordered: Omit<ModelHalt, 'since'>): ModelHalt {
  const earlier = sim.model.halts.get(keyOf(ordered));
  if (earlier !== undefined && (ordered.keepsQuotes || !earlier.keepsQuotes)) return earlier;
  const halt = { ...ordered, since: sim.world.now };
  sim.model.halts.set(keyOf(halt), halt);
  return halt;
}

const keyOf = ({ scope, pair, customerId }: Pick<ModelHalt, 'scope' | 'pair' | 'customerId'>) =>
  `${scope} ${pair} ${customerId}`;

async function resume(sim: Simulation, random: Random, halt: ModelHalt): Promise<string> {
  const { scope, pair, customerId } = halt;
  const body = { scope, ...(pair && { pair }), ...(customerId && { customerId }), reason: 'all is well' };
  const done = await sim.order(sim.pickInstance(random), {
    method: 'POST',
    path: `${OPERATOR}/market/resume`,
    body,
  });
  if (done === undefined) return 'not resumed';
  sim.model.halts.delete(keyOf(halt));
  sim.model.resumedAt = sim.world.now;
  return `${scope} ${pair ?? customerId ?? ''} goes on`;
}

export async function suspendOrResume(sim: Simulation, random: Random): Promise<string> {
  const customer = random.pick(sim.model.customers);
  const instance = sim.pickInstance(random);
  const path = `${OPERATOR}/customers/${customer.customerId}`;
  if (customer.isSuspended) {
    const done = await sim.order(instance, { method: 'POST', path: `${path}/resume`, body: {} });
    if (done === undefined) return 'not resumed';
  } else {
    const answer = await sim.asOperator('first', instance, {
      method: 'POST',
      path: `${path}/suspend`,
      body: { reason: 'a look at their papers' },
    });
    if (answer === LOST || answer.status !== 200) return 'not suspended';
    sim.model.takeBack((quote) => quote.customer === customer);
    sim.count('suspensions');
  }
  customer.isSuspended = !customer.isSuspended;
  customer.changedAt = sim.world.now;
  return `${customer.character} is ${customer.isSuspended ? 'suspended' : 'active'}`;
}

/** Spreads and limits are set anew; what was quoted stays as it was quoted. */
export async function setTerms(sim: Simulation, random: Random): Promise<string> {
  const instance = sim.pickInstance(random);
  if (random.chance(0.5)) {
    const rules = [
      { spreadBps: `${random.between(1, 40)}.${random.between(10, 99)}` },
      { pair: 'GBPUSD', spreadBps: `${random.between(1, 30)}` },
    ];
    const headers = { 'if-match': '*' };
    const done = await sim.order(instance, {
      method: 'PUT',
      path: `${OPERATOR}/spread-rules`,
      body: { rules },
      headers,
    });
    return done === undefined ? 'spreads stay' : 'spreads are changed';
  }
  const customer = random.pick(sim.model.customers);
  const path = `${OPERATOR}/customers/${customer.customerId}/limits`;
  const done = await sim.order(instance, { method: 'PUT', path, body: limitsOf(customer.character) });
  return done === undefined ? 'limits stay' : `limits of ${customer.character} are set`;
}

/** One person tries to do alone what takes two. */
export async function tryAlone(sim: Simulation, random: Random): Promise<string> {
  const instance = sim.pickInstance(random);
  const customer = random.pick(sim.model.customers);
  const path = `${OPERATOR}/customers/${customer.customerId}`;
  const request = random.pick([
    {
      method: 'POST',
      path: `${path}/settlement-instructions`,
      body: { currency: 'EUR', accountHolder: 'Me', iban: 'NL91ABNA0417164300', bankCountry: 'NL' },
    },
    {
      method: 'POST',
      path: `${path}/balances/top-ups`,
      body: { currency: 'EUR', amount: '1000000.00', bankReference: `ALONE-${sim.keys++}` },
    },
    { method: 'PUT', path: `${path}/limits`, body: limitsOf('plain') },
    {
      method: 'PUT',
      path: `${OPERATOR}/collection-accounts/EUR`,
      body: { accountHolder: 'Me', iban: 'NL91ABNA0417164300' },
    },
    { method: 'POST', path: `${path}/credentials`, body: { name: 'mine' } },
    {
      method: 'PUT',
      path: `${OPERATOR}/spread-rules`,
      body: { rules: [{ spreadBps: '0' }] },
      headers: { 'if-match': '*' },
    },
  ] as const);
  const answer = await sim.asOperator('first', instance, request);
  if (answer === LOST || answer.status >= 500) return 'no answer';
  hold(
    'nothing judged is done by one person',
    answer.status === 202 || answer.status >= 400,
    () => `${request.method} ${request.path}: ${answer.text}`,
  );
  if (answer.status !== 202) return answer.body.code;
  const at = `${OPERATOR}/approvals/${answer.body.approvalId}`;
  const approved = await sim.asOperator('first', instance, { method: 'POST', path: `${at}/approve` });
  if (approved !== LOST)
    hold('nobody approves what is their own', approved.status >= 400, () => `${at}: ${approved.text}`);
  const rejected = await sim.asOperator(random.pick(['first', 'second']), instance, {
    method: 'POST',
    path: `${at}/reject`,
  });
  sim.count('attempts of one person');
  return rejected === LOST ? 'left open' : `refused, and rejected ${rejected.status}`;
}

export async function unwind(sim: Simulation, random: Random): Promise<string> {
  const { items } = sim.model.trades;
  if (items.length === 0) return 'no trades';
  const { transactionId } = random.pick(items.slice(-80));
  const body = { reason: 'trade_error', closeOutAt: random.pick(['trade', 'market']) };
  const path = `${OPERATOR}/transactions/${transactionId}/unwind`;
  const done = await sim.order(sim.pickInstance(random), { method: 'POST', path, body });
  if (done !== undefined) sim.count('trades unwound');
  return done === undefined ? 'not unwound' : `${transactionId} is unwound`;
}

export async function retryPayouts(sim: Simulation, random: Random): Promise<string> {
  const instance = sim.pickInstance(random);
  const failed = await sim.asOperator('first', instance, {
    method: 'GET',
    path: `${OPERATOR}/transactions?status=settlement_failed&limit=5`,
  });
  if (failed === LOST || failed.status !== 200 || failed.body.items.length === 0) return 'none has failed';
  const { transactionId } = random.pick(failed.body.items as { transactionId: string }[]);
  const done = await sim.order(instance, {
    method: 'POST',
    path: `${OPERATOR}/transactions/${transactionId}/retry-payout`,
  });
  if (done !== undefined) sim.count('payouts made again');
  return `${transactionId} ${done === undefined ? 'is not' : 'is'} paid again`;
}
