/** A rule that does not hold. */
export class Violation extends Error {
  readonly rule: string;

  constructor(rule: string, what: string) {
    super(`${rule}: ${what}`);
    this.rule = rule;
  }
}

/** @throws Violation unless it is so */
export function hold(rule: string, isSo: boolean, what: () => string): void {
  if (!isSo) throw new Violation(rule, what());
}
