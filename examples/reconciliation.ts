// A reconciliation run: your own book of a period against the service's, trade by trade and deposit by deposit.
//
//   node examples/reconciliation.ts BOOK --from INSTANT --to INSTANT
//
// BOOK is a JSON file, a list of { clientReference, sellAmount, sellCurrency, buyAmount, buyCurrency, paid } of what you
// believe you have traded and paid. The differences go to stdout, a line of JSON each; the exit code is 1 if there are any.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { Firmquote, FirmquoteError, type TransactionSummary } from '@firmquote/client';
import { add, compare } from '@firmquote/client/money';

interface Booked {
  readonly clientReference: string;
  readonly sellAmount: string;
  readonly sellCurrency: string;
  readonly buyAmount: string;
  readonly buyCurrency: string;
  /** Of the sold currency, what has left your account. */
  readonly paid: string;
}

interface Difference {
  readonly difference: string;
  readonly clientReference?: string | null;
  readonly transactionId?: string;
  readonly depositId?: string;
  readonly yours?: string;
  readonly theirs?: string;
}

/** A trade that is booked on both sides. */
function compareTrade(yours: Booked, theirs: TransactionSummary): Difference[] {
  const { clientReference, transactionId } = theirs;
  const pairs: readonly (readonly [name: string, yours: string, theirs: string])[] = [
    ['sold', `${yours.sellAmount} ${yours.sellCurrency}`, `${theirs.sellAmount} ${theirs.sellCurrency}`],
    ['bought', `${yours.buyAmount} ${yours.buyCurrency}`, `${theirs.buyAmount} ${theirs.buyCurrency}`],
    ['paid', `${yours.paid} ${yours.sellCurrency}`, `${theirs.funding.received} ${theirs.sellCurrency}`],
  ];
  const found: Difference[] = pairs
    .filter(([, mine, other]) => mine !== other)
    .map(([difference, mine, other]) => ({
      difference,
      clientReference,
      transactionId,
      yours: mine,
      theirs: other,
    }));
  const isPaid = compare(yours.paid, yours.sellAmount) >= 0;
  if (isPaid && theirs.status !== 'settled') {
    found.push({ difference: 'not_settled', clientReference, transactionId, theirs: theirs.status });
  }
  return found;
}

async function* differences(firmquote: Firmquote, book: readonly Booked[], from: string, to: string) {
  const mine = new Map(book.map((booked) => [booked.clientReference, booked]));
  const seen = new Set<string>();
  const traded = firmquote.transactions.list({ createdFrom: from, createdTo: to, sort: 'createdAt' });
  for await (const trade of traded) {
    const { clientReference, transactionId } = trade;
    const booked = mine.get(clientReference ?? '');
    if (booked === undefined) yield { difference: 'not_in_your_book', clientReference, transactionId };
    else if (seen.has(booked.clientReference))
      yield { difference: 'traded_twice', clientReference, transactionId };
    else yield* compareTrade(booked, trade);
    if (clientReference !== null) seen.add(clientReference);
  }
  for (const { clientReference } of book) {
    if (!seen.has(clientReference)) yield { difference: 'not_traded', clientReference };
  }
  // Money of yours that pays no trade yet.
  for await (const deposit of firmquote.deposits.list({ from })) {
    const { depositId, currency, unallocatedAmount, excessAmount } = deposit;
    const unplaced = add(unallocatedAmount, excessAmount);
    if (/[1-9]/.test(unplaced))
      yield { difference: 'unplaced', depositId, theirs: `${unplaced} ${currency}` };
  }
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { from: { type: 'string' }, to: { type: 'string' } },
    allowPositionals: true,
  });
  const [file] = positionals;
  const { from, to } = values;
  if (file === undefined || from === undefined || to === undefined) {
    process.stderr.write('Usage: reconciliation.ts BOOK --from INSTANT --to INSTANT\n');
    return 2;
  }
  const book = JSON.parse(readFileSync(file, 'utf8')) as readonly Booked[];
  const firmquote = new Firmquote({ appInfo: 'reconciliation' });
  let count = 0;
  for await (const difference of differences(firmquote, book, from, to) as AsyncIterable<Difference>) {
    count++;
    process.stdout.write(`${JSON.stringify(difference)}\n`);
  }
  const verdict = count === 0 ? 'Your book and the service agree' : `Differences: ${count}`;
  process.stderr.write(`${verdict}, for ${book.length} trades in your book.\n`);
  return count === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof FirmquoteError)) throw error;
  process.stderr.write(`${error.message}\n${error.nextStep}\n`);
  process.exitCode = 1;
}
