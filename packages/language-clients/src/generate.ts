// Generates a client from the OpenAPI document with OpenAPI Generator, which npm brings as a Java archive.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { prepareDocument } from './prepare-document.ts';

const HOME = resolve(import.meta.dirname, '..');
export const DOCUMENT = resolve(HOME, '../api/openapi.json');
const CONVERTER = join(HOME, 'node_modules/.bin/openapi-down-convert');

export const LANGUAGES = ['python', 'go', 'java'] as const;
export type Language = (typeof LANGUAGES)[number];

interface Recipe {
  /** The archive; the second one writes no types for Go. */
  readonly archive: string;
  readonly generator: string;
  readonly properties: Readonly<Record<string, string>>;
}

const RECIPES: Readonly<Record<Language, Recipe>> = {
  python: {
    archive: 'openapi-generator-5',
    generator: 'python',
    properties: { packageName: 'firmquote_client' },
  },
  go: {
    archive: 'openapi-generator-4',
    generator: 'go-experimental',
    properties: { packageName: 'firmquote', enumClassPrefix: 'true' },
  },
  java: {
    archive: 'openapi-generator-5',
    generator: 'java',
    properties: {
      library: 'native',
      dateLibrary: 'java8',
      openApiNullable: 'false',
      invokerPackage: 'org.firmquote.client',
      apiPackage: 'org.firmquote.client.api',
      modelPackage: 'org.firmquote.client.model',
    },
  },
};
/** A program that lives for seconds gains nothing from the second compiler. */
const BRIEF = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

/** The archive of a language's generator; generated Java runs on the libraries that are in it. */
export function archiveOf(language: Language): string {
  return join(HOME, 'node_modules', RECIPES[language].archive, 'bin/openapi-generator.jar');
}

/** Writes the client into a folder, which is made. */
export function generateClient(language: Language, folder: string): void {
  const { generator, properties } = RECIPES[language];
  const work = mkdtempSync(join(tmpdir(), 'firmquote-openapi-'));
  try {
    const [prepared, converted] = [join(work, 'prepared.json'), join(work, 'openapi-3.0.json')];
    const document = prepareDocument(JSON.parse(readFileSync(DOCUMENT, 'utf8')));
    writeFileSync(prepared, JSON.stringify(document));
    run(process.execPath, [CONVERTER, '--input', prepared, '--output', converted]);
    mkdirSync(folder, { recursive: true });
    run('java', [
      ...BRIEF,
      '-jar',
      archiveOf(language),
      'generate',
      '--skip-validate-spec',
      `--generator-name=${generator}`,
      `--input-spec=${converted}`,
      `--output=${folder}`,
      '--global-property=apiTests=false,modelTests=false,apiDocs=false,modelDocs=false',
      `--additional-properties=${Object.entries({ hideGenerationTimestamp: 'true', ...properties })
        .map((pair) => pair.join('='))
        .join(',')}`,
    ]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end and answers what it printed; throws with what it said if it fails. */
export function run(program: string, args: readonly string[], { cwd, env }: RunOptions = {}): string {
  const { error, status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...env },
  });
  if (error !== undefined) throw error;
  if (status !== 0) {
    const said = `${stdout}${stderr}`.trim().split('\n').slice(-30).join('\n');
    throw new Error(`${program} ended with exit code ${status}:\n${said}`);
  }
  return stdout;
}
