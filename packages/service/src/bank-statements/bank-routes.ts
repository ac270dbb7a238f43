import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import { inTransaction } from '../database/pool.ts';
import type { DepositsRoom } from '../deposits/room.ts';
import type { RouteAccess } from '../http/context.ts';
import { type CursorCodec, type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { type BankReconciliation, readBankReconciliation } from './bank-reconciliation.ts';
import { BankAnswer, BankQuery, type ItemAnswer, ItemList, ItemsQuery } from './bank-schema.ts';
import { ITEM_KINDS, type ItemRow, listItems } from './bank-store.ts';

const PATH = '/v1/operator/ledger/bank-reconciliation';
const access: RouteAccess = { audience: 'operator', scope: 'operator:ledger' };
const tags = ['Operator: ledger'];

export interface BankRoutesOptions {
  readonly room: DepositsRoom;
  readonly cursors: CursorCodec;
}

/** Whether the banks have what the ledger says, and if not, why. */
export function bankRoutes(app: FastifyInstance, { room, cursors }: BankRoutesOptions): void {
  app.get(
    PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'What banks say is on the accounts of the house, held against the ledger',
        querystring: BankQuery,
        response: { 200: BankAnswer, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const currency = query.text('currency', 3);
      query.finish();
      reply.header('Cache-Control', 'no-store');
      const at = room.clock.now();
      const all = await inTransaction(room.pool, async (connection) => {
        await connection.query('set transaction isolation level repeatable read read only');
        return readBankReconciliation(connection, currency);
      });
      return {
        at: isoInstant(at),
        balanced: all.every((each) => each.unexplainedMinor === 0n),
        currencies: all.map(currencyView),
      };
    },
  );
  app.get(
    `${PATH}/items`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'What only the bank or only the ledger has, one by one, oldest first',
        querystring: ItemsQuery,
        response: { 200: ItemList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const filter = { currency: query.text('currency', 3), kinds: query.list('kind', ITEM_KINDS) };
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const scope: CursorScope = { list: 'bank-items', sort: 'since', filters: filter };
      const [since, subjectId, code] = cursor === undefined ? [] : cursors.decode(scope, cursor);
      const after =
        since === undefined
          ? undefined
          : { since: Date.parse(String(since)), subjectId: String(subjectId), currency: String(code) };
      const rows = await listItems(room.pool, filter, after, limit + 1);
      const place = (row: ItemRow) => [isoInstant(row.since), row.subject_id, row.currency];
      const page = cursors.page(scope, rows, limit, place, itemView);
      return linkedPage(request, reply, page);
    },
  );
}

function currencyView(each: BankReconciliation): BankAnswer['currencies'][number] {
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

function itemView(row: ItemRow): ItemAnswer {
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
