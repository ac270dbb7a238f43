import { stripTypeScriptTypes } from 'node:module';
import { applied, type Change } from './change.ts';
import { sqlChanges } from './sql-changes.ts';
import { type Token, typescriptTokens } from './typescript-tokens.ts';

const SWAPS = new Map(
  Object.entries({
    '<': '<=',
    '<=': '<',
    '>': '>=',
    '>=': '>',
    '===': '!==',
    '!==': '===',
    '&&': '||',
    '||': '&&',
    '??': '&&',
    '+': '-',
    '-': '+',
    '*': '/',
    '/': '*',
    '%': '*',
    '+=': '-=',
    '-=': '+=',
    '++': '--',
  }),
);
const WORDS = new Map(
  Object.entries({
    true: 'false',
    false: 'true',
    min: 'max',
    max: 'min',
    some: 'every',
    every: 'some',
  }),
);
/** Calls on lists that are left out as a whole. */
const LIST_CALLS = new Set(['filter', 'sort', 'toSorted', 'reverse', 'toReversed', 'slice']);
const NO_STATEMENT = new Set([
  ...[
    'const',
    'let',
    'var',
    'type',
    'interface',
    'import',
    'export',
    'function',
    'class',
    'if',
    'for',
    'while',
  ],
  ...[
    'switch',
    'case',
    'default',
    'do',
    'try',
    'catch',
    'finally',
    'else',
    'static',
    'get',
    'set',
    'readonly',
  ],
  ...['declare', 'abstract', 'private', 'public', 'protected', 'override', 'async', 'constructor'],
]);
/** Text that holds SQL. */
const SQL =
  /^\s*(select|insert into|update|delete from|with|create|perform|lock)\b|\b(where|from|returning)\s/i;

