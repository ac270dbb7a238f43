import { formatAmount, knownCurrency } from '@firmquote/fx';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { exportNameOf } from './accounts.ts';
import { HOUSE_ID } from './journal.ts';
import type { BalanceRow, EntryRow } from './store.ts';

/**
 * The journal as text for hledger (hledger.org, journal format): commodities with their decimals, every account
 * declared, one transaction an entry in the order of time, and at the end the balances as the service keeps them, as
 * assertions. `hledger check balancednoautoconversion accounts commodities ordereddates` on it proves without this
 * service's code that each entry balances in each currency and that balances are the sums of the postings.
 *
 * No text that a caller wrote is in it, so nothing has to be escaped: names are ids and codes.
 */

/** `assets:bank:cus_…:EUR`; what belongs to no customer is under `house`. */
export function exportAccount(account: string, customerId: string, currency: string): string {
  return `${exportNameOf(account)}:${ownerName(customerId)}:${currency}`;
}

export function ownerName(customerId: string): string {
  return customerId === HOUSE_ID ? 'house' : typeId('cus', customerId);
}

/** Declarations, which come first. @param at instant of the export */
export function hledgerHead(balances: readonly BalanceRow[], at: number): string {
  const currencies = [...new Set(balances.map(({ currency }) => currency))].sort();
  const lines = [
    `; Firmquote journal, exported ${isoInstant(at)}. Dates are UTC; amounts are debits, negative ones credits.`,
    'decimal-mark .',
    ...currencies.map((code) => `commodity ${sampleAmount(code)} ${code}`),
    ...balances.map((row) => `account ${exportAccount(row.account, row.customerId, row.currency)}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** hledger takes the decimals from the sample; one without decimals must still show its point. */
function sampleAmount(code: string): string {
  const { minorUnits } = knownCurrency(code);
  return `1000.${'0'.repeat(minorUnits)}`;
}

/** One entry, with an empty line before it. */
export function hledgerEntry(entry: EntryRow): string {
  const instant = isoInstant(entry.at);
  const tags = [
    ...(entry.transactionId === null ? [] : [`txid:${typeId('txn', entry.transactionId)}`]),
    ...(entry.depositId === null ? [] : [`deposit:${typeId('dep', entry.depositId)}`]),
    ...(entry.withdrawalId === null ? [] : [`withdrawal:${typeId('wdr', entry.withdrawalId)}`]),
    `at:${instant}`,
  ];
  let text = `\n${instant.slice(0, 10)} * (${typeId('je', entry.id)}) ${entry.kind}  ; ${tags.join(', ')}\n`;
  for (const { account, currency, amount } of entry.postings) {
    const name = exportAccount(account, entry.customerId, currency);
    text += `    ${name}  ${formatAmount(amount, knownCurrency(currency))} ${currency}\n`;
  }
  return text;
}

/** What one owner had at the beginning, as an entry; nothing where all of it is zero. @param date its first day */
export function hledgerOpening(balances: readonly BalanceRow[], date: string): string {
  const kept = balances.filter(({ balance }) => balance !== 0n);
  const [first] = kept;
  if (first === undefined) return '';
  let text = `\n${date} * opening balances of ${ownerName(first.customerId)}\n`;
  for (const { account, customerId, currency, balance } of kept) {
    const name = exportAccount(account, customerId, currency);
    text += `    ${name}  ${formatAmount(balance, knownCurrency(currency))} ${currency}\n`;
  }
  return text;
}

/**
 * The balances of one owner as assertions on postings of zero.
 * @param date of the last entry: dates must not go back
 */
export function hledgerAssertions(balances: readonly BalanceRow[], date: string): string {
  const [first] = balances;
  if (first === undefined) return '';
  let text = `\n${date} * balances of ${ownerName(first.customerId)}\n`;
  for (const { account, customerId, currency, balance } of balances) {
    const known = knownCurrency(currency);
    const name = exportAccount(account, customerId, currency);
    text += `    ${name}  ${formatAmount(0n, known)} ${currency} = ${formatAmount(balance, known)} ${currency}\n`;
  }
  return text;
}
