import type { ListQuotesQuery, ListTransactionsQuery } from '@firmquote/client';
import { z } from 'zod';
import type { Cli } from '../cli.ts';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { NOTHING } from '../operations/flags.ts';
import { operationOf } from '../operations/table.ts';

/** Something that an assistant can do. Each is one or two calls of the client. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** It changes something, if only in the sandbox. */
  readonly isWrite: boolean;
  run(cli: Cli, input: unknown): Promise<unknown>;
}

const RATES_LIMIT_MS = 10_000;
const LIST_MAX = 50;
const LIST_DEFAULT = 10;

const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .describe('ISO 4217 code');
const Amount = z.string().describe('Decimal text, such as "100000.00"');
const QuoteId = z.string().describe('quote_…');
const TransactionId = z.string().describe('txn_…');
const Limit = z.int().min(1).max(LIST_MAX).default(LIST_DEFAULT).describe('Items at most');
const Terms = z.strictObject({
  sellCurrency: Currency,
  buyCurrency: Currency,
  fixedSide: z.enum(['sell', 'buy']).describe('Side that the amount is for'),
  amount: Amount,
  tenor: z.enum(['today', 'tom', 'spot']).optional().describe('Settlement; default spot'),
});

/** Ties what a tool takes to what it does with it. */
function tool<T extends z.ZodObject>(
  made: Omit<Tool, 'run' | 'input' | 'isWrite'> & {
    readonly input: T;
    readonly isWrite?: true;
    run(cli: Cli, input: z.output<T>): Promise<unknown>;
  },
): Tool {
  return { isWrite: false, ...made, run: (cli, input) => made.run(cli, input as z.output<T>) };
}

async function client(cli: Cli) {
  return (await cli.service('customer')).client;
}

