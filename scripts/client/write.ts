import { isDeclaration } from '@firmquote/api/operation';
import { sufficientScopes } from '@firmquote/api/scopes';
import { ENTRIES, type Entry, type Method, type Model } from './model.ts';
import { docText, namesIn, propertyName, type Schema, typeText } from './type-text.ts';

export interface GeneratedFile {
  /** In `packages/client/src/generated`. */
  readonly name: string;
  readonly text: string;
}

const HEAD =
  '// Made by `node scripts/generate-client.ts` from @firmquote/api. Change that, not this file.\n';
const FILES: Readonly<Record<Entry, string>> = { customer: '', operator: 'operator-', sandbox: 'sandbox-' };

/** Wire types and operations of one entry: what each operation is, and the classes with its method. */
export function filesOf(model: Model, entry: Entry): GeneratedFile[] {
  const methods = model.methods.filter((method) => method.entry === entry);
  const types = new Types(model, entry);
  const operations = operationsText(methods, types, entry);
  return [
    { name: `${FILES[entry]}types.ts`, text: types.resourcesText() },
    { name: `${FILES[entry]}call-types.ts`, text: types.callsText() },
    { name: `${FILES[entry]}specs.ts`, text: specsText(methods, entry) },
    { name: `${FILES[entry]}operations.ts`, text: operations },
  ];
}

type Declared = Map<string, string>;

/** The types of an entry: named schemas (`types`), and queries, bodies and answers that only one operation has (`calls`). */
class Types {
  readonly #entry: Entry;
  readonly #model: Model;
  readonly #resources: Declared = new Map();
  readonly #calls: Declared = new Map();

  constructor(model: Model, entry: Entry) {
    this.#entry = entry;
    this.#model = model;
    for (const [name, home] of model.homes) {
      const schema = model.schemas[name];
      if (home !== entry || schema === undefined) continue;
      this.#declare(this.#resources, name, typeText(schema, !model.sent.has(name)), schema.description);
    }
  }

  /** What to write for a schema outside of this file; what has no name gets one. */
  refer(name: string, schema: Schema, isOpen: boolean): string {
    const text = typeText(schema, isOpen);
    if (!text.includes('{')) return text.replaceAll(/\b[A-Z]\w*/g, (each) => this.#known(each));
    this.#declare(this.#calls, name, text, schema.description);
    return `calls.${name}`;
  }

  declareQuery(name: string, text: string): void {
    this.#declare(this.#calls, name, text, undefined);
  }

  #known(name: string): string {
    if (name === 'Open' || name === 'Readonly' || name === 'Record') return name;
    return `types.${name}`;
  }

  resourcesText(): string {
    return this.#text(this.#resources, 'types', (home) => home !== this.#entry);
  }

  callsText(): string {
    return this.#text(this.#calls, 'call-types', () => true);
  }

  #declare(declared: Declared, name: string, text: string, description: string | undefined): void {
    if (this.#resources.has(name) || this.#calls.has(name)) throw new Error(`two types are named ${name}`);
    const body = text.startsWith('{') ? `export interface ${name} ${text}` : `export type ${name} = ${text};`;
    declared.set(name, `${docText(description)}${body}`);
  }

  #text(declared: Declared, file: string, isElsewhere: (home: Entry) => boolean): string {
    const own = [...declared].sort(([a], [b]) => (a < b ? -1 : 1));
    const body = own.map(([, text]) => text).join('\n\n');
    const used = [...this.#model.homes].filter(
      ([name, home]) => isElsewhere(home) && new RegExp(`\\b${name}\\b`).test(withoutDocs(body)),
    );
    const imports = ENTRIES.flatMap((home) => {
      const names = used.filter(([, each]) => each === home).map(([name]) => name);
      return names.length === 0
        ? []
        : [`import type { ${names.sort().join(', ')} } from './${FILES[home]}types.ts';`];
    });
    const open = /\bOpen</.test(body) ? ["import type { Open } from '../open.ts';"] : [];
    return `${HEAD}${[...open, ...imports].join('\n')}\n\n${this.#ofOthers(file)}${body}\n`;
  }

  /** Those of the entries before it, so that operations find all of theirs in one place. */
  #ofOthers(file: string): string {
    const before = ENTRIES.slice(0, ENTRIES.indexOf(this.#entry));
    if (before.length === 0) return '';
    return `${before.map((entry) => `export type * from './${FILES[entry]}${file}.ts';`).join('\n')}\n\n`;
  }
}

