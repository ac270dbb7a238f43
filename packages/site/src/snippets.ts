import type { Operation } from '@firmquote/api/operation';
import { PLACES } from '../../client/src/generated/places.ts';
import { type Named, type Schema, sampleOf } from './schema-table.ts';

/** Requests of the reference, in the words of each tool. */

export interface Snippet {
  readonly language: 'sh' | 'ts';
  readonly code: string;
}

/** Ids in addresses, as the quickstart names them. */
const VARIABLES: Readonly<Record<string, string>> = { quoteId: 'QUOTE', transactionId: 'TXN' };

function variableOf(parameter: string): string {
  const usual = parameter.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
  return VARIABLES[parameter] ?? usual;
}

/** @param body schema of the JSON body, where there is one */
export function snippetsOf(operation: Operation, body: Schema | undefined, named: Named): Snippet[] {
  const sent = operation.example?.body ?? (body === undefined ? undefined : sampleOf(body, named));
  const client = typescript(operation, sent);
  const command = commandLine(operation, sent);
  return [
    { language: 'sh', code: curl(operation, sent) },
    ...(client === undefined ? [] : [{ language: 'ts' as const, code: client }]),
    ...(command === undefined ? [] : [{ language: 'sh' as const, code: command }]),
  ];
}

/** What is needed although no declaration says so: one of several, or an empty one that is refused. */
const ALSO_NEEDED: Readonly<Record<string, readonly string[]>> = {
  explainValueDates: ['pair'],
  previewSettlementRun: ['currency', 'valueDate'],
};

function neededQuery({ id, query }: Operation): readonly string[] {
  return (
    ALSO_NEEDED[id] ??
    Object.entries(query ?? {}).flatMap(([name, { isRequired }]) => (isRequired ? [name] : []))
  );
}

function curl(operation: Operation, sent: unknown): string {
  const { method, path, access, media, key, needsKey, bodyMedia, conditional } = operation;
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${variableOf(name)}`);
  const needed = neededQuery(operation).map((name) => `${name}=$${variableOf(name)}`);
  const url = `"$BASE${address}${needed.length > 0 ? `?${needed.join('&')}` : ''}"`;
  const isImplied =
    method === 'GET' || (method === 'POST' && (sent !== undefined || bodyMedia !== undefined));
  const options = [
    ...(isImplied ? [] : [`-X ${method}`]),
    ...(media === 'event-stream' ? ['-N'] : []),
    ...(access === undefined
      ? []
      : [`-H "Authorization: Bearer $${access.audience === 'customer' ? 'TOKEN' : 'OPERATOR'}"`]),
    ...(key === 'own' || needsKey === true ? ['-H "Idempotency-Key: $(date +%s)-$$"'] : []),
    ...(conditional === 'required' ? ['-H "If-Match: $ETAG"'] : []),
    ...(bodyMedia !== undefined
      ? [`-H 'Content-Type: ${bodyMedia[0]}'`, '--data-binary @file']
      : sent === undefined
        ? []
        : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(sent)}'`]),
  ];
  return [`curl -sS ${url}`, ...options].join(options.length > 1 ? ' \\\n  ' : ' ');
}

/** Of the client: which entry, and where in it the method stands. */
function typescript(operation: Operation, sent: unknown): string | undefined {
  const { id, path, query, bodyMedia, conditional, media, pages } = operation;
  const [entry, place] = PLACES[id]?.split(':') ?? [];
  if (place === undefined) return undefined;
  const name = entry === 'customer' ? 'firmquote' : entry;
  const needed = neededQuery(operation);
  const isFile = bodyMedia !== undefined;
  const args = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, each = '']) => each),
    ...(isFile ? ['file'] : sent === undefined ? [] : [literal(sent)]),
    ...(query !== undefined && needed.length > 0 ? [`{ ${needed.join(', ')} }`] : []),
    ...(conditional === 'required' ? ['{ ifMatch: etag }'] : []),
  ];
  const call = `${name}.${place}(${args.join(', ')})`;
  if (pages === true || media === 'event-stream')
    return `for await (const each of ${call}) console.log(each);`;
  return `const answer = await ${call};`;
}

/** An object as TypeScript writes it. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, indent)).join(', ')}]`;
  const members = Object.entries(value).map(([name, each]) => `${inner}${name}: ${literal(each, inner)},`);
  return members.length === 0 ? '{}' : `{\n${members.join('\n')}\n${indent}}`;
}

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function commandLine(operation: Operation, sent: unknown): string | undefined {
  const { id, path, access, bodyMedia } = operation;
  if (access === undefined) return undefined;
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, each = '']) => `"$${variableOf(each)}"`);
  const members = Object.entries((sent ?? {}) as Readonly<Record<string, unknown>>);
  const flags = [
    ...neededQuery(operation).map((name) => `--${kebab(name)} "$${variableOf(name)}"`),
    ...(bodyMedia !== undefined ? ['--input file'] : []),
    ...(operation.conditional === 'required' ? ['--if-match "$ETAG"'] : []),
    ...members.map(([name, value]) => `--${kebab(name)} ${shell(value)}`),
  ];
  const words = ['firmquote call', id, ...ids].join(' ');
  return [words, ...flags].join(flags.length > 3 ? ' \\\n  ' : ' ');
}

function shell(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
