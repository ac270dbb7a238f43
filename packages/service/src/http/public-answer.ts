/** In a program of `answerOfWorker`: what it was given. It ends when nobody waits for it any more. */
export function given(): unknown {
  process.once('disconnect', () => process.exit());
  return JSON.parse(process.argv[2] ?? '{}');
}

/** Hands the answer over, with which the program ends. */
export function answer(message: object): void {
  process.send?.(message, () => process.disconnect());
}
