/** Which of the processes behind one port, from 1. */
export type ProcessNumber = number;

/**
 * The other processes of a service that runs in several. Each message is delivered once and in its order while the other one
 * lives; what it has answered or told is JSON.
 */
export interface Neighbours {
  /** This one's number. */
  readonly own: ProcessNumber;
  /** How many there are, this one included. */
  readonly count: number;
  /** Tells all others something, or one of them. */
  notify(subject: string, value: unknown, to?: ProcessNumber): void;
  /** Calls the listener with what others tell. Must not throw. */
  onNotified(subject: string, listener: (value: unknown, from: ProcessNumber) => void): void;
  /** Asks all others. Who is not there, or does not answer in time, is not in the answer. */
  ask(question: string, value?: unknown): Promise<ReadonlyMap<ProcessNumber, unknown>>;
  /** What others are answered who ask this. */
  onAsked(question: string, answer: (value: unknown) => unknown): void;
  /** Calls the listener when another one has begun and knows nothing yet. */
  onJoined(listener: (number: ProcessNumber) => void): void;
  /** Calls the listener when another one is gone. */
  onLeft(listener: (number: ProcessNumber) => void): void;
}

/** What each of the others holds under a key, as it has told: for limits that all of them have in common. */
export class HeldElsewhere<T> {
  readonly #neighbours: Neighbours;
  readonly #subject: string;
  readonly #own = new Map<string, T>();
  readonly #others = new Map<ProcessNumber, Map<string, T>>();

  constructor(neighbours: Neighbours, subject: string) {
    this.#neighbours = neighbours;
    this.#subject = subject;
    neighbours.onNotified(subject, (value, from) => this.#hear(value as readonly [string, T | null], from));
    neighbours.onLeft((number) => this.#others.delete(number));
    neighbours.onJoined((number) => {
      for (const held of this.#own) neighbours.notify(subject, held, number);
    });
  }

  /** @param value undefined when nothing is held any more */
  set(key: string, value: T | undefined): void {
    if (value === undefined) this.#own.delete(key);
    else this.#own.set(key, value);
    this.#neighbours.notify(this.#subject, [key, value ?? null]);
  }

  *of(key: string): Generator<T> {
    for (const held of this.#others.values()) {
      const value = held.get(key);
      if (value !== undefined) yield value;
    }
  }

  #hear([key, value]: readonly [string, T | null], from: ProcessNumber): void {
    let held = this.#others.get(from);
    if (held === undefined) {
      held = new Map();
      this.#others.set(from, held);
    }
    if (value === null) held.delete(key);
    else held.set(key, value);
  }
}
