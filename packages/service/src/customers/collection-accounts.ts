import { isDeepStrictEqual } from 'node:util';
import type { PostalAddress } from '@firmquote/bank-formats';
import { tradeDateAt } from '@firmquote/fx';
import { afterCommit } from '../database/enclosure.ts';
import { inTransaction, type Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { type FieldError, Problem, validationProblem } from '../problems/problem.ts';
import {
  type CollectionAccount,
  type CollectionDetails,
  insertCollectionAccounts,
  listCollectionAccounts,
  readCollectionRows,
  releaseNextAccount,
  takeDueAccounts,
  updateCollectionAccounts,
} from './account-store.ts';
import { type AccountInput, checkCurrency, checkLei, readBankAccount } from './bank-account.ts';
import { checkPostalAddress } from './postal-address.ts';
import type { CustomersRoom } from './room.ts';

interface CollectionAccountInput extends AccountInput {
  readonly accountHolder: string;
  readonly bankName?: string | null;
  /** Names of the ways in which the account takes payments, such as `fedwire`. */
  readonly rails?: readonly string[];
  /** Of the holder, as payment files state it. */
  readonly holderAddress?: PostalAddress | null;
  /** Legal entity identifier of the holder, as payment files state it. */
  readonly holderLei?: string | null;
}

const PLACE = [
  'accountHolder',
  'bankName',
  'bic',
  'accountNumber',
  'routingNumber',
  'iban',
  'rails',
] as const satisfies readonly (keyof CollectionDetails)[];

/**
 * Sets the house's account that customers pay a currency into and that payouts leave from. Another one than there is waits beside
 * it, as new accounts of customers do; the first one of a currency replaces nothing. Transactions that exist keep the account
 * they were executed with.
 * @throws Problem validation_failed
 */
export async function setCollectionAccount(
  room: CustomersRoom,
  currency: string,
  input: CollectionAccountInput,
): Promise<CollectionAccount> {
  const account = collectionAccountOf(currency, input, room.clock.now());
  return (await setCollectionAccounts(room, [account]))[0] ?? account;
}

/** The same for several currencies, all or none. */
export async function setCollectionAccounts(
  room: CustomersRoom,
  accounts: readonly CollectionAccount[],
): Promise<readonly CollectionAccount[]> {
  const set = await inTransaction(room.pool, async (connection) => {
    const replaced = await insertCollectionAccounts(connection, accounts);
    // What has waited long enough is in use, whether or not the sweep was here.
    await takeDueAccounts(connection, room.clock.now());
    const kept = await listCollectionAccounts(connection, replaced, true);
    const waitMs = (await room.accountWaitMs?.(connection)) ?? 0;
    const after = accounts.map((wanted) => {
      const before = kept.find(({ currency }) => currency === wanted.currency);
      return before === undefined ? wanted : replacedBy(before, wanted, waitMs);
    });
    await updateCollectionAccounts(connection, after);
    return after;
  });
  await afterCommit(() => room.directory.collectionAccountsChanged());
  return set;
}

/** What is kept of a currency once another account is set: another place to pay to waits, anything else is so at once. */
function replacedBy(kept: CollectionAccount, wanted: CollectionAccount, waitMs: number): CollectionAccount {
  if (waitMs === 0 || isSamePlace(kept, wanted)) return wanted;
  const { currency: _, updatedAt, next: __, ...account } = wanted;
  const waits = kept.next !== null && isSamePlace(kept.next, wanted) ? kept.next : undefined;
  return { ...kept, next: { ...account, usableFrom: waits?.usableFrom ?? updatedAt + waitMs } };
}

/** What customers see: all but what only payment files state of the holder. */
function isSamePlace(one: CollectionDetails, other: CollectionDetails): boolean {
  return PLACE.every((member) => isDeepStrictEqual(one[member], other[member]));
}

/**
 * Has an account of the house that waits used from now on. Where none waits nothing changes.
 * @throws Problem settlement_instructions_missing
 */
export async function releaseCollectionAccount(
  room: CustomersRoom,
  currency: string,
): Promise<CollectionAccount> {
  return inTransaction(room.pool, async (connection) => {
    await releaseNextAccount(connection, currency, room.clock.now());
    const [account] = await listCollectionAccounts(connection, [currency]);
    if (account !== undefined) return account;
    throw new Problem('settlement_instructions_missing', `The house has no account in ${currency}.`);
  });
}

/**
 * The house's accounts as they are kept, of all currencies or of some, in the order of the currencies. Who asks makes of them what
 * it needs: the account that a payment goes from, the one that a statement is about.
 */
export function collectionAccounts(
  connection: Queryable,
  currencies?: readonly string[],
): Promise<Row<'collection_accounts'>[]> {
  return readCollectionRows(connection, currencies);
}

/** @throws Problem validation_failed */
export function collectionAccountOf(
  currency: string,
  input: CollectionAccountInput,
  now: number,
): CollectionAccount {
  const errors: FieldError[] = [];
  checkCurrency(currency, tradeDateAt(now), '', errors);
  const account = readBankAccount(input, errors);
  const holderAddress = input.holderAddress ?? null;
  checkPostalAddress(holderAddress, '/holderAddress', errors);
  const holderLei = input.holderLei ?? null;
  checkLei(holderLei, '/holderLei', errors);
  if (errors.length > 0) throw validationProblem(errors);
  return {
    // In the order in which transactions show them: the text is kept as it is written.
    accountHolder: input.accountHolder,
    bankName: input.bankName ?? null,
    bic: account.bic,
    accountNumber: account.accountNumber,
    routingNumber: account.routingNumber,
    iban: account.iban,
    rails: input.rails ?? [],
    holderAddress,
    holderLei,
    currency,
    updatedAt: now,
    next: null,
  };
}
