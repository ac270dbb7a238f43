import type { OperatorEventType } from '@firmquote/api/operations/webhooks';
import { inTransaction } from '../database/pool.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { changeCondition, insertOperatorEvent } from './operator-feed-store.ts';
import type { WebhooksRoom } from './room.ts';

/** What is wrong without being a row somewhere: operators are notified when it begins, and of a price source when it ends. */

const LOOK_EVERY_MS = 15_000;
/** A source that connects anew within this time was not gone. */
const DOWN_AFTER_MS = 60_000; // limit: Time without a connection after which operators are notified of a price source
const FAILURES_MIN = 3; // limit: Failed runs of a sweep, one after the other, of which operators are notified
/** Instances may see a source differently; they take turns no faster than this. */
const HOLD_MS = 600_000; // limit: Time for which operators are not notified of the same trouble again

export interface TroubleSources {
  readonly priceSources: () => Readonly<Record<string, { readonly state: string }>>;
  readonly endingCalendars: () => readonly { readonly currency: string; readonly to: string }[];
  /** What the verification of the sealed logs has found last. */
  readonly logFaults: () => readonly LogTrouble[];
}

interface LogTrouble {
  readonly log: string;
  readonly fault: string;
  readonly key: string | undefined;
  readonly seal: string;
}

interface Trouble {
  readonly kind: 'price_source' | 'calendar' | 'sweep' | 'log';
  readonly key: string;
  /** What is announced once; another state of the same thing is announced again. */
  readonly state: string;
  readonly type: OperatorEventType;
  readonly data: Readonly<Record<string, string>>;
}

/** Not there, though they should be. `ended`: a recording that was played. */
const GONE: ReadonlySet<string> = new Set(['connecting', 'failed']);

export class Troubles {
  readonly #room: WebhooksRoom;
  readonly #sources: TroubleSources;
  /** Real time since which a source is gone. */
  readonly #goneSince = new Map<string, number>();
  readonly #failures = new Map<string, number>();

  constructor(room: WebhooksRoom, sources: TroubleSources) {
    this.#room = room;
    this.#sources = sources;
  }

  sweepRan(name: string): void {
    this.#failures.delete(name);
  }

  sweepFailed(name: string): void {
    this.#failures.set(name, (this.#failures.get(name) ?? 0) + 1);
  }

  sweep(): Sweep {
    return {
      name: 'notify_operators',
      does: 'Notifies operators that a price source is down or back, a calendar ends, a sweep keeps failing, or a sealed row was changed.',
      everyMs: LOOK_EVERY_MS,
      isHousekeeping: true,
      run: () => this.notify(),
    };
  }

  /** Answers how many notifications were made. */
  async notify(): Promise<number> {
    let reported = 0;
    const troubles = [this.#ofSources(), this.#ofCalendars(), this.#ofSweeps(), this.#ofLogs()];
    for (const trouble of troubles.flat()) if (await this.#notifyOne(trouble)) reported++;
    return reported;
  }

  async #notifyOne({ kind, key, state, type, data }: Trouble): Promise<boolean> {
    const { pool, clock, realClock } = this.#room;
    const now = realClock.now();
    return inTransaction(pool, async (connection) => {
      const isNew = await changeCondition(connection, { kind, key, state, at: now, hold: HOLD_MS });
      if (isNew)
        await insertOperatorEvent(connection, { type, at: clock.now(), resource: `${kind} ${key}`, data });
      return isNew;
    });
  }

  #ofSources(): Trouble[] {
    const now = this.#room.realClock.now();
    return Object.entries(this.#sources.priceSources()).flatMap(([source, { state }]): Trouble[] => {
      const of = { kind: 'price_source', key: source, data: { source, status: state } } as const;
      if (!GONE.has(state)) {
        this.#goneSince.delete(source);
        // One that is not to run, as outside of its schedule, is not back either.
        return state === 'running' ? [{ ...of, state: 'up', type: 'price_source.up' }] : [];
      }
      const since = this.#goneSince.get(source) ?? now;
      this.#goneSince.set(source, since);
      return now - since < DOWN_AFTER_MS ? [] : [{ ...of, state: 'down', type: 'price_source.down' }];
    });
  }

  #ofCalendars(): Trouble[] {
    return this.#sources.endingCalendars().map(({ currency, to: endsOn }) => ({
      ...{ kind: 'calendar', key: currency, state: endsOn, type: 'calendar.ending' },
      data: { currency, endsOn },
    }));
  }

  #ofLogs(): Trouble[] {
    return this.#sources.logFaults().map(({ log, fault, key, seal }) => ({
      ...{ kind: 'log', key: log, state: `${fault} ${seal} ${key ?? ''}`, type: 'log.fault' },
      data: { log, reason: fault, subject: key ?? `seal ${seal}` },
    }));
  }

  #ofSweeps(): Trouble[] {
    const now = this.#room.realClock.now();
    return [...this.#failures].flatMap(([sweep, failures]): Trouble[] =>
      failures < FAILURES_MIN
        ? []
        : // Once a day, as long as it lasts.
          [
            {
              kind: 'sweep',
              key: sweep,
              state: `${Math.floor(now / DAY_MS)}`,
              type: 'sweep.failing',
              data: { sweep },
            },
          ],
    );
  }
}

const DAY_MS = 24 * 3_600_000;
