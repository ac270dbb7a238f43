import { HOUSE_ID } from '../ledger/journal.ts';
import { readPairPositions } from '../ledger/pair-positions.ts';
import { readPositions, readPositionsBefore } from '../ledger/positions.ts';
import { readTrialBalance, type TrialCurrency } from '../ledger/trial-balance.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { firstEntryIn, type JournalRow, postingsInOrder, type RevenueRow, revenueOf } from './money-store.ts';
import type { Report, Row } from './report.ts';
import { amountText } from './trade-reports.ts';

const DAY_MS = 86_400_000;

/** What the spread earned, as it stands in the ledger: the sum is the change of the markup account in the period. */
export const SPREAD_REVENUE: Report = {
  name: 'spread-revenue',
  async *rows({ database }, parameters) {
    const { to = 0 } = parameters;
    let from: number | undefined = parameters.from ?? 0;
    // A day at a time: what is held in memory is the customers and pairs of one day. Days without entries are skipped.
    for (;;) {
      from = await firstEntryIn(database, from, to);
      if (from === undefined) return {};
      const end = Math.min(from - (from % DAY_MS) + DAY_MS, to);
      yield (await revenueOf(database, from, end, parameters)).map(revenueRow);
      if (end >= to) return {};
      from = end;
    }
  },
};

function revenueRow(row: RevenueRow): Row {
  return {
    date: row.day,
    customerId: typeId('cus', row.customer_id),
    customerName: row.customer_name,
    pair: row.pair,
    currency: row.currency,
    trades: row.trades,
    volumeUsd: amountText(row.volume_usd, 'USD'),
    earned: amountText(row.earned, row.currency),
    cancelled: amountText(row.cancelled, row.currency),
    net: amountText(row.net, row.currency),
  };
}

/** Columns from the ledger: all accounts but the position, so that a row adds up; each on its normal side, so that money owed to customers is positive. */
const LEDGER_COLUMNS = [
  ['bank', 'bank', 1],
  ['owedByCustomers', 'customer_receivable', 1],
  ['owedToCustomers', 'customer_payable', -1],
  ['overpaid', 'customer_excess', -1],
  ['suspense', 'suspense', -1],
  ['markup', 'markup_revenue', -1],
  ['charges', 'charges', 1],
  ['customerBalances', 'customer_balance', -1],
  ['owedToRemitters', 'returns_payable', -1],
  ['closeOutResult', 'close_out_result', 1],
  ['bankCharges', 'bank_charges', 1],
  ['interest', 'interest', -1],
  ['houseFunds', 'house_funds', -1],
] as const;

/** The house in each currency, now or before an instant: position with its result, and what is owed and held. */
export const EXPOSURE: Report = {
  name: 'exposure',
  async *rows({ database, book, now }, { to: before }) {
    const { positions } =
      before === undefined
        ? await readPositions(database, book, now, undefined)
        : await readPositionsBefore(database, before, undefined);
    const { currencies } = await readTrialBalance(database, {}, before, now);
    yield currencies.map((each): Row => {
      const position = positions.find(({ currency }) => currency === each.currency);
      return {
        currency: each.currency,
        position: position?.position ?? amountText(0n, each.currency),
        pair: position?.mid?.pair ?? null,
        mid: position?.mid?.value ?? null,
        midStale: position?.mid?.stale ?? null,
        valueUsd: position === undefined ? '0.00' : position.valueUsd,
        realisedUsd: position === undefined ? '0.00' : position.realisedUsd,
        unrealisedUsd: position === undefined ? '0.00' : position.unrealisedUsd,
        ...Object.fromEntries(
          LEDGER_COLUMNS.map(([name, account, sign]) => [name, balanceText(each, account, sign)]),
        ),
      };
    });
    return {};
  },
};

/** What the house has of each pair now, and what came of it. */
export const PAIR_POSITIONS: Report = {
  name: 'pair-positions',
  async *rows({ database, book, now }) {
    const { pairs } = await readPairPositions(database, book, now);
    yield pairs.map(({ mid, realised, realisedUsd, unrealisedUsd, resultUsd, ...traded }) => ({
      ...traded,
      mid: mid?.value ?? null,
      midStale: mid?.stale ?? null,
      ...{ realised, realisedUsd, unrealisedUsd, resultUsd },
    }));
    return {};
  },
};

/** Every account with its balance on the side where it lies; debits and credits are equal in each currency. */
export const TRIAL_BALANCE: Report = {
  name: 'trial-balance',
  async *rows({ database, now }, { to: before, customerId, currency }) {
    const { currencies } = await readTrialBalance(database, { customerId, currency }, before, now);
    yield currencies.flatMap((each) =>
      each.accounts.map((line): Row => ({ currency: each.currency, ...line })),
    );
    const wrong = currencies.filter(({ debit, credit }) => debit !== credit).map((each) => each.currency);
    return wrong.length === 0
      ? { balanced: true }
      : { balanced: false, alarm: `Debits and credits differ in ${wrong.join(', ')}.` };
  },
};

/** What was booked in a period, for the books of the house: its debits and credits are equal in each currency, and the ledger's change. */
export const JOURNAL: Report = {
  name: 'journal',
  async *rows({ database }, parameters) {
    for await (const postings of postingsInOrder(database, parameters)) yield postings.map(journalRow);
    return {};
  },
};

function journalRow(row: JournalRow): Row {
  const amount = BigInt(row.amount);
  const bookedAt = isoInstant(row.at);
  return {
    date: bookedAt.slice(0, 10),
    bookedAt,
    entryId: typeId('je', row.id),
    line: row.line,
    kind: row.kind,
    customerId: row.customer_id === HOUSE_ID ? null : typeId('cus', row.customer_id),
    customerName: row.customer_name,
    account: row.account,
    currency: row.currency,
    debit: amount > 0n ? amountText(amount, row.currency) : null,
    credit: amount < 0n ? amountText(-amount, row.currency) : null,
    transactionId: row.transaction_id === null ? null : typeId('txn', row.transaction_id),
    depositId: row.deposit_id === null ? null : typeId('dep', row.deposit_id),
    withdrawalId: row.withdrawal_id === null ? null : typeId('wdr', row.withdrawal_id),
    reference: row.reference,
    bankReference: row.bank_reference,
  };
}

/** Exact text of a balance on the given side: 1 for debits, -1 for credits. */
function balanceText({ currency, accounts }: TrialCurrency, account: string, sign: 1 | -1): string {
  const line = accounts.find((each) => each.account === account);
  if (line === undefined) return amountText(0n, currency);
  const [own, other] = sign === 1 ? [line.debit, line.credit] : [line.credit, line.debit];
  return /[1-9]/.test(other) ? `-${other}` : own;
}
