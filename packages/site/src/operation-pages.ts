import { shownAnswerOf } from '@firmquote/api/answers';
import { answerHeadersOf, isDeclaration, type Operation } from '@firmquote/api/operation';
import { OPERATIONS } from '@firmquote/api/operations/index';
import { problemCodesOf } from '@firmquote/api/problem-codes';
import { PROBLEMS, type ProblemCode } from '@firmquote/api/problems';
import { sufficientScopes } from '@firmquote/api/scopes';
import { TAGS, type TagName } from '@firmquote/api/tags';
import { type Named, type Row, rowsOf, type Schema } from './schema-table.ts';
import { BASE, type SourcePage, TRY } from './site-map.ts';
import { snippetsOf } from './snippets.ts';

/** A page for each operation, made of its declaration and of what the OpenAPI document says of it. */

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
}
interface ParameterEntry {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
interface Described {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Media>>;
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly description?: string }>>;
}
interface OperationEntry {
  readonly description?: string;
  readonly parameters?: readonly ParameterEntry[];
  readonly requestBody?: Described;
  readonly responses: Readonly<Record<string, Described>>;
}
/** What is read of the OpenAPI document. */
export interface OpenApi {
  readonly info?: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationEntry>>>>;
  readonly components: {
    readonly schemas: Named;
    readonly parameters: Readonly<Record<string, ParameterEntry>>;
    readonly headers: Readonly<Record<string, { readonly description?: string }>>;
    readonly responses: Readonly<Record<string, Described>>;
  };
}

export const isOperators = (tag: string) => tag.startsWith('Operator: ') || tag === 'Operations';
const kebab = (id: string) => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export function urlOfOperation({ id, tag }: Operation): string {
  return `${BASE}${isOperators(tag) ? '/operators' : ''}/api/${kebab(id)}`;
}

/** Where an operation stands in the page that sends requests; a socket can only be read about. */
function tryUrlOf({ tag, method, path, answers }: Operation): string | undefined {
  const slug = tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return answers[101] === undefined ? `${TRY}#tag/${slug}/${method}${path}` : undefined;
}

/** Chapters in the order of the document, each with its operations. */
function chapters(part: 'integrators' | 'operators'): [TagName, Operation[]][] {
  return (Object.keys(TAGS) as TagName[])
    .filter((tag) => isOperators(tag) === (part === 'operators'))
    .map((tag): [TagName, Operation[]] => [tag, OPERATIONS.filter((each) => each.tag === tag)])
    .filter(([, operations]) => operations.length > 0);
}

export const inWords = (tag: string) => {
  const text = tag.replace(/^Operator: /, '');
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
};

export function operationPages(document: OpenApi): SourcePage[] {
  return (['integrators', 'operators'] as const).flatMap((part) => [
    indexPage(part),
    ...chapters(part).flatMap(([tag, operations]) =>
      operations.map((operation) => ({
        file: `api/${kebab(operation.id)}.md`,
        url: urlOfOperation(operation),
        part,
        title: operation.summary,
        group: part === 'operators' ? `API: ${inWords(tag)}` : inWords(tag),
        chapter: tag,
        text: operationText(operation, document),
      })),
    ),
  ]);
}

function indexPage(part: 'integrators' | 'operators'): SourcePage {
  const isOwn = part === 'integrators';
  const title = isOwn ? 'API reference' : 'Operator API';
  const sections = chapters(part).map(([tag, operations]) =>
    [
      `## ${inWords(tag)}`,
      '',
      TAGS[tag],
      '',
      ...table(
        ['Operation', ''],
        operations.map((each) => [
          `[${each.summary}](${urlOfOperation(each)})`,
          `\`${each.method} ${each.path}\``,
        ]),
      ),
    ].join('\n'),
  );
  const intro = isOwn
    ? 'The operations for customers and their systems, and the controls of the sandbox. [Try it](/docs/try/) sends requests to the server of this page: in the sandbox they trade. The [rules](../interface.md) apply to all operations.'
    : "The operations for the people and systems of the house. Customers' operations are in the [API reference](/docs/api).";
  return {
    file: isOwn ? 'api.md' : 'operators-api.md',
    url: isOwn ? `${BASE}/api` : `${BASE}/operators/api`,
    part,
    title,
    label: isOwn ? 'All operations' : 'Operator API',
    group: isOwn ? 'API' : 'Inside',
    text: [
      `# ${title}`,
      '',
      intro.replace('../interface.md', '/docs/rules'),
      '',
      ...sections.flatMap((text) => [text, '']),
    ].join('\n'),
  };
}

