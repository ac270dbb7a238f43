import { ROWS } from '../../src/archive-rows.ts';

/** Rooms whose functions name tables; what names none belongs to whoever calls it. Views are their owner's. */
export const FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  audit: ['archive_audit', 'audit_export_covers', 'audit_hashes_are_kept', 'record_act'],
  'bank-statements': [
    ...['bank_item_of_details', 'bank_item_of_journal', 'bank_item_of_notice'],
    ...['bank_item_of_top_up', 'entry_of_top_up', 'move_bank_item'],
  ],
  database: ['is_production'],
  deposits: [
    ...['note_changed_trade', 'note_match_change', 'note_new_trades'],
    ...[
      'balance_brought_by',
      'deposit_return_is_held',
      'deposits_under',
      'is_missing_deposit',
      'missing_deposits',
      'recall_booked_as',
      'rests_on_missing_money',
      'rests_on_returned_money',
      'taken_back_by',
      'unbacked_balances',
    ],
  ],
  events: ['append_events'],
  exposure: [
    ...['deal_out_exposure', 'exposure_limits_are_set', 'hold_house_limits', 'publish_exposure_values'],
    ...['set_exposure_limits', 'take_from_slot'],
  ],
  ledger: [
    ...[
      'booked_positions',
      'ends_of_open_quotes',
      'fold_house_rows',
      'keep_added_quotes',
      'keep_added_trades',
      'keep_changed_quotes',
    ],
    ...[
      'keep_changed_trades',
      'keep_positions',
      'keep_removed_quotes',
      'keep_removed_trades',
      'positions_before',
      'post_entries',
    ],
    ...[
      'add_to_balances',
      'add_to_positions',
      'post_to_open_days',
      'is_posted_to',
      'ladder_rungs',
      'quote_legs',
    ],
  ],
  operations: ['beat'],
  pricing: ['mark_spread_rule', 'note_spread_version'],
  quotes: [
    ...['close_quotes', 'due_quotes', 'expire_quotes', 'forget_prices', 'forget_quotes', 'forget_quotes_of'],
    ...['claim_quote_keys', 'keep_quoted_prices', 'open_quotes_after', 'open_quotes_of', 'price_of_quote'],
    ...['refused_quotes', 'write_quotes'],
  ],
  sandbox: ['sandbox_bank_sees_changes', 'sandbox_bank_sees_runs', 'sandbox_bank_sees_trades'],
  payments: [
    'cancelled_run_ends_payments',
    'wake_bank_reports',
    'wake_bank_reports_of_deposit',
    'wake_bank_reports_of_notice',
    'wake_bank_reports_of_return',
  ],
  transactions: [
    ...[
      'book_trades',
      'commit_executions',
      'decide_and_book',
      'decide_executions',
      'exceeds_limits',
      'keep_execution_keys',
      'known_executions',
      'reserve_balances',
      'reserve_limits',
    ],
  ],
  webhooks: [
    ...['claim_webhooks', 'record_webhooks', 'notify_of_approval', 'notify_of_exception'],
    ...['notify_of_payment', 'notify_operators'],
  ],
};

