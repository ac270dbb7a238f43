import { OutcomeUnknownError, type Quote, type Transaction } from '@firmquote/client';
import { parseAmount } from '../amount.ts';
import type { Cli } from '../cli.ts';
import { CliError, usage } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Values } from '../operations/flags.ts';
import { operationOf } from '../operations/table.ts';
import type { Service } from '../service.ts';
import { TRANSACTION_VIEW } from './views.ts';

/** How long is asked for what came of an execution whose answer was lost, ms. */
const RESOLVE_MS = 10_000;

interface Terms {
  readonly clientReference?: string | undefined;
  readonly expect?: { readonly sellAmount?: string; readonly buyAmount?: string } | undefined;
  readonly ifMatch?: string | undefined;
}

/** `quotes execute`: a quote that somebody got before. */
export async function executeStored(cli: Cli, quoteId: string, options: Values): Promise<void> {
  const service = await cli.service('customer');
  const expect = {
    ...(typeof options.expectSell === 'string' ? { sellAmount: parseAmount(options.expectSell) } : {}),
    ...(typeof options.expectBuy === 'string' ? { buyAmount: parseAmount(options.expectBuy) } : {}),
  };
  const terms: Terms = {
    clientReference: textOf(options.ref),
    ifMatch: textOf(options.ifMatch),
    ...(Object.keys(expect).length === 0 ? {} : { expect }),
  };
  await service.dryRun(operationOf('executeQuote'), {
    path: [quoteId],
    query: {},
    body: { clientReference: terms.clientReference, expect: terms.expect },
    headers: terms.ifMatch === undefined ? {} : { 'If-Match': terms.ifMatch },
  });
  await service.confirmWrite('Executing the quote');
  await traded(cli, await executeQuote(cli, service, quoteId, terms));
}

/** Says what to do next, below what was traded. */
export async function traded(cli: Cli, transaction: Transaction): Promise<void> {
  await cli.print.one(transaction, { columns: TRANSACTION_VIEW });
  await cli.note(`Next: firmquote transactions wait ${transaction.transactionId} --for settled`);
}

/**
 * Trades. A Ctrl-C after the request has gone does not undo it, so the first one says so and the second one leaves; what
 * came of a lost answer is asked for, for a while.
 */
export async function executeQuote(
  cli: Cli,
  service: Service,
  quote: string | Quote,
  terms: Terms,
): Promise<Transaction> {
  const idempotencyKey = cli.options.idempotencyKey ?? crypto.randomUUID();
  const leaving = Promise.withResolvers<never>();
  const quoteId = typeof quote === 'string' ? quote : quote.quoteId;
  let interrupts = 0;
  const stop = cli.io.onInterrupt(() => {
    interrupts += 1;
    if (interrupts === 1)
      void cli.note(
        '\nThe execution was sent and may be done. Press Ctrl-C again to leave without waiting for the answer.',
      );
    else
      leaving.reject(
        unknown(
          `You left before the answer came: quote ${quoteId} may have been executed.`,
          quoteId,
          idempotencyKey,
        ),
      );
  });
  try {
    return await Promise.race([perform(cli, service, quote, { ...terms, idempotencyKey }), leaving.promise]);
  } finally {
    stop();
  }
}

async function perform(
  cli: Cli,
  service: Service,
  quote: string | Quote,
  options: Terms & { readonly idempotencyKey: string },
): Promise<Transaction> {
  try {
    return await service.client.quotes.execute(quote, { ...options, ...service.callOptions() } as never);
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error;
    await cli.note('The answer to the execution was lost. Looking up the outcome …');
    const quoteId = typeof quote === 'string' ? quote : quote.quoteId;
    let found: Transaction | null;
    try {
      found = (await error.resolve({ signal: AbortSignal.timeout(RESOLVE_MS) })) as Transaction | null;
    } catch (cause) {
      throw unknown(
        `The answer to the execution was lost, and the outcome is unknown: quote ${quoteId} may have been executed.`,
        quoteId,
        options.idempotencyKey,
        cause,
      );
    }
    if (found !== null) return found;
    throw new CliError(
      EXIT.tooLate,
      'quote_expired',
      'The quote was not executed, and never will be.',
      'Ask for a new one: firmquote quote …',
    );
  }
}

function unknown(message: string, quoteId: string, idempotencyKey: string, cause?: unknown): CliError {
  return new CliError(
    EXIT.outcomeUnknown,
    'outcome_unknown',
    `${message} Idempotency key: ${idempotencyKey}.`,
    `firmquote quotes get ${quoteId} says whether it was, from 20 seconds after its end on. To be told at once, and make sure that it is executed, once: firmquote quotes execute ${quoteId} --idempotency-key ${idempotencyKey}`,
    { cause, details: { quoteId, idempotencyKey } },
  );
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw usage('A text is missing.');
}