function operationText(operation: Operation, document: OpenApi): string {
  const entry = document.paths[operation.path]?.[operation.method.toLowerCase()];
  if (entry === undefined) throw new Error(`${operation.id} is not in the document`);
  const named = document.components.schemas;
  const { description } = operation;
  const tried = tryUrlOf(operation);
  return [
    `# ${operation.summary}`,
    '',
    `\`${operation.method} ${operation.path}\``,
    '',
    ...(description === undefined ? [] : [description, '']),
    ...table(['', ''], traitsOf(operation)),
    '',
    ...(tried === undefined ? [] : [`[Try it](${tried}): the page sends requests to this server.`, '']),
    ...examples(operation, entry, document),
    ...parameters(entry, document),
    ...bodyOf(entry, named),
    ...answersOf(operation, entry, document),
    ...problemsOf(operation),
  ].join('\n');
}

const KEYS: Readonly<Record<NonNullable<Operation['key']>, string>> = {
  kept: 'Optional. Repeating the request with the same key returns the first answer.',
  secret: 'Optional. Repeating does nothing twice, but does not show the secret again.',
  own: 'Optional, but always worth sending: repeating the request with the same key returns the first answer. It can be made required for a customer.',
};

function keyTrait({ key, needsKey }: Operation): string | undefined {
  if (needsKey === true) return 'Required. Repeating the request with the same key returns the first answer.';
  return key && KEYS[key];
}

function traitsOf(operation: Operation): string[][] {
  const { access, rate = 'reads', conditional, revalidates, waits, signs, resumes } = operation;
  const scopes = sufficientScopes(operation).map((scope) => `\`${scope}\``);
  const whose = access?.audience === 'customer' ? "A customer's" : "An operator's";
  const withScopes = scopes.length === 0 ? '' : `, with the scope ${scopes.join(' or ')}`;
  const traits: [string, string | undefined | false][] = [
    ['Token', access ? `${whose}${withScopes}` : 'None'],
    ['Rate limit', rate === 'unlimited' ? undefined : `\`${rate}\` ([rate limits](/docs/rate-limits))`],
    ['`Idempotency-Key`', keyTrait(operation)],
    [
      '`If-Match`',
      conditional &&
        (conditional === 'required'
          ? 'Required: the version that you read.'
          : 'Optional: refuses the request when the version has changed.'),
    ],
    ['`If-None-Match`', revalidates && 'Optional: 304 while nothing has changed.'],
    ['`Prefer: wait=N`', waits && 'Holds the answer for up to 30 s until something changes.'],
    ['`Prefer: signature`', signs && 'Signs the terms ([signed terms](/docs/evidence)).'],
    ['`Last-Event-ID`', resumes && 'Resumes after an interruption.'],
  ];
  return traits.flatMap(([name, about]) => (about ? [[name, about]] : []));
}

function examples(operation: Operation, entry: OperationEntry, document: OpenApi): string[] {
  const body = entry.requestBody?.content?.['application/json']?.schema;
  const blocks = snippetsOf(operation, body, document.components.schemas).map(
    ({ language, code }) => `\`\`\`${language}\n${code}\n\`\`\`\n`,
  );
  const answer = shownAnswerOf(operation);
  const shown = answer === undefined ? [] : [`\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\``, ''];
  if (blocks.length === 0 && shown.length === 0) return [];
  const note =
    blocks.length === 0 ? [] : ['The variables are those of the [quickstart](/docs/quickstart).', ''];
  return ['## Example', '', ...note, ...blocks, ...shown];
}

function parameters(entry: OperationEntry, document: OpenApi): string[] {
  const all = (entry.parameters ?? []).map((each) =>
    each.$ref === undefined ? each : document.components.parameters[nameIn(each.$ref)],
  );
  if (all.length === 0) return [];
  const rows = all.flatMap((each) => {
    if (each === undefined) return [];
    const [row] = rowsOf(
      { type: 'object', properties: { [each.name]: each.schema } },
      document.components.schemas,
    );
    const about = [each.description, row?.about].filter((text) => text !== undefined && text !== '');
    return [
      {
        name: each.name,
        type: `${row?.type} (${each.in})`,
        isRequired: each.required === true,
        about: [...new Set(about)].join(' '),
      },
    ];
  });
  return ['## Parameters', '', ...rowTable(rows), ''];
}

