import RECORDED from './answers.json' with { type: 'json' };
import { goodAnswerOf, type Operation } from './operation.ts';

/**
 * Good answers by id of the operation, in the form in which a service gave them, with names, sums and dates of one story: those that
 * neither the operation nor its schema shows. They are apart because whoever serves or calls the interface does without them.
 */
const ANSWERS: Readonly<Record<string, object>> = RECORDED;

/** The good answer that an operation shows. */
export function shownAnswerOf(operation: Operation): unknown {
  const ofSchema = goodAnswerOf(operation) as { readonly examples?: readonly unknown[] } | undefined;
  return operation.example?.answer ?? ofSchema?.examples?.[0] ?? ANSWERS[operation.id];
}

/** With the answer that it shows, unless its schema shows one. */
export function withAnswer(operation: Operation): Operation {
  const answer = ANSWERS[operation.id];
  return answer === undefined ? operation : { ...operation, example: { ...operation.example, answer } };
}

/** The operations that have an answer here. */
export const ANSWERED: readonly string[] = Object.keys(ANSWERS);
