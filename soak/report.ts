import { appendFileSync } from 'node:fs';

const TOLD_OF_EACH = 10;

/** What happened, in numbers, and what must not have. Everything also goes into the log. */
export class Report {
  readonly #counts = new Map<string, number>();
  readonly #violations = new Map<string, string[]>();
  readonly #log: string;
  readonly #started = performance.now();

  constructor(log: string) {
    this.#log = log;
  }

  get violated(): boolean {
    return this.#violations.size > 0;
  }

  get violations(): readonly string[] {
    return [...this.#violations.keys()];
  }

  note(text: string): void {
    const seconds = ((performance.now() - this.#started) / 1000).toFixed(1).padStart(7);
    appendFileSync(this.#log, `${seconds} ${text}\n`);
  }

  count(what: string, more = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + more);
  }

  /** Sets a figure that is known only in the end. */
  figure(what: string, value: number): void {
    this.#counts.set(what, value);
  }

  answered(method: string, path: string, status: number, code: string | undefined): void {
    if (status >= 400) this.count(`answers ${status} ${code ?? ''}`.trim());
    else this.count('answers 2xx');
    if (status >= 400) this.note(`${method} ${path}: ${status} ${code ?? ''}`);
  }

  violation(rule: string, what: string): void {
    const known = this.#violations.get(rule) ?? [];
    known.push(what);
    this.#violations.set(rule, known);
    this.note(`VIOLATED: ${rule}: ${what}`);
  }

  /** Holds a rule whose exceptions are the given rows. */
  rule(name: string, exceptions: readonly unknown[]): void {
    this.#rules.add(name);
    for (const each of exceptions)
      this.violation(name, typeof each === 'string' ? each : JSON.stringify(each));
  }
  readonly #rules = new Set<string>();

  table(): string {
    const lines: string[] = [];
    for (const [what, count] of [...this.#counts].sort(([a], [b]) => a.localeCompare(b)))
      lines.push(`  ${what.padEnd(64)} ${String(count).padStart(9)}`);
    lines.push('');
    for (const name of [...this.#rules, ...this.#violations.keys()].filter(
      (each, i, all) => all.indexOf(each) === i,
    )) {
      const broken = this.#violations.get(name);
      lines.push(
        `${broken === undefined ? '✔' : '✖'} ${name}${broken === undefined ? '' : ` (${broken.length})`}`,
      );
      for (const each of broken?.slice(0, TOLD_OF_EACH) ?? []) lines.push(`    ${each.slice(0, 500)}`);
    }
    return lines.join('\n');
  }
}
