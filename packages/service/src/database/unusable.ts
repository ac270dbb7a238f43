import { ConfigError } from '../config.ts';
import { isConnectionFailure } from './failures.ts';

/**
 * Why a database cannot be used, with the setting that names it. One that is away comes back, and a supervisor that tries again is
 * right (exit code 1); a wrong address or password stays wrong.
 */
export function unusableDatabase(setting: string, error: unknown): Error {
  const message = `${setting} cannot be used: ${reasonOf(error)}`;
  return isConnectionFailure(error)
    ? new Error(message, { cause: error })
    : new ConfigError(message, { cause: error });
}

/** A host with several addresses fails with an error for each, and nothing said of the whole. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
