import { CalendarDate, CurrencyCode, Instant, literals, nullable, PairCode } from '../http/schema.ts';
import { Type } from '../platform/typebox.ts';
import { ACCOUNT_NAMES } from './accounts.ts';
import { KEPT_ROWS } from './kept-rows.ts';

const AmountText = Type.String({ description: 'Exact amount with the decimals of its currency.' });
const text = (description: string) => Type.Optional(Type.String({ description }));
const Owner = Type.String({
  description: 'A customer, or "house" for what belongs to none.',
  examples: ['cus_01jngx7z5d2m8r4v6t9k3b1c0a', 'house'],
});
const paging = {
  limit: text('1 to 200, default 50.'),
  cursor: text('From nextCursor; bound to the filters.'),
};

export const ChartOfAccounts = Type.Object({
  items: Type.Array(
    Type.Object({
      account: literals(ACCOUNT_NAMES),
      type: literals(['asset', 'liability', 'equity', 'income', 'expense']),
      normalSide: literals(['debit', 'credit']),
      title: Type.String(),
      meaning: Type.String(),
      exportName: Type.String({ description: 'The name in exports, before owner and currency.' }),
    }),
  ),
});

export const TrialBalanceQuery = Type.Object({
  at: text('Balances before this instant (RFC 3339). Default: as they are now.'),
  customerId: text('Only accounts of this customer, or of "house". Default: totals of all.'),
  currency: text('Only this currency.'),
});
export const TrialBalanceAnswer = Type.Object({
  at: Instant,
  customerId: nullable(Owner),
  balanced: Type.Boolean({ description: 'Whether debits and credits are equal in each currency.' }),
  currencies: Type.Array(
    Type.Object({
      currency: CurrencyCode,
      accounts: Type.Array(Type.Object({ account: Type.String(), debit: AmountText, credit: AmountText })),
      debit: AmountText,
      credit: AmountText,
      difference: AmountText,
    }),
  ),
});

export const BooksCheckAnswer = Type.Object({
  at: Instant,
  ok: Type.Boolean(),
  unbalancedCurrencies: Type.Array(Type.Object({ currency: CurrencyCode, difference: Type.String() })),
  differences: Type.Array(
    Type.Object({
      customerId: Owner,
      account: Type.String(),
      currency: CurrencyCode,
      balance: AmountText,
      journal: AmountText,
    }),
    { description: 'Up to 50.' },
  ),
  keptDifferences: Type.Array(
    Type.Object({
      rows: literals(KEPT_ROWS),
      key: Type.String(),
      kept: nullable(Type.String()),
      recomputed: nullable(Type.String()),
    }),
    { description: 'Kept sums that differ from what they are sums of, in minor units and counts. Up to 50.' },
  ),
});

export const AccountParams = Type.Object({ account: Type.String({ examples: ['customer_receivable'] }) });
export const StatementQuery = Type.Object({
  customerId: text('Whose account: a customer, or "house". Required.'),
  currency: text('Required.'),
  from: text('RFC 3339, inclusive. Default: the beginning.'),
  to: text('RFC 3339, exclusive.'),
  ...paging,
});
export const StatementAnswer = Type.Object({
  account: Type.String(),
  customerId: Owner,
  currency: CurrencyCode,
  openingBalance: Type.String({ description: 'Before the first line of this page; debits positive.' }),
  closingBalance: Type.String({ description: 'After the last line of this page.' }),
  items: Type.Array(
    Type.Object({
      entryId: Type.String(),
      at: Instant,
      kind: Type.String(),
      transactionId: nullable(Type.String()),
      depositId: nullable(Type.String()),
      debit: nullable(AmountText),
      credit: nullable(AmountText),
      balance: AmountText,
    }),
  ),
  nextCursor: nullable(Type.String()),
  hasMore: Type.Boolean(),
});

export const EntryParams = Type.Object({ entryId: Type.String() });
export const EntryQuery = Type.Object({
  customerId: text('Only entries of this customer, or of "house".'),
  kind: text('Such as trade_executed.'),
  transactionId: text('Needs customerId.'),
  depositId: text('Needs customerId.'),
  from: text('RFC 3339, inclusive.'),
  to: text('RFC 3339, exclusive.'),
  ...paging,
});
export const EntryAnswer = Type.Object({
  entryId: Type.String({ examples: ['je_01jngxb2qk6e0m4w8y5t7r3h1f'] }),
  customerId: Owner,
  kind: Type.String(),
  at: Instant,
  date: CalendarDate,
  transactionId: nullable(Type.String()),
  depositId: nullable(Type.String()),
  withdrawalId: nullable(Type.String()),
  postings: Type.Array(
    Type.Object({
      account: Type.String(),
      currency: CurrencyCode,
      debit: nullable(AmountText),
      credit: nullable(AmountText),
    }),
  ),
});
export const EntryList = Type.Object({
  items: Type.Array(EntryAnswer),
  nextCursor: nullable(Type.String()),
  hasMore: Type.Boolean(),
});

export const PositionsQuery = Type.Object({
  customerId: text('Only the position from this customer’s trades. Default: of the house.'),
});
const Dollars = Type.String({ description: 'US dollars.' });
export const PositionsAnswer = Type.Object({
  at: Instant,
  valuationCurrency: literals(['USD']),
  positions: Type.Array(
    Type.Object({
      currency: CurrencyCode,
      position: Type.String({ description: 'Positive: long.' }),
      bought: nullable(AmountText),
      averageBoughtUsd: nullable(Type.String({ description: 'Dollars for one unit, to eight decimals.' })),
      sold: nullable(AmountText),
      averageSoldUsd: nullable(Type.String()),
      mid: nullable(
        Type.Object({ pair: PairCode, value: Type.String(), asOf: Instant, stale: Type.Boolean() }),
      ),
      valueUsd: nullable(Dollars),
      realisedUsd: Dollars,
      unrealisedUsd: nullable(Dollars),
    }),
  ),
  total: Type.Object({
    realisedUsd: Dollars,
    unrealisedUsd: nullable(Dollars),
    resultUsd: nullable(Dollars),
    complete: Type.Boolean({ description: 'False when a currency with a position has no price.' }),
  }),
});

export const ExportQuery = Type.Object({
  format: text('hledger, which is the default and the only one.'),
});
