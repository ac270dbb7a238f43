import { QUOTE_TRANSITIONS, TRANSACTION_TRANSITIONS } from '@firmquote/fx';
import { code, type Page, page, table } from './page.ts';

const ONE_OF = (states: readonly (string | null)[]) =>
  states.map((state) => (state === null ? '' : code(state))).join(', ');

/** The state machines, which are data in the domain. */
export function statesPage(): Page {
  const quotes = QUOTE_TRANSITIONS.map(({ from, to, trigger, by }) => [
    ONE_OF([from]),
    code(to),
    code(trigger),
    by.join(', '),
  ]);
  const transactions = TRANSACTION_TRANSITIONS.map(
    ({ number, from, to, trigger, when, by, twoPersonsFrom }) => {
      const two = twoPersonsFrom === undefined ? '' : `; two persons from ${ONE_OF(twoPersonsFrom)}`;
      return [String(number), ONE_OF(from), ONE_OF(to), code(trigger), `${when}${two}`, by.join(', ')];
    },
  );
  return page('states.md', 'State machines', 'packages/fx/src/lifecycle.ts', [
    'No other transition is possible. Of those who may cause one, `matcher` is the matching of deposits, `bank_feed` what',
    'banks tell, `risk` an automatic guard, `system` a sweep.',
    '',
    '## Quotes',
    '',
    ...table(['From', 'To', 'Cause', 'By'], quotes),
    '',
    '## Transactions',
    '',
    ...table(['', 'From', 'To', 'Cause', 'When', 'By'], transactions),
  ]);
}
