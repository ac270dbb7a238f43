import { compact } from '@firmquote/bank-formats';
import { collectionAccounts } from '../customers/collection-accounts.ts';
import { type Connection, inTransaction, type Queryable } from '../database/pool.ts';
import { followListed } from './follow-statement.ts';
import { statementFacts, waitingDetails } from './known-store.ts';
import {
  adoptAccount,
  filedUnder,
  fileUnder,
  statementsUnder,
  unknownAccounts,
} from './own-account-store.ts';
import type { StatementsRoom } from './room.ts';
import { isBalanced } from './statement-proof.ts';
import { StatementSameness } from './statement-sameness.ts';
import { lockImports } from './statement-store.ts';

/** An account of the house: the names that banks give it, and the one that its deposits are filed under. */
export interface OwnAccount {
  readonly currency: string;
  readonly account: string;
  readonly iban: string | null;
  readonly accountNumber: string | null;
  readonly routingNumber: string | null;
  readonly bic: string | null;
}

/**
 * The house's account that a statement is about: by IBAN, by number, by number behind routing number or BIC, and by
 * the bank code and number inside a German IBAN, which is how MT940 names accounts there.
 * @param written letters and digits as the bank writes them
 * @param currency decides between accounts of one number
 */
export function ownAccountOf(
  accounts: readonly OwnAccount[],
  written: string,
  currency: string | null,
): OwnAccount | undefined {
  const found = accounts.filter((each) => namesOf(each).includes(written) || isGerman(each, written));
  return (
    found.find((each) => each.currency === currency) ??
    (found.length > 0 && currency === null ? found[0] : sameAccount(found))
  );
}

/** An account in several currencies is filed under one text. Between two accounts there is no guessing. */
function sameAccount(found: readonly OwnAccount[]): OwnAccount | undefined {
  return new Set(found.map((each) => each.account)).size === 1 ? found[0] : undefined;
}

/**
 * An account may be registered otherwise than when its statements came, such as by its IBAN in place of its number. What is filed under
 * the name that it had is filed under the new one, before it is compared with more.
 */
export async function gatherStatements(
  connection: Connection,
  accounts: readonly OwnAccount[],
  own: OwnAccount,
): Promise<void> {
  const names = new Set([...namesOf(own), own.accountNumber ?? '']);
  names.delete(own.account);
  for (const filed of await filedUnder(connection, [...names])) {
    const now = ownAccountOf(accounts, compact(filed.account), filed.currency);
    if (now?.account === own.account) await fileUnder(connection, filed, own.account);
  }
}

function namesOf(account: OwnAccount): string[] {
  const iban = compact(account.iban ?? '');
  const number = compact(account.accountNumber ?? '');
  const routing = compact(account.routingNumber ?? '');
  const bic = compact(account.bic ?? '');
  const plain = [iban, number, iban.slice(4)].filter((name) => name !== '');
  const before = [routing, bic, bic.slice(0, 8)].filter((name) => name !== '');
  return [...plain, ...before.flatMap((front) => plain.map((name) => front + name))];
}

/** DE, two check digits, eight of the bank, ten of the account; statements leave leading zeros of the account out. */
function isGerman({ iban }: OwnAccount, written: string): boolean {
  const text = compact(iban ?? '');
  return (
    /^DE\d{20}$/.test(text) &&
    /^\d{9,18}$/.test(written) &&
    text.slice(4, 12) === written.slice(0, 8) &&
    text.slice(12) === written.slice(8).padStart(10, '0')
  );
}

/** Accounts of nobody that one turn compares with those of the house. */
const UNKNOWN_MAX = 200;

/**
 * Adopts the statements of accounts that were unknown when they came and that an operator has registered since: their
 * entries become due. However many others there are, each has its turn.
 * @param after account that the last turn ended with; empty to begin anew
 * @returns how many accounts were found, and what the next turn begins after
 */
export async function adoptAccounts(
  { pool, clock }: Pick<StatementsRoom, 'pool' | 'clock'>,
  after: string,
): Promise<{ readonly found: number; readonly last: string }> {
  const unknown = await unknownAccounts(pool, after, UNKNOWN_MAX);
  const last = unknown.length < UNKNOWN_MAX ? '' : (unknown.at(-1)?.account ?? '');
  const ownAmong = async (database: Queryable) => {
    const own = unknown.length === 0 ? [] : await ownAccounts(database);
    return unknown.flatMap(({ account, currency }) => {
      const match = ownAccountOf(own, account, currency);
      return match === undefined ? [] : [{ written: account, account: match.account }];
    });
  };
  if ((await ownAmong(pool)).length === 0) return { found: 0, last };
  const found = await inTransaction(pool, async (connection) => {
    await lockImports(connection);
    // An import may take minutes: what was mistyped has been put right by then.
    const registered = await ownAmong(connection);
    for (const { written, account } of registered) {
      if (written !== account) await deduplicateStatements(connection, written, account, clock.now());
      await adoptAccount(connection, written, account);
    }
    return registered.length;
  });
  return { found, last };
}

/** What statements under one name of an account repeat of those that are filed under the other one is booked once. */
async function deduplicateStatements(
  connection: Connection,
  written: string,
  account: string,
  now: number,
): Promise<void> {
  const ids = await statementsUnder(connection, written);
  const statements = await statementFacts(connection, ids);
  for (const id of ids) {
    const facts = statements.get(id);
    if (facts === undefined) continue;
    const sameness = new StatementSameness(connection, account, id);
    const listed = await sameness.deduplicateWritten(await waitingDetails(connection, id), facts, now);
    if (isBalanced(facts)) await followListed(connection, listed, now);
  }
}

/** The collection accounts, filed under the same text as deposits that operators record by hand. */
export async function ownAccounts(connection: Queryable): Promise<OwnAccount[]> {
  const kept = await collectionAccounts(connection);
  return kept.flatMap(({ currency, details }) => {
    const { iban, accountNumber, routingNumber, bic } = JSON.parse(details) as Omit<OwnAccount, 'account'>;
    const account = iban ?? accountNumber;
    return account === null ? [] : [{ currency, account, iban, accountNumber, routingNumber, bic }];
  });
}
