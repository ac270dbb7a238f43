import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** False, or why the programs cannot be tried. */
export const MISSING = existsSync(join(import.meta.dirname, '../node_modules/@redocly/openapi-core'))
  ? false
  : 'The linters and generators are not installed: run node scripts/setup-kits.mjs';

/**
 * Programs of others that read the API document. They are loaded by name when a test runs: their declarations are written for
 * another version of TypeScript than ours.
 */
const load = (name: string) => import(name);

type Document = Readonly<Record<string, unknown>>;

/** What Redocly's `recommended` rules say, warnings too. */
export async function redocly(document: Document): Promise<string[]> {
  const { createConfig, lintFromString } = await load('@redocly/openapi-core');
  const problems: { ruleId: string; message: string; location: { pointer?: string }[] }[] =
    await lintFromString({
      source: JSON.stringify(document),
      absoluteRef: 'openapi.json',
      config: await createConfig({ extends: ['recommended'] }),
    });
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ''}: ${message.split('\n')[0]}`,
  );
}

/** What Spectral's `oas` rules say, from errors to hints. */
export async function spectral(document: Document): Promise<string[]> {
  const { default: core } = await load('@stoplight/spectral-core');
  const { default: rulesets } = await load('@stoplight/spectral-rulesets');
  const linter = new core.Spectral();
  linter.setRuleset({ extends: [rulesets.oas] });
  const problems: { code: string; message: string; path: string[] }[] = await linter.run(document);
  return problems.map(({ code, message, path }) => `${code} ${path.join('/')}: ${message}`);
}

export interface Workbench {
  readonly folder: string;
  write(name: string, text: string): void;
  /** What the compiler has to say about everything in the folder; nothing when all is well. */
  compile(): string;
}

/** A folder for generated clients, compiled with `--strict` by the project's own TypeScript. */
export function workbench(t: TestContext): Workbench {
  const folder = mkdtempSync(join(tmpdir(), 'firmquote-clients-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  mkdirSync(join(folder, 'client'));
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
    skipLibCheck: true,
  };
  write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
  return {
    folder,
    write,
    compile() {
      const { status, stdout, stderr } = spawnSync(process.execPath, [TSC, '-p', folder], {
        encoding: 'utf8',
      });
      return status === 0 ? '' : `${stdout}${stderr}`;
    },
  };
}

const TSC = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc');

/** Types alone, as `openapi-fetch` and others use them. */
export async function generateTypes(document: Document): Promise<string> {
  const { default: generate, astToString } = await load('openapi-typescript');
  return astToString(await generate(document));
}

/** A client with a function for each operation. */
export async function generateClient(document: Document, folder: string): Promise<void> {
  const { createClient } = await load('@hey-api/openapi-ts');
  await createClient({ input: document, output: { path: folder }, logs: { level: 'silent', file: false } });
}
