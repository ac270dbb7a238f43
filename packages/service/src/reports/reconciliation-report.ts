import { type BankReconciliation, readBankReconciliation } from '../bank-statements/bank-reconciliation.ts';
import { type ReceivedRow, receivedBetween, type SuspenseRow, suspenseNow } from './money-store.ts';
import type { Report, Row } from './report.ts';
import { amountText } from './trade-reports.ts';

const ADDS_UP = 'adds_up';
const DOES_NOT = 'DOES_NOT_ADD_UP';

/**
 * Whether all that arrived is accounted for:
 *
 *   received = matched + returned + in exceptions        for each account of the house and currency
 *   received = what the journal has booked of it
 *   money without a trade = the suspense account         for each currency, now
 *   bank − ledger = what only one of them has            for each currency, now
 *
 * Received is from the deposits, matched from the allocations, booked from the journal, so that a mistake in one of
 * them shows. What was paid too much is in exceptions until somebody has seen to it.
 */
export const RECONCILIATION: Report = {
  name: 'reconciliation',
  async *rows({ database }, parameters) {
    const received = (await receivedBetween(database, parameters)).map(receivedRow);
    const suspense = (await suspenseNow(database, parameters)).map(suspenseRow);
    const banks = await readBankReconciliation(database, parameters.currency);
    const rows = [...received, ...suspense, ...banks.map(bankRow)];
    yield rows;
    const wrong = rows.filter(({ result }) => result !== ADDS_UP);
    if (wrong.length === 0) return { balanced: true };
    const where = wrong.map(({ check, account, currency }) => `${check} ${account ?? 'house'} ${currency}`);
    return {
      balanced: false,
      alarm: `The books do not add up: ${where.join('; ')}. Do not close the day; the rows with ${DOES_NOT} say by how much.`,
    };
  },
};

function receivedRow(row: ReceivedRow): Row {
  const text = (minor: bigint) => amountText(minor, row.currency);
  const received = BigInt(row.received);
  const excess = BigInt(row.excess);
  const inExceptions = BigInt(row.open) + excess;
  const difference = received - BigInt(row.matched) - BigInt(row.returned) - inExceptions;
  const ledgerDifference = received - BigInt(row.booked);
  return {
    check: 'received',
    account: row.account,
    currency: row.currency,
    deposits: row.deposits,
    received: text(received),
    matched: text(BigInt(row.matched)),
    returned: text(BigInt(row.returned)),
    inExceptions: text(inExceptions),
    ofWhichExcess: text(excess),
    difference: text(difference),
    bookedInLedger: text(BigInt(row.booked)),
    ledgerDifference: text(ledgerDifference),
    result: difference === 0n && ledgerDifference === 0n ? ADDS_UP : DOES_NOT,
    ...NO_BANK,
  };
}

function suspenseRow(row: SuspenseRow): Row {
  const text = (minor: bigint) => amountText(minor, row.currency);
  const open = BigInt(row.open);
  const suspense = BigInt(row.suspense);
  return {
    check: 'suspense_now',
    account: null,
    currency: row.currency,
    deposits: row.deposits,
    received: null,
    matched: null,
    returned: null,
    inExceptions: text(open),
    ofWhichExcess: null,
    difference: null,
    bookedInLedger: text(suspense),
    ledgerDifference: text(open - suspense),
    result: open === suspense ? ADDS_UP : DOES_NOT,
    ...NO_BANK,
  };
}

const NO_BANK = { bankBalance: null, bankOpening: null, openItems: null, unexplained: null };

/** What the banks have, what the ledger has at banks, and what only one of them has. */
function bankRow(each: BankReconciliation): Row {
  const text = (minor: bigint) => amountText(minor, each.currency);
  const items = each.items.reduce((sum, { amount_minor: minor }) => sum + BigInt(minor), 0n);
  return {
    check: 'bank_now',
    account: null,
    currency: each.currency,
    deposits: null,
    received: null,
    matched: null,
    returned: null,
    inExceptions: null,
    ofWhichExcess: null,
    difference: null,
    bookedInLedger: text(each.ledgerMinor),
    ledgerDifference: text(each.differenceMinor),
    result: each.unexplainedMinor === 0n ? ADDS_UP : DOES_NOT,
    bankBalance: text(each.bankMinor),
    bankOpening: text(each.openingMinor - each.beforeMinor),
    openItems: text(items),
    unexplained: text(each.unexplainedMinor),
  };
}
