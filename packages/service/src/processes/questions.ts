import type { ProcessNumber } from '../platform/neighbours.ts';
import type { ChildOf } from './child-process.ts';

/** Longer than a process waits for the database to say whether it is ready. */
const WAIT_MS = 3_500; // limit: Wait for the processes that are asked something

type Answers = readonly (readonly [ProcessNumber, unknown])[];

interface Question {
  readonly open: Set<ProcessNumber>;
  readonly answers: (readonly [ProcessNumber, unknown])[];
  readonly done: () => void;
}

/** Puts questions to children, and collects what they answer. */
export class Questions {
  readonly #open = new Map<number, Question>();
  #lastId = 0;

  /** Resolves when all have answered, ended, or taken too long. */
  ask(children: Iterable<ChildOf>, question: string, value: unknown): Promise<Answers> {
    this.#lastId += 1;
    const id = this.#lastId;
    const asked = [...children];
    return new Promise((resolve) => {
      const timer = setTimeout(() => done(), WAIT_MS);
      const answers: (readonly [ProcessNumber, unknown])[] = [];
      const done = () => {
        clearTimeout(timer);
        this.#open.delete(id);
        resolve(answers);
      };
      if (asked.length === 0) return done();
      this.#open.set(id, { open: new Set(asked.map(({ number }) => number)), answers, done });
      for (const child of asked) child.send({ type: 'asked', id, question, value });
    });
  }

  answered(id: number, from: ProcessNumber, value: unknown): void {
    const question = this.#open.get(id);
    if (question?.open.has(from) !== true) return;
    question.answers.push([from, value]);
    this.#close(question, from);
  }

  /** A child has ended: it answers nothing any more. */
  ended(from: ProcessNumber): void {
    for (const question of [...this.#open.values()]) this.#close(question, from);
  }

  #close(question: Question, from: ProcessNumber): void {
    question.open.delete(from);
    if (question.open.size === 0) question.done();
  }
}