export const TOOLS: readonly Tool[] = [
  tool({
    name: 'get_rates',
    title: 'Rates',
    description:
      'Current prices of currency pairs, with your spread. Indicative: only a firm quote can be executed.',
    input: z.strictObject({
      pairs: z
        .array(z.string().regex(/^[A-Z]{6}$/))
        .min(1)
        .max(20)
        .describe('In market order, such as EURUSD'),
    }),
    async run(cli, { pairs }) {
      const found = new Map<string, unknown>();
      const service = await cli.service('customer');
      for await (const price of service.prices(pairs, undefined, AbortSignal.timeout(RATES_LIMIT_MS))) {
        found.set(price.pair, price);
        if (found.size === new Set(pairs).size) break;
      }
      return { prices: [...found.values()] };
    },
  }),
  tool({
    name: 'get_indicative_price',
    title: 'Indicative price',
    description:
      'What an amount would cost now, with all costs. An estimate: nothing is reserved and nothing is traded.',
    input: Terms,
    run: async (cli, terms) => (await client(cli)).quotes.indicative(terms),
  }),
  tool({
    name: 'list_quotes',
    title: 'Quotes',
    description: 'Your firm quotes, newest first.',
    input: z.strictObject({
      status: z.enum(['open', 'executed', 'cancelled', 'expired', 'withdrawn']).optional(),
      limit: Limit,
    }),
    async run(cli, { limit, ...query }) {
      const quotes = (await client(cli)).quotes.list(query as ListQuotesQuery);
      return { quotes: await quotes.toArray({ limit }) };
    },
  }),
  tool({
    name: 'get_quote',
    title: 'Quote',
    description: 'One firm quote: its amounts, its state, the time left, and its outcome (transactionId).',
    input: z.strictObject({ quoteId: QuoteId }),
    run: async (cli, { quoteId }) => (await client(cli)).quotes.get(quoteId),
  }),
  tool({
    name: 'list_transactions',
    title: 'Transactions',
    description: 'Your trades, newest first, with what is paid and what is settled.',
    input: z.strictObject({
      status: z.string().optional().describe('Such as awaiting_funds, funded, overdue, settling, settled'),
      clientReference: z.string().optional().describe('Exact'),
      limit: Limit,
    }),
    async run(cli, { limit, ...query }) {
      const transactions = (await client(cli)).transactions.list(query as ListTransactionsQuery);
      return { transactions: await transactions.toArray({ limit }) };
    },
  }),
  tool({
    name: 'get_transaction',
    title: 'Transaction',
    description: 'One trade: amounts, how and until when to pay, deposits, payout, and its timeline.',
    input: z.strictObject({ transactionId: TransactionId }),
    run: async (cli, { transactionId }) => (await client(cli)).transactions.get(transactionId),
  }),
  tool({
    name: 'get_market_status',
    title: 'Market',
    description: 'Whether the market is open, and when it opens or closes.',
    input: z.strictObject({}),
    run: async (cli) => (await client(cli)).reference.marketStatus(),
  }),
  tool({
    name: 'request_quote',
    title: 'Request a firm quote',
    description:
      'Locks a rate for some seconds. Show both amounts and the time left (validForMs) before anything is executed.',
    isWrite: true,
    input: Terms.extend({
      validitySeconds: z.int().positive().optional().describe('One of those permitted to you; default 30'),
      clientReference: z.string().optional(),
    }),
    run: async (cli, terms) => (await client(cli)).quotes.create(terms),
  }),
  tool({
    name: 'execute_quote',
    title: 'Execute a quote',
    description:
      'Trades at a firm quote, once and for real. sellAmount and buyAmount must be exactly those of the quote, as the person who trades has seen them and agreed to.',
    isWrite: true,
    input: z.strictObject({
      quoteId: QuoteId,
      sellAmount: Amount,
      buyAmount: Amount,
      clientReference: z.string().optional(),
    }),
    async run(cli, { quoteId, sellAmount, buyAmount, clientReference }) {
      const { quotes } = await client(cli);
      const quote = await quotes.get(quoteId);
      if (quote.sellAmount !== sellAmount || quote.buyAmount !== buyAmount) {
        throw new CliError(
          EXIT.refused,
          'amounts_differ',
          `The quote sells ${quote.sellAmount} ${quote.sellCurrency} and buys ${quote.buyAmount} ${quote.buyCurrency}; that is not what you said. Nothing was sent.`,
          'Show these amounts to the person who trades, and execute with exactly them if that person agrees.',
        );
      }
      // Without a key of its own: an assistant that asks twice is told so, and is not shown one trade as if it were two.
      return quotes.execute(quote, { clientReference });
    },
  }),
  tool({
    name: 'cancel_quote',
    title: 'Cancel a quote',
    description: 'Cancels a firm quote. An executed trade stays.',
    isWrite: true,
    input: z.strictObject({ quoteId: QuoteId }),
    run: async (cli, { quoteId }) => (await client(cli)).quotes.cancel(quoteId),
  }),
];

/** What only a sandbox has. It is moved by its operator, whom a sign-in to a sandbox brings along. */
export const SANDBOX_TOOLS: readonly Tool[] = [
  tool({
    name: 'get_sandbox_clock',
    title: 'Sandbox clock',
    description: 'The time in the sandbox, whose clock can be moved.',
    input: z.strictObject({}),
    run: (cli) => inSandbox(cli, 'getSandboxClock'),
  }),
  tool({
    name: 'move_sandbox_clock',
    title: 'Move the sandbox clock',
    description: 'Advances the time of the sandbox: quotes expire, cut-offs pass, value dates come.',
    isWrite: true,
    input: z.strictObject({ advanceSeconds: z.int().positive() }),
    run: (cli, body) => inSandbox(cli, 'moveSandboxClock', { body }),
  }),
  tool({
    name: 'trigger_sandbox_event',
    title: 'Trigger an event on a sandbox transaction',
    description: 'What banks would do: deposit pays the trade, settle pays it out on its value date.',
    isWrite: true,
    input: z.strictObject({
      transactionId: TransactionId,
      event: z.string().describe('One of deposit, settle, payout-failed, payout-returned'),
    }),
    run: (cli, { transactionId, event }) =>
      inSandbox(cli, 'triggerSandboxEvent', { path: [transactionId, event] }),
  }),
];

async function inSandbox(cli: Cli, id: string, filled: { path?: readonly string[]; body?: unknown } = {}) {
  const operator = await cli.service('operator');
  return (await operator.send(operationOf(id), { ...NOTHING, ...filled })).data;
}
