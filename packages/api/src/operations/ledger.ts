import { operation } from '../operation.ts';
import { choice, form, id, instant, required, segment, strictCurrency, strictId } from '../parameters.ts';
import {
  CalendarDate,
  CurrencyCode,
  described,
  Instant,
  literals,
  named,
  nullable,
  PairCode,
  pageOf,
  RateText,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';

/** The books, for finance: accounts, balances, statements, entries, positions, and the whole journal as a file. */

/** The chart of accounts, in its order. */
export const ACCOUNT_NAMES = [
  'bank',
  'customer_receivable',
  'customer_payable',
  'customer_excess',
  'suspense',
  'returns_payable',
  'position',
  'markup_revenue',
  'customer_balance',
  'close_out_result',
  'charges',
  'bank_charges',
  'interest',
  'house_funds',
] as const;
export type Account = (typeof ACCOUNT_NAMES)[number];
/** What money on an account of the house can be that is nobody else's. */
export const HOUSE_ACCOUNTS = [
  'bank_charges',
  'interest',
  'house_funds',
] as const satisfies readonly Account[];
export type HouseAccount = (typeof HOUSE_ACCOUNTS)[number];
/** What an entry is of, as the table knows it. */
export const JOURNAL_ENTRY_KINDS = [
  'trade_executed',
  'trade_cancelled',
  'deposit_received',
  'deposit_allocated',
  'deposit_deallocated',
  'deposit_returned',
  'payout_sent',
  'payout_returned',
  'refund_paid',
  'refund_returned',
  'balance_topped_up',
  'proceeds_credited',
  'close_out',
  'withdrawal_requested',
  'withdrawal_paid',
  'withdrawal_undone',
  'withdrawal_returned',
  'bank_entry_booked',
  'return_ordered',
  'return_paid',
  'return_undone',
  'return_reopened',
  'debt_paid',
  'debt_written_off',
  'top_up_reversed',
] as const;
export type JournalEntryKind = (typeof JOURNAL_ENTRY_KINDS)[number];
const EntryKind = named('JournalEntryKind', literals(JOURNAL_ENTRY_KINDS));
export const ACCOUNT_TYPES = ['asset', 'liability', 'equity', 'income', 'expense'] as const;
/** Sums that are kept as rows. */
export const KEPT_ROWS = [
  'customer_position',
  'house_position',
  'pair_position',
  'open_quotes',
  'settlement_ladder',
] as const;

const AmountText = named(
  'ExactAmount',
  Type.String({ description: 'Exact amount with the decimals of its currency.' }),
);
const maybeText = nullable(Type.String());
const Owner = Type.String({
  description: 'A customer, or "house" for what belongs to no customer.',
  examples: ['cus_01jngx7z5d2m8r4v6t9k3b1c0a', 'house'],
});

const LedgerAccount = named(
  'LedgerAccount',
  Type.Object({
    account: literals(ACCOUNT_NAMES),
    type: literals(ACCOUNT_TYPES),
    normalSide: literals(['debit', 'credit'], { description: 'The side on which the account grows.' }),
    title: Type.String(),
    meaning: Type.String(),
    exportName: Type.String({ description: 'The name in exports, before owner and currency.' }),
  }),
);
export type LedgerAccount = Static<typeof LedgerAccount>;

const TrialBalance = named(
  'TrialBalance',
  Type.Object({
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
  }),
);

const BooksCheck = named(
  'BooksCheck',
  Type.Object({
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
        kept: maybeText,
        recomputed: maybeText,
      }),
      { description: 'Stored sums that differ when recomputed, in minor units and counts. Up to 50.' },
    ),
  }),
);

const StatementLine = named(
  'LedgerStatementLine',
  Type.Object({
    entryId: Type.String(),
    at: Instant,
    kind: EntryKind,
    transactionId: maybeText,
    depositId: maybeText,
    withdrawalId: maybeText,
    debit: nullable(AmountText),
    credit: nullable(AmountText),
    balance: AmountText,
  }),
);
export type StatementLine = Static<typeof StatementLine>;

const AccountStatement = Type.Object(
  {
    account: Type.String(),
    customerId: Owner,
    currency: CurrencyCode,
    openingBalance: Type.String({ description: 'Before the first line of this page; debits positive.' }),
    closingBalance: Type.String({ description: 'After the last line of this page.' }),
    ...pageOf(StatementLine).properties,
  },
  { description: 'A page.' },
);

