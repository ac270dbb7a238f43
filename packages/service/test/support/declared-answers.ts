import { subscribe } from 'node:diagnostics_channel';
import { OPERATIONS } from '@firmquote/api';
import { answerHeadersOf, isDeclaration, type Operation, REPLAYED } from '@firmquote/api/operation';
import { ANSWER_CHANNEL, type DeclaredAnswer } from '../../src/http/serve.ts';

/** Headers that are declared; links to next pages are there only where there is one. */
const WATCHED = ['ETag', 'Location'] as const;

/** Serialisers write what a schema names and drop the rest without a word: here it is heard of. */
const wrong = new Set<string>();
const WRONG_MAX = 20;

subscribe(ANSWER_CHANNEL.name, (message) => {
  const { operation, status, body, headers } = message as DeclaredAnswer;
  const answer = operation.answers[status];
  if (answer === undefined) {
    wrong.add(`${operation.id} answered ${status}`);
    return;
  }
  const declared = headersOf(operation, status);
  for (const name of WATCHED) {
    const isDeclared = declared.has(name.toLowerCase());
    if (isDeclared !== Object.hasOwn(headers, name)) {
      wrong.add(
        `${operation.id} ${status} ${isDeclared ? 'lacks the declared' : 'has an undeclared'} ${name}`,
      );
    }
  }
  const schema = isDeclaration(answer) ? answer.content?.['application/json'] : answer;
  if (schema === undefined || Buffer.isBuffer(body)) return;
  // A text is JSON that is made elsewhere, or a file.
  if (typeof body === 'string' && !body.startsWith('{')) return;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  expectDeclared(`${operation.id} ${status}`, schema, text === undefined ? undefined : JSON.parse(text));
});

/** Names in lower case of the headers that a good answer may have. */
function headersOf(operation: Operation, status: number): ReadonlySet<string> {
  const answer = operation.answers[status];
  const own = answer !== undefined && isDeclaration(answer) ? Object.keys(answer.headers ?? {}) : [];
  const kept = operation.key === 'kept' || operation.key === 'secret' ? [REPLAYED] : [];
  return new Set([...answerHeadersOf(operation, status), ...own, ...kept].map((name) => name.toLowerCase()));
}

/** Of the connection, the caller and the media, whatever the operation is. */
const USUAL: ReadonlySet<string> = new Set([
  'cache-control',
  'connection',
  'content-length',
  'content-security-policy',
  'content-type',
  'date',
  'keep-alive',
  'pragma',
  'ratelimit',
  'ratelimit-policy',
  'referrer-policy',
  'transfer-encoding',
  'vary',
  'x-content-type-options',
  'x-request-id',
]);

/** Those without parameters in their paths first, since `counts` is no id. */
const ADDRESSES = OPERATIONS.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
})).sort((a, b) => a.operation.path.split('{').length - b.operation.path.split('{').length);

/** A good answer as it came over the wire, also of what writes its answers itself: it has no header that is not declared. */
export function expectDeclaredHeaders(method: string, url: string, status: number, headers: Headers): void {
  const { pathname } = new URL(url);
  const operation = ADDRESSES.find(
    ({ operation, pattern }) => operation.method === method && pattern.test(pathname),
  )?.operation;
  if (operation?.answers[status] === undefined || status >= 300) return;
  const declared = headersOf(operation, status);
  for (const name of headers.keys()) {
    if (!USUAL.has(name) && !declared.has(name))
      wrong.add(`${operation.id} ${status} has an undeclared ${name}`);
  }
  for (const name of WATCHED) {
    if (declared.has(name.toLowerCase()) && !headers.has(name))
      wrong.add(`${operation.id} ${status} lacks the declared ${name}`);
  }
}

/** The file fails where the value has another form than the schema. */
export function expectDeclared(what: string, schema: object, value: unknown): void {
  for (const fault of faultsOf(schema, value, '')) {
    if (wrong.size < WRONG_MAX) wrong.add(`${what}${fault}`);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a JSON schema is looked into freely
type Schema = any;

/** As far as answers need it: kinds, fixed values, members that are missing or not declared. Forms of texts are not looked at. */
function faultsOf(schema: Schema, value: unknown, pointer: string): string[] {
  const branches: readonly Schema[] | undefined = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) {
    const faults = branches.map((branch) => faultsOf(branch, value, pointer));
    return faults.reduce((least, each) => (each.length < least.length ? each : least));
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    return [`${pointer} is ${JSON.stringify(value)}, which is none of the values`];
  }
  if (schema.const !== undefined && schema.const !== value) return [`${pointer} is not ${schema.const}`];
  if (schema.type !== undefined && !IS[schema.type]?.(value)) return [`${pointer} is no ${schema.type}`];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => faultsOf(schema.items ?? {}, item, `${pointer}/${index}`));
  }
  if (schema.type === 'object') return memberFaults(schema, value as Record<string, unknown>, pointer);
  return [];
}

const IS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

function memberFaults(schema: Schema, value: Record<string, unknown>, pointer: string): string[] {
  const { properties = {}, required = [], additionalProperties, patternProperties } = schema;
  const isOpen =
    (additionalProperties !== undefined && additionalProperties !== false) || patternProperties !== undefined;
  const missing = (required as string[]).filter((name) => value[name] === undefined);
  return [
    ...missing.map((name) => `${pointer}/${name} is missing`),
    ...Object.entries(value).flatMap(([name, member]) => {
      if (properties[name] !== undefined) return faultsOf(properties[name], member, `${pointer}/${name}`);
      return isOpen ? [] : [`${pointer}/${name} is not declared`];
    }),
  ];
}

/** Every JSON answer of an operation that is declared has the form that is declared. */
export function assertAnswersDeclared(): void {
  const found = [...wrong];
  wrong.clear();
  if (found.length > 0) throw new Error(`answers that are not as declared:\n${found.join('\n')}`);
}
