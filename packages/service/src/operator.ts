import { parseArgs } from 'node:util';
import { Addresses } from './addresses.ts';
import { createClient } from './authorization/create-client.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { requireDataFolder } from './data-folder.ts';
import { migrate } from './database/migrate.ts';
import { openDatabase } from './database/open.ts';
import { systemClock } from './platform/clock.ts';
import { createLogger } from './platform/logger.ts';
import { Problem } from './problems/problem.ts';

const HELP = `Usage: npm run operator -- create-client --name <name>

Makes an OAuth client with every right of an operator (scope operator:*), and prints one line of JSON:
  {"clientId":"cli_...","clientSecret":"...","authUrl":"...","audience":"..."}
The secret is shown this once; only its hash is kept. Ask for a token with it at <authUrl>/oauth/token.

This is how a production service gets its first operator; a sandbox makes one by itself. It takes the same settings
as the service, from the environment. With DATABASE_URL the service may be running meanwhile; the embedded database
belongs to one process, so a service that runs on it has to be stopped first.

Options:
  --name <name>  What the client is called, at most 200 characters
  --help         This text
`;

class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @returns the name, or undefined when help was asked for */
function readArguments(args: string[]): string | undefined {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  const [command, ...more] = positionals;
  if (command !== 'create-client' || more.length > 0) {
    throw new UsageError('The one command is create-client.');
  }
  const name = values.name?.trim() ?? '';
  if (name === '' || name.length > 200 || /\p{Cc}/u.test(name)) {
    throw new UsageError('--name must be a text of 1 to 200 characters.');
  }
  return name;
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { name: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** What an operator needs to get a token, in the names of `sandbox.json`. */
async function createOperator(config: Config, name: string) {
  requireDataFolder(config);
  // Standard output is for the result.
  const log = createLogger('warn', { write: (line) => process.stderr.write(line) });
  const database = await openDatabase(config, log);
  try {
    await migrate(database.pool);
    const context = { pool: database.pool, realClock: systemClock, onChange: () => undefined };
    const { clientId, clientSecret } = await createClient(context, { owner: { kind: 'operator' }, name });
    const addresses = new Addresses(config);
    return { clientId, clientSecret, authUrl: addresses.auth(), audience: addresses.operatorAudience() };
  } finally {
    await database.close();
  }
}

try {
  const name = readArguments(process.argv.slice(2));
  if (name === undefined) process.stdout.write(HELP);
  else process.stdout.write(`${JSON.stringify(await createOperator(loadConfig(process.env), name))}\n`);
} catch (error) {
  const isWrongUse = error instanceof UsageError;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`firmquote: ${message}${isWrongUse ? ' See --help.' : ''}\n`);
  process.exitCode = isWrongUse || error instanceof ConfigError || error instanceof Problem ? 2 : 1;
}
