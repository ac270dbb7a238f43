import { type DestinationStream, destination, type Logger, pino } from 'pino';

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

/**
 * JSON lines on standard output. Lines are written asynchronously in 4 KiB pieces, because a synchronous write
 * on every request costs more than the request.
 */
export function createLogger(level: string, stream?: DestinationStream): Logger {
  const redacted = SECRET_PATHS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  return pino(
    {
      level,
      base: { service: 'firmquote' },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redacted, censor: '[redacted]' },
    },
    stream ?? destination({ fd: 1, sync: false, minLength: 4096, periodicFlush: 500 }),
  );
}
