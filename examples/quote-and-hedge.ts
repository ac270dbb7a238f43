// Quote and hedge: sell currency to a client of your own at your price, and cover it with a firm quote in the same moment.
//
//   node examples/quote-and-hedge.ts SELL BUY AMOUNT [--margin BPS] [--reference TEXT] [--yes]
//
// The firm quote comes first: its rate is guaranteed while your client thinks. It is executed only once your client has accepted.
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import {
  Firmquote,
  FirmquoteError,
  OutcomeUnknownError,
  PriceMovedError,
  type Quote,
  type Transaction,
} from '@firmquote/client';
import { formatDecimal, parseDecimal, subtract } from '@firmquote/client/money';

const { values, positionals } = parseArgs({
  options: {
    margin: { type: 'string', default: '25' },
    reference: { type: 'string' },
    yes: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const [sellCurrency, buyCurrency, amount] = positionals;
if (sellCurrency === undefined || buyCurrency === undefined || amount === undefined) {
  process.stderr.write(
    'Usage: quote-and-hedge.ts SELL BUY AMOUNT [--margin BPS] [--reference TEXT] [--yes]\n',
  );
  process.exit(2);
}

/** What your client gets: the hedge's amount less your margin, rounded down. Exact, since it is in whole cents. */
function lessMargin(buyAmount: string, marginBps: bigint): string {
  const { units, scale } = parseDecimal(buyAmount);
  return formatDecimal({ units: (units * (10_000n - marginBps)) / 10_000n, scale });
}

async function accepts(question: string): Promise<boolean> {
  if (values.yes) return true;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(question);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** Executes once, whatever happens on the way; null: it did not happen. */
async function hedge(firmquote: Firmquote, quote: Quote, marginBps: bigint): Promise<Transaction | null> {
  const clientReference = values.reference;
  try {
    // If your client thought for too long, a new quote may cost half of the margin, and no more.
    return await firmquote.quotes.executeOrRequote(quote, {
      clientReference,
      maxWorseBps: `${marginBps / 2n}`,
    });
  } catch (error) {
    if (error instanceof PriceMovedError) {
      process.stderr.write(
        `The market moved by ${error.worseBps} bps while your client thought: quote again.\n`,
      );
      return null;
    }
    // The answer was lost. Executing again would be a guess; asking is not.
    if (error instanceof OutcomeUnknownError) return error.resolve({ cancelIfOpen: true });
    throw error;
  }
}

async function main(sellCurrency: string, buyCurrency: string, amount: string): Promise<number> {
  const marginBps = BigInt(values.margin);
  const firmquote = new Firmquote({ appInfo: 'quote-and-hedge' });
  const quote = await firmquote.quotes.create({ sellCurrency, buyCurrency, fixedSide: 'sell', amount });
  const promised = lessMargin(quote.buyAmount, marginBps);
  const seconds = Math.floor(firmquote.quotes.secondsLeft(quote));
  const offer = `${quote.sellAmount} ${sellCurrency} for ${promised} ${buyCurrency}, good for ${seconds} s.`;
  if (!(await accepts(`${offer} Accept? [y/N] `))) {
    await firmquote.quotes.cancel(quote.quoteId);
    process.stderr.write('Nothing was traded; the quote is cancelled.\n');
    return 0;
  }
  const trade = await hedge(firmquote, quote, marginBps);
  if (trade === null) return 1;
  const result = {
    transactionId: trade.transactionId,
    sold: `${trade.sellAmount} ${trade.sellCurrency}`,
    bought: `${trade.buyAmount} ${trade.buyCurrency}`,
    promised: `${promised} ${trade.buyCurrency}`,
    margin: `${subtract(trade.buyAmount, promised)} ${trade.buyCurrency}`,
    payUntil: trade.settlement.fundingCutoffAt,
    reference: trade.reference,
  };
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  return 0;
}

try {
  process.exitCode = await main(sellCurrency, buyCurrency, amount);
} catch (error) {
  if (!(error instanceof FirmquoteError)) throw error;
  process.stderr.write(`${error.message}\n${error.nextStep}\n`);
  process.exitCode = 1;
}
