import { type Currency, findCurrency, parseAmount, TRANSACTION_STATUSES } from '@firmquote/fx';
import type { Pool } from '../database/pool.ts';
import type { CursorCodec, CursorScope } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { parseTypeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { listTransactions, placeOf, type TransactionFilter, type TransactionSort } from './list-store.ts';
import { renderSummary } from './render.ts';

const SORTS = ['-createdAt', 'createdAt', 'updatedAt', 'valueDate'] as const;

export interface ListedTransactions {
  /** JSON of the page. */
  readonly body: string;
  readonly nextCursor: string | null;
}

/** `GET /v1/customer/transactions` (docs/interface.md#lists): keyset page, cursor bound to filters and sort. */
export async function listCustomerTransactions(
  pool: Pool,
  cursors: CursorCodec,
  customerId: string,
  query: unknown,
): Promise<ListedTransactions> {
  const reader = new QueryReader(query);
  const filter = readFilter(reader);
  const sort: TransactionSort = reader.choice('sort', SORTS) ?? '-createdAt';
  const limit = reader.limit();
  const cursor = reader.cursor();
  reader.finish();

  const scope: CursorScope = { list: `transactions ${customerId}`, sort, filters: textOfAmounts(filter) };
  const parts = cursor === undefined ? undefined : cursors.decode(scope, cursor);
  const after = parts && { key: String(parts[0]), id: String(parts[1]) };
  const rows =
    filter.quoteId === null ? [] : await listTransactions(pool, customerId, filter, sort, limit, after);
  const page = cursors.page(
    scope,
    rows,
    limit,
    (row) => {
      const place = placeOf(sort, row);
      return [place.key, place.id];
    },
    (row) => renderSummary(row, 'customer'),
  );
  const body = `{"items":[${page.items.join(',')}],"nextCursor":${JSON.stringify(page.nextCursor)},"hasMore":${page.hasMore}}`;
  return { body, nextCursor: page.nextCursor };
}

/** Bigints are not JSON, and the cursor's hash is over JSON. */
function textOfAmounts(filter: TransactionFilter): Record<string, unknown> {
  return {
    ...filter,
    minSellMinor: filter.minSellMinor?.toString(),
    maxSellMinor: filter.maxSellMinor?.toString(),
  };
}

function readFilter(reader: QueryReader): TransactionFilter {
  const filter: Record<string, unknown> = {
    status: reader.list('status', TRANSACTION_STATUSES),
    createdFrom: reader.instant('createdFrom'),
    createdTo: reader.instant('createdTo'),
    updatedFrom: reader.instant('updatedFrom'),
    updatedTo: reader.instant('updatedTo'),
    valueDateFrom: reader.date('valueDateFrom'),
    valueDateTo: reader.date('valueDateTo'),
    sellCurrency: readCode(reader, 'sellCurrency', /^[A-Z]{3}$/),
    buyCurrency: readCode(reader, 'buyCurrency', /^[A-Z]{3}$/),
    pair: readCode(reader, 'pair', /^[A-Z]{6}$/),
    quoteId: readQuoteId(reader),
    clientReference: reader.text('clientReference', 64),
    reference: reader.text('reference', 25),
  };
  const currency = typeof filter.sellCurrency === 'string' ? findCurrency(filter.sellCurrency) : undefined;
  filter.minSellMinor = readAmount(reader, 'minSellAmount', currency);
  filter.maxSellMinor = readAmount(reader, 'maxSellAmount', currency);
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

function readCode(reader: QueryReader, name: string, pattern: RegExp): string | undefined {
  const text = reader.text(name, 6);
  if (text !== undefined && !pattern.test(text))
    reader.refuse(name, 'wrong_format', 'must be upper-case currency codes');
  return text;
}

function readQuoteId(reader: QueryReader): string | null | undefined {
  const text = reader.text('quoteId', 64);
  return text === undefined ? undefined : (parseTypeId('quote', text) ?? null);
}

function readAmount(reader: QueryReader, name: string, currency: Currency | undefined): bigint | undefined {
  const text = reader.text(name, 24);
  if (text === undefined) return undefined;
  if (currency === undefined) {
    reader.refuse(name, 'required', 'needs sellCurrency');
    return undefined;
  }
  const parsed = parseAmount(text, currency);
  if (parsed.ok) return parsed.minor;
  reader.refuse(name, 'wrong_format', `must be an amount of ${currency.code}`);
  return undefined;
}

export function transactionNotFound(): Problem {
  return new Problem('transaction_not_found', 'There is no such transaction.');
}
