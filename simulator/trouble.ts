import type { Random } from '../soak/random.ts';
import { judge, newKey } from './customers.ts';
import {
  cancellationReasons,
  type Execution,
  executionReasons,
  executionRequest,
  noteTrade,
  pickQuote,
  planExecution,
} from './executions.ts';
import { type Answer, type Instance, LOST, type Request } from './instance.ts';
import type { ModelQuote } from './model.ts';
import { takeIn } from './operators.ts';
import { type Simulation, withoutNames } from './simulation.ts';
import { hold, Violation } from './violation.ts';

/** What goes wrong: instances that crash or stand still at a statement, two that race, clocks that are wrong. */

const QUOTES = '/v1/customer/quotes';
/** Statements until it happens: an execution has one or two, an import some thirty. */
const STATEMENTS_MAX = 12;

/** Kills an instance at its n-th statement from now, before it is sent or after it was done. */
function crashAt(sim: Simulation, instance: Instance, n: number, isAfter: boolean): () => boolean {
  let left = n;
  let happened = false;
  const never = new Promise<void>(() => undefined);
  const die = () => {
    happened = true;
    instance.die();
    return never;
  };
  instance.machine.wire.rules = {
    before: () => (happened ? never : !isAfter && --left <= 0 ? die() : undefined),
    after: () => (happened ? never : isAfter && --left <= 0 ? die() : undefined),
  };
  sim.trace(`crash at ${n} ${isAfter}`);
  return () => happened;
}

/** An instance crashes in the middle of something, and whoever waited for it asks another one. */
export async function crashInstance(sim: Simulation, random: Random): Promise<string> {
  if (sim.instances.length < 2) return 'the last one stays';
  const instance = sim.pickInstance(random);
  const isExecution = random.chance(0.6);
  const n = random.between(1, isExecution ? 3 : STATEMENTS_MAX);
  const isAfter = random.chance(0.5);
  if (!isExecution) {
    const what = random.chance(0.5) ? 'taking files in' : 'sweeping';
    crashAt(sim, instance, n, isAfter);
    if (what === 'sweeping') await sim.drive(instance.sweepAll());
    else await takeInAt(sim, random, instance);
    await sim.crash(instance);
    return `${instance.machine.name} crashes while ${what}, ${isAfter ? 'after' : 'before'} statement ${n}`;
  }
  const quote = pickQuote(sim, random);
  if (quote === undefined) {
    await sim.crash(instance);
    return `${instance.machine.name} crashes`;
  }
  const planned = planExecution(sim, random, quote);
  const execution = { ...planned, key: planned.key ?? newKey(sim) };
  return crashAtExecution(sim, random, instance, execution, n, isAfter);
}

/** It crashes at its n-th statement after the request, and its customer asks another one. */
export async function crashAtExecution(
  sim: Simulation,
  random: Random,
  instance: Instance,
  execution: Execution,
  n: number,
  isAfter: boolean,
): Promise<string> {
  const reasons = executionReasons(sim, instance, execution);
  // Nobody has looked at the balance before.
  if (execution.by.character === 'prefunded') reasons.may.add('limit_exceeded');
  const happened = crashAt(sim, instance, n, isAfter);
  const answer = await sim.asCustomer(execution.by, instance, executionRequest(execution));
  if (answer !== LOST && judge('execution', answer, withCrash(reasons), 201))
    noteTrade(sim, execution, answer);
  await sim.crash(instance);
  const outcome = answer === LOST ? await askAgain(sim, random, execution) : 'it had answered before';
  return `${instance.machine.name} crashes${happened() ? ` ${isAfter ? 'after' : 'before'} statement ${n}` : ''} of an execution: ${outcome}`;
}

function withCrash<R extends ReturnType<typeof executionReasons>>(reasons: R): R {
  reasons.may.add('outcome_unknown').add('overloaded');
  return reasons;
}

async function takeInAt(sim: Simulation, random: Random, instance: Instance): Promise<void> {
  sim.bank.report(sim.bank.dayAt(sim.world.now));
  await takeIn(sim, random, instance);
}

/** Refusals of who has not looked whether it was done. */
const UNDECIDED = new Set([
  'maintenance',
  'customer_suspended',
  'market_closed',
  'overloaded',
  'outcome_unknown',
  'request_in_progress',
]);

