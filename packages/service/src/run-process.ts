import type { Application } from './application.ts';
import { type Config, ConfigError, loadConfig, SettingUnavailable } from './config.ts';
import { idlePause } from './platform/idle.ts';
import { exitWhenLogged, type Logger } from './platform/logger.ts';
import type { Environment } from './setting.ts';

/** Longest time that a stop may take; a request may last 30 s. */
const STOP_LIMIT_MS = 40_000; // limit: Time for the service to stop
/** A supervisor signals each process of a group, and who started this one hands it on: that is one wish, not two. */
export const SAME_STOP_MS = 300; // limit: Time in which further signals to stop are the same one
/**
 * Schemas that no request has needed by then are compiled while there is nothing else to do, so that later requests need
 * not wait for it. First comes what follows a start: those who waited for it, and whoever only wanted to have a look.
 */
const WARM_UP_AFTER_MS = 20_000;
const WARM_UP_PAUSE_MS = 20;

/** What every process of the service begins with. What is wrong with a setting is one line, and ends the process. */
export function readConfig(environment: Environment): Config {
  try {
    return loadConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof SettingUnavailable)) throw error;
    process.stderr.write(`firmquote: ${error.message}\n`);
    process.exit(error instanceof ConfigError ? 2 : 1);
  }
}

/** One line for people; the whole error is in the log at debug level. */
export function startFailed(error: unknown, logger: Logger): void {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`firmquote: ${message}\n`);
  logger.debug({ err: error }, 'start failed');
  exitWhenLogged(logger, error instanceof ConfigError ? 2 : 1);
}

/**
 * The first call stops in order and ends the process.
 * @param lastly what is done when the application has stopped
 */
export function stopper(
  application: Pick<Application, 'stop' | 'stopsAt'>,
  logger: Logger,
  lastly: () => Promise<void>,
): (reason: string) => void {
  let stopping = false;
  return (reason) => {
    if (stopping) return;
    stopping = true;
    logger.info({ reason }, 'stopping: requests under way are finished first');
    setTimeout(() => {
      logger.error({ waitsFor: application.stopsAt() }, 'stopping took too long');
      exitWhenLogged(logger, 1);
    }, STOP_LIMIT_MS).unref();
    const stopped = application.stop().then(lastly);
    stopped.then(
      () => {
        logger.info('stopped');
        exitWhenLogged(logger, 0);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed');
        exitWhenLogged(logger, 1);
      },
    );
  };
}

/** The first signal stops in order, the second one at once. */
export function stopOnSignals(logger: Logger, stop: (reason: string) => void, atOnce: () => void): void {
  let askedAt: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (askedAt === undefined) {
        askedAt = performance.now();
        return stop(signal);
      }
      if (performance.now() - askedAt < SAME_STOP_MS) return;
      logger.warn({ reason: signal }, 'stopping at once');
      atOnce();
      exitWhenLogged(logger, 130);
    });
  }
}

/** Ends the process when the embedded database has ended by itself. */
export function endWhenLost(lost: Promise<never>, logger: Logger): void {
  lost.catch((error: unknown) => {
    logger.fatal({ err: error }, 'the embedded database has stopped');
    exitWhenLogged(logger, 1);
  });
}

export function warmUpLater(application: Pick<Application, 'warmUp'>, logger: Logger): void {
  const warmUp = () =>
    application
      .warmUp(idlePause(WARM_UP_PAUSE_MS))
      .catch((error: unknown) => logger.error({ err: error }, 'a schema cannot be compiled'));
  setTimeout(warmUp, WARM_UP_AFTER_MS).unref();
}
