import { mayRead, type Reading } from '../api/rights.ts';
import type { Session } from '../api/session.ts';

/** A page of the console that stands in the navigation. */
interface PlaceForm {
  readonly group: string;
  readonly name: string;
  readonly to: string;
  readonly key: string;
  /** What the page shows, each for whoever may read it: any is enough to go there. None: everybody has it. */
  readonly reads: readonly Reading[];
}

const place = <const To extends string>(
  group: string,
  name: string,
  to: To,
  key: string,
  ...reads: readonly Reading[]
) => ({ group, name, to, key, reads });

/** Everybody has sessions of their own, so everybody has the page of people. */
export const PLACES = [
  place('Trade', 'Overview', '/overview', 'o'),
  place('Trade', 'Markets', '/markets', 'm', 'streamMarketPrices'),
  place('Trade', 'Quotes', '/quotes', 'q', 'listAllQuotes'),
  place('Trade', 'Transactions', '/transactions', 't', 'listAllTransactions'),
  place('Work', 'Exceptions', '/exceptions', 'e', 'listExceptions'),
  place('Work', 'Approvals', '/approvals', 'a', 'listApprovals'),
  place('Money', 'Deposits', '/deposits', 'd', 'listDeposits'),
  place('Money', 'Statements', '/statements', 'i', 'listStatementFiles'),
  place('Money', 'Payments', '/payments', 'f', 'listSettlementRuns'),
  place('Money', 'Bank reconciliation', '/bank', 'b', 'getBankReconciliation'),
  place('Money', 'Ledger', '/ledger', 'j', 'getTrialBalance', 'listJournalEntries'),
  place('Money', 'Positions', '/positions', 'p', 'getExposure', 'getPositions'),
  place('Money', 'Reports', '/reports', 'r', 'listReports'),
  place('Set-up', 'Customers', '/customers', 'c', 'listCustomers'),
  place('Set-up', 'Spreads', '/spreads', 's', 'getSpreadRules'),
  place('Set-up', 'House', '/house', 'l', 'getExposureLimits', 'getAmountLimits', 'listCollectionAccounts'),
  place('Set-up', 'Price health', '/health', 'h', 'getMarketHealth'),
  place('Set-up', 'Calendars', '/calendars', 'y', 'listCalendars'),
  place('Set-up', 'Webhooks', '/webhooks', 'w', 'listOperatorWebhooks'),
  place('Set-up', 'People', '/people', 'u'),
  place('Set-up', 'Audit', '/audit', 'x', 'listAudit', 'listKeys'),
] as const satisfies readonly PlaceForm[];

export type Place = (typeof PLACES)[number];

type Rights = Pick<Session, 'scopes'>;

function isOpenTo(rights: Rights, { reads }: Pick<PlaceForm, 'reads'>): boolean {
  return reads.length === 0 || reads.some((reading) => mayRead(rights, reading));
}

export function placesOf(rights: Rights): readonly Place[] {
  return PLACES.filter((each) => isOpenTo(rights, each));
}

/** Whether somebody may read what an address of the console shows; what is one thing has the rights of its list. */
export function mayGo(rights: Rights, address: string): boolean {
  const [path = ''] = address.split('?');
  const known = PLACES.find(({ to }) => path === to || path.startsWith(`${to}/`));
  return known === undefined || isOpenTo(rights, known);
}
