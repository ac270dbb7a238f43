import * as api from '@firmquote/api/operations/bank-reconciliation';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import { inTransaction } from '../database/pool.ts';
import { serve } from '../http/serve.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { type BankReconciliation, readBankReconciliation } from './bank-reconciliation.ts';
import { type ItemRow, listItems } from './bank-reconciliation-store.ts';
import type { StatementsRoom } from './room.ts';

/** Whether bank and ledger agree, and if not, why. */
export function bankRoutes(app: FastifyInstance, { pool, clock }: StatementsRoom): void {
  serve(app, api.getBankReconciliation, async ({ query }) => {
    const at = clock.now();
    const all = await inTransaction(pool, async (connection) => {
      await connection.query('set transaction isolation level repeatable read read only');
      return readBankReconciliation(connection, query.currency);
    });
    return {
      headers: { 'Cache-Control': 'no-store' },
      body: {
        at: isoInstant(at),
        balanced: all.every((each) => each.unexplainedMinor === 0n),
        currencies: all.map(currencyView),
      } satisfies api.BankReconciliation,
    };
  });
  serve(app, api.listBankReconciliationItems, async ({ query, page }) => {
    const after = page.place('instant', 'uuid', 'text');
    const rows = await listItems(pool, { currency: query.currency, kinds: query.kind }, after, page.rows);
    const place = (row: ItemRow) => [isoInstant(row.since), row.subject_id, row.currency];
    return { body: page.of(rows, place, itemView) };
  });
}

function currencyView(each: BankReconciliation): api.BankReconciliation['currencies'][number] {
  const currency = knownCurrency(each.currency);
  const text = (minor: bigint | string) => formatAmount(BigInt(minor), currency);
  const orNull = (minor: string | null) => (minor === null ? null : text(minor));
  return {
    currency: each.currency,
    accounts: each.accounts.map((row) => ({
      account: row.account,
      opening: orNull(row.opening_minor),
      openingDate: row.opening_date,
      closing: orNull(row.closing_minor),
      closingDate: row.closing_date,
      statementNumber: row.closing_number,
      toldSince: text(row.since_minor),
    })),
    opening: text(each.openingMinor),
    closing: text(each.closingMinor),
    toldSince: text(each.sinceMinor),
    toldBefore: text(each.beforeMinor),
    bank: text(each.bankMinor),
    ledger: text(each.ledgerMinor),
    difference: text(each.differenceMinor),
    items: each.items.map((row) => ({ kind: row.kind, count: row.items, amount: text(row.amount_minor) })),
    unexplained: text(each.unexplainedMinor),
  };
}

function itemView(row: ItemRow): api.BankReconciliationItem {
  const idOf = (subject: ItemRow['subject'], prefix: 'ste' | 'dep' | 'txn' | 'wdr' | 'je') =>
    row.subject === subject ? typeId(prefix, row.subject_id) : null;
  return {
    kind: row.kind,
    currency: row.currency,
    amount: formatAmount(BigInt(row.amount_minor), knownCurrency(row.currency)),
    entryId: idOf('entry', 'ste'),
    depositId: idOf('deposit', 'dep'),
    transactionId: idOf('transaction', 'txn'),
    withdrawalId: idOf('withdrawal', 'wdr'),
    journalEntryId: idOf('journal_entry', 'je'),
    customerId:
      row.customer_id === null || row.customer_id === HOUSE_ID ? null : typeId('cus', row.customer_id),
    since: isoInstant(row.since),
  };
}
