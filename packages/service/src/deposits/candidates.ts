import { extractReferences } from '@firmquote/fx';
import { type BalanceOwner, type BookedTopUp, balanceOwners, bookedByHand } from '../balances/balances.ts';
import type { Connection, Queryable } from '../database/pool.ts';
import type { TransactionRow } from '../transactions/record.ts';
import {
  type AccountOwner,
  lockCandidates,
  OPEN_TRADES_MAX,
  type OpenTradesOf,
  type PayingCustomer,
  payingCustomers,
  remitterOwners,
  virtualAccountOwners,
} from './candidate-store.ts';
import { isNameOf } from './payer-name.ts';
import type { DepositRecord } from './record.ts';
import { type Candidates, isExpecting, type Target } from './target.ts';

/** What is known of a deposit before any trade is looked at. */
export interface Origin {
  readonly references: readonly string[];
  /** Owner of the virtual account that it came in on. */
  readonly accountOwner: string | null;
  /** Customers that have paid from the remitter's account before. */
  readonly remitterOf: readonly string[];
  /** Balances that the text names. */
  readonly balances: readonly BalanceOwner[];
  /** Customers of those balances, or of the account, for whom an operator has booked this very booking by hand. */
  readonly bookedFor: readonly string[];
}

/** An account as it is compared: capitals and digits only. */
export function plainAccount(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

/** Origins of deposits, by deposit id. */
export async function originsOf(
  connection: Queryable,
  deposits: readonly DepositRecord[],
): Promise<Map<string, Origin>> {
  const accounts = new Set(deposits.flatMap(houseAccounts));
  const remitters = new Set(deposits.flatMap((deposit) => remitterAccount(deposit) ?? []));
  const owners = accounts.size === 0 ? [] : await virtualAccountOwners(connection, [...accounts]);
  const payers = remitters.size === 0 ? [] : await remitterOwners(connection, [...remitters]);
  const named = [...new Set(deposits.flatMap(referencesOf))];
  const balances = await balanceOwners(connection, named);
  const known = { owners, payers, balances };
  const origins = new Map(deposits.map((deposit) => [deposit.id, originOf(deposit, known)]));
  return withBookedByHand(connection, deposits, origins);
}

/** The origins with what operators have booked by hand as it is now: it stays so while the customers' balances are held. */
export async function withBookedByHand(
  connection: Queryable,
  deposits: readonly DepositRecord[],
  origins: ReadonlyMap<string, Origin>,
): Promise<Map<string, Origin>> {
  const booked = await bookedByHand(
    connection,
    [...new Set(balanceCustomers(origins.values()))],
    deposits.map(({ bankReference }) => bankReference),
  );
  return new Map(
    deposits.flatMap((deposit) => {
      const origin = origins.get(deposit.id);
      if (origin === undefined) return [];
      const bookedFor = booked
        .filter((each) => isSameMoney(each, deposit))
        .map(({ customerId }) => customerId);
      return [[deposit.id, { ...origin, bookedFor }]];
    }),
  );
}

interface Known {
  readonly owners: readonly AccountOwner[];
  readonly payers: readonly AccountOwner[];
  readonly balances: readonly BalanceOwner[];
}

function originOf(deposit: DepositRecord, { owners, payers, balances }: Known): Origin {
  const references = referencesOf(deposit);
  const accounts = houseAccounts(deposit);
  const remitter = remitterAccount(deposit);
  return {
    references,
    accountOwner: owners.find((owner) => accounts.includes(owner.account))?.customerId ?? null,
    remitterOf: payers.filter((payer) => payer.account === remitter).map((payer) => payer.customerId),
    balances: balances.filter(({ reference }) => references.includes(reference)),
    bookedFor: [],
  };
}

/** Whether a top-up by hand was booked under the reference of the deposit, and as much. */
export function isSameMoney(booked: BookedTopUp, deposit: DepositRecord): boolean {
  return (
    booked.bankReference === deposit.bankReference &&
    booked.currency === deposit.currency &&
    BigInt(booked.amountMinor) === deposit.amountMinor
  );
}

/** Valid payment references that the text names, without repeats. */
function referencesOf({ remittanceText }: DepositRecord): string[] {
  return extractReferences(remittanceText ?? '');
}

/** Everybody whose balance one of the deposits may go to. */
export function balanceCustomers(origins: Iterable<Origin>): string[] {
  return [...origins].flatMap(({ balances, accountOwner }) => [
    ...balances.map(({ customerId }) => customerId),
    ...(accountOwner === null ? [] : [accountOwner]),
  ]);
}

/** The house's account that a deposit came in on, and the virtual one, as they are compared. */
export function houseAccounts(deposit: DepositRecord): string[] {
  return [deposit.virtualAccount ?? '', deposit.account].map(plainAccount).filter((text) => text !== '');
}

export function remitterAccount(deposit: DepositRecord): string | undefined {
  return plainAccount(deposit.remitterAccount ?? '') || undefined;
}

/** Locks every trade that one of the deposits may be for. */
export async function lockTrades(
  connection: Connection,
  deposits: readonly DepositRecord[],
  origins: ReadonlyMap<string, Origin>,
): Promise<TransactionRow[]> {
  const references = new Set<string>();
  const open = new Map<string, OpenTradesOf>();
  for (const { id, currency } of deposits) {
    const origin = origins.get(id);
    for (const reference of origin?.references ?? []) references.add(reference);
    for (const customerId of [origin?.accountOwner ?? [], origin?.remitterOf ?? []].flat()) {
      open.set(`${customerId} ${currency}`, { customerId, currency });
    }
  }
  return lockCandidates(connection, [...references], [...open.values()]);
}

/** Of the trades, those that a deposit may be for. */
export function candidatesFor(
  deposit: DepositRecord,
  origin: Origin,
  targets: readonly Target[],
  customers: ReadonlyMap<string, PayingCustomer>,
): Candidates & { readonly isTooMany: boolean } {
  const openOf = (customerIds: readonly string[]) =>
    targets.filter(
      (target) =>
        customerIds.includes(target.customerId) &&
        target.currency === deposit.currency &&
        isExpecting(target.status),
    );
  const byVirtualAccount = origin.accountOwner === null ? [] : openOf([origin.accountOwner]);
  const isTooMany = byVirtualAccount.length > OPEN_TRADES_MAX;
  return {
    byReference: targets.filter((target) => origin.references.includes(target.reference)),
    // Among trades that were not all read nothing can be known to be the only one.
    byVirtualAccount: isTooMany ? [] : byVirtualAccount,
    byRemitter: openOf(origin.remitterOf),
    balances: origin.balances,
    balanceOfAccount:
      origin.accountOwner !== null &&
      byVirtualAccount.length === 0 &&
      customers.get(origin.accountOwner)?.isPreFunded === true
        ? { customerId: origin.accountOwner, reference: null }
        : undefined,
    isTooMany,
  };
}

/** Customers of the trades and of the balances, by id: how they pay, and names to compare payers with. */
export async function customersOf(
  connection: Queryable,
  rows: Iterable<TransactionRow>,
  origins: Iterable<Origin>,
): Promise<Map<string, PayingCustomer>> {
  const ids = new Set([...[...rows].map((row) => row.customer_id), ...balanceCustomers(origins)]);
  if (ids.size === 0) return new Map();
  return new Map((await payingCustomers(connection, [...ids])).map((customer) => [customer.id, customer]));
}

/**
 * Whether the customer is set to have payments of others held, and this one is not known to be its own: from an account
 * that the customer is paid to or that an operator has taken its money from before, or under its name. Who is not named is
 * not known. That money came in on the customer's virtual account says whom it is for, not whose it is.
 */
export function isHeldThirdParty(
  deposit: DepositRecord,
  origin: Origin,
  customer: PayingCustomer | undefined,
): boolean {
  if (customer?.thirdPartyPayments !== 'hold') return false;
  if (origin.remitterOf.includes(customer.id)) return false;
  const account = remitterAccount(deposit);
  if (account !== undefined && customer.ownAccounts.includes(account)) return false;
  const { remitterName: told } = deposit;
  return told === null || ![customer.name, ...customer.payerNames].some((name) => isNameOf(told, name));
}
