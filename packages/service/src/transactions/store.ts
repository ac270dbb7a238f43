import { Batcher } from '../database/batcher.ts';
import { isDayClosed } from '../database/failures.ts';
import { IDS } from '../database/ids.ts';
import type { Pool } from '../database/pool.ts';
import type { Composite, Present } from '../database/rows.ts';
import { newUuid } from '../platform/ids.ts';
import { EXECUTION_ANSWER_LIMIT_MS, EXECUTION_WAIT_LIMIT_MS } from '../quotes/expiry-grace.ts';
import { EXECUTION_PLACES, executionParameters, lockOrder } from './execution-parameters.ts';
import { transactionsOf, WHOLE_COLUMNS, type WholeRow, WITH_INSTRUCTIONS, WITH_QUOTE } from './read-rows.ts';
import { type ExecutedRow, newTransaction, type PricedTransaction } from './record.ts';

export interface ExecutionItem {
  readonly customerId: string;
  readonly clientId: string;
  readonly quoteId: string;
  readonly receivedAt: number;
  readonly key: { readonly key: string; readonly fingerprint: string } | undefined;
  readonly ifMatch: number | undefined;
  readonly expectSell: bigint | undefined;
  readonly expectBuy: bigint | undefined;
  readonly clientReference: string | undefined;
  readonly metadata: Readonly<Record<string, string>> | undefined;
}

type Decided = Composite<'execution_result'>;

/** What the database decided on an item; `ord` is its place in the batch, and null for what was executed, which is found by its id. */
export interface ExecutionResult
  extends Present<Pick<Decided, 'outcome' | 'replayed' | 'received_at'>>,
    Pick<
      Decided,
      | 'ord'
      | 'fingerprint'
      | 'quote_status'
      | 'quote_version'
      | 'quote_expires_at'
      | 'quote_closed_at'
      | 'quote_transaction_id'
      | 'limit_type'
      | 'limit_minor'
      | 'used_minor'
    > {
  /** What was executed now. */
  readonly transaction: PricedTransaction | undefined;
}

type AnswerRow = Omit<ExecutionResult, 'transaction'> & ExecutedRow;

const COMMIT_EXECUTIONS = `select * from commit_executions(${EXECUTION_PLACES})`;

/** What the driver calls it; its types do not know it. */
const ANSWER_LIMIT = { query_timeout: EXECUTION_ANSWER_LIMIT_MS } as const;

export interface TransactionId {
  readonly customerId: string;
  readonly id: string;
}

interface TransactionStoreOptions {
  readonly pool: Pool;
  readonly now: () => number;
  /** The day that daily limits are counted on at an instant. */
  readonly limitDay: (now: number) => string;
  readonly onBatch?: (name: string, size: number, seconds: number) => void;
  /** For the metrics: what became of an execution, and the trade when it is one. */
  readonly onExecuted?: (outcome: string, trade: PricedTransaction | undefined) => void;
}

/** The SQL function that a batch goes to, as metrics and traces call it. */
const EXECUTIONS = 'commit_executions';

/**
 * SQL of executing and reading transactions; lists are in `list-store.ts`, reads in a transaction in `priced-store.ts`, transitions
 * in `change.ts`.
 */
export class TransactionStore {
  readonly #options: TransactionStoreOptions;
  readonly #executions: Batcher<ExecutionItem, ExecutionResult>;
  readonly #reads: Batcher<TransactionId, PricedTransaction | undefined>;

  constructor(options: TransactionStoreOptions) {
    this.#options = options;
    this.#executions = new Batcher({
      name: EXECUTIONS,
      run: (items) => this.#execute(items),
      // One waits for the disk while the other is worked on. Each customer is in one of them, since it holds their usage until
      // its commit.
      maxInFlight: 2,
      maxBatch: 128, // limit: Executions of one statement
      maxQueue: 10_000, // limit: Executions that wait for a statement
      onBatch: (size, seconds) => options.onBatch?.(EXECUTIONS, size, seconds),
      locks: { keyOf: (item) => item.customerId, waitLimitMs: EXECUTION_WAIT_LIMIT_MS },
    });
    this.#reads = new Batcher({
      name: 'read_transactions',
      run: (ids) => this.#read(ids),
      maxInFlight: 2,
      maxBatch: 256, // limit: Transactions read by one statement
      maxQueue: 20_000, // limit: Reads of transactions that wait for a statement
      onBatch: (size, seconds) => options.onBatch?.('read_transactions', size, seconds),
    });
  }

  /** Executes durably, in one commit with those that arrive at the same time. */
  execute(item: ExecutionItem): Promise<ExecutionResult> {
    return this.#executions.submit(item).then((result) =>
      // Its fate hung on a neighbour in the same batch. That one has ended now, so this ends after few turns.
      result.outcome === 'again' ? this.execute(item) : result,
    );
  }

  find(customerId: string, id: string): Promise<PricedTransaction | undefined> {
    return this.#reads.submit({ customerId, id });
  }

  /** What came too late for the day on which it was to be booked is booked on the next. */
  #execute(items: readonly ExecutionItem[]): Promise<readonly ExecutionResult[]> {
    const { now } = this.#options;
    return this.#executeAt(items, now()).catch((error: unknown) => {
      if (!isDayClosed(error)) throw error;
      return this.#executeAt(items, now());
    });
  }

  async #executeAt(items: readonly ExecutionItem[], at: number): Promise<readonly ExecutionResult[]> {
    const order = items.map((_, place) => place);
    order.sort((a, b) => lockOrder(items[a] as ExecutionItem, items[b] as ExecutionItem));
    const ids = items.map(() => newUuid(at));
    const { rows } = await this.#options.pool.query<AnswerRow>({
      name: 'commit_executions',
      text: COMMIT_EXECUTIONS,
      ...ANSWER_LIMIT,
      values: executionParameters(
        order.map((place) => items[place] as ExecutionItem),
        ids,
        at,
        this.#options.limitDay(at),
      ),
    });
    const results: ExecutionResult[] = [];
    for (const row of rows) {
      const place = order[row.ord ?? ids.indexOf(row.id)] as number;
      const result = { ...row, transaction: row.ord === null ? newTransaction(row) : undefined };
      results[place] = result;
      if (result.outcome !== 'again')
        this.#options.onExecuted?.(result.replayed ? 'known' : result.outcome, result.transaction);
    }
    return results;
  }

  async #read(ids: readonly TransactionId[]): Promise<readonly (PricedTransaction | undefined)[]> {
    const { rows } = await this.#options.pool.query<WholeRow>({
      name: 'read_transactions',
      // With a limit, the planner uses the index; without, it may read all of a table that was small when it planned.
      text: `select ${WHOLE_COLUMNS} from ${IDS} as n (customer_id, id)
             cross join lateral (
               select * from transactions x where x.customer_id = n.customer_id and x.id = n.id limit 1) t
             ${WITH_QUOTE} ${WITH_INSTRUCTIONS}`,
      values: [ids.map((each) => each.customerId), ids.map((each) => each.id)],
    });
    const found = new Map((await transactionsOf(this.#options.pool, rows)).map((row) => [row.id, row]));
    return ids.map(({ customerId, id }) => {
      const row = found.get(id);
      return row?.customer_id === customerId ? row : undefined;
    });
  }
}
