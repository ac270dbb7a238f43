import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import type { RouteAccess } from '../http/context.ts';
import { type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { isoInstant } from '../platform/clock.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { ownerName } from './hledger.ts';
import { readId, readOwner } from './query.ts';
import type { LedgerRoutesOptions } from './routes.ts';
import * as schema from './schema.ts';
import { type EntryRow, findEntry, listEntries } from './store.ts';

const ENTRIES_PATH = '/v1/operator/ledger/entries';
const access: RouteAccess = { audience: 'operator', scope: 'operator:ledger' };
const tags = ['Operator: ledger'];

export function entryRoutes(app: FastifyInstance, { pool, cursors }: LedgerRoutesOptions): void {
  app.get(
    ENTRIES_PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Journal entries, newest first',
        querystring: schema.EntryQuery,
        response: { 200: schema.EntryList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const filter = {
        customerId: readOwner(query),
        kind: query.text('kind', 40),
        transactionId: readId(query, 'transactionId', 'txn'),
        depositId: readId(query, 'depositId', 'dep'),
        from: query.instant('from'),
        to: query.instant('to'),
      };
      if (filter.customerId === undefined) {
        // The journal is indexed by owner; without one, a rare id would be looked for in all of it.
        if (filter.transactionId !== undefined) query.refuse('transactionId', 'required', 'needs customerId');
        if (filter.depositId !== undefined) query.refuse('depositId', 'required', 'needs customerId');
      }
      if (filter.from !== undefined && filter.to !== undefined && filter.from >= filter.to) {
        query.refuse('to', 'out_of_range', 'must be later than from');
      }
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const scope: CursorScope = { list: 'journal entries', sort: '-at', filters: filter };
      const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const rows = await listEntries(pool, filter, before, limit + 1);
      const page = cursors.page(scope, rows, limit, (row) => [row.id], entryView);
      return linkedPage(request, reply, page);
    },
  );
  app.get<{ Params: { entryId: string } }>(
    `${ENTRIES_PATH}/:entryId`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'A journal entry',
        params: schema.EntryParams,
        response: { 200: schema.EntryAnswer, default: ProblemSchema },
      },
    },
    async (request) => {
      const id = parseTypeId('je', request.params.entryId);
      const entry = id === undefined ? undefined : await findEntry(pool, id);
      if (entry === undefined)
        throw new Problem('journal_entry_not_found', 'There is no such journal entry.');
      return entryView(entry);
    },
  );
}

function entryView(entry: EntryRow): Record<string, unknown> {
  const at = isoInstant(entry.at);
  return {
    entryId: typeId('je', entry.id),
    customerId: ownerName(entry.customerId),
    kind: entry.kind,
    at,
    date: at.slice(0, 10),
    transactionId: entry.transactionId === null ? null : typeId('txn', entry.transactionId),
    depositId: entry.depositId === null ? null : typeId('dep', entry.depositId),
    withdrawalId: entry.withdrawalId === null ? null : typeId('wdr', entry.withdrawalId),
    postings: entry.postings.map(({ account, currency, amount }) => {
      const text = formatAmount(amount < 0n ? -amount : amount, knownCurrency(currency));
      return { account, currency, debit: amount > 0n ? text : null, credit: amount < 0n ? text : null };
    }),
  };
}
