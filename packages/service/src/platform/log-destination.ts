import { destination } from 'pino';

/** What is written later than this is lost, and counted, until the reader reads again. */
const BACKLOG_MAX = 16_777_216; // limit: {bytes} Log lines that wait for whoever reads them
/** A tenth of a second apart. */
const LAST_TRIES_MAX = 5; // limit: Attempts to write the last lines of a process, or a fatal one, while nobody reads

let lost = 0;

/** How many lines nobody read, since the process started. */
export function logLinesLost(): number {
  return lost;
}

/**
 * Standard output. Lines are written asynchronously in 4 KiB pieces, because a synchronous write on every request costs
 * more than the request. A reader that stops reading costs lines of the log: the service goes on, its memory does not grow,
 * and its end does not wait.
 * @param onLost told how many lines were lost when the reader has read those before them
 */
export function logDestination(onLost: (lines: number) => void): ReturnType<typeof destination> {
  // Asked for, Node makes a pipe non-blocking: otherwise a thread would stand in a write, and the end of the process with it.
  const { fd } = process.stdout;
  let triesLeft = Number.POSITIVE_INFINITY;
  const stream = destination({
    fd,
    sync: false,
    minLength: 4096,
    periodicFlush: 500,
    maxLength: BACKLOG_MAX,
    retryEAGAIN: () => {
      triesLeft -= 1;
      return triesLeft > 0;
    },
  });
  let untold = 0;
  stream.on('drop', () => {
    lost += 1;
    untold += 1;
  });
  stream.on('drain', () => {
    if (untold === 0) return;
    const lines = untold;
    untold = 0;
    onLost(lines);
  });
  const flushSync = stream.flushSync.bind(stream);
  // Called for a fatal line and as the process ends, when nothing else can happen until it returns.
  stream.flushSync = () => {
    triesLeft = LAST_TRIES_MAX;
    try {
      flushSync();
    } catch {
      // Nobody reads.
    } finally {
      triesLeft = Number.POSITIVE_INFINITY;
    }
  };
  return stream;
}
