import { CalendarDate, CurrencyCode, Instant, literals, nullable } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { ITEM_KINDS } from './bank-store.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));
const Minor = Type.String();

export const BankQuery = Type.Object({ currency: text('Only this currency.') });
export const ItemsQuery = Type.Object({
  currency: text('Only this currency.'),
  kind: text(`Repeatable or comma list of: ${ITEM_KINDS.join(', ')}.`),
  limit: text('1 to 200, default 50.'),
  cursor: text('From nextCursor; bound to the filters.'),
});

export const BankAnswer = Type.Object({
  at: Instant,
  balanced: Type.Boolean({ description: 'Nothing is unexplained in any currency.' }),
  currencies: Type.Array(
    Type.Object({
      currency: CurrencyCode,
      accounts: Type.Array(
        Type.Object({
          account: Type.String(),
          opening: nullable(Minor),
          openingDate: nullable(CalendarDate),
          closing: nullable(Minor),
          closingDate: nullable(CalendarDate),
          statementNumber: nullable(Type.String()),
          toldSince: Minor,
        }),
      ),
      opening: Type.String({ description: 'Of the first statements; the ledger knows nothing of it.' }),
      closing: Type.String({ description: 'Of the last statements.' }),
      toldSince: Type.String({ description: 'Booked, and in no statement with a balance yet.' }),
      toldBefore: Type.String({ description: 'Told of before the first statement, in its opening balance.' }),
      bank: Type.String({ description: 'closing + toldSince' }),
      ledger: Type.String({ description: 'The account `bank` of the ledger, of all owners.' }),
      difference: Type.String({ description: 'bank − ledger = opening − toldBefore + items + unexplained' }),
      items: Type.Array(Type.Object({ kind: literals(ITEM_KINDS), count: Type.Integer(), amount: Minor }), {
        description: 'What only one side has, by kind; each is at `…/bank-reconciliation/items`.',
      }),
      unexplained: Type.String({ description: 'Nothing, or statements are missing.' }),
    }),
  ),
});
export type BankAnswer = Static<typeof BankAnswer>;

export const ItemAnswer = Type.Object({
  kind: literals(ITEM_KINDS),
  currency: CurrencyCode,
  amount: Type.String({ description: 'What the bank has more than the ledger because of it.' }),
  entryId: nullable(Type.String()),
  depositId: nullable(Type.String()),
  transactionId: nullable(Type.String()),
  withdrawalId: nullable(Type.String()),
  journalEntryId: nullable(Type.String()),
  customerId: nullable(Type.String()),
  since: Instant,
});
export type ItemAnswer = Static<typeof ItemAnswer>;
export const ItemList = Type.Object({
  items: Type.Array(ItemAnswer),
  nextCursor: nullable(Type.String()),
  hasMore: Type.Boolean(),
});
