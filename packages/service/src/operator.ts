import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { Addresses } from './addresses.ts';
import { createClient } from './authorization/create-client.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { requireDataFolder } from './data-folder.ts';
import { migrate } from './database/migrate.ts';
import { openDatabase } from './database/open.ts';
import type { Pool } from './database/pool.ts';
import { exportJournal } from './ledger/export-journal.ts';
import { systemClock } from './platform/clock.ts';
import { createLogger } from './platform/logger.ts';
import { Problem } from './problems/problem.ts';

const HELP = `Usage: npm run operator -- create-client --name <name>
       npm run --silent operator -- export --format hledger [--output <file>]

create-client makes an OAuth client with every right of an operator (scope operator:*), and prints one line of JSON:
  {"clientId":"cli_...","clientSecret":"...","authUrl":"...","audience":"..."}
The secret is shown this once; only its hash is kept. Ask for a token with it at <authUrl>/oauth/token.
This is how a production service gets its first operator; a sandbox makes one by itself.

export writes the whole journal as hledger reads it, with every balance as an assertion, so that
"hledger check balancednoautoconversion accounts commodities ordereddates" proves the books without this program.

Both take the same settings as the service, from the environment. With DATABASE_URL the service may be running
meanwhile; the embedded database belongs to one process, so a service that runs on it has to be stopped first (or asked
for the export over HTTP: GET /v1/operator/ledger/export).

Options:
  --name <name>      What the client is called, at most 200 characters
  --format <format>  Form of the export: hledger
  --output <file>    Where the export is written, a new file; by default to standard output
  --help             This text
`;

class UsageError extends Error {
  override readonly name = 'UsageError';
}

type Command =
  | { readonly name: 'help' }
  | { readonly name: 'create-client'; readonly client: string }
  | { readonly name: 'export'; readonly output: string | undefined };

function readArguments(args: string[]): Command {
  const { values, positionals } = parse(args);
  if (values.help) return { name: 'help' };
  const [command, ...more] = positionals;
  if (more.length > 0 || (command !== 'create-client' && command !== 'export')) {
    throw new UsageError('The commands are create-client and export.');
  }
  if (command === 'export') {
    if (values.name !== undefined) throw new UsageError('export has no --name.');
    if (values.format !== 'hledger') throw new UsageError('--format must be hledger.');
    if (values.output === '') throw new UsageError('--output must be a file.');
    return { name: 'export', output: values.output };
  }
  if (values.format !== undefined || values.output !== undefined) {
    throw new UsageError('create-client has no --format and no --output.');
  }
  const client = values.name?.trim() ?? '';
  if (client === '' || client.length > 200 || /\p{Cc}/u.test(client)) {
    throw new UsageError('--name must be a text of 1 to 200 characters.');
  }
  return { name: 'create-client', client };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        format: { type: 'string' },
        output: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

async function withDatabase<T>(config: Config, work: (pool: Pool) => Promise<T>): Promise<T> {
  requireDataFolder(config);
  // Standard output is for the result.
  const log = createLogger('warn', { write: (line) => process.stderr.write(line) });
  const database = await openDatabase(config, log);
  try {
    await migrate(database.pool);
    return await work(database.pool);
  } finally {
    await database.close();
  }
}

/** What an operator needs to get a token, in the names of `sandbox.json`. */
function createOperator(config: Config, name: string) {
  return withDatabase(config, async (pool) => {
    const context = { pool, realClock: systemClock, onChange: () => undefined };
    const { clientId, clientSecret } = await createClient(context, { owner: { kind: 'operator' }, name });
    const addresses = new Addresses(config);
    return { clientId, clientSecret, authUrl: addresses.auth(), audience: addresses.operatorAudience() };
  });
}

/** A file that is there already is left alone, and a new one is for its owner only: it holds the books. */
function writeJournal(config: Config, output: string | undefined): Promise<void> {
  return withDatabase(config, async (pool) => {
    const text = Readable.from(exportJournal(pool, systemClock.now()), { objectMode: false });
    if (output === undefined) await pipeline(text, process.stdout, { end: false });
    else await pipeline(text, createWriteStream(output, { flags: 'wx', mode: 0o600 }));
  });
}

async function run(command: Command): Promise<void> {
  if (command.name === 'help') {
    process.stdout.write(HELP);
    return;
  }
  const config = loadConfig(process.env);
  if (command.name === 'export') await writeJournal(config, command.output);
  else process.stdout.write(`${JSON.stringify(await createOperator(config, command.client))}\n`);
}

try {
  await run(readArguments(process.argv.slice(2)));
} catch (error) {
  const isWrongUse = error instanceof UsageError;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`firmquote: ${message}${isWrongUse ? ' See --help.' : ''}\n`);
  process.exitCode = isWrongUse || error instanceof ConfigError || error instanceof Problem ? 2 : 1;
}
