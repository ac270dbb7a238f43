import { parseAmount } from '../amount.ts';
import type { Cli } from '../cli.ts';
import { countOf } from '../count.ts';
import { interrupted, usage } from '../errors.ts';
import { write } from '../io.ts';
import type { Register } from '../kit.ts';
import { textOf } from '../output/fields.ts';
import { heading, table } from '../output/table.ts';

const COLUMNS = ['pair', 'bid', 'ask', 'mid', 'spreadBps', 'asOf', 'spotDate', 'tradable', 'reason'];
const PAIR = /^[A-Z]{6}$/;

export const register: Register = (group, kit) => {
  group
    .command('get')
    .argument('<pairs...>', 'EURUSD GBPUSD, or EUR/USD')
    .description('Show your prices once')
    .option('--amount <amount and currency...>', 'For this size: 1m EUR')
    .action(
      kit.run(async (cli, [pairs], options) => {
        const wanted = pairsOf(pairs as string[]);
        const found = new Map<string, unknown>();
        for await (const price of pricesOf(cli, wanted, options.amount)) {
          found.set(price.pair, price);
          if (found.size === wanted.length) break;
        }
        // Only Ctrl-C ends the stream before each pair has a price: a part of what was asked for is no answer.
        if (found.size < wanted.length) throw interrupted();
        await cli.print.many(
          wanted.map((pair) => found.get(pair)),
          { columns: COLUMNS },
        );
      }),
    );
  group
    .command('watch')
    .argument('<pairs...>', 'EURUSD GBPUSD, or EUR/USD')
    .description(
      'Follow your prices as they change, until Ctrl-C.\n\nA table on a terminal; otherwise a line of JSON for each change.',
    )
    .option('--amount <amount and currency...>', 'For this size: 1m EUR')
    .option('--count <changes>', 'Stop after this many changes')
    .action(
      kit.run(async (cli, [pairs], options) => {
        const wanted = pairsOf(pairs as string[]);
        const { count } = options;
        const most = count === undefined ? Number.POSITIVE_INFINITY : countOf(count, '--count');
        const screen =
          cli.print.format === 'table' && cli.print.isTerminal ? new Screen(cli, wanted) : undefined;
        let seen = 0;
        for await (const price of pricesOf(cli, wanted, options.amount)) {
          if (screen === undefined) await cli.print.line(price);
          else await screen.show(price);
          seen += 1;
          if (seen >= most) break;
        }
      }),
    );
};

interface Price {
  readonly pair: string;
}

async function* pricesOf(
  cli: Cli,
  pairs: readonly string[],
  size: unknown,
): AsyncGenerator<Price, void, undefined> {
  const service = await cli.service('customer');
  const stop = new AbortController();
  const forget = cli.io.onInterrupt(() => stop.abort());
  try {
    for await (const price of service.prices(pairs, sizeOf(size), stop.signal)) yield price;
  } finally {
    forget();
    stop.abort();
  }
}

function sizeOf(words: unknown): { readonly amount: string; readonly amountCurrency: string } | undefined {
  if (words === undefined) return undefined;
  const [amount = '', currency = '', ...more] = words as string[];
  if (!/^[A-Za-z]{3}$/.test(currency) || more.length > 0)
    throw usage('--amount takes an amount and a currency.', 'For example: --amount 1m EUR.');
  return { amount: parseAmount(amount), amountCurrency: currency.toUpperCase() };
}

function pairsOf(words: readonly string[]): string[] {
  const pairs = words.flatMap((word) => word.split(',')).map((word) => word.replace('/', '').toUpperCase());
  const wrong = pairs.find((pair) => !PAIR.test(pair));
  if (wrong !== undefined)
    throw usage(
      `“${wrong}” is not a pair.`,
      'Write pairs as EURUSD or EUR/USD; firmquote reference pairs lists them.',
    );
  return [...new Set(pairs)];
}

/** The newest price of each pair, written over the one before. */
class Screen {
  readonly #cli: Cli;
  readonly #pairs: readonly string[];
  readonly #prices = new Map<string, Price>();
  #lines = 0;

  constructor(cli: Cli, pairs: readonly string[]) {
    this.#cli = cli;
    this.#pairs = pairs;
  }

  async show(price: Price): Promise<void> {
    this.#prices.set(price.pair, price);
    const columns = ['pair', 'bid', 'ask', 'mid', 'asOf', 'tradable', 'reason'];
    const rows = this.#pairs.map((pair) => {
      const known: Readonly<Record<string, unknown>> = { ...(this.#prices.get(pair) ?? { pair }) };
      return columns.map((name) => textOf(known[name]));
    });
    const { text } = table(columns.map(heading), rows, this.#cli.print.style());
    const isPlain = this.#cli.io.env.TERM === 'dumb';
    const up = this.#lines === 0 || isPlain ? '' : `\u001b[${this.#lines}A\u001b[J`;
    this.#lines = text.split('\n').length - 1;
    await write(this.#cli.io.stdout, `${up}${text}`);
  }
}