/** What is put into a statement where a table stands, by the file and the value in it, with the tables that it may be. */
export const BY_NAME: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'src/archive-rows.ts': { from: Object.values(ROWS).map(({ from }) => from) },
  'src/bank-statements/due-entry-store.ts': { table: ['entry_details', 'payment_statuses'] },
  // Who calls it names the table.
  'src/database/insert-rows.ts': { table: [] },
  'src/deposits/exceptions.ts': { WITH_SUM: ['reconciliation_exceptions'] },
  // Subqueries and values, which stand in texts of their own.
  'src/deposits/search-store.ts': { from: [] },
  'src/exceptions/work-count-store.ts': { source: ['deposits', 'reconciliation_exceptions'] },
  'src/keys/signing-key-store.ts': { table: ['signing_keys', 'evidence_keys'] },
  'src/keys/vault-store.ts': { table: ['signing_keys', 'evidence_keys', 'webhook_endpoints'] },
  'src/market/bar-store.ts': { 'TABLES[interval]': ['market_bars_1s', 'market_bars_1m'] },
  'src/market/notice-store.ts': { table: ['market_closures', 'market_halts'] },
  'src/payments/search-store.ts': { of: ['customers'] },
  'src/quotes/list-store.ts': { 'lookedThrough(filter)': ['quotes', 'current_quotes'] },
  'src/quotes/operator-store.ts': { of: ['quotes', 'current_quotes'] },
  'src/quotes/price-store.ts': { table: ['market_prices', 'quote_prices', 'quote_spreads'] },
  'src/quotes/store.ts': { IDS: [] },
  'src/sandbox/store.ts': { table: ['sandbox_bank_jobs', 'sandbox_bank_runs'] },
  // The room of a kind of document names its table.
  'src/settings/documents.ts': { table: [], 'kind.table': [] },
  'src/transactions/priced-store.ts': { IDS: [] },
  'src/transactions/store.ts': { IDS: [] },
};

interface Foreign {
  readonly tables: readonly string[];
  readonly why: string;
}

const EXECUTION = 'an execution is one statement over all that it decides by and moves';
const QUOTING =
  'a batch of quotes is written, closed or ended in one statement with its keys, limits and events';
const ANSWERS_IN_ONE = 'a list is one statement: it shows what other rooms keep about its rows';

/** Tables of others that a room writes. */
export const FOREIGN_WRITES: Readonly<Record<string, readonly Foreign[]>> = {
  authorization: [
    { tables: ['persons'], why: 'a role that ends is taken from whoever has it, in one commit' },
  ],
  'bank-statements': [
    {
      tables: ['bank_reports_set_aside'],
      why: 'it takes out the reports that are due, with what it applies them by',
    },
    { tables: ['deposits'], why: 'what the bank says later of an entry completes its deposit' },
  ],
  exposure: [
    {
      tables: ['pricing_settings'],
      why: 'its limits are one of the kinds of document that this table is of',
    },
  ],
  events: [
    { tables: ['customer_usage'], why: 'the end of the feed is in the row that whoever trades has locked' },
  ],
  keys: [
    {
      tables: ['webhook_endpoints'],
      why: 'what is sealed is sealed anew as soon as another key encryption key is in force, wherever rooms keep it',
    },
  ],
  quotes: [{ tables: ['customer_usage', 'events', 'idempotency_keys'], why: QUOTING }],
  webhooks: [
    {
      tables: ['customer_usage'],
      why: 'the mark of a feed that went on is cleared in the commit that wakes who follows it',
    },
  ],
  transactions: [
    {
      tables: [...['customer_usage', 'house_open_quotes', 'journal_entries', 'events', 'idempotency_keys']],
      why: EXECUTION,
    },
  ],
};

