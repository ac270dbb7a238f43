import { LINE_LENGTH_MAX } from './limits.ts';
import { StatementRefusal } from './refusal.ts';

/** Cuts text that comes in pieces into lines. `\n`, `\r\n` and `\r` end a line; the last one needs no end. */
export class LineCutter {
  readonly #take: (line: string, number: number) => void;
  #rest = '';
  #number = 0;

  constructor(take: (line: string, number: number) => void) {
    this.#take = take;
  }

  write(piece: string): void {
    const text = this.#rest + piece;
    // A carriage return at the very end may be half of `\r\n`.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    let from = 0;
    for (let at = 0; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code !== 10 && code !== 13) continue;
      this.#line(text.slice(from, at));
      if (code === 13 && text.charCodeAt(at + 1) === 10) at += 1;
      from = at + 1;
    }
    this.#rest = text.slice(from);
    this.#check(this.#rest);
  }

  end(): void {
    const rest = this.#rest.replace(/\r$/, '');
    if (this.#rest !== '') this.#line(rest);
    this.#rest = '';
  }

  #line(line: string): void {
    this.#number += 1;
    this.#check(line);
    this.#take(line, this.#number);
  }

  #check(line: string): void {
    if (line.length > LINE_LENGTH_MAX) {
      throw new StatementRefusal(
        'text_too_long',
        `a line of more than ${LINE_LENGTH_MAX} characters`,
        this.#number,
      );
    }
  }
}