function bodyOf(entry: OperationEntry, named: Named): string[] {
  const content = Object.entries(entry.requestBody?.content ?? {});
  if (content.length === 0) return [];
  const [media = '', { schema = {} } = {}] = content[0] ?? [];
  const rows = media === 'application/json' ? rowsOf(schema, named) : [];
  const kinds = content.map(([each]) => `\`${each}\``).join(', ');
  return [
    '## Body',
    '',
    rows.length > 0 ? '' : media === 'application/json' ? 'None, or `{}`.' : `${kinds}.`,
    ...(rows.length > 0 ? rowTable(rows) : []),
    '',
  ];
}

/** Answers that several operations have alike stand under `components`. */
function answerAt(
  status: string,
  { responses }: OperationEntry,
  { components }: OpenApi,
): Described | undefined {
  const declared = responses[status];
  return declared?.$ref === undefined ? declared : components.responses[nameIn(declared.$ref)];
}

const nameIn = (reference: string) => reference.split('/').at(-1) ?? '';

function answersOf(operation: Operation, entry: OperationEntry, document: OpenApi): string[] {
  return Object.entries(operation.answers).flatMap(([status, given]) => {
    const declared = answerAt(status, entry, document);
    const about = isDeclaration(given) ? given.description : '';
    const media = Object.entries(declared?.content ?? {});
    const headers = Object.entries(declared?.headers ?? {}).map(([name, header]) => {
      const found = header.$ref === undefined ? header : document.components.headers[name];
      return [`\`${name}\``, found?.description ?? ''];
    });
    const tables = media.flatMap(([type, { schema = {} }]) => {
      const rows = rowsOf(schema, document.components.schemas);
      const kind = media.length > 1 || type !== 'application/json' ? [`\`${type}\``, ''] : [];
      return [...kind, ...(rows.length > 0 ? [...rowTable(rows, false), ''] : [])];
    });
    const known = answerHeadersOf(operation, Number.parseInt(status, 10)).length > 0 || headers.length > 0;
    return [
      `## ${status}`,
      '',
      ...(about === '' ? [] : [about, '']),
      ...(known ? [...table(['Header', ''], headers), ''] : []),
      ...tables,
    ];
  });
}

/** Own codes first; those that nearly every operation has follow in one line. */
function problemsOf(operation: Operation): string[] {
  const codes = problemCodesOf(operation);
  if (codes.length === 0) {
    return [
      '## Problems',
      '',
      'This endpoint answers with OAuth errors ([authentication](/docs/authentication)), not problems.',
      '',
    ];
  }
  const usual = codes.filter((code) => isUsual(code));
  const rows = codes
    .filter((code) => !isUsual(code))
    .map((code) => [
      `${PROBLEMS[code].status}`,
      `\`${code}\``,
      `\`${PROBLEMS[code].retry}\``,
      PROBLEMS[code].title,
    ]);
  const also = usual.map((code) => `\`${code}\``).join(', ');
  return [
    '## Problems',
    '',
    ...(rows.length > 0 ? [...table(['Status', 'Code', '`retry`', ''], rows), ''] : []),
    `${rows.length > 0 ? 'As for nearly all operations: ' : ''}${also}.`,
    '',
  ];
}

const USUAL: ReadonlySet<string> = new Set([
  'validation_failed',
  'rate_limited',
  'internal_error',
  'token_missing',
  'token_invalid',
  'token_expired',
  'ip_not_allowed',
  'insufficient_scope',
  'maintenance',
  'overloaded',
  'not_acceptable',
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
]);
const isUsual = (code: ProblemCode) => USUAL.has(code);

function rowTable(rows: readonly Row[], isRequest = true): string[] {
  const hasAbout = rows.some(({ about }) => about !== '');
  return table(
    ['Member', 'Type', ...(hasAbout ? [''] : [])],
    rows.map(({ name, type, isRequired, about }) => [
      `\`${name}\``,
      `${type}${isRequest && isRequired ? ', required' : ''}`,
      ...(hasAbout ? [about] : []),
    ]),
  );
}

export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)];
}
