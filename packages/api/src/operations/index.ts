import type { Operation } from '../operation.ts';
import * as approvals from './approvals.ts';
import * as authorization from './authorization.ts';
import * as calendars from './calendars.ts';
import { CREDENTIALS, OPERATOR_CLIENTS } from './clients.ts';
import * as customerAccounts from './customer-accounts.ts';
import * as customers from './customers.ts';
import * as health from './health.ts';
import * as ledger from './ledger.ts';
import * as pricing from './pricing.ts';
import * as reference from './reference.ts';
import * as settlementRuns from './settlement-runs.ts';
import * as spreadRules from './spread-rules.ts';
import * as swapPoints from './swap-points.ts';

/** Files of operations, in the order of the document. */
const FILES: readonly object[] = [
  authorization,
  reference,
  health,
  customers,
  customerAccounts,
  CREDENTIALS,
  OPERATOR_CLIENTS,
  spreadRules,
  pricing,
  swapPoints,
  settlementRuns,
  approvals,
  calendars,
  ledger,
];

/** Every operation of the interface. */
export const OPERATIONS: readonly Operation[] = FILES.flatMap((file) =>
  Object.values(file).filter(isOperation),
);

function isOperation(exported: unknown): exported is Operation {
  return typeof exported === 'object' && exported !== null && 'answers' in exported && 'path' in exported;
}
