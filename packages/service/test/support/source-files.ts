import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A static or dynamic import, or a re-export. */
export interface Import {
  readonly specifier: string;
  /**
   * Written as `import type` or `export type`, which type stripping removes. `import { type X }` is not: it leaves
   * `import {}` behind, which still loads the file.
   */
  readonly typeOnly: boolean;
  readonly line: number;
  /** Path of the imported file when it is one of ours. */
  readonly target: string | undefined;
}

export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly lines: number;
  /** Without comments; what is left stands on its own lines. */
  readonly code: string;
  readonly imports: readonly Import[];
}

export const FX_ENTRY = 'packages/fx/src/index.ts';

const PATTERNS = [
  'packages/*/{src,test}/**/*.{ts,tsx}',
  'examples/**/*.ts',
  'packages/service/sql/functions/**/*.sql',
  '{bench,scripts,simulator,soak}/**/*.{ts,mjs}',
  'ops/{drills,test}/**/*.ts',
];

/** What measures, tries and sets up the packages, and may reach into each of them. */
export function isBeside(path: string): boolean {
  return /^(bench|scripts|simulator|soak|ops)\//.test(path);
}

/** Every source file, tests included. */
export function readSources(root: string): SourceFile[] {
  return globSync(PATTERNS, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => sourceFile(path, readFileSync(join(root, path), 'utf8')));
}

export function sourceFile(path: string, text: string): SourceFile {
  const isSql = path.endsWith('.sql');
  const code = isSql ? text : withoutComments(text);
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return { path, lines, code, imports: isSql ? [] : importsOf(path, code) };
}

const NAMES = String.raw`(?:\w+\s*,\s*)?(?:\{[^}]*\}|\*(?:\s+as\s+\w+)?)|\w+`;
const FROM = new RegExp(
  String.raw`(?<=^|[;}\n])\s*(?:import|export)\s+(type\s+(?!from\b))?(?:${NAMES})\s*from\s*'([^']+)'`,
  'g',
);
const FOR_EFFECT = /(?<=^|[;}\n])\s*import\s*()'([^']+)'/g;
const DYNAMIC = /\bimport\s*\(\s*()'([^']+)'/g;

function importsOf(path: string, code: string): Import[] {
  const found: Import[] = [];
  for (const pattern of [FROM, FOR_EFFECT, DYNAMIC]) {
    for (const match of code.matchAll(pattern)) {
      const specifier = match[2] ?? '';
      found.push({
        specifier,
        typeOnly: (match[1] ?? '') !== '',
        line: lineAt(code, match.index + match[0].length),
        target: targetOf(path, specifier),
      });
    }
  }
  return found;
}

function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier);
  const [, name, part = 'index'] = /^@firmquote\/([a-z-]+)(?:\/(testing))?$/.exec(specifier) ?? [];
  return name === undefined ? undefined : `packages/${name}/src/${part}.ts`;
}

export function lineAt(code: string, index: number): number {
  let line = 1;
  for (let at = code.indexOf('\n'); at !== -1 && at < index; at = code.indexOf('\n', at + 1)) line++;
  return line;
}

// A slash begins a regular expression where a value is expected, and divides elsewhere.
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|(?<=[(,=:[!&|?{};>\n]\s*|\breturn\s+)\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*|[\s\S]/y;
const TEMPLATE_PART = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;

/** The text with every comment turned into blanks. Strings, templates and regular expressions are passed over. */
export function withoutComments(text: string): string {
  let code = '';
  /** For each template that is open, how many braces are open inside its `${`. */
  const open: number[] = [];
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = code.length;
    return pattern.exec(text)?.[0] ?? '';
  };
  const takeTemplate = (): void => {
    const part = take(TEMPLATE_PART);
    code += part === '' ? text.slice(code.length) : part;
    if (part.endsWith('{')) open.push(0);
  };
  while (code.length < text.length) {
    const token = take(TOKEN);
    const depth = open.at(-1);
    code += token.startsWith('//') || token.startsWith('/*') ? token.replaceAll(/[^\n]/g, ' ') : token;
    if (token === '`') takeTemplate();
    else if (token === '{' && depth !== undefined) open[open.length - 1] = depth + 1;
    else if (token === '}' && depth === 0) {
      open.pop();
      takeTemplate();
    } else if (token === '}' && depth !== undefined) open[open.length - 1] = depth - 1;
  }
  return code;
}

/** Groups of nodes that reach each other, each of two or more nodes or of one that reaches itself (Tarjan 1972). */
export function cycles(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): number => {
    const own = order.size;
    order.set(node, own);
    low.set(node, own);
    stack.push(node);
    let lowest = own;
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) lowest = Math.min(lowest, visit(next));
      else if (stack.includes(next)) lowest = Math.min(lowest, order.get(next) ?? own);
    }
    low.set(node, lowest);
    if (lowest === own) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1 || edges.get(node)?.has(node)) found.push(group.sort());
    }
    return lowest;
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return found;
}
