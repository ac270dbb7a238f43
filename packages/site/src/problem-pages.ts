import { OPERATIONS } from '@firmquote/api/operations/index';
import { problemCodesOf } from '@firmquote/api/problem-codes';
import { PROBLEM_CODES, PROBLEMS, type ProblemCode, RETRY_HELP, type Retry } from '@firmquote/api/problems';
import { table, urlOfOperation } from './operation-pages.ts';
import EXAMPLES from './problem-examples.json' with { type: 'json' };
import { BASE, type SourcePage } from './site-map.ts';

/** A page for each problem code, made of the registry. */

/** What a program does, by the retry class alone. */
const PROGRAMS: Readonly<Record<Retry, string>> = {
  none: 'Stop, and show it to a person: the same request will be refused again, however often it is sent.',
  after_fix:
    'Treat it as a mistake in the request. Correct what `detail` and `errors` name, or have a person correct it. Do not send the same request again.',
  same_request:
    'Send exactly the same request again, with the same `Idempotency-Key`, after a pause (`Retry-After` where there is one), a few times at most. Repeating is safe: what was done is not done twice.',
  new_quote:
    'Ask for a new quote, show its price to whoever decides, and execute that one. The body in `requote` asks for the same terms again.',
  later:
    'Wait for as long as `Retry-After` or a member of the problem says, then send the request again. Back off further with each refusal, and give up after a time that fits your business.',
};

const KNOWN = EXAMPLES as Readonly<Partial<Record<ProblemCode, object>>>;
/** More operations than this answer it because of what they are: naming them all would say nothing. */
const OPERATIONS_MAX = 30;

export function urlOfProblem(code: ProblemCode): string {
  return `${BASE}/errors/${code.replaceAll('_', '-')}`;
}

export function problemPages(): SourcePage[] {
  return PROBLEM_CODES.map((code) => ({
    file: `errors/${code.replaceAll('_', '-')}.md`,
    url: urlOfProblem(code),
    part: 'integrators' as const,
    title: code,
    group: String(PROBLEMS[code].status),
    text: problemText(code),
  }));
}

function problemText(code: ProblemCode): string {
  const { status, title, retry, help } = PROBLEMS[code];
  const example = KNOWN[code];
  const users = OPERATIONS.filter((operation) => problemCodesOf(operation).includes(code));
  const list = users.map(
    (operation) =>
      `- [${operation.summary}](${urlOfOperation(operation)}): \`${operation.method} ${operation.path}\``,
  );
  return [
    `# ${code}`,
    '',
    `${title}. ${help}`,
    '',
    ...table(
      ['', ''],
      [
        ['Status', String(status)],
        ['`retry`', `\`${retry}\`: ${RETRY_HELP[retry]}`],
      ],
    ),
    '',
    '## What your program should do',
    '',
    PROGRAMS[retry],
    '',
    ...(example === undefined
      ? []
      : ['## Example', '', '```json', JSON.stringify(example, null, 2), '```', '']),
    '## Which operations answer with it',
    '',
    ...(users.length === 0
      ? ['Any request, before its operation is known.']
      : users.length > OPERATIONS_MAX
        ? [`${users.length} of ${OPERATIONS.length} operations can answer with it.`]
        : list),
    '',
    `How errors are built, and how to handle them by class: [handling errors](${BASE}/handling-errors).`,
    '',
  ].join('\n');
}
