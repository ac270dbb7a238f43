import { type DestinationStream, type Logger, pino } from 'pino';
import { standardOutput } from './log-output.ts';

export type { Logger };

/** Anything under these names is never written, wherever in a log object it stands. */
const SECRET_PATHS = [
  'authorization',
  'client_secret',
  'clientSecret',
  'client_assertion',
  'access_token',
  'password',
  'secret',
  'cookie',
];

const MAX_CAUSES = 3;

/** Whoever reads the log may have stopped reading, or be slow. */
const LAST_LINES_LIMIT_MS = 2_000; // limit: Time for the last log lines of a process

/**
 * What is written of an error: never its own properties, which hold whatever a library hung on it (a database driver
 * its whole connection).
 */
function loggedError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error))
    return typeof error === 'string' ? { message: error } : { message: 'not an error' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    type: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    stack: error.stack,
    ...(error.cause === undefined || depth >= MAX_CAUSES
      ? {}
      : { cause: loggedError(error.cause, depth + 1) }),
  };
}

/** JSON lines, on standard output unless another stream is given. */
export function createLogger(
  level: string,
  stream?: DestinationStream,
  /** On every line. */
  fields: Readonly<Record<string, string | number>> = {},
): Logger {
  const redacted = SECRET_PATHS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  const logger: Logger = pino(
    {
      level,
      base: { service: 'firmquote', ...fields },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => loggedError(error) },
      redact: { paths: redacted, censor: '[redacted]' },
    },
    stream ?? standardOutput((lines) => logger.warn({ lines }, 'log lines were lost: nothing read the log')),
  );
  return logger;
}

/**
 * Ends the process when what was logged before is written: lines that a thread is just writing would otherwise come
 * after the last ones, or never.
 */
export function exitWhenLogged(logger: Logger, code: number): void {
  const exit = () => process.exit(code);
  setTimeout(exit, LAST_LINES_LIMIT_MS);
  // A parent passes on there what its processes say.
  logger.flush(() => process.stdout.write('', exit));
}
