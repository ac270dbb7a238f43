/**
 * How much work is taken on at once. What waits longer than its caller waits is done for nobody, so under more load than can be
 * carried the rest is refused at the door, where that costs a tenth of the work. Executions go last: a firm quote is a promise.
 */

/** Work that is counted by itself, since its rates differ: executions with cancellations, firm quotes, anything else of customers. */
export const WORK_KINDS = ['execution', 'quote', 'other'] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

interface Bounds {
  /** Under way without a look at how long they take, so that a burst is taken on whole. */
  readonly always: number;
  /** Longest time that taking on one more may mean for it, seconds at the rate of the last second. */
  readonly waitSeconds: number;
}

const EXECUTIONS_ALWAYS = 1_024; // limit: Executions and cancellations under way, whatever the rate; beyond, what a second does
const QUOTES_ALWAYS = 256; // limit: Requests for firm quotes under way, whatever the rate; beyond, what a fifth of a second does
const OTHERS_ALWAYS = 512; // limit: Other requests of customers under way, whatever the rate; beyond, what a fifth of a second does
const SHORT = 0.2;

const BOUNDS: Readonly<Record<WorkKind, Bounds>> = {
  execution: { always: EXECUTIONS_ALWAYS, waitSeconds: 1 },
  quote: { always: QUOTES_ALWAYS, waitSeconds: SHORT },
  other: { always: OTHERS_ALWAYS, waitSeconds: SHORT },
};
/** Past this many executions under way, what would bring more of them is refused. */
const EXECUTIONS_AT_EASE: Bounds = { always: 256, waitSeconds: SHORT };

const BUCKETS = 10;
const BUCKET_MS = 100;
const RETRY_SECONDS_MAX = 30; // limit: Longest Retry-After of a request that is refused under load

/** Events of the last second. */
class Recent {
  readonly #counts = new Array<number>(BUCKETS).fill(0);
  #bucket = 0;
  #sum = 0;

  add(nowMs: number): void {
    this.#advance(nowMs);
    const place = this.#bucket % BUCKETS;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    this.#sum++;
  }

  perSecond(nowMs: number): number {
    this.#advance(nowMs);
    return this.#sum;
  }

  #advance(nowMs: number): void {
    const bucket = Math.floor(nowMs / BUCKET_MS);
    const from = Math.max(this.#bucket + 1, bucket - BUCKETS + 1);
    for (let each = from; each <= bucket; each++) {
      this.#sum -= this.#counts[each % BUCKETS] ?? 0;
      this.#counts[each % BUCKETS] = 0;
    }
    this.#bucket = Math.max(this.#bucket, bucket);
  }
}

class Work {
  underWay = 0;
  refusals = 0;
  readonly done = new Recent();
  readonly refused = new Recent();
}

export class Admission {
  readonly #now: () => number;
  readonly #work: Readonly<Record<WorkKind, Work>> = {
    execution: new Work(),
    quote: new Work(),
    other: new Work(),
  };

  /** @param now milliseconds of real time */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** How many were refused since the start. */
  refusals(kind: WorkKind): number {
    return this.#work[kind].refusals;
  }

  /**
   * Whether one more is taken on now. It is counted from `begin` on; what only waits for something to happen is not counted.
   * @returns 0, or the seconds after which it may be asked again: what was refused in the last second, at the rate of that second
   */
  refusedFor(kind: WorkKind): number {
    const now = this.#now();
    const work = this.#work[kind];
    const isTakenOn =
      this.#hasRoom(work, BOUNDS[kind], now) &&
      (kind === 'execution' || this.#hasRoom(this.#work.execution, EXECUTIONS_AT_EASE, now));
    if (isTakenOn) return 0;
    work.refusals++;
    work.refused.add(now);
    const done = Math.max(1, work.done.perSecond(now));
    const ahead = work.refused.perSecond(now) + work.underWay;
    return Math.min(RETRY_SECONDS_MAX, Math.max(1, Math.ceil(ahead / done)));
  }

  begin(kind: WorkKind): void {
    this.#work[kind].underWay++;
  }

  /** @param isDone it was done, not refused: how much gets done is what more is judged by */
  end(kind: WorkKind, isDone: boolean): void {
    const work = this.#work[kind];
    work.underWay--;
    if (isDone) work.done.add(this.#now());
  }

  #hasRoom({ underWay, done }: Work, { always, waitSeconds }: Bounds, now: number): boolean {
    return underWay < always || underWay < done.perSecond(now) * waitSeconds;
  }
}
