import { extractReferences } from '@firmquote/fx';
import { type BalanceOwner, balanceOwners, lockBalances } from '../balances/balances.ts';
import { type BookedTopUp, bookedByHand, holdAgainstTopUps } from '../balances/replace-top-up.ts';
import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { receivableOf } from './funding.ts';
import { remitterOwners } from './known-remitter-store.ts';
import {
  findCandidates,
  lockCandidates,
  type OpenTransactionsOf,
  payingCustomers,
  type SoughtTransactions,
  tradeOwners,
} from './match-context-store.ts';
import { type MatchingSettings, rulesInForce } from './matching-settings.ts';
import type { OpenReceivable } from './receivables.ts';
import {
  type DepositRecord,
  houseAccounts,
  plainAccount,
  referenceOfBank,
  remitterAccount,
} from './record.ts';
import { virtualAccountOwners } from './virtual-account-store.ts';

/** What is known of a deposit before any trade is looked at. */
export interface PayerEvidence {
  readonly references: readonly string[];
  /** Owner of the virtual account that it came in on. */
  readonly accountOwner: string | null;
  /** Customers that have paid from the remitter's account before. */
  readonly remitterOf: readonly string[];
  /** Balances that the text names. */
  readonly balances: readonly BalanceOwner[];
  /** Top-ups that operators have booked by hand under its bank reference and in its currency, and whose place no deposit has. */
  readonly topUps: readonly BookedTopUp[];
}

/** Everything that a decision looks at. */
export interface MatchContext {
  /** By deposit. */
  readonly evidence: ReadonlyMap<string, PayerEvidence>;
  /** Trades that come into question, by id. */
  readonly rows: ReadonlyMap<string, TransactionRow>;
  /** What these trades await. */
  readonly receivables: readonly OpenReceivable[];
  readonly customers: ReadonlyMap<string, PayingCustomer>;
  readonly settings: MatchingSettings;
  /** A person has said that it does not matter who pays. */
  readonly acceptsAnyPayer?: boolean;
}

/**
 * @param find looks for the trades, by default among what is committed; nothing is locked
 * @param areAnew the deposits are looked at as if they had just arrived: top-ups whose place they have count as well
 */
export async function loadMatchContext(
  connection: Queryable,
  deposits: readonly DepositRecord[],
  find: (sought: SoughtTransactions) => Promise<TransactionRow[]> = (sought) =>
    findCandidates(connection, sought),
  areAnew = false,
): Promise<MatchContext> {
  return load(connection, deposits, find, areAnew);
}

/** The same, held until the transaction ends: the trades, and the balances that the deposits may go to. */
export async function lockMatchContext(
  connection: Connection,
  deposits: readonly DepositRecord[],
): Promise<MatchContext> {
  await holdAgainstTopUps(connection, deposits.map(referenceOfBank));
  const context = await load(connection, deposits, ({ references, open }) =>
    lockCandidates(connection, references, open),
  );
  if (balanceCustomers(context.evidence.values()).length === 0) return context;
  // Balances are taken together with the feeds of the trades' customers, so that two batches take them in one order.
  await lockBalances(connection, [...context.customers.keys()]);
  // Another deposit may have taken the place of one of the top-ups before.
  return withTopUps(context, await topUpsOf(connection, deposits));
}

async function load(
  connection: Queryable,
  deposits: readonly DepositRecord[],
  find: (sought: SoughtTransactions) => Promise<TransactionRow[]>,
  areAnew = false,
): Promise<MatchContext> {
  const settings = await rulesInForce(connection);
  const evidence = await evidenceOf(connection, deposits, areAnew);
  const rows = await find(soughtTransactions(deposits, evidence));
  const ids = new Set([...rows.map((row) => row.customer_id), ...balanceCustomers(evidence.values())]);
  const customers = ids.size === 0 ? [] : await payingCustomers(connection, [...ids]);
  const byId = new Map(customers.map((customer) => [customer.id, customer]));
  return withTransactions({ evidence, customers: byId, settings }, rows);
}

/** The same with other trades, or with these as they are by now. */
export function withTransactions(
  context: Omit<MatchContext, 'rows' | 'receivables'>,
  rows: readonly TransactionRow[],
): MatchContext {
  return {
    ...context,
    rows: new Map(rows.map((row) => [row.id, row])),
    receivables: rows.map(receivableOf),
  };
}

async function evidenceOf(
  connection: Queryable,
  deposits: readonly DepositRecord[],
  areAnew: boolean,
): Promise<Map<string, PayerEvidence>> {
  const accounts = new Set(deposits.flatMap(houseAccounts));
  const remitters = new Set(deposits.flatMap((deposit) => remitterAccount(deposit) ?? []));
  const owners = accounts.size === 0 ? [] : await virtualAccountOwners(connection, [...accounts]);
  const payers = remitters.size === 0 ? [] : await remitterOwners(connection, [...remitters]);
  const named = [...new Set(deposits.flatMap(referencesOf))];
  const balances = await balanceOwners(connection, named);
  const topUps = await topUpsOf(connection, deposits, areAnew);
  return new Map(
    deposits.map((deposit) => {
      const references = referencesOf(deposit);
      const own = houseAccounts(deposit);
      const remitter = remitterAccount(deposit);
      const evidence: PayerEvidence = {
        references,
        accountOwner: owners.find((owner) => own.includes(owner.account))?.customerId ?? null,
        remitterOf: payers.filter((payer) => payer.account === remitter).map((payer) => payer.customerId),
        balances: balances.filter(({ reference }) => references.includes(reference)),
        topUps: topUps.get(deposit.id) ?? [],
      };
      return [deposit.id, evidence];
    }),
  );
}

