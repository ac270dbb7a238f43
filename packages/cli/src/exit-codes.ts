/** What the command ends with. */
export const EXIT = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  refused: 3,
  notAllowed: 4,
  notFound: 5,
  tooLate: 6,
  outcomeUnknown: 7,
  unavailable: 8,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** In the words of `--help` and of the reference. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'Done',
  1: 'An unexpected failure',
  2: 'The command line is wrong; nothing was sent',
  3: 'The service refused the request',
  4: 'Not signed in, or not allowed',
  5: 'Not found',
  6: 'The quote has expired or is out of date; ask for a new one',
  7: 'The outcome is unknown; stderr names the key to ask with',
  8: 'The service or the network failed, after retries',
  130: 'Interrupted (Ctrl-C)',
};

/** Problems that say that a quote or a version is out of date. */
const TOO_LATE = new Set(['quote_expired', 'quote_withdrawn', 'version_mismatch', 'proposal_outdated']);

/** The exit code for what the service answered. */
export function exitOfProblem(status: number, code: string | undefined): ExitCode {
  if (code === 'outcome_unknown') return EXIT.outcomeUnknown;
  if (code !== undefined && TOO_LATE.has(code)) return EXIT.tooLate;
  if (status === 401 || status === 403) return EXIT.notAllowed;
  if (status === 404) return EXIT.notFound;
  if (status === 408 || status === 429 || status >= 500) return EXIT.unavailable;
  return EXIT.refused;
}
