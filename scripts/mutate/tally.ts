import type { Mutant } from './mutants.ts';
import type { Outcome } from './runner.ts';

/** A mutant that behaves as the code does, so that no test can notice it. */
export interface Equivalent {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

/** Of the mutants of a room at least so many in a hundred are to be noticed. */
export const TARGET_PERCENT = 95;

/** Known again by its text, so that it may move within its file. */
export function isEquivalent(mutant: Mutant, known: readonly Equivalent[]): boolean {
  return known.some(
    (each) => each.file === mutant.file && each.before === mutant.before && each.after === mutant.after,
  );
}

interface Count {
  killed: number;
  survived: number;
  invalid: number;
}

export class Tally {
  readonly #rooms = new Map<string, Count>();
  readonly #survivors: Mutant[] = [];

  add(mutant: Mutant, outcome: Outcome): void {
    const count = this.#rooms.get(mutant.room) ?? { killed: 0, survived: 0, invalid: 0 };
    this.#rooms.set(mutant.room, count);
    if (outcome === 'invalid') count.invalid++;
    else if (outcome === 'killed') count.killed++;
    else {
      count.survived++;
      this.#survivors.push(mutant);
    }
  }

  get isGoodEnough(): boolean {
    return [...this.#rooms.values()].every((count) => percentOf(count) >= TARGET_PERCENT);
  }

  lineOf({ file, line, change }: Mutant, outcome: Outcome): string {
    return `${outcome.padEnd(8)} ${file}:${line} ${change.what}`;
  }

  /** Survivors with their change, and the score of each room. */
  summary(): string {
    const survivors = this.#survivors.map(
      ({ file, line, before, after }) => `\n${file}:${line}\n  - ${before}\n  + ${after}`,
    );
    const rooms = [...this.#rooms].map(([room, count]) => {
      const invalid = count.invalid === 0 ? '' : `, ${count.invalid} that the database refuses`;
      const score = percentOf(count).toFixed(1).padStart(5);
      return `${room.padEnd(16)} ${score} %  ${count.killed} killed, ${count.survived} survived${invalid}`;
    });
    return [...survivors, '', ...rooms].join('\n');
  }
}

function percentOf({ killed, survived }: Count): number {
  return killed + survived === 0 ? 100 : (100 * killed) / (killed + survived);
}
