import {
  ALONE,
  COMMAND_KINDS,
  type CommandKind,
  FIXED_KINDS,
  JUDGED,
  NEVER,
  type Rule,
} from '@firmquote/api/four-eyes';
import { code, type Page, page, table } from './page.ts';

export function fourEyesPage(): Page {
  return page('four-eyes.md', 'Four eyes', '@firmquote/api/four-eyes', [
    'Which commands of operators take two persons, where nobody has set anything else. [approvals.md](../approvals.md) says how.',
    '',
    '## Kinds that the policy sets',
    '',
    ...table(
      ['Kind', 'What it is to', 'Production', 'Sandbox', 'Operations'],
      Object.entries(COMMAND_KINDS).map(([kind, rules]) => [
        code(kind),
        rules.does,
        words(rules.production),
        words((rules as { sandbox?: Rule }).sandbox ?? NEVER),
        operationsOf(kind as CommandKind),
      ]),
    ),
    '',
    '## Kinds that always take two',
    '',
    ...table(
      ['Kind', 'What it is to', 'Operations'],
      Object.entries(FIXED_KINDS).map(([kind, does]) => [code(kind), does, operationsOf(kind)]),
    ),
    '',
    'By hand one person does none of this where its kind takes two, and nobody proposes it; programs are free to:',
    `${Object.keys(JUDGED)
      .filter((id) => JUDGED[id]?.byPrograms)
      .map(code)
      .join(', ')}. Bands, outliers and other sources judge what they send.`,
    '',
    '## What one person may do alone',
    '',
    ...table(
      ['Why', 'Operations'],
      [...Map.groupBy(Object.entries(ALONE), ([, why]) => why)].map(([why, each]) => [
        why,
        each.map(([id]) => code(id)).join(' '),
      ]),
    ),
  ]);
}

function words({ needs, fromUsd }: Rule): string {
  return needs === 'amount' ? `above USD ${fromUsd}` : needs;
}

function operationsOf(kind: string): string {
  const ids = Object.keys(JUDGED).filter((id) => JUDGED[id]?.kind === kind);
  return ids.map(code).join(' ');
}
