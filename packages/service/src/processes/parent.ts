import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Config, ListenAddress } from '../config.ts';
import type { Database } from '../database/open.ts';
import { explainedListening, INSIDE_LISTEN_SETTINGS, LISTEN_SETTINGS } from '../http/listening.ts';
import { READINESS } from '../operations/health.ts';
import type { Logger } from '../platform/logger.ts';
import type { ProcessNumber } from '../platform/neighbours.ts';
import { type ChildEnd, ChildOf } from './child-process.ts';
import { takeBackHandedOver } from './handed-over.ts';
import { type ChildStart, FIRST, type ToParent } from './messages.ts';
import { Questions } from './questions.ts';

const BEAT_EVERY_MS = 2_000;
/** A child that does not answer so often in a row is ended, and another one started. */
const UNANSWERED_MAX = 10; // limit: Questions whether a process lives, of one in two seconds, that it may leave unanswered

const FIRST_PAUSE_MS = 100; // limit: Shortest pause before a process that ended is started again
const LONGEST_PAUSE_MS = 10_000; // limit: Longest pause before a process that ended is started again
/** One that lived so long was a good one: the pause begins from the start. */
const STABLE_MS = 30_000;
/** A little longer than a child takes at most. */
const STOP_LIMIT_MS = 42_000; // limit: Time for all processes to stop

interface ParentOptions {
  readonly config: Config;
  readonly logger: Logger;
  readonly database: Pick<Database, 'own' | 'lost'>;
  /** What to print when all of them serve. */
  readonly onStarted: (greeting: string) => void;
}

/** A start that came to nothing; the child has said why. */
export class StartFailed extends Error {
  override readonly name = 'StartFailed';
  readonly code: number;

  constructor(code: number) {
    super('a process could not start');
    this.code = code;
  }
}

/** Starts the processes of a service, starts those again that end, hands on what they tell each other, and stops them. */
export class Parent {
  /** Rejects when the start fails or the database is gone. */
  readonly failed: Promise<never>;
  readonly #options: ParentOptions;
  readonly #children = new Map<ProcessNumber, ChildOf>();
  readonly #failures = new Map<ProcessNumber, number>();
  readonly #questions = new Questions();
  #fail: (error: unknown) => void = () => undefined;
  #phase: 'starting' | 'serving' | 'stopping' = 'starting';
  #addresses: Pick<ChildStart, 'port' | 'operatorListen'> | undefined;
  #beat: NodeJS.Timeout | undefined;

  constructor(options: ParentOptions) {
    this.#options = options;
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    failed.catch(() => undefined);
    this.failed = Promise.race([failed, options.database.lost]);
    this.failed.catch(() => undefined);
  }

