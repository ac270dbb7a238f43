import { CliError } from './errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { hasColor, type Io, write } from './io.ts';
import { safeJson, safeText } from './output/safe-text.ts';

/** A failure as people and programs are told of it. */
export interface Reported {
  readonly exitCode: ExitCode;
  readonly message: string;
  readonly code: string;
  readonly next: string | undefined;
  /** Short facts, for whoever asks for help. */
  readonly facts: readonly string[];
  /** What is wrong with the request's fields. */
  readonly fields: readonly string[];
  readonly json: object;
}

/**
 * Says on stderr what went wrong: as text, or as JSON with `-o json`.
 * @param help what to do about a wrong command line, where nothing better is known
 * @returns the exit code
 */
export async function report(
  error: unknown,
  help: string,
  argv: readonly string[],
  io: Io,
): Promise<ExitCode> {
  const reported = await describe(error, help);
  await write(
    io.stderr,
    wantsJson(argv, io)
      ? `${safeJson(JSON.stringify(reported.json, null, 2))}\n`
      : textOf(reported, argv, io),
  );
  return reported.exitCode;
}

async function describe(error: unknown, help: string): Promise<Reported> {
  if (error instanceof CliError) {
    const { exitCode, message, code, details } = error;
    const next = error.next ?? (exitCode === EXIT.usage ? help : undefined);
    return {
      exitCode,
      message,
      code,
      next,
      facts: [],
      fields: [],
      json: { title: message, code, exitCode, ...(next === undefined ? {} : { next }), ...details },
    };
  }
  const { explainServiceError } = await import('./service-errors.ts');
  const known = explainServiceError(error);
  if (known !== undefined) return known;
  const message = error instanceof Error ? error.message : String(error);
  const next = 'Report it with the output of --debug.';
  return {
    exitCode: EXIT.unexpected,
    message: `Unexpected: ${message}`,
    code: 'unexpected',
    next,
    facts: [],
    fields: [],
    json: { title: message, code: 'unexpected', exitCode: EXIT.unexpected, next },
  };
}

function textOf(
  { message, next, facts, fields, exitCode }: Reported,
  argv: readonly string[],
  io: Io,
): string {
  const isColored = hasColor(io, io.stderr, !argv.includes('--no-color'));
  const paint = (code: string, text: string) => (isColored ? `\u001b[${code}m${text}\u001b[0m` : text);
  const lines = [
    // Whoever pressed Ctrl-C knows that it is no mistake.
    exitCode === EXIT.interrupted ? safeText(message) : `${paint('31', 'error:')} ${safeText(message)}`,
    ...fields.map((field) => `  ${safeText(field)}`),
    ...(facts.length === 0 ? [] : [paint('2', `  ${safeText(facts.join(' · '))}`)]),
    ...(next === undefined ? [] : [`${paint('36', 'next:')} ${safeText(next)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Asked for by name: what stdout is does not matter here. */
function wantsJson(argv: readonly string[], io: Io): boolean {
  const at = argv.findIndex((word) => word === '-o' || word === '--output');
  const inline = argv.find((word) => /^(-o|--output=)(nd)?json$/.test(word));
  const given = at === -1 ? undefined : argv[at + 1];
  const format = inline !== undefined ? 'json' : (given ?? io.env.FIRMQUOTE_OUTPUT ?? '');
  return format === 'json' || format === 'ndjson';
}
