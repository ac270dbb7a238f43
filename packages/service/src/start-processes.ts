import type { Config } from './config.ts';
import { requireDataFolder } from './data-folder.ts';
import { requireMode } from './database/mode.ts';
import { type Database, openDatabase } from './database/open.ts';
import { exitWhenLogged, type Logger } from './platform/logger.ts';
import { Parent, StartFailed } from './processes/parent.ts';
import { endWhenLost, stopOnSignals, stopper } from './run-process.ts';

/** The parent of several processes behind one port: it has the embedded database, and serves nothing itself. */
export async function startProcesses(config: Config, logger: Logger): Promise<void> {
  requireDataFolder(config);
  const database = await openDatabase(config, logger);
  try {
    await requireMode(database.pool, config.mode);
    await start(database, config, logger);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function start(database: Database, config: Config, logger: Logger): Promise<void> {
  const parent = new Parent({
    config,
    logger,
    database,
    onStarted: (greeting) => process.stdout.write(greeting),
  });
  let reason = '';
  let code = 0;
  const stop = stopper(
    {
      stopsAt: () => 'processes',
      stop: async () => {
        code = await parent.stop(reason);
        await database.close();
      },
    },
    logger,
    () => (code === 0 ? Promise.resolve() : Promise.reject(new Error(`a process ended with ${code}`))),
  );
  // From the first moment: a parent that ends leaves nobody behind.
  stopOnSignals(
    logger,
    (signal) => {
      reason = signal;
      stop(signal);
    },
    () => parent.kill(),
  );
  process.once('exit', () => parent.kill());
  endWhenLost(database.lost, logger);
  parent.failed.catch(async (error: unknown) => {
    if (!(error instanceof StartFailed)) return;
    parent.kill();
    await database.close();
    exitWhenLogged(logger, error.code);
  });
  await parent.start();
}
