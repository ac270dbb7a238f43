import type { Mutant } from './mutants.ts';
import type { Judgement, Outcome } from './runner.ts';

/** A mutant that behaves as the code does, so that no test can notice it. */
export interface Equivalent {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

/** Of the mutants of a room at least so many in a hundred are to be noticed. */
export const TARGET_PERCENT = 95;
/** Of what a test says, so many characters are shown. */
const MESSAGE_LENGTH = 160;

/** Known again by its text, so that it may move within its file. */
export function isEquivalent(mutant: Mutant, known: readonly Equivalent[]): boolean {
  return known.some(
    (each) => each.file === mutant.file && each.before === mutant.before && each.after === mutant.after,
  );
}

/** A test that does not end notices the mutant, but only a failure is called a kill. */
type Count = Record<Outcome, number>;

export class Tally {
  readonly #rooms = new Map<string, Count>();
  readonly #survivors: Mutant[] = [];

  add(mutant: Mutant, outcome: Outcome): void {
    const count = this.#rooms.get(mutant.room) ?? {
      killed: 0,
      stuck: 0,
      survived: 0,
      untested: 0,
      invalid: 0,
    };
    this.#rooms.set(mutant.room, count);
    count[outcome]++;
    if (outcome === 'survived' || outcome === 'untested') this.#survivors.push(mutant);
  }

  get survivors(): readonly Mutant[] {
    return this.#survivors;
  }

  get isGoodEnough(): boolean {
    return [...this.#rooms.values()].every((count) => percentOf(count) >= TARGET_PERCENT);
  }

  lineOf({ file, line, change }: Mutant, { outcome, by }: Judgement): string {
    return `${outcome.padEnd(8)} ${file}:${line} ${change.what}  (${by.slice(0, MESSAGE_LENGTH)})`;
  }

  /** Survivors with their change, and the score of each room. */
  summary(): string {
    const survivors = this.#survivors.map(
      ({ file, line, before, after }) => `\n${file}:${line}\n  - ${before}\n  + ${after}`,
    );
    const rooms = [...this.#rooms].map(([room, count]) => {
      const score = percentOf(count).toFixed(1).padStart(5);
      const parts = [`${count.killed} killed`, `${count.survived} survived`];
      if (count.untested > 0) parts.push(`${count.untested} that no test runs`);
      if (count.stuck > 0) parts.push(`${count.stuck} that made a test run on and on`);
      if (count.invalid > 0)
        parts.push(`${count.invalid} that the database, the type check or the linter refuses`);
      return `${room.padEnd(16)} ${score} %  ${parts.join(', ')}`;
    });
    return [...survivors, '', ...rooms].join('\n');
  }
}

function percentOf({ killed, stuck, survived, untested }: Count): number {
  const noticed = killed + stuck;
  const all = noticed + survived + untested;
  return all === 0 ? 100 : (100 * noticed) / all;
}
