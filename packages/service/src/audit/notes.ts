import { type Act, recordAct } from '../database/acting.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { type Clock, isoInstant } from '../platform/clock.ts';
import type { Sweep } from '../platform/sweeps.ts';

/** The same read or refusal of the same party within this time is one row, with how often. */
const SAME_WITHIN_MS = 60_000; // limit: Time in which equal refusals and reads are one row of the audit trail
/** A token lives a day: one row of a client and address in it. */
const SIGN_IN_WITHIN_MS = 86_400_000; // limit: Time in which sign-ins of a client from one address are one row of the audit trail
/** More kinds than honest callers make; what comes beyond them is counted in one row. */
const HELD_MAX = 2_000; // limit: Kinds of refusals, reads and sign-ins that are held to be written
/** What an attacker with many addresses can have written: 1.4 million rows of 300 bytes a month at most. */
const REFUSALS_PER_MINUTE = 30; // limit: Rows of refusals that an instance writes in a minute
/** Beside requests, so that they need not wait for it. */
const WRITE_EVERY_MS = 500;
const BATCH = 200;

interface Note {
  readonly act: Act;
  count: number;
  readonly at: number;
  /** Until then the first of it is written, and what is equal only counted. */
  readonly openUntil: number;
  isWritten: boolean;
}

/**
 * What changes nothing and belongs into the audit trail nevertheless: refusals, sign-ins and reading. It is not worth the wait of
 * a commit, and could fill the disk: the first of a kind is written within a second, its repetitions are counted, and come as one
 * row when their time is over.
 */
export class AuditNotes {
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #held = new Map<string, Note>();
  #refusals = { since: 0, written: 0 };

  /** @param clock real time */
  constructor(pool: Pool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  note(act: Act): void {
    const now = this.#clock.now();
    const key = keyOf(act);
    const held = this.#held.get(key);
    if (held !== undefined && now < held.openUntil) {
      held.count++;
      return;
    }
    if (held !== undefined || this.#held.size < HELD_MAX) {
      // A kind whose time is over and whose rest is not written yet is written under another key.
      if (held !== undefined && held.count > 0) this.#held.set(`${key} ${held.at}`, held);
      this.#hold(key, act, now);
      return;
    }
    const other: Act = {
      kind: act.kind,
      operation: 'more',
      resource: '',
      subjects: [],
      outcome: 'more',
      actor: 'unknown',
    };
    const more = this.#held.get(keyOf(other));
    if (more !== undefined && now < more.openUntil) more.count++;
    else this.#hold(keyOf(other), other, now);
  }

  #hold(key: string, act: Act, now: number): void {
    const forMs = act.kind === 'sign_in' ? SIGN_IN_WITHIN_MS : SAME_WITHIN_MS;
    this.#held.set(key, { act, count: 1, at: now, openUntil: now + forMs, isWritten: false });
  }

  /** Writes what is due; all that is held when the service stops. Answers how many rows. */
  async write(isLast = false): Promise<number> {
    const now = this.#clock.now();
    if (now - this.#refusals.since >= 60_000) this.#refusals = { since: now, written: 0 };
    const due: [string, Note][] = [];
    for (const [key, note] of this.#held) {
      const isOver = isLast || now >= note.openUntil;
      if (isOver && note.count === 0) this.#held.delete(key);
      else if (!note.isWritten || isOver) {
        // What cannot be written yet is counted on.
        if (note.act.kind === 'refusal' && !isLast && this.#refusals.written >= REFUSALS_PER_MINUTE) continue;
        if (note.act.kind === 'refusal') this.#refusals.written++;
        due.push([key, note]);
      }
      if (due.length >= BATCH) break;
    }
    if (due.length === 0) return 0;
    const counts = due.map(([, note]) => note.count);
    await inTransaction(this.#pool, async (connection) => {
      for (const [i, [, { act, at }]] of due.entries()) {
        await recordAct(connection, act, { count: counts[i] ?? 1, at: isoInstant(at) });
      }
    });
    for (const [i, [key, note]] of due.entries()) {
      note.count -= counts[i] ?? 0;
      note.isWritten = true;
      if (now >= note.openUntil && note.count === 0 && this.#held.get(key) === note) this.#held.delete(key);
    }
    return due.length;
  }

  get sweep(): Sweep {
    return {
      name: 'write_audit_notes',
      does: 'Writes refusals, sign-ins and reads of secret or personal data to the audit trail, equal ones as one row.',
      everyMs: WRITE_EVERY_MS,
      isHousekeeping: true,
      run: async () => {
        await this.write();
        // Nothing that is due comes of it.
        return 0;
      },
    };
  }
}

function keyOf({
  kind,
  operation,
  resource,
  outcome,
  actor,
  actorId,
  personId,
  address,
  subjects,
}: Act): string {
  // Whoever guesses does so at many addresses of ours: they are one kind.
  const at = kind === 'refusal' ? '' : resource;
  const whom = kind === 'sign_in' ? subjects.join() : '';
  return [kind, operation, at, outcome, actor, actorId, personId, address, whom].join(' ');
}
