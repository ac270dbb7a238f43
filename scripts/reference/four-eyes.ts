import { OPERATIONS } from '@firmquote/api';
import { COMMAND_KINDS, type CommandKind, FIXED_KINDS, NEVER, type Rule } from '@firmquote/api/command-kinds';
import { ALONE, JUDGED } from '@firmquote/api/four-eyes';
import { code, type Page, page, table } from './page.ts';

/** What a reviewer asks about first, and the commands that do it: each has to be judged. */
const ASKED_ABOUT: Readonly<Record<string, string>> = {
  'Settlement instructions': 'addSettlementInstruction',
  'House accounts': 'setCollectionAccount addVirtualAccount',
  'Accounts that wait, released early':
    'releaseSettlementInstruction releaseCollectionAccount releaseVirtualAccount',
  'Clients of customers': 'createCredential addCredentialSecret setCredentialKeys updateCredential',
  'Clients of operators':
    'createOperatorClient addOperatorClientSecret setOperatorClientKeys updateOperatorClient',
  'Persons and roles': 'invitePerson renewInvitation setPersonRoles setRole',
  'Thresholds and limits': 'replaceMatchingRules setCustomerLimits setAmountLimits setExposureLimits',
  'This policy': 'setFourEyesPolicy',
  'Top-ups and deposits recorded by hand': 'topUpBalance recordDeposit',
  'Payouts confirmed by hand': 'confirmPayout confirmRefund confirmWithdrawal confirmDepositReturn',
  'Retries, also to another account': 'retryPayout retryRefund redirectPayout redirectWithdrawal',
  'Making payment files': 'createSettlementRun',
  'Sending payment files': 'markSettlementRunSent',
  'Statements that do not add up': 'acceptStatementFile',
  Unwinding: 'unwindTransaction',
  'Halts lifted': 'resumeMarket resumeCustomer enableSource',
};

/** @throws Error when a command needs no second person, or is none */
function askedAbout(what: string, ids: readonly string[]): string[] {
  const kinds = [...new Set(ids.map((id) => JUDGED[id]?.kind))];
  const scopes = ids.map((id) => OPERATIONS.find((operation) => operation.id === id)?.access?.scope);
  const when = kinds.map((kind) => {
    if (kind === undefined) throw new Error(`${what}: one of ${ids.join(', ')} takes no second person`);
    return kind in FIXED_KINDS ? 'always' : words(COMMAND_KINDS[kind as CommandKind].production);
  });
  if (scopes.includes(undefined)) throw new Error(`${what}: one of ${ids.join(', ')} has no scope`);
  const codes = (values: readonly (string | undefined)[]) =>
    values.map((value) => code(value ?? '')).join(' ');
  return [what, codes(kinds), [...new Set(when)].join(', '), codes(ids), codes([...new Set(scopes)])];
}

export function fourEyesPage(): Page {
  return page('four-eyes.md', 'Four eyes', '@firmquote/api/four-eyes', [
    'The commands of operators that need two people by default. [approvals.md](../approvals.md) says how.',
    '',
    '## By what is asked about',
    '',
    'When: in production, by default. Another person approves, with `operator:approvals` and the scope of the command.',
    '',
    ...table(
      ['What', 'Kinds', 'When', 'Commands', 'Scope'],
      Object.entries(ASKED_ABOUT).map(([what, ids]) => askedAbout(what, ids.split(' '))),
    ),
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
    '## Kinds that always need two people',
    '',
    ...table(
      ['Kind', 'What it is to', 'Operations'],
      Object.entries(FIXED_KINDS).map(([kind, does]) => [code(kind), does, operationsOf(kind)]),
    ),
    '',
    'Where their kind needs two people, nobody can send or propose these by hand; programs can send them:',
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
