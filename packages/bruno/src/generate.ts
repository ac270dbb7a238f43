// Writes the requests of the Bruno collection, a folder for each tag of the OpenAPI document, with Bruno's own importer.
//   npm run bruno                writes them into bruno/
//   npm run bruno -- --check     only says what is stale, with exit code 1
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';

const ROOT = resolve(import.meta.dirname, '../../..');
export const COLLECTION = join(ROOT, 'bruno');
export const DOCUMENT = join(ROOT, 'packages/api/openapi.json');
export const BRU = join(ROOT, 'packages/bruno/node_modules/.bin/bru');
/** What is written by hand stays. */
const BY_HAND: ReadonlySet<string> = new Set(['environments', 'flows', 'README.md']);
const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

interface Parameter {
  readonly in: string;
  description?: string;
  readonly schema: { enum?: readonly string[] };
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  responses: object;
  security?: unknown;
  readonly requestBody?: { readonly content: Record<string, { example?: unknown }> };
}
interface Document {
  readonly paths: Record<string, Partial<Record<(typeof METHODS)[number], Operation>>>;
  readonly components: { securitySchemes?: unknown };
}

/** What a token is asked for with, from the environment that is chosen in Bruno. */
const TOKEN_REQUEST = {
  client_id: '{{clientId}}',
  client_secret: '{{process.env.FIRMQUOTE_CLIENT_SECRET}}',
  audience: '{{audience}}',
  grant_type: 'client_credentials',
};

function bearer(variable: string): string {
  return `auth {\n  mode: bearer\n}\n\nauth:bearer {\n  token: {{${variable}}}\n}`;
}

/** Writes the generated part into an empty folder. */
export function generate(folder: string): void {
  const work = mkdtempSync(join(tmpdir(), 'firmquote-bruno-'));
  try {
    const source = join(work, 'openapi.json');
    writeFileSync(source, JSON.stringify(requestsOnly(JSON.parse(readFileSync(DOCUMENT, 'utf8')))));
    const args = ['import', 'openapi', '--source', source, '--output', folder];
    const options = ['--collection-name', 'Firmquote', '--collection-format', 'bru'];
    const { status, stdout, stderr } = spawnSync(BRU, [...args, ...options], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`bru import ended with exit code ${status}:\n${stdout}${stderr}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  rmSync(join(folder, 'environments'), { recursive: true, force: true });
  replace(join(folder, 'collection.bru'), /auth \{\n {2}mode: \w+\n\}/, bearer('token'));
  for (const file of globSync('{Operator_*,Sandbox}/folder.bru', { cwd: folder })) {
    replace(join(folder, file), /auth \{\n {2}mode: inherit\n\}/, bearer('operatorToken'));
  }
}

/** Answers are the reference's business, and tokens come from the collection instead of each request. */
function requestsOnly(document: Document): Document {
  delete document.components.securitySchemes;
  for (const item of Object.values(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      delete operation.security;
      operation.responses = {};
      operation.parameters?.forEach(oneLine);
      const body = operation.requestBody?.content['application/json'];
      if (operation.operationId === 'createToken' && body !== undefined) body.example = TOKEN_REQUEST;
    }
  }
  return document;
}

/** Of a query the importer writes a line for each value, all of them off. A path has one place for them. */
function oneLine(parameter: Parameter): void {
  if (parameter.in !== 'path' || parameter.schema.enum === undefined) return;
  parameter.description ??= `One of ${parameter.schema.enum.join(', ')}.`;
  delete parameter.schema.enum;
}

function replace(file: string, what: RegExp, by: string): void {
  const text = readFileSync(file, 'utf8');
  if (!what.test(text)) throw new Error(`${file} is not as the importer writes it`);
  // Whether a text ends with a line is decided by the formatter of whoever looks at it.
  writeFileSync(file, text.replace(what, by));
}

/** By path, the texts of a folder's generated files. */
export function generatedIn(folder: string): Map<string, string> {
  const files = globSync('**/*.{bru,json}', { cwd: folder }).filter(
    (file) => !BY_HAND.has(file.split(/[\\/]/)[0] ?? ''),
  );
  return new Map(files.sort().map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}

/** Every operation of the document: `POST /v1/customer/quotes`. */
export function operations(): string[] {
  const { paths } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Document;
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

function main(options: readonly string[]): number {
  if (options.some((option) => option !== '--check')) {
    process.stderr.write('Usage: npm run bruno [-- --check]\n');
    return 2;
  }
  const fresh = mkdtempSync(join(tmpdir(), 'firmquote-bruno-'));
  try {
    const folder = join(fresh, 'collection');
    generate(folder);
    if (options.includes('--check')) {
      const [wanted, found] = [generatedIn(folder), generatedIn(COLLECTION)];
      const names = [...new Set([...wanted.keys(), ...found.keys()])];
      const stale = names.filter((name) => wanted.get(name) !== found.get(name));
      for (const name of stale) process.stderr.write(`bruno/${name} is stale: run npm run bruno\n`);
      return stale.length === 0 ? 0 : 1;
    }
    for (const name of readdirSync(COLLECTION).filter((each) => !BY_HAND.has(each))) {
      rmSync(join(COLLECTION, name), { recursive: true });
    }
    cpSync(folder, COLLECTION, { recursive: true });
    return 0;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) process.exitCode = main(process.argv.slice(2));