/** What is known of money before it is a deposit. */
interface Payment {
  readonly remittanceText: string | null;
  /** The house's account for one customer that it was paid to. */
  readonly virtualAccount: string | null;
  readonly remitterAccount: string | null;
}

/** Customers whose trades or balances payments name, or that have paid from their accounts before: UUIDs, payment by payment. */
export async function payersOf(connection: Queryable, payments: readonly Payment[]): Promise<string[][]> {
  const plain = (text: string | null) => (text === null ? [] : [plainAccount(text)]);
  const named = payments.map(({ remittanceText }) => extractReferences(remittanceText ?? ''));
  const references = [...new Set(named.flat())];
  const trades = await tradeOwners(connection, references);
  const owners = [...trades, ...(await balanceOwners(connection, references))];
  const own = await virtualAccountOwners(
    connection,
    payments.flatMap((each) => plain(each.virtualAccount)),
  );
  const before = await remitterOwners(
    connection,
    payments.flatMap((each) => plain(each.remitterAccount)),
  );
  return payments.map(({ virtualAccount, remitterAccount }, at) => {
    const found = [
      ...owners.filter(({ reference }) => named[at]?.includes(reference)),
      ...own.filter(({ account }) => plain(virtualAccount).includes(account)),
      ...before.filter(({ account }) => plain(remitterAccount).includes(account)),
    ];
    return [...new Set(found.map(({ customerId }) => customerId))].sort();
  });
}

/** The top-ups by hand that each deposit may be the money of, by deposit. */
async function topUpsOf(
  connection: Queryable,
  deposits: readonly DepositRecord[],
  areAnew = false,
): Promise<ReadonlyMap<string, readonly BookedTopUp[]>> {
  const booked = await bookedByHand(
    connection,
    deposits.map(referenceOfBank),
    areAnew ? deposits.map(({ id }) => id) : [],
  );
  return new Map(
    deposits.map((deposit) => [deposit.id, booked.filter((each) => isUnderReference(each, deposit))]),
  );
}

function withTopUps(
  context: MatchContext,
  topUps: ReadonlyMap<string, readonly BookedTopUp[]>,
): MatchContext {
  const evidence = new Map(
    [...context.evidence].map(([id, each]) => [id, { ...each, topUps: topUps.get(id) ?? [] }]),
  );
  return { ...context, evidence };
}

/** The same without top-ups whose places deposits have taken. @param replaced their ids */
export function withoutTopUps(context: MatchContext, replaced: ReadonlySet<string>): MatchContext {
  if (replaced.size === 0) return context;
  const left = [...context.evidence].map(
    ([id, { topUps }]) => [id, topUps.filter((each) => !replaced.has(each.id))] as const,
  );
  return withTopUps(context, new Map(left));
}

export function evidenceFor({ id }: DepositRecord, { evidence }: MatchContext): PayerEvidence {
  const found = evidence.get(id);
  if (found === undefined) throw new Error(`nothing was looked up about deposit ${id}`);
  return found;
}

/** Whether a top-up by hand was booked under the reference of the deposit. */
export function isUnderReference(booked: BookedTopUp, deposit: DepositRecord): boolean {
  return booked.bankReference === referenceOfBank(deposit) && booked.currency === deposit.currency;
}

/** Valid payment references that the text names, without repeats. */
function referencesOf({ remittanceText }: DepositRecord): string[] {
  return extractReferences(remittanceText ?? '');
}

/** Everybody whose balance one of the deposits may go to. */
function balanceCustomers(evidence: Iterable<PayerEvidence>): string[] {
  return [...evidence].flatMap(({ balances, accountOwner, topUps }) => [
    ...[...balances, ...topUps].map(({ customerId }) => customerId),
    ...(accountOwner === null ? [] : [accountOwner]),
  ]);
}

function soughtTransactions(
  deposits: readonly DepositRecord[],
  evidence: ReadonlyMap<string, PayerEvidence>,
): SoughtTransactions {
  const references = new Set<string>();
  const open = new Map<string, OpenTransactionsOf>();
  for (const { id, currency } of deposits) {
    const known = evidence.get(id);
    for (const reference of known?.references ?? []) references.add(reference);
    for (const customerId of [known?.accountOwner ?? [], known?.remitterOf ?? []].flat()) {
      open.set(`${customerId} ${currency}`, { customerId, currency });
    }
  }
  return { references: [...references], open: [...open.values()] };
}

export interface PayingCustomer extends Pick<Row<'customers'>, 'id' | 'name'> {
  readonly thirdPartyPayments: 'accept' | 'hold' | null;
  /** Other names under which it pays. */
  readonly payerNames: readonly string[];
  /** Accounts that it is paid to, capitals and digits only: its own. */
  readonly ownAccounts: readonly string[];
  readonly isPreFunded: boolean;
}