/** The same request with the same key, elsewhere: it is done once, whether or not it was done before. */
async function askAgain(sim: Simulation, random: Random, execution: Execution): Promise<string> {
  const instance = sim.pickInstance(random);
  const reasons = withCrash(executionReasons(sim, instance, execution));
  if (execution.by.character === 'prefunded') reasons.may.add('limit_exceeded');
  const answer = await sim.asCustomer(execution.by, instance, executionRequest(execution));
  if (answer === LOST || UNDECIDED.has(answer.body.code)) sim.unsure.add(execution.quote.quoteId);
  if (answer === LOST) return LOST;
  if (!judge('execution', answer, reasons, 201)) return answer.body.code;
  noteTrade(sim, execution, answer);
  return answer.headers['idempotency-replayed'] === 'true'
    ? 'it was done, and is told of now'
    : 'it is done now';
}

/** An instance stands still at a statement of an execution, with whatever it has locked; others go on meanwhile. */
export async function stallInstance(sim: Simulation, random: Random): Promise<string> {
  if (sim.instances.length < 2) return 'the last one goes on';
  const instance = sim.pickInstance(random);
  const quote = pickQuote(sim, random);
  if (quote === undefined) return 'nothing to stand still at';
  const planned = planExecution(sim, random, quote);
  const execution = { ...planned, key: planned.key ?? newKey(sim) };
  // Its token is known before.
  const token = await sim.token(execution.by.credentials, instance);
  const reasons = withCrash(executionReasons(sim, instance, execution));
  // Others may come first.
  reasons.mustRefuse = reasons.mustRefuse === 'quote_not_found' ? 'quote_not_found' : undefined;
  for (const code of ENDS) reasons.may.add(code);
  if (execution.by.character === 'prefunded') reasons.may.add('limit_exceeded');
  const { wire } = instance.machine;
  let release = () => {};
  let left = random.between(1, 2);
  /** Statements at which it stands: the first, and whatever it sends besides. */
  let standing = 0;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const isAfter = random.chance(0.5);
  const stop = () => {
    if (standing === 0 && --left > 0) return undefined;
    standing++;
    return held;
  };
  wire.rules = { before: () => (isAfter ? undefined : stop()), after: () => (isAfter ? stop() : undefined) };
  const request = { ...executionRequest(execution), token };
  const answering = instance.call(request);
  await sim.world.gate.quiet();
  const goOn = async () => {
    wire.rules = undefined;
    release();
    const answer = await sim.drive(answering);
    if (answer === LOST) return;
    sim.noteAnswer(request, answer);
    if (judge('execution', answer, reasons, 201)) noteTrade(sim, execution, answer);
  };
  if (standing === 0) {
    await goOn();
    return 'it was over before';
  }
  sim.count('stalls');
  sim.stalls.push({ instance, quoteId: quote.quoteId, goOn, steps: random.between(1, 12) });
  return `${instance.machine.name} stands still ${isAfter ? 'after' : 'before'} a statement of the execution of ${quote.quoteId}`;
}

const ENDS = [
  'quote_already_executed',
  'quote_cancelled',
  'quote_withdrawn',
  'quote_expired',
  'customer_suspended',
  'market_closed',
  'limit_exceeded',
];

/** A statement that is held up until it is its turn. */
interface Parked {
  readonly racer: number;
  readonly go: () => void;
}

/** Two requests about one quote on two instances, whose statements are taken in an order that chance has chosen. */
export async function race(sim: Simulation, random: Random): Promise<string> {
  const quote = pickQuote(sim, random);
  if (quote === undefined || sim.instances.length < 2) return 'nobody to race with';
  const first = sim.pickInstance(random);
  const second = random.pick(sim.instances.filter((each) => each !== first));
  const by = quote.customer;
  const ifMatch = by.character === 'careful' ? quote.etag : undefined;
  const sameKey = random.chance(0.3) ? newKey(sim) : undefined;
  const one: Execution = { quote, by, key: sameKey ?? newKey(sim), body: {}, ifMatch };
  const isCancelled = random.chance(0.35);
  const other: Execution = { ...one, key: sameKey ?? (random.chance(0.5) ? newKey(sim) : undefined) };
  const cancellation: Request = { method: 'POST', path: `${QUOTES}/${quote.quoteId}/cancel` };
  const before = {
    execution: withRace(executionReasons(sim, first, one)),
    other: withRace(
      isCancelled ? cancellationReasons(sim, second, quote, by) : executionReasons(sim, second, other),
    ),
  };
  const token = await sim.token(by.credentials, first);
  const requests = [
    { instance: first, request: { ...executionRequest(one), token } },
    { instance: second, request: { ...(isCancelled ? cancellation : executionRequest(other)), token } },
  ];
  const answers = await interleave(sim, random, requests);
  for (const [i, answer] of answers.entries()) {
    const { request } = requests[i] as (typeof requests)[number];
    sim.noteAnswer(request, answer);
  }
  const [a, b] = answers as [Answer, Answer];
  judgeRace(sim, quote, { one, other, a, b, isCancelled, before });
  sim.count('races');
  return `${quote.quoteId}: ${a.body?.code ?? 'executed'} and ${b.body?.code ?? (isCancelled ? 'cancelled' : 'executed')}`;
}

