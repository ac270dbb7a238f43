import type { Change } from './change.ts';

/** A token of SQL; words are in lower case. */
export interface SqlToken {
  readonly kind: 'word' | 'number' | 'string' | 'mark';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * What the text is: a statement in the code; the body of a function, whose statements are statements of PL/pgSQL, or one
 * query; or the definition of a table or an index.
 */
export type SqlPart = 'query' | 'plpgsql' | 'definition';

const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|\$\{(?:[^{}]|\{[^{}]*\})*\}|\$\d+|\$\w*\$|[a-z_][\w$]*(?:\.[a-z_][\w$]*)*|\d[\d_.]*|<=|>=|<>|!=|\|\||::|:=|->>|->|@>|<@|&&|=>|[^\s]/giy;
const SWAPS = new Map(Object.entries({ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '<>': '=' }));
const SIGNS = new Map(Object.entries({ '+': '-', '-': '+' }));
const CALLS = new Map(Object.entries({ sum: 'max', min: 'max', max: 'min' }));
/** What a condition ends before, at its own depth. */
const CLAUSES = new Set([
  ...[
    'group',
    'order',
    'limit',
    'for',
    'returning',
    'then',
    'on',
    'join',
    'left',
    'cross',
    'union',
    'having',
    'set',
  ],
  ...[
    'loop',
    'do',
    'when',
    'else',
    'end',
    'window',
    'offset',
    'inner',
    'right',
    'full',
    'where',
    'as',
    'execute',
  ],
]);
/** A rule about which words a column holds, how long they are or from which number on: the code has it as a type. */
const FORM =
  /^\(\s*(?:\w+ in \(|length\(|cardinality\(|\w+ ~ |(?:version|position|number|attempts?|part|sequence|score|step|one) )/i;
const STATEMENTS = new Set(['perform', 'update', 'insert', 'delete', 'raise']);

export function sqlTokens(text: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length; ) {
    if (/\s/.test(text[at] as string)) {
      at++;
      continue;
    }
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text)?.[0] ?? (text[at] as string);
    if (!match.startsWith('--') && !match.startsWith('/*')) {
      tokens.push({ kind: kindOf(match), text: match.toLowerCase(), start: at, end: at + match.length });
    }
    at += match.length;
  }
  return tokens;
}

function kindOf(text: string): SqlToken['kind'] {
  if (text.startsWith("'")) return 'string';
  if (/^[a-z_"$]/i.test(text)) return 'word';
  return /^\d/.test(text) ? 'number' : 'mark';
}

/** Changes of a piece of SQL, one at a time, each of which is SQL again. */
export function sqlChanges(text: string, part: SqlPart): Change[] {
  const tokens = sqlTokens(text);
  return tokens.flatMap((token, index) => {
    const at = new Place(text, tokens, index);
    if (part === 'definition') return definitionChanges(at, token);
    const changes = [...markChanges(at, token), ...conditionChanges(at, token), ...wordChanges(at, token)];
    return part === 'plpgsql' ? [...changes, ...statementChanges(at, token)] : changes;
  });
}

/** A token among its neighbours. */
class Place {
  readonly #text: string;
  readonly #tokens: readonly SqlToken[];
  readonly index: number;

  constructor(text: string, tokens: readonly SqlToken[], index: number) {
    this.#text = text;
    this.#tokens = tokens;
    this.index = index;
  }

  near(step: number): SqlToken | undefined {
    return this.#tokens[this.index + step];
  }

  is(step: number, ...words: readonly string[]): boolean {
    return words.includes(this.near(step)?.text ?? '');
  }

  /** The change of the text from this token to before another one. */
  until(step: number, replacement: string, what: string): Change {
    const start = (this.near(0) as SqlToken).start;
    const last = this.#tokens[this.index + step - 1] as SqlToken;
    return { start, end: last.end, replacement, what };
  }

  between(from: number, to: number): string {
    return this.#text.slice(this.near(from)?.start, this.near(to - 1)?.end);
  }

  /** Steps to the token after the parenthesis that opens so many steps from here. */
  afterParenthesis(step: number): number {
    let depth = 0;
    for (let at = step; this.near(at) !== undefined; at++) {
      if (this.is(at, '(')) depth++;
      if (this.is(at, ')') && --depth === 0) return at + 1;
    }
    return step;
  }

  /** Steps to what ends the condition that begins there. */
  endOfCondition(step: number, alsoAt: readonly string[] = ['and', 'or']): number {
    let depth = 0;
    let isBetween = false;
    for (let at = step; ; at++) {
      const token = this.near(at);
      if (token === undefined) return at;
      if (['(', '['].includes(token.text)) depth++;
      if ([')', ']'].includes(token.text) && --depth < 0) return at;
      if (token.text === 'case') depth++;
      if (token.text === 'end' && depth > 0) depth--;
      else if (depth === 0) {
        if (token.text === 'between') isBetween = true;
        else if (token.text === 'and' && isBetween) isBetween = false;
        else if (alsoAt.includes(token.text) || [';', ','].includes(token.text)) return at;
        else if (at > step && token.kind === 'word' && CLAUSES.has(token.text)) return at;
      }
    }
  }

  /** Whether it stands in the second part of `between x and y`, or in a list of errors that are caught. */
  isNoConjunction(): boolean {
    for (let at = -1; at >= -12; at--) {
      if (this.is(at, 'and', 'or', 'where', '(', ';', 'then')) return false;
      if (this.is(at, 'between')) return true;
      if (this.is(at, 'when')) return this.is(at - 1, 'exception');
    }
    return false;
  }
}

function markChanges(at: Place, token: SqlToken): Change[] {
  if (token.kind !== 'mark') return [];
  const swap = SWAPS.get(token.text);
  if (swap !== undefined) return [at.until(1, swap, `operator ${token.text}`)];
  const sign = SIGNS.get(token.text);
  const isBinary = at.near(-1)?.kind !== 'mark' || at.is(-1, ')');
  return sign !== undefined && isBinary && !at.is(-1, 'then', 'else', 'select')
    ? [at.until(1, sign, 'sign')]
    : [];
}

/** Conditions of which one is left out or turned. */
function conditionChanges(at: Place, token: SqlToken): Change[] {
  const { text } = token;
  const isReplacement = text === 'or' && at.is(1, 'replace');
  if ((text === 'and' || text === 'or') && !isReplacement && !at.isNoConjunction()) {
    return [at.until(at.endOfCondition(1), '', `without ${text} …`)];
  }
  const isJoin = text === 'on' && isAfterJoin(at);
  if (text === 'where' || text === 'having' || isJoin) {
    const end = at.endOfCondition(1);
    const rest = at.is(end, 'and') ? at.until(end + 1, `${text} `, 'without the first condition') : undefined;
    return [rest ?? at.until(end, `${text} true`, 'without its condition')];
  }
  if (text === 'when' && !at.is(-1, 'exception') && !at.is(1, '(')) {
    const end = at.endOfCondition(1, []);
    return at.is(end, 'then') ? [at.until(end, 'when false', 'a case that never comes')] : [];
  }
  return [];
}

function isAfterJoin(at: Place): boolean {
  for (let step = -1; step >= -80; step--) {
    if (at.is(step, 'join')) return true;
    if (at.is(step, ';', 'where', 'set') || at.near(step) === undefined) return false;
  }
  return false;
}

function wordChanges(at: Place, { text }: SqlToken): Change[] {
  switch (text) {
    case 'for': {
      if (!at.is(1, 'update', 'share')) return [];
      const isSkipping = at.is(2, 'skip');
      const end = isSkipping ? 4 : at.is(2, 'nowait') ? 3 : at.is(2, 'of') ? 4 : 2;
      return [at.until(end, '', 'without the lock')];
    }
    case 'skip':
      return at.is(1, 'locked') ? [at.until(2, '', 'without skip locked')] : [];
    case 'coalesce': {
      const end = at.endOfCondition(2, []);
      return at.is(1, '(') && at.is(end, ',')
        ? [at.until(at.afterParenthesis(1), `(${at.between(2, end)})`, 'without a default')]
        : [];
    }
    case 'not':
      if (at.is(1, 'exists')) return [at.until(1, '', 'not')];
      return at.is(-1, 'is') && at.is(1, 'null') ? [at.until(1, '', 'not')] : [];
    case 'null':
      return at.is(-1, 'is') ? [at.until(1, 'not null', 'null')] : [];
    case 'left':
      return at.is(1, 'join') ? [at.until(1, '', 'left')] : [];
    case 'desc':
    case 'distinct':
      return at.is(-1, 'is', 'not') ? [] : [at.until(1, '', text)];
    case 'true':
      return at.is(-1, 'on') ? [] : [at.until(1, 'false', text)];
    case 'false':
      return [at.until(1, 'true', text)];
    default: {
      const call = CALLS.get(text);
      return call !== undefined && at.is(1, '(') ? [at.until(1, call, text)] : [];
    }
  }
}

/** A statement of PL/pgSQL that is left out. */
function statementChanges(at: Place, { text }: SqlToken): Change[] {
  const isStart = at.is(-1, ';', 'begin', 'then', 'loop', 'else');
  if (!isStart || !(STATEMENTS.has(text) || (text === 'return' && at.is(1, 'next', 'query')))) return [];
  for (let end = 1; at.near(end) !== undefined; end++) {
    if (at.is(end, ';')) return [at.until(end, 'null', 'statement')];
  }
  return [];
}

/** Rules of a table that are left out. */
function definitionChanges(at: Place, { text }: SqlToken): Change[] {
  if (text === 'check' && at.is(1, '(')) {
    const end = at.afterParenthesis(1);
    return FORM.test(at.between(1, end)) ? [] : [at.until(end, 'check (true)', 'check')];
  }
  if (text !== 'unique') return [];
  if (at.is(1, 'index')) return [at.until(1, '', 'unique')];
  if (at.is(1, '(')) return [at.until(at.afterParenthesis(1), 'check (true)', 'unique')];
  return at.is(1, 'nulls') ? [] : [at.until(1, '', 'unique')];
}
