import { type Act, recordAct } from '../database/acting.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { type Clock, isoInstant } from '../platform/clock.ts';
import type { Sweep } from '../platform/sweeps.ts';

/** The same read or refusal of the same party within this time is one row, with how often. */
const SAME_WITHIN_MS = 60_000; // limit: Time in which equal refusals and reads are one row of the audit trail
/** A token lives a day: one row of a client and address in it. */
const SIGN_IN_WITHIN_MS = 86_400_000; // limit: Time in which sign-ins of a client from one address are one row of the audit trail
/** What comes beyond them before they are written is counted in one row: of refusals, of reads and of sign-ins, none of which crowds out another. */
const HELD_MAX = 2_000; // limit: Kinds of refusals that are held to be written; of reads and of sign-ins as many
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
  /** Apart, so that who is refused all the time does not hide who reads. */
  readonly #held = new Map<Act['kind'], Held>();
  #refusals = { since: 0, written: 0 };

  /** @param clock real time */
  constructor(pool: Pool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  note(act: Act): void {
    const held: Held = this.#held.get(act.kind) ?? new Map();
    this.#held.set(act.kind, held);
    const fits = held.has(keyOf(act)) || held.size < HELD_MAX || forgetWritten(held);
    this.#count(held, fits ? act : beyond(act.kind));
  }

  #count(held: Held, act: Act): void {
    const now = this.#clock.now();
    const key = keyOf(act);
    const known = held.get(key);
    const isRest = known !== undefined && known.count > 0;
    // What could not be written in its time is counted on, so that what is held does not grow while nothing can be written.
    if (
      known !== undefined &&
      (now < known.openUntil || (isRest && (!known.isWritten || held.size >= HELD_MAX)))
    ) {
      known.count++;
      return;
    }
    // A kind whose time is over and whose rest is not written yet is written under another key.
    if (isRest) held.set(`${key} ${known.at}`, known);
    const forMs = act.kind === 'sign_in' ? SIGN_IN_WITHIN_MS : SAME_WITHIN_MS;
    held.set(key, { act, count: 1, at: now, openUntil: now + forMs, isWritten: false });
  }

  /** Writes what is due; all that is held when the service stops. Answers how many rows. */
  async write(isLast = false): Promise<number> {
    let rows = 0;
    for (;;) {
      const written = await this.#writeSome(isLast);
      rows += written;
      if (!isLast || written < BATCH) return rows;
    }
  }

  async #writeSome(isLast: boolean): Promise<number> {
    const now = this.#clock.now();
    const due = this.#due(now, isLast);
    if (due.length === 0) return 0;
    const counts = due.map(({ note }) => note.count);
    await inTransaction(this.#pool, async (connection) => {
      for (const [i, { note }] of due.entries()) {
        await recordAct(connection, note.act, { count: counts[i] ?? 1, at: isoInstant(note.at) });
      }
    });
    for (const [i, { held, key, note }] of due.entries()) {
      note.count -= counts[i] ?? 0;
      note.isWritten = true;
      if ((isLast || now >= note.openUntil) && note.count === 0 && held.get(key) === note) held.delete(key);
    }
    return due.length;
  }

  #due(now: number, isLast: boolean): { readonly held: Held; readonly key: string; readonly note: Note }[] {
    if (now - this.#refusals.since >= 60_000) this.#refusals = { since: now, written: 0 };
    const due = [];
    for (const held of this.#held.values()) {
      for (const [key, note] of held) {
        if (due.length >= BATCH) return due;
        const isOver = isLast || now >= note.openUntil;
        if (isOver && note.count === 0) held.delete(key);
        else if (!note.isWritten || isOver) {
          // What cannot be written yet is counted on.
          if (note.act.kind === 'refusal' && !isLast && this.#refusals.written >= REFUSALS_PER_MINUTE)
            continue;
          if (note.act.kind === 'refusal') this.#refusals.written++;
          due.push({ held, key, note });
        }
      }
    }
    return due;
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

type Held = Map<string, Note>;

/** Makes room for another kind: of one that is written nothing is lost but that the next like it is a row of its own. */
function forgetWritten(held: Held): boolean {
  for (const [key, { isWritten, count }] of held) {
    if (isWritten && count === 0) return held.delete(key);
  }
  return false;
}

/** All that is more than can be held. */
function beyond(kind: Act['kind']): Act {
  return { kind, operation: 'more', resource: '', subjects: [], outcome: 'more', actor: 'unknown' };
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