function withoutDocs(text: string): string {
  return text.replaceAll(/\/\*\*[\s\S]*?\*\//g, '');
}

function operationsText(methods: readonly Method[], types: Types, entry: Entry): string {
  const groups = Map.groupBy(methods, ({ resource }) => resource ?? entry);
  const classes = [...groups].map(([group, own]) => {
    const members = own.map((method) => methodText(method, types)).filter((text) => text !== '');
    return members.length === 0
      ? ''
      : `${docText(classDoc(group, entry))}export class ${capital(group)}Operations extends Operations {\n${members.join('\n\n')}\n}`;
  });
  const body = classes.filter((text) => text !== '').join('\n\n');
  const calls = ['Call', 'Download', 'List'].filter((name) =>
    new RegExp(`\\b${name}<|\\b${name}\\b`).test(body),
  );
  const options = [
    'CallOptions',
    'KeyedOptions',
    'MatchedOptions',
    'KeyedMatchedOptions',
    'MustMatchOptions',
    'WaitOptions',
  ];
  const used = options.filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  return `${HEAD}${[
    `import type { ${calls.filter((name) => name !== 'Download').join(', ')} } from '../call.ts';`,
    ...(calls.includes('Download') ? ["import type { Download } from '../download.ts';"] : []),
    ...(/\bOpen</.test(body) ? ["import type { Open } from '../open.ts';"] : []),
    "import { Operations } from '../operations.ts';",
    `import type { ${used.join(', ')} } from '../options.ts';`,
    ...(/\bcalls\./.test(body) ? [`import type * as calls from './${FILES[entry]}call-types.ts';`] : []),
    `import * as specs from './${FILES[entry]}specs.ts';`,
    `import type * as types from './${FILES[entry]}types.ts';`,
  ].join('\n')}

${body}
`;
}

function specsText(methods: readonly Method[], entry: Entry): string {
  const table = methods.map(({ operation: { id } }) => id).sort();
  return `${HEAD}import type { OperationSpec } from '../operations.ts';

${methods.map((method) => constantText(method)).join('\n')}

/** Every operation of this entry, by its id. */
export const ${entry.toUpperCase()}_OPERATIONS = { ${table.join(', ')} } as const satisfies Record<string, OperationSpec>;
`;
}

function classDoc(group: string, entry: Entry): string {
  return group === entry
    ? `What ${entry === 'sandbox' ? 'the sandbox' : 'operators'} can do, by the ids of the operations.`
    : `\`${group}\` of a client.`;
}

function capital(name: string): string {
  return `${name[0]?.toUpperCase()}${name.slice(1)}`;
}

function constantText({ operation, isRepeatable, body, answer }: Method): string {
  const { id, method, path, access, key, waits, answers } = operation;
  const flags = [
    ...(access === undefined ? ['isPublic: true'] : []),
    ...(key === undefined ? [] : ['isKeyed: true']),
    ...(isRepeatable && method !== 'GET' ? ['isRepeatable: true'] : []),
    ...(waits === true ? ['waits: true'] : []),
    ...(saysMore(answers) ? ['also: 503'] : []),
    ...(answer.of === 'file' ? ['isFile: true'] : []),
    ...(answer.of === 'format' ? ['mayBeFile: true'] : []),
    ...(body !== undefined && body.media !== 'application/json' ? [`sends: '${body.media}'`] : []),
  ];
  const text = [`id: '${id}'`, `method: '${method}'`, `path: '${path}'`, ...flags].join(', ');
  return `export const ${id} = { ${text} } as const;`;
}

/** Whether 503 brings the answer of 200, with what is wrong. */
function saysMore(answers: Method['operation']['answers']): boolean {
  const other = answers[503];
  return other !== undefined && isDeclaration(other) && other.content?.['application/json'] === answers[200];
}

function methodText(method: Method, types: Types): string {
  const { operation, name, path, query, body, answer } = method;
  const { id } = operation;
  const own = capital(id);
  const queryType = query.length === 0 ? undefined : `${own}Query`;
  if (queryType !== undefined) types.declareQuery(queryType, queryText(method));
  const bodyType =
    body === undefined
      ? undefined
      : body.media === 'application/json'
        ? types.refer(`${own}Body`, body.schema, false)
        : 'Uint8Array | Blob | string';
  const result = resultType(method, types, own, queryType);
  if (method.isByHand) return '';
  const isQueryNeeded = query.some(({ required }) => required === true);
  const choosesFormat = answer.of === 'format';
  const options = optionsType(method);
  const must = options === 'MustMatchOptions';
  const isBodyNeeded = body?.isRequired === true || must;
  const parameters = [
    ...path.map((each) => `${propertyName(each.name)}: string`),
    ...(bodyType === undefined ? [] : [`body${isBodyNeeded ? '' : '?'}: ${bodyType}`]),
    ...(queryType === undefined
      ? []
      : [
          choosesFormat
            ? `query${isQueryNeeded ? ': Q' : '?: Q'}`
            : `query${isQueryNeeded ? '' : '?'}: calls.${queryType}`,
        ]),
    `options${must ? '' : '?'}: ${options}`,
  ];
  const given = [
    ...(path.length > 0 ? [`path: [${path.map((each) => each.name).join(', ')}]`] : []),
    ...(bodyType === undefined ? [] : ['body']),
    ...(queryType === undefined ? [] : ['query']),
  ];
  const generic = choosesFormat
    ? `<Q extends calls.${queryType}${isQueryNeeded ? '' : ' = Record<never, never>'}>`
    : '';
  const verb = answer.of === 'page' ? 'pages' : 'invoke';
  const input = given.length === 0 ? '{}' : `{ ${given.join(', ')} }`;
  return `${methodDoc(method)}${name}${generic}(${parameters.join(', ')}): ${result} {\n  return this.${verb}(specs.${id}, ${input}, options);\n}`;
}

function methodDoc({ operation }: Method): string {
  const { method, path, summary, description } = operation;
  const scopes = sufficientScopes(operation);
  const scope =
    scopes.length === 0 ? '' : ` Needs the scope ${scopes.map((each) => `\`${each}\``).join(' or ')}.`;
  return docText(
    `${summary}.${description === undefined ? '' : ` ${description}`}\n\n\`${method} ${path}\`.${scope}`,
  );
}

