// Writes what the client takes over from the interface: wire types and operations, in packages/client/src/generated.
//   node scripts/generate-client.ts            writes it
//   node scripts/generate-client.ts --check    only says what is stale, with the difference and exit code 1
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TRANSACTION_STATUSES, TRANSACTION_TRANSITIONS } from '@firmquote/fx';
import { ENTRIES, readModel } from './client/model.ts';
import { filesOf, type GeneratedFile, placesText } from './client/write.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDER = 'packages/client/src/generated';
const DIFFERENCES_MAX = 20;

/** Every generated file as it should be. */
export function clientFiles(): GeneratedFile[] {
  const model = readModel();
  return [
    ...ENTRIES.flatMap((entry) => filesOf(model, entry)),
    { name: 'places.ts', text: placesText(model) },
    { name: 'states.ts', text: statesText() },
  ].map(({ name, text }) => ({ name, text: formatted(name, text) }));
}

/** The files in a folder that are not what the interface says, each with lines that are too much (`-`) or missing (`+`). */
export function staleFiles(
  folder: string,
  files: readonly GeneratedFile[],
): { name: string; difference: string[] }[] {
  return files.flatMap(({ name, text }) => {
    const path = join(folder, name);
    const found = existsSync(path) ? readFileSync(path, 'utf8') : '';
    return found === text ? [] : [{ name, difference: differenceOf(found, text) }];
  });
}

function differenceOf(found: string, wanted: string): string[] {
  const [before, after] = [found.split('\n'), wanted.split('\n')];
  const [known, made] = [new Set(before), new Set(after)];
  const gone = before.filter((line) => !made.has(line)).map((line) => `- ${line}`);
  const come = after.filter((line) => !known.has(line)).map((line) => `+ ${line}`);
  const all = [...gone, ...come];
  const more = all.length - DIFFERENCES_MAX;
  return more > 0 ? [...all.slice(0, DIFFERENCES_MAX), `  and ${more} lines more`] : all;
}

/** Where a transaction can go from each of its states. */
function statesText(): string {
  const rows = TRANSACTION_STATUSES.map((status) => {
    const next = TRANSACTION_TRANSITIONS.filter(({ from }) => (from as readonly unknown[]).includes(status));
    const to = [...new Set(next.flatMap((each) => each.to))];
    return `${status}: ${JSON.stringify(to)},`;
  });
  return `// Made by \`node scripts/generate-client.ts\` from @firmquote/fx. Change that, not this file.
/** Where a transaction can go from each of its states. */
export const NEXT_STATES: Readonly<Record<string, readonly string[]>> = {\n${rows.join('\n')}\n};\n`;
}

function formatted(name: string, text: string): string {
  const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
  const args = [biome, 'check', '--write', `--stdin-file-path=${join(FOLDER, name)}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    input: text,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name} cannot be formatted: ${stderr}`);
  return stdout;
}

function main(options: readonly string[]): number {
  const unknown = options.find((option) => option !== '--check');
  if (unknown !== undefined) {
    console.error(`Unknown option ${unknown}. The only option is --check.`);
    return 2;
  }
  if (options.includes('--check')) {
    const stale = staleFiles(join(ROOT, FOLDER), clientFiles());
    for (const { name, difference } of stale) {
      console.error(
        [`${FOLDER}/${name} is stale: run node scripts/generate-client.ts`, ...difference].join('\n'),
      );
    }
    return stale.length === 0 ? 0 : 1;
  }
  for (const { name, text } of clientFiles()) writeFileSync(join(ROOT, FOLDER, name), text);
  return 0;
}

if (process.argv[1] === import.meta.filename) process.exitCode = main(process.argv.slice(2));
