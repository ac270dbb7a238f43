import { EXIT, type ExitCode } from './exit-codes.ts';

/** A failure that the command knows: what happened, and what to do now. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  /** What to do now. */
  readonly next: string | undefined;
  /** In words of a program: `config_readable_by_others`. */
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    exitCode: ExitCode,
    code: string,
    message: string,
    next?: string,
    options: { readonly cause?: unknown; readonly details?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.exitCode = exitCode;
    this.code = code;
    this.next = next;
    this.details = options.details ?? {};
  }
}

/** The command line is wrong. */
export function usage(message: string, next?: string): CliError {
  return new CliError(EXIT.usage, 'usage', message, next);
}

/** Ctrl-C. */
export function interrupted(message = 'Interrupted.', next?: string): CliError {
  return new CliError(EXIT.interrupted, 'interrupted', message, next);
}

/** The command has done what it should, before its end. */
export class Finished extends Error {
  override readonly name = 'Finished';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode = EXIT.ok) {
    super();
    this.exitCode = exitCode;
  }
}
