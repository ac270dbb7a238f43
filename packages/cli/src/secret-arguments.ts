import { CliError } from './errors.ts';
import { EXIT } from './exit-codes.ts';

/** What somebody may try, since other programs take it. */
const FLAG =
  /^--?(client[-_]?secret|secret|password|passwd|token|access[-_]?token|bearer|api[-_]?key|private[-_]?key)(=.*)?$/i;
const FIELD = /^(client_secret|clientSecret|client_assertion|access_token|password)=/i;
const HEADER = /^authorization\s*:/i;

/**
 * Arguments can be read by everybody on the machine (`ps`) and stay in the shell's history: a secret among them is
 * refused, and not repeated.
 */
export function refuseSecrets(argv: readonly string[]): void {
  const found = argv.find((word) => FLAG.test(word) || FIELD.test(word) || HEADER.test(word));
  if (found === undefined) return;
  const name = found.replace(/[=:].*$/s, '');
  throw new CliError(
    EXIT.usage,
    'secret_in_arguments',
    `Secrets are not taken from the command line (${name}): others can read it, and your shell remembers it.`,
    'Let firmquote login ask for it, pipe it in with --secret-stdin, name a file with --secret-file, or set FIRMQUOTE_CLIENT_SECRET. If the secret was real, rotate it.',
  );
}
