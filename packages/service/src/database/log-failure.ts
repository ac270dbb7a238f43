import type { Logger } from '../platform/logger.ts';
import { Problem } from '../problems/problem.ts';
import { hindranceOf, sqlState } from './failures.ts';

/**
 * True of what is no fault of the service and passes by itself: a database that is away, restarts or takes no writes, a
 * lock that is held, a day that was closed meanwhile, a full disk, a refusal for the moment.
 */
export function isPassing(error: unknown): boolean {
  return hindranceOf(error) !== undefined || (error instanceof Problem && error.status === 503);
}

/**
 * Writes down that something failed. The one place that decides how: what passes by itself is a warning of one line; a
 * fault of the service is written with its stack.
 * @param level of a fault; `warn` where another attempt follows that finds out what is wrong
 */
export function logFailure(
  logger: Logger,
  error: unknown,
  fields: Readonly<Record<string, unknown>>,
  message: string,
  level: 'error' | 'warn' = 'error',
): void {
  if (!isPassing(error)) {
    logger[level]({ ...fields, err: error }, message);
    return;
  }
  const cause = error instanceof Problem ? (error.cause ?? error) : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  logger.warn({ ...fields, hindrance: hindranceOf(cause), sqlState: sqlState(cause), reason }, message);
}
