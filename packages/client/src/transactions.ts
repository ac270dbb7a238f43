import type { Connection } from './connection.ts';
import { TransactionsOperations } from './generated/operations.ts';
import type { Transaction, TransactionStatus } from './generated/types.ts';
import type { WaitForOptions } from './options.ts';

/** Transactions of executed quotes. */
export class Transactions extends TransactionsOperations {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    super(connection);
    this.#connection = connection;
  }

  /**
   * Waits until the transaction has one of the statuses: the service holds the answer, so nothing is polled. Ends early when it can no
   * longer reach any of them; continues after temporary faults once it has begun.
   * @throws StatusUnreachableError, TimeoutError
   */
  async waitFor(
    transactionId: string,
    status: TransactionStatus | readonly TransactionStatus[],
    options: WaitForOptions = {},
  ): Promise<Transaction> {
    const { waitForStatus } = await import('./wait-for.ts');
    return waitForStatus(this.#connection, transactionId, status, options);
  }
}
