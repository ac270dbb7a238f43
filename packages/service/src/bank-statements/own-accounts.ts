import { compact } from '@firmquote/bank-formats';

/** An account of the house: what banks may call it, and what deposits on it are filed under. */
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

/** An account that takes several currencies is filed under one text; two accounts are not to be guessed between. */
function sameAccount(found: readonly OwnAccount[]): OwnAccount | undefined {
  return new Set(found.map((each) => each.account)).size === 1 ? found[0] : undefined;
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
