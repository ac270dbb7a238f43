import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { FILE_BYTES_MAX, STATEMENT_FORMATS, type StatementFormat } from '@firmquote/bank-formats';
import { fileReport } from './bank-statements/file-report.ts';
import { importFile } from './bank-statements/import-file.ts';
import { spooledFile, tooLarge } from './bank-statements/spool.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import type { Pool } from './database/pool.ts';
import { systemClock } from './platform/clock.ts';
import { readOptions, runProgram, UsageError } from './platform/command-line.ts';
import { Problem } from './problems/problem.ts';
import { withDatabase } from './with-database.ts';

const HELP = `Usage: npm run import-statements -- [--format <format>] [--mapping <name>] <file> ...

Imports files of the house's banks: camt.052, camt.053, camt.054, pain.002, MT940, MT942, CSV, JSON. Prints a line of JSON
for each file. A faulty file is refused as a whole, with line and reason, and kept; importing a file again
does nothing. Credits become deposits and debits confirm payouts as soon as the service runs.

It reads the same settings as the service, from the environment, and the service may be running. Files can also be sent
to it (POST /v1/operator/statements?name=<file>) or put into its watched folder.

Options:
  --format <format>  camt, mt940, csv, json or pain.002; detected by default
  --mapping <name>   Mapping of CSV files; by default the one whose file names match
  --help             This text

Exits with 0 if every file was imported now or before, with 1 if one was refused, with 2 if one cannot be read: then
none is imported.
`;

const INSTEAD = 'send the file to the service: POST /v1/operator/statements?name=<file>';

interface Arguments {
  readonly files: readonly string[];
  readonly format: StatementFormat | undefined;
  readonly mapping: string | undefined;
}

const OPTIONS = {
  format: { type: 'string' },
  mapping: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** @returns undefined when help was asked for */
function readArguments(args: string[]): Arguments | undefined {
  const { values, positionals } = readOptions({ args, allowPositionals: true, options: OPTIONS });
  if (values.help) return undefined;
  const format = STATEMENT_FORMATS.find((each) => each === values.format);
  if (values.format !== undefined && format === undefined) {
    throw new UsageError(`--format must be one of ${STATEMENT_FORMATS.join(', ')}.`);
  }
  if (positionals.length === 0) throw new UsageError('Name at least one file.');
  return { files: positionals, format, mapping: values.mapping };
}

class FileError extends Error {
  override readonly name = 'FileError';

  constructor(why: string, cause?: unknown) {
    super(`${why} Nothing was imported.`, { cause });
  }
}

/** @throws FileError when one of the files cannot be read: nothing is done by half */
async function requireFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    try {
      await access(path, constants.R_OK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const why = code === 'ENOENT' || code === 'ENOTDIR' ? 'There is no file' : 'This user may not read';
      throw new FileError(`${why} ${path}.`, error);
    }
    const found = await stat(path);
    if (!found.isFile()) throw new FileError(`${path} is not a file.`);
    if (found.size > FILE_BYTES_MAX) throw new FileError(`${path}: ${tooLarge().message}`);
  }
}

/** @returns how many files were refused */
async function importAll(config: Config, { files, format, mapping }: Arguments): Promise<number> {
  const work = async (pool: Pool) => {
    let refused = 0;
    for (const path of files) {
      const named = { name: basename(path), format, mapping, source: 'command' } as const;
      const { outcome, file } = await spooledFile(path, (came) =>
        importFile({ pool, clock: systemClock }, { ...came, ...named }),
      );
      if (outcome === 'refused') refused += 1;
      process.stdout.write(`${JSON.stringify({ outcome, ...(await fileReport(pool, file)) })}\n`);
    }
    return refused;
  };
  return withDatabase(config, { instead: INSTEAD, work });
}

await runProgram({
  help: HELP,
  read: readArguments,
  async run(given) {
    await requireFiles(given.files);
    if ((await importAll(loadConfig(process.env), given)) > 0) process.exitCode = 1;
  },
  refusals: [ConfigError, Problem, FileError],
});
