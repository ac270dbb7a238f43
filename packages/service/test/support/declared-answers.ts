import { subscribe } from 'node:diagnostics_channel';
import { answerHeadersOf, isDeclaration } from '@firmquote/api/operation';
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
  for (const name of WATCHED) {
    const isDeclared =
      answerHeadersOf(operation, status).includes(name) ||
      (isDeclaration(answer) && answer.headers?.[name] !== undefined);
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
  const isOpen = additionalProperties !== undefined || patternProperties !== undefined;
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
