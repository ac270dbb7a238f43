import { problemsOfJudged, underPolicy } from '../four-eyes.ts';
import type { Operation } from '../operation.ts';
import * as actors from './actors.ts';
import * as approvals from './approvals.ts';
import * as audit from './audit.ts';
import * as authorization from './authorization.ts';
import * as balances from './balances.ts';
import * as bankReconciliation from './bank-reconciliation.ts';
import * as bankStatements from './bank-statements.ts';
import * as bars from './bars.ts';
import * as calendars from './calendars.ts';
import * as clients from './clients.ts';
import * as customerAccounts from './customer-accounts.ts';
import * as customerDocuments from './customer-documents.ts';
import * as customers from './customers.ts';
import * as depositCommands from './deposit-commands.ts';
import * as deposits from './deposits.ts';
import * as events from './events.ts';
import * as exceptions from './exceptions.ts';
import * as fourEyes from './four-eyes.ts';
import * as health from './health.ts';
import * as keys from './keys.ts';
import * as ledger from './ledger.ts';
import * as market from './market.ts';
import * as matchingRules from './matching-rules.ts';
import * as operatorQuotes from './operator-quotes.ts';
import * as operatorTransactions from './operator-transactions.ts';
import * as ownMoney from './own-money.ts';
import * as payerAccounts from './payer-accounts.ts';
import * as people from './people.ts';
import * as priceStreams from './price-streams.ts';
import * as prices from './prices.ts';
import * as pricing from './pricing.ts';
import * as quoteExplanations from './quote-explanations.ts';
import * as quotes from './quotes.ts';
import * as reference from './reference.ts';
import * as reportSchedules from './report-schedules.ts';
import * as reports from './reports.ts';
import { REQUEST_EXAMPLES } from './request-examples.ts';
import * as roles from './roles.ts';
import * as sandbox from './sandbox.ts';
import * as settlementRuns from './settlement-runs.ts';
import * as spreadRules from './spread-rules.ts';
import * as statementEntries from './statement-entries.ts';
import * as statementPreview from './statement-preview.ts';
import * as swapPoints from './swap-points.ts';
import * as transactions from './transactions.ts';
import * as webhooks from './webhooks.ts';

/** Files of operations, in the order of the document. */
const FILES: readonly object[] = [
  quotes,
  quoteExplanations,
  operatorQuotes,
  priceStreams,
  prices,
  transactions,
  balances,
  ownMoney,
  events,
  webhooks,
  customers,
  customerAccounts,
  payerAccounts,
  clients,
  roles,
  keys,
  people,
  actors,
  spreadRules,
  pricing,
  swapPoints,
  market,
  bars,
  calendars,
  reference,
  operatorTransactions,
  deposits,
  depositCommands,
  matchingRules,
  exceptions,
  settlementRuns,
  bankStatements,
  statementPreview,
  statementEntries,
  ledger,
  bankReconciliation,
  reports,
  reportSchedules,
  approvals,
  fourEyes,
  audit,
  health,
  sandbox,
  authorization,
  customerDocuments,
];

/** They do commands of all kinds, or try them: what comes of it is whatever comes of those. */
const OF_ANY_COMMAND: ReadonlySet<string> = new Set([approvals.approve.id, fourEyes.dryRunCommand.id]);

/** Every operation of the interface. */
export const OPERATIONS: readonly Operation[] = complete([...new Set(FILES.flatMap(operationsIn))]);

/** What follows from the operations together: which take a second person, and what may come of approving them. */
function complete(declared: readonly Operation[]): readonly Operation[] {
  const ofJudged = problemsOfJudged(declared);
  return declared
    .map((each) =>
      OF_ANY_COMMAND.has(each.id)
        ? { ...each, problems: [...(each.problems ?? []), ...ofJudged] }
        : underPolicy(each),
    )
    .map(withExample);
}

/** With a good request, where it declares none itself. */
function withExample(declared: Operation): Operation {
  const body = REQUEST_EXAMPLES[declared.id];
  return body === undefined ? declared : { ...declared, example: { ...declared.example, body } };
}

/** A file exports operations one by one, several of a kind in an object, or both. */
function operationsIn(exported: unknown): readonly Operation[] {
  if (typeof exported !== 'object' || exported === null || Array.isArray(exported)) return [];
  if (isOperation(exported)) return [exported];
  return Object.values(exported).flatMap((member) =>
    isOperation(member) ? [member] : isGroup(member) ? operationsIn(member) : [],
  );
}

function isOperation(exported: unknown): exported is Operation {
  return typeof exported === 'object' && exported !== null && 'answers' in exported && 'path' in exported;
}

function isGroup(exported: unknown): boolean {
  return typeof exported === 'object' && exported !== null && Object.values(exported).some(isOperation);
}
