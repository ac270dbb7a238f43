import { isIban } from '@firmquote/bank-formats';
import { collectionAccounts } from '../customers/collection-accounts.ts';
import type { Queryable } from '../database/pool.ts';
import { type DepositRecord, plainAccount } from './record.ts';
import { findByBankReference } from './store.ts';

/** An account of the house, and the texts that deposits on it are or were filed under. */
interface FiledAccount {
  readonly currency: string;
  readonly filed: string;
  /** Also the number that it was registered by before it had an IBAN. */
  readonly names: readonly string[];
}

export async function filedAccounts(connection: Queryable): Promise<FiledAccount[]> {
  return (await collectionAccounts(connection)).flatMap(({ currency, details }) => {
    const { iban, accountNumber } = JSON.parse(details) as Readonly<
      Record<'iban' | 'accountNumber', string | null | undefined>
    >;
    const names = [iban, accountNumber].flatMap((name) => name ?? []);
    const [filed] = names;
    return filed === undefined ? [] : [{ currency, filed, names }];
  });
}

/**
 * The deposit of an entry: what is filed under another text of the account, before it had this one, is the same as long as it is of
 * the same currency.
 * @param deposits those with the bank's reference of the entry
 */
export function depositUnder(
  accounts: readonly FiledAccount[],
  deposits: readonly DepositRecord[],
  { account, currency }: { readonly account: string; readonly currency: string },
): DepositRecord | undefined {
  const names = namesOf(accounts, account, currency);
  return (
    deposits.find((each) => each.account === account) ??
    deposits.find((each) => each.currency === currency && names.includes(each.account))
  );
}

/** All texts of the account that is filed under one. */
export function namesOf(accounts: readonly FiledAccount[], filed: string, currency: string): string[] {
  const same = accounts.filter((each) => each.filed === filed && each.currency === currency);
  return [...new Set([filed, ...same.flatMap(({ names }) => names)])];
}

/**
 * The text that a deposit is filed under which a person records: by two texts of an account one entry would be two deposits. What is
 * known under another one is known by that.
 * @param written the house's account as a person writes it; undefined: the one that customers pay the currency into
 */
export async function accountToFileUnder(
  connection: Queryable,
  written: string | undefined,
  { currency, bankReference }: { readonly currency: string; readonly bankReference: string },
): Promise<string> {
  const accounts = await filedAccounts(connection);
  const filed =
    written === undefined
      ? // Without an account of its own the currency still has a place where its money is.
        (accounts.find((each) => each.currency === currency)?.filed ?? `collection:${currency}`)
      : filedAs(accounts, written, currency);
  const names = new Set([...namesOf(accounts, filed, currency), written ?? filed]);
  if (names.size === 1) return filed;
  const known = await findByBankReference(
    connection,
    [...names].map((account) => ({ account, bankReference })),
  );
  const spelled = known.find((each) => each.account === written);
  return (depositUnder(accounts, known, { account: filed, currency }) ?? spelled)?.account ?? filed;
}

function filedAs(accounts: readonly FiledAccount[], written: string, currency: string): string {
  const plain = plainAccount(written);
  const own = accounts.filter(({ names }) => names.some((name) => plainAccount(name) === plain));
  const isOne = new Set(own.map(({ filed }) => filed)).size === 1;
  // Between two accounts of one number there is no guessing.
  const named = own.find((each) => each.currency === currency) ?? (isOne ? own[0] : undefined);
  return named?.filed ?? asBanksWrite(written);
}

/** An IBAN without the blanks that people put into it; any other account as it is written. */
export function asBanksWrite(account: string): string {
  const plain = plainAccount(account);
  return isIban(plain) ? plain : account;
}
