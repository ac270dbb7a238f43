import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  BackupError,
  DataFolderInUse,
  hasCluster,
  makeBackup,
  restoreBackup,
  runningPostgres,
  startEmbeddedPostgres,
  verifyBackup,
} from '@firmquote/embedded-postgres';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { systemClock } from './platform/clock.ts';
import { readOptions, runProgram, UsageError } from './platform/command-line.ts';

const HELP = `Usage: npm run backup -- <folder>            copies the embedded database into a new folder
       npm run backup -- --verify <folder>   checks that a backup is complete
       npm run restore -- <folder>           puts a backup into the data folder, which must have no database

It takes the same settings as the service, from the environment. The service may keep trading during a backup,
but must not run on the data folder during a restore. A backup holds everything in the database: keep it as safe.

A database of your own (DATABASE_URL) has its own tools, such as pg_dump or pg_basebackup.
`;

type Command = 'make' | 'verify' | 'restore';

/** @returns undefined when help was asked for */
function readArguments([mode, ...args]: string[]): { command: Command; folder: string } | undefined {
  const options = { verify: { type: 'boolean' }, help: { type: 'boolean' } } as const;
  const { values, positionals } = readOptions({ args, options, allowPositionals: true });
  if (values.help) return undefined;
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new UsageError('Name one folder.');
  if (mode === 'restore' && values.verify) throw new UsageError('--verify is for backup only.');
  const command = mode === 'restore' ? 'restore' : values.verify ? 'verify' : 'make';
  return { command, folder: resolve(folder) };
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1_000_000)} MB`;

async function make(config: Config, folder: string): Promise<string> {
  const { dataDir, isDataDirChosen: isChosen } = config;
  if (!hasCluster(dataDir)) throw new BackupError(`${dataDir} has no database.`);
  if (existsSync(folder)) throw new BackupError(`${folder} already exists. Name a new folder.`);
  const options = { dataDir, folder, now: systemClock.now(), signal: interrupted() };
  try {
    const server = await startEmbeddedPostgres({ dataDir, isChosen });
    try {
      return madeText(await makeBackup({ ...options, server: server.poolOptions }));
    } finally {
      await server.stop();
    }
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw error;
    return madeText(await makeBackup({ ...options, server: runningPostgres(dataDir, isChosen) }));
  }
}

/** Aborted by the first signal that would end this process, so that half a backup is not left behind. */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => controller.abort(new Error(`The backup was interrupted (${signal}).`)));
  return controller.signal;
}

function madeText({ folder, files, bytes }: Awaited<ReturnType<typeof makeBackup>>): string {
  return `Backed up to ${folder}: ${files} files, ${megabytes(bytes)}.`;
}

async function run(command: Command, folder: string): Promise<string> {
  if (command === 'verify') {
    const { madeAt, files } = await verifyBackup(folder);
    return `${folder} is complete: ${files.length} files, made at ${madeAt}.`;
  }
  const config = loadConfig(process.env);
  if (config.databaseUrl !== undefined) {
    throw new ConfigError(
      'DATABASE_URL is set: back that database up with its own tools, such as pg_basebackup.',
    );
  }
  if (command === 'make') return make(config, folder);
  const { dataDir, isDataDirChosen: isChosen } = config;
  const { madeAt } = await restoreBackup(folder, { dataDir, isChosen });
  return `The backup of ${madeAt} is in ${dataDir}. Start the service on it.`;
}

await runProgram({
  help: HELP,
  read: readArguments,
  run: async ({ command, folder }) => process.stdout.write(`${await run(command, folder)}\n`),
  refusals: [ConfigError, BackupError],
});
