import type { ExecuteRequest } from '@firmquote/api/operations/transactions';
import { findPair, formatAmount, knownCurrency, type TransactionStatus } from '@firmquote/fx';
import { limitExceeded } from '../customers/limits.ts';
import { houseRefusal, isNotValued } from '../exposure/house-limits.ts';
import { readMinor } from '../http/amounts.ts';
import { marketClosed } from '../market/market.ts';
import { typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import {
  isGoneCode,
  quoteAlreadyExecuted,
  quoteGone,
  quoteNotFound,
  versionMismatch,
} from '../quotes/quote-lifecycle.ts';
import { asExecuted, type PricedTransaction } from './record.ts';
import type { ExecutionRoom } from './room.ts';
import type { ExecutionItem, ExecutionResult } from './store.ts';

interface ExecuteQuote {
  readonly customerId: string;
  readonly clientId: string;
  /** UUID, or undefined when what the caller gave is no quote id. */
  readonly quoteId: string | undefined;
  readonly body: ExecuteRequest;
  readonly receivedAt: number;
  readonly key: { readonly key: string; readonly fingerprint: string } | undefined;
  readonly ifMatch: number | undefined;
}

/** The command with a quote id that is one. */
type Known = ExecuteQuote & { readonly quoteId: string };

/** A replayed one is as it was when it was executed, with what has become of it. */
export type Executed =
  | { readonly transaction: PricedTransaction; readonly replayed: false }
  | {
      readonly transaction: PricedTransaction;
      readonly replayed: true;
      readonly currentStatus: TransactionStatus;
    };

/**
 * Executes a quote (docs/interface.md#execution): one commit with everything in it, no price check, nothing called outside. The
 * order of what may stand against it: idempotency key, then the quote's state, then the market, then limits, the
 * customer's before the house's.
 */
export function executeQuote(room: ExecutionRoom, command: ExecuteQuote): Promise<Executed> {
  const { quoteId, key } = command;
  if (quoteId === undefined) return Promise.reject(quoteNotFound());
  if (key === undefined) return execute(room, { ...command, quoteId });
  const id = `${command.customerId} execute:${quoteId} ${key.key}`;
  return room.gate.run(id, () => execute(room, { ...command, quoteId }));
}

async function execute(room: ExecutionRoom, command: Known): Promise<Executed> {
  room.timekeeper.requireRight();
  // Nearly every execution asks none of this, and each pause would be one more turn of the event loop.
  if (mayBeShut(room, command)) await requireOpenMarket(room, command);
  const { expect } = command.body;
  const expected = expect === undefined ? {} : await readExpectation(room, command, expect);
  const ready = room.exposure.ready();
  if (ready !== undefined) await ready;
  const item = {
    customerId: command.customerId,
    clientId: command.clientId,
    quoteId: command.quoteId,
    receivedAt: command.receivedAt,
    key: command.key,
    ifMatch: command.ifMatch,
    expectSell: expected.sell,
    expectBuy: expected.buy,
    clientReference: command.body.clientReference,
    metadata: command.body.metadata,
  };
  const result = await room.transactions
    .execute(item)
    .catch((error: unknown) => executeValued(room, item, error));
  if (command.key && result.replayed && result.fingerprint !== command.key.fingerprint) {
    throw new Problem('idempotency_key_reused', 'The key was used to execute this quote with another body.');
  }
  if (result.outcome === 'created') {
    return result.transaction === undefined
      ? replayedTransaction(room, command, result)
      : { transaction: result.transaction, replayed: false };
  }
  const problem = await refusalOf(room, command.customerId, command.quoteId, result);
  throw result.replayed ? asReplayed(problem) : problem;
}

async function replayedTransaction(
  { transactions }: ExecutionRoom,
  { customerId }: Known,
  { quote_transaction_id: id }: ExecutionResult,
): Promise<Executed> {
  const known = id === null ? undefined : await transactions.find(customerId, id);
  if (known === undefined) throw new Error('an execution without its transaction');
  return { transaction: asExecuted(known), replayed: true, currentStatus: known.status };
}

/** After an execution that the database refused: once more when it only did not know what a position is worth. */
async function executeValued(
  { exposure, transactions }: ExecutionRoom,
  item: ExecutionItem,
  error: unknown,
): Promise<ExecutionResult> {
  if (!isNotValued(error)) throw houseRefusal(error) ?? error;
  await exposure.publish();
  return transactions.execute(item).catch((second: unknown) => {
    throw houseRefusal(second) ?? second;
  });
}

/** That a quote is gone is kept under the key as well, and marked like every answer that is given again. */
function asReplayed({ code, message, members, headers }: Problem): Problem {
  return new Problem(code, message, { members, headers: { ...headers, 'Idempotency-Replayed': 'true' } });
}

function mayBeShut({ market }: ExecutionRoom, { customerId }: Known): boolean {
  return market.mayRefuseExecutions(customerId);
}

/** A market that shut early stops executions, but not the answer to one that happened before. */
async function requireOpenMarket(room: ExecutionRoom, command: Known): Promise<void> {
  const { market } = room;
  const quote = await room.quotes.find(command.customerId, command.quoteId);
  // What is decided already is answered by the execution itself, whatever the market does.
  if (quote?.status !== 'open' || quote.expiresAt <= command.receivedAt) return;
  const pair = findPair(quote.pair);
  const state = market.executionState(pair, command.customerId, command.receivedAt);
  if (state.state === 'open') return;
  throw marketClosed(
    state,
    state.reason === 'halt'
      ? 'Trading is halted.'
      : 'The market is closed; the quote stays open until it expires.',
  );
}

async function readExpectation(
  room: ExecutionRoom,
  command: Known,
  { sellAmount, buyAmount }: NonNullable<ExecuteRequest['expect']>,
): Promise<{ sell?: bigint; buy?: bigint }> {
  const quote = await room.quotes.find(command.customerId, command.quoteId);
  if (quote === undefined) throw quoteNotFound();
  return {
    ...(sellAmount === undefined
      ? {}
      : { sell: readMinor(sellAmount, knownCurrency(quote.sellCurrency), '/expect/sellAmount') }),
    ...(buyAmount === undefined
      ? {}
      : { buy: readMinor(buyAmount, knownCurrency(quote.buyCurrency), '/expect/buyAmount') }),
  };
}

async function refusalOf(
  room: ExecutionRoom,
  customerId: string,
  quoteId: string,
  result: ExecutionResult,
): Promise<Problem> {
  const { outcome } = result;
  if (isGoneCode(outcome)) {
    const quote = { id: quoteId, expiresAt: result.quote_expires_at ?? 0, closedAt: result.quote_closed_at };
    return quoteGone(outcome, quote, result.received_at);
  }
  switch (outcome) {
    case 'quote_not_found':
      return quoteNotFound();
    case 'quote_already_executed':
      return quoteAlreadyExecuted(result.quote_transaction_id);
    case 'version_mismatch':
      return versionMismatch(result.quote_version ?? 0);
    case 'quote_terms_mismatch':
      return new Problem(
        'quote_terms_mismatch',
        'The amounts of the quote differ from those expected; it stays open.',
        {
          members: await actualAmounts(room, customerId, quoteId),
        },
      );
    case 'customer_suspended':
      return new Problem('customer_suspended', 'The customer is suspended.');
    case 'settlement_instructions_missing':
      return new Problem(
        'settlement_instructions_missing',
        'An account needed to settle this trade no longer exists.',
      );
    case 'limit_exceeded':
      return result.limit_type === 'balance'
        ? balanceTooSmall(room, customerId, quoteId, result)
        : limitExceeded(
            {
              limitType: result.limit_type === 'daily' ? 'daily' : 'openPosition',
              limitMinor: BigInt(result.limit_minor ?? '0'),
              usedMinor: BigInt(result.used_minor ?? '0'),
            },
            room.limitDay(room.clock.now()),
          );
    default:
      throw new Error(`unknown outcome of an execution: ${outcome}`);
  }
}

async function actualAmounts(
  room: ExecutionRoom,
  customerId: string,
  quoteId: string,
): Promise<Record<string, unknown>> {
  const quote = await room.quotes.find(customerId, quoteId);
  if (quote === undefined) return {};
  return {
    actual: {
      sellAmount: formatAmount(quote.sellMinor, knownCurrency(quote.sellCurrency)),
      buyAmount: formatAmount(quote.buyMinor, knownCurrency(quote.buyCurrency)),
    },
  };
}

/** A pre-funded customer's balance does not cover the sold amount. */
async function balanceTooSmall(
  { quotes }: ExecutionRoom,
  customerId: string,
  quoteId: string,
  result: ExecutionResult,
): Promise<Problem> {
  const quote = await quotes.find(customerId, quoteId);
  const currency = knownCurrency(quote?.sellCurrency ?? 'USD');
  const limit = formatAmount(BigInt(result.limit_minor ?? '0'), currency);
  const required = formatAmount(BigInt(result.used_minor ?? '0'), currency);
  return new Problem(
    'limit_exceeded',
    `The balance of ${limit} ${currency.code} does not cover ${required} ${currency.code}.`,
    { members: { limitType: 'balance', limit, required, currency: currency.code } },
  );
}

/** Location of a transaction. */
export function transactionPath(id: string): string {
  return `/v1/customer/transactions/${typeId('txn', id)}`;
}
