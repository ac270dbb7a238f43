import { PROBLEM_CODES, PROBLEMS, problemPath, RETRY_HELP, type Retry } from '@firmquote/api/problems';
import { code, type Page, page, table } from './page.ts';

export function problemsPage(): Page {
  const statuses = [...new Set(PROBLEM_CODES.map((each) => PROBLEMS[each].status))].sort((a, b) => a - b);
  const classes = Object.keys(RETRY_HELP) as Retry[];
  return page('problems.md', 'Problem codes', '@firmquote/api/problems', [
    'Every error answer of the API, except those of the token endpoint, which are OAuth errors (RFC 6749), is an RFC',
    '9457 problem (`application/problem+json`) with one of these codes in `code`. A running service lists them at',
    `\`/v1/problems\` and has a page for each, such as \`${problemPath('quote_expired')}\`, which is the problem's \`type\`.`,
    '',
    'What is wrong with fields is in `errors`, all of it at once (the first hundred places): each has a `code`, a `detail` for',
    'people, and a `pointer`, a JSON pointer (RFC 6901) into the body, such as `/amount`. What is not in the body is under its',
    'place: `/query/limit`, `/path/year`, `/header/If-Match`. An empty pointer is the body as a whole.',
    '',
    '`retry` says what can help:',
    '',
    ...table(
      ['`retry`', 'Meaning'],
      classes.map((retry) => [code(retry), RETRY_HELP[retry]]),
    ),
    ...statuses.flatMap((status) => ['', `## ${status}`, '', ...problemTable(status)]),
  ]);
}

function problemTable(status: number): string[] {
  const rows = PROBLEM_CODES.filter((each) => PROBLEMS[each].status === status).map((each) => {
    const { title, retry, help } = PROBLEMS[each];
    return [code(each), code(retry), `${title}. ${help}`];
  });
  return table(['Code', '`retry`', 'Meaning'], rows);
}