const JournalEntry = named(
  'JournalEntry',
  Type.Object({
    entryId: Type.String({ examples: ['je_01jngxb2qk6e0m4w8y5t7r3h1f'] }),
    customerId: Owner,
    kind: EntryKind,
    at: Instant,
    date: CalendarDate,
    transactionId: maybeText,
    depositId: maybeText,
    withdrawalId: maybeText,
    postings: Type.Array(
      Type.Object({
        account: Type.String(),
        currency: CurrencyCode,
        debit: nullable(AmountText),
        credit: nullable(AmountText),
      }),
    ),
  }),
);
export type JournalEntry = Static<typeof JournalEntry>;

const Dollars = Type.String({ description: 'US dollars.' });
const CurrencyPosition = named(
  'CurrencyPosition',
  Type.Object({
    currency: CurrencyCode,
    position: Type.String({ description: 'Positive: long.' }),
    bought: nullable(AmountText),
    averageBoughtUsd: nullable(
      Type.String({ description: 'Dollars for one unit: eight decimals, more for six digits.' }),
    ),
    sold: nullable(AmountText),
    averageSoldUsd: maybeText,
    mid: nullable(
      Type.Object({ pair: PairCode, value: Type.String(), asOf: Instant, stale: Type.Boolean() }),
    ),
    valueUsd: nullable(Dollars),
    realisedUsd: Dollars,
    unrealisedUsd: nullable(Dollars),
  }),
);
export type CurrencyPosition = Static<typeof CurrencyPosition>;

const Positions = Type.Object({
  at: Instant,
  valuationCurrency: literals(['USD']),
  positions: Type.Array(CurrencyPosition),
  total: Type.Object({
    realisedUsd: Dollars,
    unrealisedUsd: nullable(Dollars),
    resultUsd: nullable(Dollars),
    complete: Type.Boolean({ description: 'False when a currency with a position has no price.' }),
  }),
});
export type Positions = Static<typeof Positions>;

const PairPosition = named(
  'PairPosition',
  Type.Object({
    pair: PairCode,
    trades: Type.Integer({ description: 'Without cancelled trades.' }),
    position: described(AmountText, 'Of the base currency. Positive: long.'),
    quotePosition: described(AmountText, 'Of the quote currency: what was received less what was paid.'),
    bought: AmountText,
    averageBought: nullable(RateText),
    sold: AmountText,
    averageSold: nullable(RateText),
    mid: nullable(
      Type.Object(
        { value: Type.String(), asOf: Instant, stale: Type.Boolean() },
        { description: 'Mid price of the pair.' },
      ),
    ),
    realised: described(AmountText, 'In the quote currency.'),
    realisedUsd: nullable(Dollars),
    unrealisedUsd: nullable(Dollars),
    resultUsd: nullable(Dollars),
  }),
);
export type PairPosition = Static<typeof PairPosition>;

const PairPositions = Type.Object({
  at: Instant,
  valuationCurrency: literals(['USD']),
  pairs: Type.Array(PairPosition),
  total: Type.Object({
    realisedUsd: nullable(Dollars),
    unrealisedUsd: nullable(Dollars),
    resultUsd: nullable(Dollars),
    complete: Type.Boolean({
      description: 'False when a pair with a position has a currency without a price.',
    }),
  }),
});
export type PairPositions = Static<typeof PairPositions>;

const tag = 'Operator: ledger';
const access = { audience: 'operator', scope: 'operator:ledger' } as const;
const PATH = '/v1/operator/ledger';
const NO_ACCOUNT = {
  code: 'account_not_found',
  detail: `There is no account with this name; see ${PATH}/accounts.`,
} as const;

/** @param description whose */
const owner = (description: string) =>
  form(/^(house|cus_[0-7][0-9a-hjkmnp-tv-z]{25})$/, 'a customer id, or "house"', description);
const at = instant('Balances before this instant. Default: as they are now.');
const times = {
  from: instant('Inclusive. Default: the beginning.'),
  to: instant('Exclusive.'),
};

export const listLedgerAccounts = operation({
  id: 'listLedgerAccounts',
  method: 'GET',
  path: `${PATH}/accounts`,
  tag,
  summary: 'Read the chart of accounts',
  description: 'With what each means. Accounts are fixed; the trial balance has the amounts.',
  access,
  answers: { 200: Type.Object({ items: Type.Array(LedgerAccount) }) },
});

