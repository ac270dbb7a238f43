import { AsyncLocalStorage } from 'node:async_hooks';
import { real, realDelay, turn } from './real.ts';

/** Turns of the event loop in which nothing may be asked for before it counts as still. */
const STILL_TURNS = 4;
/** Real milliseconds after which it is asked whether what is out waits for a lock. It decides nothing but how soon that is known. */
const LOOK_AFTER_MS = 40;
export const STEP_LIMIT_MS = 60_000;

/** Something that is done outside of this process: a statement, a connection, a signature on a thread. */
interface Errand {
  /** The server's process that does it, when it is one that may wait for a lock. */
  readonly processId: () => number | undefined;
  readonly go: () => void;
  /** Hands its outcome over; undefined until there is one. */
  notify: (() => void) | undefined;
}

/**
 * Where everything leaves the process, one thing at a time. What two errands at once come to, and which is answered first, would
 * depend on how the machine is loaded; here the next one goes when the last has been answered and nothing more happens by
 * itself. One that waits for a lock lets others go on, since one of them has that lock; when it has got it, the outcomes are handed
 * over in the order in which the errands went.
 */
export class Gate {
  /** Those of the server's processes that wait for a lock of somebody who does nothing meanwhile. */
  look: (processIds: readonly number[]) => Promise<readonly number[]> = async () => [];
  readonly #outside = AsyncLocalStorage.snapshot();
  readonly #queue: Errand[] = [];
  readonly #out = new Set<Errand>();
  /** Immediates of machines that are still to come. */
  #immediates = 0;
  #asked = 0;
  #course: Promise<void> | undefined;
  #news: () => void = () => undefined;

  /** How often anything was asked of the world outside: as long as it stays, nothing changes there. */
  get asked(): number {
    return this.#asked;
  }

  /** How many wait for locks, as of the last time that all was quiet. */
  get blocked(): number {
    return this.#out.size;
  }

  /** Does it when its turn has come. */
  async pass<T>(work: () => Promise<T>, processId: Errand['processId'] = () => undefined): Promise<T> {
    let errand: Errand | undefined;
    await new Promise<void>((go) => {
      errand = { processId, go, notify: undefined };
      this.#queue.push(errand);
      this.#asked++;
      this.#begin();
    });
    const found = await settled(work());
    await new Promise<void>((notify) => {
      if (errand !== undefined) errand.notify = notify;
      this.#news();
      this.#begin();
    });
    if ('error' in found) throw found.error;
    return found.value;
  }

  immediateSet(): void {
    this.#immediates++;
    this.#asked++;
  }

  immediateDone(): void {
    this.#immediates--;
  }

  /** Resolves when nothing happens any more by itself: all wait for time, for locks, or for somebody who holds them up. */
  async quiet(): Promise<void> {
    // A course ends when all has been still.
    do await (this.#course ?? this.#still());
    while (this.#course !== undefined);
  }

  #begin(): void {
    // On no machine, where time is real.
    this.#course ??= this.#outside(() => this.#run()).finally(() => {
      this.#course = undefined;
    });
  }

  async #run(): Promise<void> {
    for (;;) {
      const reported = [...this.#out].find(({ notify }) => notify !== undefined);
      if (reported !== undefined) {
        this.#out.delete(reported);
        reported.notify?.();
      }
      await this.#still();
      if ([...this.#out].some(({ notify }) => notify !== undefined)) continue;
      const next = this.#queue.shift();
      if (next === undefined) return;
      this.#out.add(next);
      next.go();
      await this.#answered();
    }
  }

  /** Resolves when each errand that is out is over, or waits for a lock. */
  async #answered(): Promise<void> {
    const unanswered = () => [...this.#out].filter(({ notify }) => notify === undefined);
    for (let waited = 0; waited < STEP_LIMIT_MS; waited += LOOK_AFTER_MS) {
      const left = unanswered();
      if (left.length === 0) return;
      const isWaited = left.length < this.#out.size || !(await this.#isNews());
      if (!isWaited) continue;
      const processIds = left.map(({ processId }) => processId());
      const blocked = await this.look(processIds.filter((each) => each !== undefined));
      const now = unanswered();
      if (
        now.length === left.length &&
        processIds.every((each) => each !== undefined && blocked.includes(each))
      )
        return;
      if (now.length === left.length && left.length < this.#out.size) await realDelay(1);
    }
    throw new Error('a step does not end: statements are under way');
  }

  /** Whether an errand is over before it is time to look. */
  async #isNews(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const isNews = await new Promise<boolean>((resolve) => {
      this.#news = () => resolve(true);
      timer = real.setTimeout(() => resolve(false), LOOK_AFTER_MS);
    });
    real.clearTimeout(timer);
    return isNews;
  }

  /** Resolves when the event loop stands still but for what is out. */
  async #still(): Promise<void> {
    for (let turns = 0; turns < STILL_TURNS; turns++) {
      const asked = this.#asked;
      await turn();
      if (this.#asked !== asked || this.#immediates > 0) turns = -1;
      else if (turns === STILL_TURNS - 1 && isReading()) turns = -1;
    }
  }
}

/** Whether files are being read, written or closed: that is done on threads too. */
function isReading(): boolean {
  return process.getActiveResourcesInfo().some((each) => each.startsWith('FSReq') || each === 'CloseReq');
}

type Found<T> = { readonly value: T } | { readonly error: unknown };

function settled<T>(work: Promise<T>): Promise<Found<T>> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}
