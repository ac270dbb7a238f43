import { startApplication } from './application.ts';
import type { Config } from './config.ts';
import { greeting } from './greeting.ts';
import { createLogger, type Logger } from './platform/logger.ts';
import { Channel } from './processes/channel.ts';
import type { ChildStart, ToChild, ToParent } from './processes/messages.ts';
import { readConfig, startFailed, stopper, warmUpLater } from './run-process.ts';
import { startTraces } from './traces-settings.ts';
import { setUpV8 } from './v8-settings.ts';

/** A dead parent is replaced. */
const PARENT_LOOK_MS = 1_000;

/** One of several processes behind one port; the parent (`start-processes.ts`) says which. */
function send(message: ToParent): void {
  // With its parent gone it ends anyway.
  process.send?.(message, undefined, undefined, () => undefined);
}

async function serve(start: ChildStart): Promise<void> {
  const config = { ...readConfig(process.env), port: start.port, operatorListen: start.operatorListen };
  const logger = createLogger(config.logLevel, undefined, { process: start.own });
  try {
    await serveOn(start, config, logger);
  } catch (error) {
    startFailed(error, logger);
  }
}

async function serveOn(start: ChildStart, config: Config, logger: Logger): Promise<void> {
  const channel = new Channel(start.own, start.count, send);
  let everyoneServes = (): void => undefined;
  let isServing = false;
  let wanted: string | undefined;
  const everyServes = new Promise<void>((resolve) => {
    everyoneServes = () => {
      isServing = true;
      resolve();
    };
  });
  // Before it is asked anything it ends at once; what it is asked while it does the last things of its start it answers.
  let stop = (reason: string): void => {
    if (!isServing) process.exit(0);
    wanted = reason;
  };
  process.on('message', (message: ToChild) => {
    if (message.type === 'everyServes') everyoneServes();
    else if (message.type === 'stop') stop(message.reason);
    else channel.take(message);
  });
  // Only to this one: whoever signals all of them means the parent, which tells the others.
  process.on('SIGTERM', () => stop('SIGTERM'));
  const sendTraces = await startTraces(config.traces, config.mode, logger);
  const application = await startApplication(config, logger, {
    channel,
    ownDatabase: start.ownDatabase,
    serves: () => send({ type: 'serves' }),
    everyServes,
  });
  stop = stopper(application, logger, sendTraces);
  if (wanted !== undefined) stop(wanted);
  if (application.hasSources) send({ type: 'started', greeting: greeting(application) });
  warmUpLater(application, logger);
}

setUpV8();
// The channel says so too, but for when it was cut in the middle of a message.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, PARENT_LOOK_MS).unref();
// Terminals send these to every process.
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);
process.once('message', (message: ToChild) => {
  if (message.type === 'start') void serve(message.start);
});
