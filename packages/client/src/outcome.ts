import { cancelled, isAborted } from './attempt.ts';
import type { Answer } from './call.ts';
import type { Connection, SendOptions } from './connection.ts';
import {
  ApiError,
  type CallFacts,
  CancelledError,
  FirmquoteError,
  OutcomeUnknownError,
  QuoteAlreadyExecutedError,
  QuoteEndedError,
  type ResolveOptions,
} from './errors.ts';
import { cancelQuote, executeQuote, getQuote, getTransaction } from './generated/specs.ts';
import type { Quote, Transaction } from './generated/types.ts';

/** How often a quote is looked at for what came of an execution. */
const LOOK_AGAIN_MS = 1_000;
/** While it is open: what was sent is done within moments, or when the quote ends. */
const LOOK_AGAIN_OPEN_MS = 3_000;
/** From its expiry on, until an execution that arrived in time has been written or never will be: the service allows 17.5 s. */
const DECIDED_AFTER_MS = 20_000;

/** An execution whose answer was lost, as it was sent. */
type LostExecution = readonly [
  input: { readonly path: readonly [quoteId: string]; readonly body: object },
  options: SendOptions,
];

/**
 * What came of an execution whose answer was lost: the transaction, or null where it never happened and never will. Where asking
 * itself is lost, it is as unknown as before.
 */
export async function findOut(
  connection: Connection,
  lost: LostExecution,
  options: ResolveOptions,
  facts: CallFacts,
): Promise<Transaction | null> {
  try {
    return await ask(connection, lost, options, facts.idempotencyKey);
  } catch (error) {
    const isPassing = error instanceof CancelledError || (error instanceof FirmquoteError && error.retryable);
    if (!isPassing) throw error;
    throw new OutcomeUnknownError(
      'The outcome is still unknown.',
      { ...facts, cause: error, nextStep: 'Call resolve() again.' },
      (more) => findOut(connection, lost, more, facts),
    );
  }
}

/** Reads until it is certain; at most it cancels, and asks under the key of the execution where nothing can be executed any more. */
async function ask(
  connection: Connection,
  [input, sent]: LostExecution,
  { signal, cancelIfOpen }: ResolveOptions,
  idempotencyKey: string | undefined,
): Promise<Transaction | null> {
  const { runtime } = connection.settings;
  const [quoteId] = input.path;
  // Its last attempt was due before the end of the quote.
  const again = { ...sent, lastAttemptMs: undefined, resolve: undefined, idempotencyKey, signal };
  let expiredAtMs: number | undefined;
  for (;;) {
    const { data: quote } = await connection.send<Quote>(getQuote, { path: [quoteId] }, { signal });
    const { status, transactionId } = quote;
    if (transactionId !== null) {
      return (await connection.send<Transaction>(getTransaction, { path: [transactionId] }, { signal })).data;
    }
    if (status === 'cancelled' || status === 'withdrawn') return null;
    if (status === 'expired') {
      expiredAtMs ??= runtime.monotonicMs();
      const known = await answerTo(connection.send(executeQuote, input, again));
      if (known !== undefined) return known;
      if (runtime.monotonicMs() - expiredAtMs > DECIDED_AFTER_MS) return null;
    }
    // Cancelling twice is harmless: where it was lost, it is done again.
    const isEnded = cancelIfOpen === true && status === 'open' && (await cancel(connection, quoteId, signal));
    if (!isEnded) await runtime.sleep(status === 'open' ? LOOK_AGAIN_OPEN_MS : LOOK_AGAIN_MS, signal);
    if (isAborted(signal)) throw cancelled();
  }
}

/**
 * Readers see a quote as expired at once, while what arrived in time may still be under way. To the key of the execution the service
 * says what holds for that as well; undefined where it does not say.
 */
async function answerTo(work: Promise<Answer<Transaction>>): Promise<Transaction | null | undefined> {
  try {
    return (await work).data;
  } catch (error) {
    if (error instanceof QuoteEndedError) return null;
    // Executed under another key, of which the quote knows; or refused for what says nothing of the first one.
    if (error instanceof ApiError || error instanceof OutcomeUnknownError) return undefined;
    throw error;
  }
}

/** Whether the quote is certainly open no more. */
async function cancel(
  connection: Connection,
  quoteId: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    await connection.send(cancelQuote, { path: [quoteId] }, { signal });
    return true;
  } catch (error) {
    // Executed or expired before: the quote says so itself.
    if (error instanceof QuoteEndedError || error instanceof QuoteAlreadyExecutedError) return true;
    if (error instanceof OutcomeUnknownError) return false;
    throw error;
  }
}