  async start(): Promise<void> {
    const { config } = this.#options;
    // Here, so that each of them gets the same port, also when it is started again.
    const port = await explainedListening(freePort(config), config, LISTEN_SETTINGS);
    const { operatorListen: inside } = config;
    const operatorListen = inside && {
      ...inside,
      port: await explainedListening(freePort(inside), inside, INSIDE_LISTEN_SETTINGS),
    };
    this.#addresses = { port, operatorListen };
    // Each process waits for them while nobody reads the log.
    for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ exec: join(import.meta.dirname, '../child.ts'), args: [], silent: true });
    for (let number = FIRST; number <= config.processes; number++) this.#startChild(number);
    this.#beat = setInterval(() => void this.#ask(), BEAT_EVERY_MS);
  }

  /** Lets all of them finish what they do. Answers with the largest exit code. */
  async stop(reason: string): Promise<number> {
    this.#phase = 'stopping';
    clearInterval(this.#beat);
    const children = [...this.#children.values()];
    for (const child of children) child.send({ type: 'stop', reason });
    const timer = setTimeout(() => this.kill(), STOP_LIMIT_MS);
    const ends = await Promise.all(children.map(({ ended }) => ended));
    clearTimeout(timer);
    return Math.max(0, ...ends.map(codeOf));
  }

  /** At once. */
  kill(): void {
    this.#phase = 'stopping';
    for (const child of this.#children.values()) child.kill();
  }

  #startChild(number: ProcessNumber): void {
    const { config, database } = this.#options;
    if (this.#phase === 'stopping' || this.#addresses === undefined) return;
    const worker = cluster.fork();
    takeBackHandedOver(worker, () => ![...this.#others(number)].some(({ serves }) => serves));
    const child = new ChildOf(number, worker, (message) => this.#take(child, message));
    if (this.#phase === 'serving') child.printErrors();
    this.#children.set(number, child);
    this.#options.logger.info({ started: number, pid: child.pid }, 'a process was started');
    const { own: ownDatabase } = database;
    child.send({
      type: 'start',
      start: { own: number, count: config.processes, ...this.#addresses, ownDatabase },
    });
    for (const other of this.#others(number)) other.send({ type: 'joined', process: number });
    void child.ended.then((end) => this.#ended(child, end));
  }

  #ended(child: ChildOf, end: ChildEnd): void {
    const { number } = child;
    this.#children.delete(number);
    this.#questions.ended(number);
    if (this.#phase === 'stopping') return;
    for (const other of this.#others(number)) {
      // Nobody says any more that its prices stand.
      if (number === FIRST) other.news.add({ lost: true, withdrawals: [], prices: [] });
      other.send({ type: 'left', process: number });
    }
    if (this.#phase === 'starting') {
      child.printErrors();
      this.#phase = 'stopping';
      this.#fail(new StartFailed(codeOf(end) || 1));
      return;
    }
    const lasted = performance.now() - child.startedAt;
    const failures = lasted >= STABLE_MS ? 0 : (this.#failures.get(number) ?? 0);
    this.#failures.set(number, failures + 1);
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 16));
    this.#options.logger.error(
      { ended: number, ...end, pauseMs },
      'a process has ended and is being restarted',
    );
    setTimeout(() => this.#startChild(number), pauseMs);
  }

  #take(child: ChildOf, message: ToParent): void {
    switch (message.type) {
      case 'serves':
        child.serves = true;
        if (this.#phase !== 'starting') child.send({ type: 'everyServes' });
        else if (this.#allServe()) this.#children.get(FIRST)?.send({ type: 'everyServes' });
        break;
      case 'started':
        if (this.#phase !== 'starting') break;
        this.#phase = 'serving';
        for (const each of this.#children.values()) each.printErrors();
        this.#options.onStarted(message.greeting);
        break;
      case 'news':
        for (const other of this.#others(child.number, message.to)) other.news.add(message.news);
        if (message.to === undefined) child.send({ type: 'taken' });
        break;
      case 'taken':
        child.news.taken();
        break;
      case 'notify': {
        const { subject, value, to } = message;
        for (const other of this.#others(child.number, to))
          other.send({ type: 'notified', from: child.number, subject, value });
        break;
      }
      case 'ask':
        void this.#pass(child, message.id, message.question, message.value);
        break;
      case 'answer':
        this.#questions.answered(message.id, child.number, message.value);
        break;
    }
  }

  async #pass(child: ChildOf, id: number, question: string, value: unknown): Promise<void> {
    const asked = [...this.#others(child.number)].filter(({ answers: does }) => does);
    const answers = await this.#questions.ask(asked, question, value);
    child.news.afterSent(() => child.send({ type: 'answers', id, answers }));
  }

  /** Those that live, but for this one. */
  *#others(number: ProcessNumber, only?: ProcessNumber): Generator<ChildOf> {
    for (const child of this.#children.values()) {
      if (child.number !== number && (only === undefined || child.number === only)) yield child;
    }
  }

  #allServe(): boolean {
    const children = [...this.#children.values()];
    return children.length === this.#options.config.processes && children.every(({ serves }) => serves);
  }

  async #ask(): Promise<void> {
    const asked = [...this.#children.values()].filter(({ serves }) => serves);
    const answered = new Set((await this.#questions.ask(asked, READINESS, null)).map(([number]) => number));
    for (const child of asked) {
      child.unanswered = answered.has(child.number) ? 0 : child.unanswered + 1;
      if (child.unanswered < UNANSWERED_MAX || this.#children.get(child.number) !== child) continue;
      this.#options.logger.error({ silent: child.number }, 'a process does not answer and is being stopped');
      child.kill();
    }
  }
}

function codeOf({ code, signal }: ChildEnd): number {
  return signal === null ? (code ?? 0) : 1;
}

/** The port, or where any will do one that is free. @throws Error as listening does */
async function freePort({ host, port }: ListenAddress): Promise<number> {
  const server = createServer();
  server.listen({ host, port });
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('a port has a number');
  return address.port;
}
