/** What the client needs of the world around it; tests hand in another one. */
export interface Runtime {
  /** Milliseconds that only go forward, from any beginning. */
  monotonicMs(): number;
  /** Milliseconds since 1970 by the machine's own clock, which may be wrong. */
  wallMs(): number;
  /** From 0 up to 1. */
  random(): number;
  /** Resolves after the time, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest time of a timer, 24 days; one that is longer would be over at once. No call waits for so long. */
const TIMER_MAX_MS = 2 ** 31 - 1;

export const REAL: Runtime = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, TIMER_MAX_MS));
      signal?.addEventListener('abort', done);
    }),
};

/** A setting of the process, where there is a process and it may be read. */
export function environment(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    const value = process?.env?.[name];
    return value === '' ? undefined : value;
  } catch {
    // Deno asks for permission first; without it there is no environment.
    return undefined;
  }
}
