import { setFlagsFromString } from 'node:v8';
import type { Application } from './application.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { greeting } from './greeting.ts';
import { idlePause } from './platform/idle.ts';
import { createLogger, exitWhenLogged, type Logger } from './platform/logger.ts';
import { startTraces } from './traces-settings.ts';

/** Longest time that a stop may take; a request may last 30 s. */
const STOP_LIMIT_MS = 40_000; // limit: Time for the service to stop
/**
 * Schemas that no request has needed by then are compiled while there is nothing else to do, so that later requests need
 * not wait for it. First comes what follows a start: those who waited for it, and whoever only wanted to have a look.
 */
const WARM_UP_AFTER_MS = 20_000;
const WARM_UP_PAUSE_MS = 20;

function readConfig(): Config {
  try {
    return loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`firmquote: ${error.message}\n`);
    process.exit(2);
  }
}

/** One line for people; the whole error is in the log at debug level. */
function failed(error: unknown, logger: Logger): void {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`firmquote: ${message}\n`);
  logger.debug({ err: error }, 'start failed');
  exitWhenLogged(logger, error instanceof ConfigError ? 2 : 1);
}

/** The first signal stops in order, the second one at once. */
function stopOnSignals(application: Application, logger: Logger, lastly: () => Promise<void>): void {
  let stopping = false;
  const stop = (reason: string) => {
    if (stopping) {
      logger.warn({ reason }, 'stopping at once');
      return exitWhenLogged(logger, 130);
    }
    stopping = true;
    logger.info({ reason }, 'stopping: requests under way are finished first');
    setTimeout(() => {
      logger.error({ waitsFor: application.stopsAt() }, 'the stop took too long');
      exitWhenLogged(logger, 1);
    }, STOP_LIMIT_MS).unref();
    const stopped = application.stop().then(lastly);
    stopped.then(
      () => {
        logger.info('stopped');
        exitWhenLogged(logger, 0);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'the stop failed');
        exitWhenLogged(logger, 1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
  application.lost.catch((error: unknown) => {
    logger.fatal({ err: error }, 'the database is gone');
    exitWhenLogged(logger, 1);
  });
}

function warmUpLater(application: Application, logger: Logger): void {
  const warmUp = () =>
    application
      .warmUp(idlePause(WARM_UP_PAUSE_MS))
      .catch((error: unknown) => logger.error({ err: error }, 'a schema cannot be compiled'));
  setTimeout(warmUp, WARM_UP_AFTER_MS).unref();
}

// What lives when young objects are collected are the few requests under way: too little to share among threads, which
// would only take the second core from the database. On two cores a firm quote costs this process an eighth less.
setFlagsFromString('--no-parallel-scavenge');
// Some 60 MB live, whatever was traded, and V8 would let them grow to several times that before it collects.
setFlagsFromString('--heap-growing-percent=60');
const config = readConfig();
const logger = createLogger(config.logLevel);
try {
  // Before the first request and the first connection.
  const sendTraces = await startTraces(config.traces, config.mode, logger);
  // Loaded only now: what is wrong with a setting is told at once.
  const { startApplication } = await import('./application.ts');
  const application = await startApplication(config, logger);
  stopOnSignals(application, logger, sendTraces);
  process.stdout.write(greeting(application));
  warmUpLater(application, logger);
} catch (error) {
  failed(error, logger);
}
