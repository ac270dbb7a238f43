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

const HELP = `Usage: npm run backup -- <folder>            backs the embedded database up into a new folder
       npm run backup -- --verify <folder>   reads a backup and tells whether it is whole
       npm run restore -- <folder>           puts a backup into the data folder, which must have no database

It takes the same settings as the service, from the environment. The service may run while it is backed up, and trades on;
it must not run on a data folder into which a backup is put. A backup holds all that the database holds: keep it as safe.

A database of your own (DATABASE_URL) is backed up by its own means, such as pg_dump or pg_basebackup.
`;

type Command = 'make' | 'verify' | 'restore';

/** @returns undefined when help was asked for */
function readArguments([mode, ...args]: string[]): { command: Command; folder: string } | undefined {
  const options = { verify: { type: 'boolean' }, help: { type: 'boolean' } } as const;
  const { values, positionals } = readOptions({ args, options, allowPositionals: true });
  if (values.help) return undefined;
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new UsageError('Name one folder.');
  if (mode === 'restore' && values.verify) throw new UsageError('--verify belongs to backup.');
  const command = mode === 'restore' ? 'restore' : values.verify ? 'verify' : 'make';
  return { command, folder: resolve(folder) };
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1_000_000)} MB`;

async function make(config: Config, folder: string): Promise<string> {
  const { dataDir, isDataDirChosen: isChosen } = config;
  if (!hasCluster(dataDir)) throw new BackupError(`${dataDir} has no database.`);
  if (existsSync(folder)) throw new BackupError(`${folder} is there already. Name a folder that is not.`);
  const options = { dataDir, folder, now: systemClock.now() };
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

function madeText({ folder, files, bytes }: Awaited<ReturnType<typeof makeBackup>>): string {
  return `Backed up to ${folder}: ${files} files, ${megabytes(bytes)}.`;
}

async function run(command: Command, folder: string): Promise<string> {
  if (command === 'verify') {
    const { madeAt, files } = await verifyBackup(folder);
    return `${folder} is whole: ${files.length} files, made at ${madeAt}.`;
  }
  const config = loadConfig(process.env);
  if (config.databaseUrl !== undefined) {
    throw new ConfigError(
      'DATABASE_URL is set: back that database up by its own means, such as pg_basebackup.',
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