/** Tables of others that a room reads. */
export const FOREIGN_READS: Readonly<Record<string, readonly Foreign[]>> = {
  'bank-statements': [
    {
      tables: ['bank_notices', 'payments', 'deposit_returns'],
      why: 'an entry is shown with the payment that it is, and held against what has been told of it',
    },
    {
      tables: ['deposits', 'deposit_allocations', 'reconciliation_exceptions'],
      why: 'an entry is shown with the deposit that it became, or with the work that it makes',
    },
    { tables: ['balances'], why: 'bank and ledger are compared' },
  ],
  deposits: [
    {
      tables: ['transactions', 'customers', 'settlement_instructions'],
      why: 'what a deposit may be for, and who pays',
    },
    { tables: ['balances'], why: 'money that is missing is held against what is left' },
    { tables: ['entry_details'], why: 'whether the bank has booked the money, or taken it back' },
    { tables: ['bank_notices'], why: 'whether what the house had sent has come back by such an entry' },
    {
      tables: ['balance_withdrawals', 'deposit_returns', 'bank_entries'],
      why: 'work that waits is listed with its sum, whatever it is about',
    },
  ],
  authorization: [
    {
      tables: ['persons'],
      why: 'a token asks in one look-up whether its client is active, and who answers for it',
    },
  ],
  balances: [
    { tables: ['balances'], why: 'what is on a balance is an account of the ledger, locked as it is read' },
    { tables: ['customer_usage'], why: 'it locks the row that everything which moves a balance locks' },
    {
      tables: ['deposit_allocations', 'payment_items', 'payments', 'settlement_runs'],
      why: ANSWERS_IN_ONE,
    },
    { tables: ['reconciliation_exceptions'], why: 'a withdrawal with an open exception is not cancelled' },
    { tables: ['transactions'], why: 'what a customer owes is without what its open trades await' },
    {
      tables: ['settlement_instructions'],
      why: 'a withdrawal takes the account in force, in the statement that writes it',
    },
  ],
  calendars: [
    {
      tables: ['customers', 'transactions'],
      why: 'an import tells which open trades a new closed day reaches',
    },
  ],
  exposure: [
    {
      tables: ['house_open_quotes', 'house_positions'],
      why: 'the limits are held against the sums that the ledger keeps',
    },
  ],
  ledger: [{ tables: ['quotes', 'transactions'], why: 'house sums are held against what they are sums of' }],
  quotes: [
    { tables: ['transactions'], why: 'that a quote was executed is told by its trade' },
    {
      tables: ['customers'],
      why: 'a suspended customer gets no quote; and a quote without its customer is looked for',
    },
  ],
  reports: [
    {
      tables: [
        ...[
          'balances',
          'customers',
          'deposit_allocations',
          'deposits',
          'journal_entries',
          'reconciliation_exceptions',
        ],
        ...[
          'balance_top_ups',
          'balance_withdrawals',
          'reversed_top_ups',
          'settlement_ladder',
          'transactions',
        ],
      ],
      why: 'a report goes through other rooms in batches, in the order of an index',
    },
  ],
  sandbox: [
    {
      tables: [
        ...['deposits', 'payment_items', 'payments', 'settlement_instructions'],
        ...['settlement_run_files', 'transactions'],
      ],
      why: 'the simulated bank has no interface of its own to what it is the bank of',
    },
    { tables: ['current_quotes'], why: 'the scenario of an amount withdraws quotes' },
  ],
  payments: [
    { tables: ['transactions'], why: 'its work lists are trades by status and day' },
    {
      tables: ['balance_withdrawals', 'customers', 'settlement_instructions'],
      why: 'a payment is made of what is owed, to whom and from where, in one statement that holds all of it',
    },
    { tables: ['entry_details'], why: 'what comes back later is not paid on' },
    { tables: ['deposits', 'deposit_allocations'], why: ANSWERS_IN_ONE },
  ],
  transactions: [
    {
      tables: [
        ...['balances', 'collection_accounts', 'customer_limits', 'customers', 'settlement_instructions'],
        ...['quotes', 'current_quotes', 'virtual_accounts'],
      ],
      why: EXECUTION,
    },
  ],
  exceptions: [
    { tables: ['bank_notices'], why: 'whether an entry has paid or returned payments of the house' },
    {
      tables: [
        ...['apply_failures', 'balance_withdrawals', 'deposit_returns'],
        'reconciliation_exceptions',
        ...['bank_entries', 'entry_details', 'recalls_in_doubt', 'transactions'],
      ],
      why: 'people see what their work is about',
    },
    { tables: ['deposits'], why: 'work that waits is counted by its age, whatever it is about' },
  ],
  service: [
    {
      tables: [
        ...['balance_withdrawals', 'bank_open_items', 'deposit_returns', 'reconciliation_exceptions'],
        ...['deposits', 'transactions'],
      ],
      why: 'a year is archived when nothing of it is open in any room',
    },
    {
      tables: [
        ...['balance_top_ups', 'bank_entries', 'bank_statements', 'deposit_allocations', 'entry_details'],
        ...['entry_listings', 'priced_quotes', 'priced_transactions', 'reversed_top_ups', 'statement_files'],
      ],
      why: 'an archive has the rows of a year from all rooms, as they are',
    },
  ],
};
