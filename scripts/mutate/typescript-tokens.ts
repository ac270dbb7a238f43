/** A token of TypeScript. A template is one for its whole text, and then those of the expressions in it. */
export interface Token {
  readonly kind: 'word' | 'number' | 'string' | 'template' | 'regex' | 'punctuation';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const PUNCTUATION = [
  ...['>>>=', '...', '===', '!==', '**=', '<<=', '>>=', '>>>', '&&=', '||=', '??='],
  ...['=>', '==', '!=', '<=', '>=', '&&', '||', '??', '?.', '++', '--', '+=', '-=', '*=', '/=', '%=', '**'],
];
const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
const NUMBER = /0[xXbBoO][\da-fA-F_]+n?|(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?\d+)?n?/y;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y;
/** After these a slash begins a regular expression. */
const BEFORE_REGEX = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'do',
  'else',
  'void',
  'await',
  'yield',
]);

/** Tokens without comments and white space. What it does not know becomes punctuation of one character. */
export function typescriptTokens(text: string): Token[] {
  const reader = new Reader(text);
  reader.readUntil(undefined);
  return reader.tokens;
}

class Reader {
  readonly tokens: Token[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads up to the closing brace of a `${}`, or all. */
  readUntil(closing: '}' | undefined): void {
    let depth = 0;
    while (this.#at < this.#text.length) {
      if (this.#skipBlank()) continue;
      const char = this.#text[this.#at] as string;
      if (char === '{') depth++;
      if (char === '}' && closing !== undefined && depth-- === 0) return;
      if (char === '`') this.#readTemplate();
      else this.#readToken(char);
    }
  }

  #skipBlank(): boolean {
    const rest = this.#text.startsWith('//', this.#at) ? '\n' : '*/';
    if (/\s/.test(this.#text[this.#at] as string)) this.#at++;
    else if (rest === '\n' || this.#text.startsWith('/*', this.#at)) {
      const end = this.#text.indexOf(rest, this.#at + 2);
      this.#at = end === -1 ? this.#text.length : end + rest.length;
    } else return false;
    return true;
  }

  #readToken(char: string): void {
    if (char === "'" || char === '"') this.#push('string', this.#endOfString(char));
    else if (char === '/' && this.#mayBeRegex() && this.#match(REGEX)) this.#push('regex', REGEX.lastIndex);
    else if (this.#match(WORD)) this.#push('word', WORD.lastIndex);
    else if (/[\d.]/.test(char) && this.#match(NUMBER)) this.#push('number', NUMBER.lastIndex);
    else {
      const mark = PUNCTUATION.find((each) => this.#text.startsWith(each, this.#at)) ?? char;
      this.#push('punctuation', this.#at + mark.length);
    }
  }

  /** One token for all of its text, before those of the expressions in it. */
  #readTemplate(): void {
    const [start, place] = [this.#at + 1, this.tokens.length];
    for (this.#at = start; this.#at < this.#text.length && this.#text[this.#at] !== '`'; ) {
      if (this.#text.startsWith('${', this.#at)) {
        this.#at += 2;
        this.readUntil('}');
        this.#at++;
      } else this.#at += this.#text[this.#at] === '\\' ? 2 : 1;
    }
    const text = this.#text.slice(start, this.#at);
    this.tokens.splice(place, 0, { kind: 'template', text, start, end: this.#at });
    this.#at++;
  }

  #endOfString(quote: string): number {
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text[end] !== quote) end += this.#text[end] === '\\' ? 2 : 1;
    return end + 1;
  }

  #mayBeRegex(): boolean {
    const last = this.tokens.at(-1);
    if (last === undefined || BEFORE_REGEX.has(last.text)) return true;
    return last.kind === 'punctuation' && ![')', ']', '}'].includes(last.text);
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  #push(kind: Token['kind'], end: number): void {
    this.tokens.push({ kind, text: this.#text.slice(this.#at, end), start: this.#at, end });
    this.#at = end;
  }
}
