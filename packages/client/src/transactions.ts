import { cancelled, isAborted } from './attempt.ts';
import type { Connection } from './connection.ts';
import { FirmquoteError, TimeoutError } from './errors.ts';
import { getTransaction, TransactionsOperations } from './generated/operations.ts';
import { NEXT_STATES } from './generated/states.ts';
import type { Transaction, TransactionStatus } from './generated/types.ts';

/** The service holds an answer for so long at most. */
const HOLD_SECONDS = 30;
const DEFAULT_WAIT_MS = 300_000;
/** Between two answers that say the same: whoever does not hold them is not asked without pause. */
const PAUSE_MS = 1_000;

export interface WaitForOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: 5 minutes. */
  readonly timeoutMs?: number | undefined;
  /** Told of every change that is seen on the way. */
  readonly onChange?: ((transaction: Transaction) => void) | undefined;
}

/** The transaction can no longer come to the status that was waited for. */
export class StatusUnreachableError extends FirmquoteError {
  override name = 'StatusUnreachableError';
  readonly transaction: Transaction;

  constructor(transaction: Transaction, wanted: readonly string[]) {
    const { status, statusReason } = transaction;
    super(
      `The transaction is ${status}${statusReason === null ? '' : ` (${statusReason})`} and cannot become ${wanted.join(' or ')}.`,
      {
        code: 'status_unreachable',
        nextStep: 'Look at statusReason and timeline; the operator can tell more.',
      },
    );
    this.transaction = transaction;
  }
}

/** What came of executed quotes. */
export class Transactions extends TransactionsOperations {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    super(connection);
    this.#connection = connection;
  }

  /**
   * Waits until the transaction has one of the statuses, held by the service instead of polled. Ends early where it can no longer come
   * to any of them.
   * @throws StatusUnreachableError, TimeoutError
   */
  async waitFor(
    transactionId: string,
    status: TransactionStatus | readonly TransactionStatus[],
    options: WaitForOptions = {},
  ): Promise<Transaction> {
    const wanted: readonly string[] = typeof status === 'string' ? [status] : status;
    const { signal, onChange, timeoutMs = DEFAULT_WAIT_MS } = options;
    const { runtime } = this.#connection.settings;
    const end = runtime.monotonicMs() + timeoutMs;
    let known: string | undefined;
    for (;;) {
      const began = runtime.monotonicMs();
      const left = end - began;
      const waitSeconds =
        known === undefined ? undefined : Math.max(1, Math.min(HOLD_SECONDS, Math.floor(left / 1_000)));
      const {
        data,
        etag,
        status: answered,
      } = await this.#connection.send<Transaction>(
        getTransaction,
        { path: [transactionId] },
        { signal, waitSeconds, ifNoneMatch: known },
      );
      if (answered !== 304) {
        onChange?.(data);
        if (wanted.includes(data.status)) return data;
        if (!canReach(data.status, wanted)) throw new StatusUnreachableError(data, wanted);
        known = etag;
      }
      if (runtime.monotonicMs() >= end) throw tooLong(transactionId, wanted, timeoutMs);
      if (known === undefined || runtime.monotonicMs() - began < PAUSE_MS / 4)
        await runtime.sleep(PAUSE_MS, signal);
      if (isAborted(signal)) throw cancelled();
    }
  }
}

/** Whether one of the statuses lies ahead. A status that nobody knew when this was written may lead anywhere. */
function canReach(from: string, wanted: readonly string[]): boolean {
  const seen = new Set<string>();
  const ahead = [from];
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    const next = NEXT_STATES[at];
    if (next === undefined) return true;
    for (const each of next) {
      if (wanted.includes(each)) return true;
      if (!seen.has(each)) ahead.push(each);
      seen.add(each);
    }
  }
  return wanted.some((each) => !(each in NEXT_STATES)) && from !== 'cancelled';
}

function tooLong(id: string, wanted: readonly string[], timeoutMs: number): TimeoutError {
  return new TimeoutError(`${id} did not become ${wanted.join(' or ')} within ${timeoutMs} ms.`, {
    ...{ code: 'wait_timeout', retryable: true },
    nextStep: 'Wait again; it may take until the value date, or until money arrives.',
  });
}