function queryText({ query }: Method): string {
  const members = query.map(({ name, required, description, schema }) => {
    const type = typeText(schema, false).replace(/^readonly \(?(.*?)\)?\[\]$/, (all, item: string) =>
      all.startsWith('readonly (') || !item.includes('|') ? `${item} | readonly (${item})[]` : all,
    );
    const rest = required === true ? `: ${type}` : `?: ${type} | undefined`;
    return `${docText(description)}readonly ${propertyName(name)}${rest};`;
  });
  return `{\n${members.join('\n')}\n}`;
}

function resultType({ answer }: Method, types: Types, own: string, queryType: string | undefined): string {
  switch (answer.of) {
    case 'none':
      return 'Call<void>';
    case 'file':
      return 'Call<Download>';
    case 'page':
      return pageType(answer.schema, types, own);
    case 'json':
      return `Call<${jsonType(answer.schemas, types, own)}>`;
    case 'format': {
      const json = jsonType(answer.schemas, types, own);
      return `Call<Q extends { readonly format: Exclude<calls.${queryType}['format'], 'json' | undefined> } ? Download : ${json}>`;
    }
  }
}

function jsonType(schemas: readonly Schema[], types: Types, own: string): string {
  const texts = schemas.map((schema, index) =>
    types.refer(index === 0 ? `${own}Answer` : `${own}Answer${index + 1}`, schema, true),
  );
  return [...new Set(texts)].join(' | ');
}

/** A page is more than its items for some lists. */
function pageType(schema: Schema, types: Types, own: string): string {
  const { items, nextCursor: _, hasMore: __, ...more } = schema.properties ?? {};
  const item = types.refer(`${own}Item`, items?.items ?? {}, true);
  if (Object.keys(more).length === 0) return `List<${item}>`;
  return `List<${item}, ${types.refer(`${own}Extra`, { type: 'object', properties: more, required: schema.required ?? [] }, true)}>`;
}

function optionsType({ operation: { key, conditional, waits } }: Method): string {
  if (conditional === 'required') return 'MustMatchOptions';
  if (conditional === 'possible') return key === undefined ? 'MatchedOptions' : 'KeyedMatchedOptions';
  if (waits === true) return 'WaitOptions';
  return key === undefined ? 'CallOptions' : 'KeyedOptions';
}

/** Where each operation is, for the test that every one has a method and the other way round. */
export function placesText(model: Model): string {
  const places = model.methods
    .map(({ operation, entry, resource, name }) => {
      const place = resource === undefined ? name : `${resource}.${name}`;
      return `  ${operation.id}: '${entry}:${place}',`;
    })
    .sort();
  return `${HEAD}/** Where each operation has its method: the entry, and the place in its client. */\nexport const PLACES: Readonly<Record<string, string>> = {\n${places.join('\n')}\n};\n`;
}

export { namesIn };
