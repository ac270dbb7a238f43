/** Older messages are not sent again: a late order or quote request is worth less than none. */
export const RESENT_MS_MAX = 3_000; // limit: Age up to which messages are sent again
export const RESENT_MAX = 1_000; // limit: Messages that are kept to be sent again

export interface SentMessage {
  readonly sequence: number;
  readonly type: string;
  readonly body: object;
  /** Epoch milliseconds of real time. */
  readonly at: number;
}

/** The application messages of the last moments, in the order of their numbers. */
export class RecentlySent {
  #messages: SentMessage[] = [];

  add(message: SentMessage): void {
    this.#messages.push(message);
    if (this.#messages.length > RESENT_MAX * 2) this.#messages = this.#messages.slice(-RESENT_MAX);
  }

  /** Those with numbers from `begin` up to, but not including, `end`. */
  recent(begin: number, end: number, now: number): readonly SentMessage[] {
    this.#messages = this.#messages.slice(-RESENT_MAX).filter(({ at }) => now - at <= RESENT_MS_MAX);
    return this.#messages.filter(({ sequence }) => sequence >= begin && sequence < end);
  }
}