export const checkBooks = operation({
  id: 'checkBooks',
  method: 'GET',
  path: `${PATH}/check`,
  tag,
  summary: 'Check the books',
  description: 'Checks that balances match the journal and that debits equal credits.',
  access,
  answers: { 200: BooksCheck },
});

export const getTrialBalance = operation({
  id: 'getTrialBalance',
  method: 'GET',
  path: `${PATH}/trial-balance`,
  tag,
  summary: 'Read the trial balance of the house or a customer',
  description: 'Shows balances now or at an earlier instant.',
  access,
  query: {
    at,
    customerId: owner('Only accounts of this customer, or of "house". Default: totals of all.'),
    currency: strictCurrency('Only this currency.'),
  },
  answers: { 200: TrialBalance },
});

export const listAccountPostings = operation({
  id: 'listAccountPostings',
  method: 'GET',
  path: `${PATH}/accounts/{account}/postings`,
  tag,
  summary: 'Read the statement of an account',
  description: 'Returns its postings in time order, with the balance after each.',
  access,
  params: { account: segment(ACCOUNT_NAMES, NO_ACCOUNT) },
  query: {
    customerId: required(owner('Whose account: a customer, or "house".')),
    currency: required(strictCurrency()),
    ...times,
  },
  pages: true,
  answers: { 200: AccountStatement },
  problems: ['account_not_found'],
});

export const listAccountBalances = operation({
  id: 'listAccountBalances',
  method: 'GET',
  path: `${PATH}/accounts/{account}/balances`,
  tag,
  summary: 'List who has what on an account',
  description: 'The parts of a total of the trial balance, by owner; without those who have nothing there.',
  access,
  params: { account: segment(ACCOUNT_NAMES, NO_ACCOUNT) },
  query: { currency: required(strictCurrency()), at },
  pages: true,
  answers: {
    200: pageOf(
      named(
        'OwnerBalance',
        Type.Object({ customerId: Owner, debit: nullable(AmountText), credit: nullable(AmountText) }),
      ),
    ),
  },
  problems: ['account_not_found'],
});

export const getPairPositions = operation({
  id: 'getPairPositions',
  method: 'GET',
  path: `${PATH}/pair-positions`,
  tag,
  summary: "Read the house's positions by pair with their results",
  description: 'Counts both legs of each trade together. Pair positions add up to currency positions.',
  access,
  answers: { 200: PairPositions },
});

export const getPositions = operation({
  id: 'getPositions',
  method: 'GET',
  path: `${PATH}/positions`,
  tag,
  summary: 'Read currency positions with their results',
  description: 'Shows realised results, and unrealised ones at the mid.',
  access,
  query: {
    at: instant(
      'Positions before this instant, at the last mid of then; null where no bars of prices are kept. Default: now.',
    ),
    customerId: owner('Only the position from this customer’s trades. Default: the house’s.'),
  },
  answers: { 200: Positions },
});

export const listJournalEntries = operation({
  id: 'listJournalEntries',
  method: 'GET',
  path: `${PATH}/entries`,
  tag,
  summary: 'List journal entries, newest first',
  description:
    'Of all customers and the house, unless `customerId` is given. Entries are never changed or deleted: a correction is another entry.',
  access,
  query: {
    customerId: owner('Only entries of this customer, or of "house".'),
    kind: choice(JOURNAL_ENTRY_KINDS),
    transactionId: strictId('txn', 'Needs `customerId`.'),
    depositId: strictId('dep', 'Needs `customerId`.'),
    withdrawalId: strictId('wdr', 'Needs `customerId`.'),
    ...times,
  },
  pages: true,
  answers: { 200: pageOf(JournalEntry) },
});

export const getJournalEntry = operation({
  id: 'getJournalEntry',
  method: 'GET',
  path: `${PATH}/entries/{entryId}`,
  tag,
  summary: 'Read a journal entry',
  description: 'Entries are never changed or deleted: a correction is another entry.',
  access,
  params: { entryId: id('je') },
  answers: { 200: JournalEntry },
  problems: ['journal_entry_not_found'],
});

export const exportJournal = operation({
  id: 'exportJournal',
  audited: 'read',
  method: 'GET',
  path: `${PATH}/export`,
  tag,
  summary: 'Download the whole journal',
  description: 'A file for hledger, with balance assertions.',
  access,
  media: 'anything',
  query: { format: choice(['hledger'], 'Only `hledger`.') },
  answers: {
    200: {
      description: 'The journal.',
      content: { 'text/plain': Type.String() },
      headers: { 'Content-Disposition': 'The name of the file.' },
    },
  },
});
