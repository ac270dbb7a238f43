import type { PostalAddress } from '@firmquote/bank-formats';
import { tradeDateAt } from '@firmquote/fx';
import { afterCommit, current } from '../database/enclosure.ts';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { type FieldError, validationProblem } from '../problems/problem.ts';
import { type CollectionAccount, readCollectionRows, writeCollectionAccounts } from './account-store.ts';
import { type AccountInput, checkCurrency, checkLei, readBankAccount } from './bank-account.ts';
import { checkPostalAddress } from './postal-address.ts';
import type { CustomersRoom } from './room.ts';

interface CollectionAccountInput extends AccountInput {
  readonly accountHolder: string;
  readonly bankName?: string | null;
  /** Names of the ways in which the account takes payments, such as `fedwire`. */
  readonly rails?: readonly string[];
  /** Of the holder, as payment files tell banks. */
  readonly holderAddress?: PostalAddress | null;
  /** Legal entity identifier of the holder, as payment files tell banks. */
  readonly holderLei?: string | null;
}

/**
 * Sets the house's account that customers pay a currency into. Transactions that exist keep the account they were
 * executed with.
 * @throws Problem validation_failed
 */
export async function setCollectionAccount(
  room: CustomersRoom,
  currency: string,
  input: CollectionAccountInput,
): Promise<CollectionAccount> {
  const account = collectionAccountOf(currency, input, room.clock.now());
  await setCollectionAccounts(room, [account]);
  return account;
}

/** The same for several currencies, all or none. */
export async function setCollectionAccounts(
  room: CustomersRoom,
  accounts: readonly CollectionAccount[],
): Promise<void> {
  await writeCollectionAccounts(current(room.pool), accounts);
  await afterCommit(() => room.directory.collectionAccountsChanged());
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
  };
}
