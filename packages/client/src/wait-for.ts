import { cancelled, isAborted } from './attempt.ts';
import type { Connection } from './connection.ts';
import { StatusUnreachableError, TimeoutError } from './errors.ts';
import { getTransaction } from './generated/specs.ts';
import { NEXT_STATES } from './generated/states.ts';
import type { Transaction, TransactionStatus } from './generated/types.ts';
import type { WaitForOptions } from './options.ts';
import { pauseAfter } from './pauses.ts';
import { isPassing } from './retry.ts';

/** The service holds an answer for so long at most. */
const HOLD_SECONDS = 30;
const DEFAULT_WAIT_MS = 300_000;
/** Between two answers that say the same: whoever does not hold them is not asked without pause. */
const PAUSE_MS = 1_000;
/** After a fault that has outlived a call's own attempts. */
const PAUSE_AFTER_FAULT_MS = 5_000;
/** For an answer that was held to the end, beside its way here. */
const WAY_MS = 1_000;

/** As `transactions.waitFor`, which loads it when it is first called. */
export async function waitForStatus(
  connection: Connection,
  transactionId: string,
  status: TransactionStatus | readonly TransactionStatus[],
  options: WaitForOptions,
): Promise<Transaction> {
  const wanted: readonly string[] = typeof status === 'string' ? [status] : status;
  const { signal, onChange, timeoutMs = DEFAULT_WAIT_MS } = options;
  const { runtime, log } = connection.settings;
  const end = runtime.monotonicMs() + timeoutMs;
  let known: string | undefined;
  let hasBegun = false;
  for (;;) {
    const began = runtime.monotonicMs();
    let pauseMs = 0;
    const answer = await look(connection, transactionId, known, end - began, signal).catch((error) => {
      if (!hasBegun || !isPassing(error)) throw error;
      pauseMs = pauseAfter(error, PAUSE_AFTER_FAULT_MS);
      return undefined;
    });
    if (answer === undefined) {
      log('warn', 'waitFor: trying again', { pauseMs });
    } else {
      const { data, etag, status: answered } = answer;
      const isQuick = hasBegun && runtime.monotonicMs() - began < PAUSE_MS / 4;
      hasBegun = true;
      if (answered !== 304) {
        onChange?.(data);
        if (wanted.includes(data.status)) return data;
        if (!canReach(data.status, wanted)) throw new StatusUnreachableError(data, wanted);
        known = etag;
      }
      if (known === undefined || isQuick) pauseMs = PAUSE_MS;
    }
    const left = end - runtime.monotonicMs();
    if (left > 0 && pauseMs > 0) await runtime.sleep(Math.min(pauseMs, left), signal);
    if (isAborted(signal)) throw cancelled();
    if (left <= pauseMs) throw tooLong(transactionId, wanted, timeoutMs);
  }
}

/** @param etag of what is known: the answer is held until there is something else */
function look(
  connection: Connection,
  transactionId: string,
  etag: string | undefined,
  leftMs: number,
  signal: AbortSignal | undefined,
) {
  const waitSeconds =
    etag === undefined ? undefined : Math.max(1, Math.min(HOLD_SECONDS, Math.floor(leftMs / 1_000)));
  const { deadlineMs } = connection.settings;
  // A call has the time that its answer is held for beside its deadline.
  const afterHoldMs = Math.max(WAY_MS, leftMs - (waitSeconds ?? 0) * 1_000);
  return connection.send<Transaction>(
    getTransaction,
    { path: [transactionId] },
    { signal, waitSeconds, ifNoneMatch: etag, deadlineMs: Math.min(deadlineMs, afterHoldMs) },
  );
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