/** Lines, or parts of them, that no change of their kind makes behave differently. */
const WITHOUT_EFFECT = [
  // A sort looks at the sign of what its comparison answers, not at its size.
  /\? -1 : 1\b/g,
  /\? 1 : -1\b/g,
  // The negative of 0n is 0n.
  /\b([\w.]+) < 0n \? -\1 : \1/g,
  // Nor is that of 0n where 0n is the other outcome.
  /(?<=\b([\w.]+) )<(?= 0n \? -\1 : 0n)/g,
  /(?<=\b([\w.]+) )>(?= 0n \? \1 : 0n)/g,
  // How much goes into one statement, and how many run at once, changes how long things take and no outcome.
  /\b(?:maxInFlight|maxBatch): \d+/g,
  // A cache that is full is emptied and filled anew; how full it was is not seen.
  /if \([\w.#]+\.size >=? [A-Z_]+\) [\w.#]+\.clear\(\);/g,
  // What is told to operators beside the work, in the log and as figures.
  /[\w.#?]*\b(?:logger|metrics)\??\.\w+\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\);/g,
];

/** Changes of a module, one at a time. Whether Node takes what comes of it, {@link runsDifferently} tells. */
export function typescriptChanges(text: string): Change[] {
  const tokens = typescriptTokens(text);
  const idle = WITHOUT_EFFECT.flatMap((each) =>
    [...text.matchAll(each)].map(({ index, 0: match }) => [index, index + match.length] as const),
  );
  return tokens.flatMap((token, index) =>
    isDeclaration(text, token) || idle.some(([from, to]) => from <= token.start && token.start < to)
      ? []
      : changesAt(text, tokens, index, token),
  );
}

/** Whether the change leaves TypeScript, and changes more than types. */
export function runsDifferently(text: string, change: Change): boolean {
  const after = stripped(applied(text, change));
  return after !== undefined && after !== stripped(text);
}

/** What Node runs of it; undefined when it is no TypeScript. */
function stripped(text: string): string | undefined {
  try {
    return stripTypeScriptTypes(text, { mode: 'strip' }).replaceAll(/\s+/g, ' ');
  } catch {
    return undefined;
  }
}

/** Imports, re-exports: they hold nothing to change. */
function isDeclaration(text: string, token: Token): boolean {
  const from = text.lastIndexOf('\n', token.start) + 1;
  return /^(import|export \{|export \*|\} from)/.test(text.slice(from, from + 10));
}

function changesAt(text: string, tokens: readonly Token[], index: number, token: Token): Change[] {
  if (token.kind === 'template' || token.kind === 'string') return sqlIn(token);
  if (token.kind === 'number') return numberChange(token);
  if (token.kind === 'punctuation') return markChange(text, tokens, index, token);
  return token.kind === 'word' ? wordChanges(text, tokens, index, token) : [];
}

function sqlIn(token: Token): Change[] {
  if (!SQL.test(token.text) || token.text.length < 12) return [];
  return sqlChanges(token.text, 'query').map((change) => ({
    ...change,
    start: token.start + change.start,
    end: token.start + change.end,
  }));
}

function numberChange(token: Token): Change[] {
  const match = /^(\d[\d_]*)(n?)$/.exec(token.text);
  if (match === null) return [];
  const next = BigInt((match[1] ?? '').replaceAll('_', '')) + 1n;
  return [{ ...placeOf(token), replacement: `${next}${match[2]}`, what: 'number' }];
}

function markChange(text: string, tokens: readonly Token[], index: number, token: Token): Change[] {
  const [last, next] = [tokens[index - 1], tokens[index + 1]];
  if (token.text === '!' && next !== undefined && isOperandStart(next)) {
    return [{ ...placeOf(token), replacement: '', what: 'negation' }];
  }
  const swap = SWAPS.get(token.text);
  if (swap === undefined) return [];
  // Between spaces it is an operator; beside a name it may be a type parameter, and a sign is not looked at.
  const isSpaced = text[token.start - 1] === ' ' && /\s/.test(text[token.end] ?? '');
  if (!isSpaced && token.text !== '++') return [];
  if (
    token.text === '+' &&
    [last, next].some((each) => each?.kind === 'string' || each?.kind === 'template')
  ) {
    return [];
  }
  return [{ ...placeOf(token), replacement: swap, what: `operator ${token.text}` }];
}

function wordChanges(text: string, tokens: readonly Token[], index: number, token: Token): Change[] {
  const changes: Change[] = [];
  const [last, next] = [tokens[index - 1], tokens[index + 1]];
  const isMember = last?.text === '.' || last?.text === '?.';
  const swap = WORDS.get(token.text);
  if (
    swap !== undefined &&
    isMember === (token.text !== 'true' && token.text !== 'false') &&
    next?.text !== ':'
  ) {
    changes.push({ ...placeOf(token), replacement: swap, what: token.text });
  }
  if (token.text === 'await') {
    changes.push({ start: token.start, end: next?.start ?? token.end, replacement: '', what: 'await' });
  }
  if (token.text === 'if' && next?.text === '(') {
    const end = tokens[closing(tokens, index + 1)];
    if (end !== undefined) {
      const condition = text.slice(next.end, end.start);
      changes.push({
        start: next.start,
        end: end.end,
        replacement: `(!(${condition}))`,
        what: 'condition',
      });
    }
  }
  if (isMember && LIST_CALLS.has(token.text) && next?.text === '(') {
    const end = tokens[closing(tokens, index + 1)];
    if (end !== undefined) {
      changes.push({ start: last.start, end: end.end, replacement: '', what: `.${token.text}()` });
    }
  }
  if (startsStatement(tokens, index)) {
    const end = statementEnd(tokens, index);
    if (end !== undefined) {
      changes.push({ start: token.start, end: end.end, replacement: ';', what: 'statement' });
    }
  }
  return changes;
}

function startsStatement(tokens: readonly Token[], index: number): boolean {
  const [token, last, next] = [tokens[index], tokens[index - 1], tokens[index + 1]];
  if (token === undefined || last === undefined || NO_STATEMENT.has(token.text)) return false;
  if (next === undefined || [':', ',', '?', '}'].includes(next.text)) return false;
  if (last.text === 'else' || [';', '{', '}'].includes(last.text)) return true;
  return last.text === ')' && isHead(tokens, index - 1);
}

/** Whether the parenthesis ends the head of an `if`, `for` or `while`. */
function isHead(tokens: readonly Token[], close: number): boolean {
  let depth = 0;
  for (let at = close; at >= 0; at--) {
    const text = tokens[at]?.text;
    if (text === ')') depth++;
    if (text === '(' && --depth === 0) return ['if', 'for', 'while'].includes(tokens[at - 1]?.text ?? '');
  }
  return false;
}

/** The semicolon that ends the statement, unless it is none. */
function statementEnd(tokens: readonly Token[], index: number): Token | undefined {
  let depth = 0;
  for (let at = index; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    if (token.kind !== 'punctuation') continue;
    if ('([{'.includes(token.text)) depth++;
    else if (')]}'.includes(token.text)) {
      if (--depth < 0) return undefined;
      const next = tokens[at + 1]?.text ?? '';
      if (depth === 0 && token.text === '}' && ![';', ')', '.', '?.', ',', '='].includes(next))
        return undefined;
    } else if (token.text === ';' && depth === 0) return token;
  }
  return undefined;
}

/** Index of the token that closes the one that opens there. */
function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    if (token.kind !== 'punctuation') continue;
    if ('([{'.includes(token.text)) depth++;
    if (')]}'.includes(token.text) && --depth === 0) return at;
  }
  return -1;
}

const isOperandStart = (token: Token) => token.kind === 'word' || token.text === '(';
const placeOf = ({ start, end }: Token) => ({ start, end });