type Reasons = ReturnType<typeof executionReasons>;

/** The other one may have come first. */
function withRace(reasons: Reasons): Reasons {
  for (const code of [
    'quote_already_executed',
    'quote_cancelled',
    'request_in_progress',
    'overloaded',
    'limit_exceeded',
  ])
    reasons.may.add(code);
  return reasons;
}

function judgeRace(
  sim: Simulation,
  quote: ModelQuote,
  race: {
    one: Execution;
    other: Execution;
    a: Answer;
    b: Answer;
    isCancelled: boolean;
    before: { execution: Reasons; other: Reasons };
  },
): void {
  const { one, other, a, b, isCancelled, before } = race;
  const isReplayed = one.key !== undefined && one.key === other.key && !isCancelled;
  // Who must refuse tells of what the other one did under the same key, who may not have heard why not.
  if (isReplayed && (before.execution.mustRefuse === undefined || before.other.mustRefuse === undefined))
    for (const each of [before.execution, before.other]) each.mustRefuse = undefined;
  // What stood against the one is then what the other is told, although its clock may have said something else.
  if (isReplayed && withoutNames(a.text) === withoutNames(b.text))
    for (const code of [...before.execution.may, ...before.other.may]) {
      before.execution.may.add(code);
      before.other.may.add(code);
    }
  const aDone = judge('execution', a, before.execution, 201);
  const bDone = judge(isCancelled ? 'cancellation' : 'execution', b, before.other, isCancelled ? 200 : 201);
  if (aDone && bDone) {
    hold('of two that race, one wins', isReplayed, () => `${a.text}\n${b.text}`);
    hold('a repetition gets the first answer, to the byte', a.text === b.text, () => `${a.text}\n${b.text}`);
  }
  if (aDone) noteTrade(sim, one, a);
  if (bDone && !isCancelled) noteTrade(sim, aDone ? one : other, b);
  if (bDone && isCancelled && quote.state === 'open') quote.state = 'cancelled';
  const wasOpen = before.execution.mustRefuse === undefined && before.other.mustRefuse === undefined;
  if (
    wasOpen &&
    !quote.isTakenBack &&
    quote.customer.character === 'plain' &&
    sim.stalls.length === 0 &&
    !sim.mayBeExecuted(quote.quoteId)
  )
    hold(
      'of two that race, one wins',
      aDone || bDone || before.execution.may.size > 5,
      () => `${a.text}\n${b.text}`,
    );
}

async function interleave(
  sim: Simulation,
  random: Random,
  requests: readonly { readonly instance: Instance; readonly request: Request }[],
): Promise<Answer[]> {
  const parked: Parked[] = [];
  for (const [racer, { instance }] of requests.entries()) {
    instance.machine.wire.rules = {
      before: () => new Promise<void>((go) => parked.push({ racer, go })),
      after: () => undefined,
    };
  }
  const answering = requests.map(({ instance, request }) => instance.call(request));
  for (let i = 0; i < 200; i++) {
    await sim.world.gate.quiet();
    if (parked.length === 0) break;
    // In the order of the racers, whoever came here first.
    parked.sort((a, b) => a.racer - b.racer);
    const next = random.between(0, parked.length - 1);
    parked.splice(next, 1)[0]?.go();
  }
  for (const { instance } of requests) instance.machine.wire.rules = undefined;
  for (const { go } of parked) go();
  const answers = await sim.drive(Promise.all(answering));
  return answers.map((answer) => {
    if (answer === LOST)
      throw new Violation('the service never fails', 'an instance is gone that nobody killed');
    return answer;
  });
}

/** Clocks of machines are moved, and put right again. */
export async function skewClock(sim: Simulation, random: Random): Promise<string> {
  const instance = sim.pickInstance(random);
  const { machine } = instance;
  if (machine.skewMs !== 0 || random.chance(0.4)) {
    machine.wasSkewed = Math.abs(machine.skewMs) > 100;
    machine.skewMs = 0;
  } else
    machine.skewMs = random.chance(0.5)
      ? random.between(-120, 120)
      : random.pick([-1, 1]) * random.between(400, 90_000);
  // Prices bear the time of the clock as it was.
  sim.feed.suspectAll(instance);
  await sim.drive(instance.measureClock());
  machine.wasSkewed = false;
  return `the clock of ${machine.name} is off by ${machine.skewMs} ms`;
}
