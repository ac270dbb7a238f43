import { greeting } from './greeting.ts';
import { createLogger } from './platform/logger.ts';
import { endWhenLost, readConfig, startFailed, stopOnSignals, stopper, warmUpLater } from './run-process.ts';
import { startTraces } from './traces-settings.ts';
import { setUpV8 } from './v8-settings.ts';

async function serveHere(): Promise<void> {
  // Before the first request and the first connection.
  const sendTraces = await startTraces(config.traces, config.mode, logger);
  // Loaded only now: what is wrong with a setting is told at once.
  const { startApplication } = await import('./application.ts');
  const application = await startApplication(config, logger);
  stopOnSignals(logger, stopper(application, logger, sendTraces), () => undefined);
  endWhenLost(application.lost, logger);
  process.stdout.write(greeting(application));
  warmUpLater(application, logger);
}

async function serveInProcesses(): Promise<void> {
  const { startProcesses } = await import('./start-processes.ts');
  await startProcesses(config, logger);
}

setUpV8();
const config = readConfig(process.env);
const logger = createLogger(config.logLevel);
try {
  await (config.processes === 1 ? serveHere() : serveInProcesses());
} catch (error) {
  startFailed(error, logger);
}
