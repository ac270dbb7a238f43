/** Names of no session are taken out as soon as they were looked for; these are of such that nothing has come with since. */
const NAMES_MAX = 10_000; // limit: Sessions in memory whose use is to be noted

/** Sessions that were used and not read since, with when: epoch milliseconds of real time. */
export class UsedSessions {
  readonly #at = new Map<string, number>();

  add(name: string, at: number): void {
    this.#at.set(name, at);
    const oldest = this.#at.keys().next().value;
    if (this.#at.size > NAMES_MAX && oldest !== undefined) this.#at.delete(oldest);
  }

  /** When it was used last, if it was since this was last asked. */
  take(name: string): number | undefined {
    const at = this.#at.get(name);
    this.#at.delete(name);
    return at;
  }
}
