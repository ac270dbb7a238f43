// A pricing screen in the terminal: your own live prices, spread included, and which of them can be dealt on.
//
//   node examples/pricing-screen.ts [PAIR ...] [--seconds N]
//
// On a terminal it shows a live table; into a pipe it writes a line for each price. Press Ctrl-C to stop it.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { Firmquote, FirmquoteError, type PriceUpdate, type StreamedPrice } from '@firmquote/client';

const DEFAULT_PAIRS = ['EURUSD', 'GBPUSD', 'USDJPY'];
const [UP, DOWN, DIM, PLAIN] = ['\x1b[32m', '\x1b[31m', '\x1b[2m', '\x1b[0m'];

interface Row {
  readonly price: StreamedPrice;
  readonly previous: StreamedPrice | undefined;
}

const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string' } },
  allowPositionals: true,
});
const pairs = positionals.length > 0 ? positionals.map((pair) => pair.toUpperCase()) : DEFAULT_PAIRS;

const rows = new Map<string, Row>();
let notice = 'connecting';
let isDrawn = false;

/** Takes in what came; answers the price, if it was one. */
function take(update: PriceUpdate): StreamedPrice | undefined {
  switch (update.event) {
    case 'price':
      notice = 'live';
      rows.set(update.data.pair, { price: update.data, previous: rows.get(update.data.pair)?.price });
      return update.data;
    case 'stale':
      // Nobody may deal on prices that may be old. They come again by themselves.
      notice = `silent for ${Math.round(update.data.silentMs / 1_000)} s: do not deal on these prices`;
      return undefined;
    case 'reconnect':
      notice = `reconnecting (${update.data.reason})`;
      return undefined;
    case 'heartbeat':
      notice = 'live';
      return undefined;
    default:
      return undefined;
  }
}

function draw(): void {
  const lines = [`Firmquote prices  ${DIM}${notice}${PLAIN}`, '', 'PAIR           BID          ASK  SPOT'];
  for (const pair of pairs) lines.push(lineOf(pair));
  // Back to where the table began, and over the old one.
  const home = isDrawn ? `\x1b[${lines.length}A` : '';
  process.stdout.write(`${home}${lines.map((line) => `\x1b[2K${line}\n`).join('')}`);
  isDrawn = true;
}

function lineOf(pair: string): string {
  const row = rows.get(pair);
  if (row === undefined) return `${pair}   ${DIM}no price yet${PLAIN}`;
  const { bid, ask, spotDate, tradable, reason } = row.price;
  if (!tradable || bid === null || ask === null) return `${pair}   ${DIM}${reason ?? 'not tradable'}${PLAIN}`;
  const color = notice === 'live' ? move(row) : DIM;
  return `${pair} ${color}${bid.padStart(12)} ${ask.padStart(12)}${PLAIN}  ${spotDate ?? ''}`;
}

/** The decimals of a pair are always as many, so that texts of equal length compare like numbers. */
function move({ price, previous }: Row): string {
  const [now, before] = [price.bid ?? '', previous?.bid ?? ''];
  if (before === '' || now.length !== before.length || now === before) return '';
  return now > before ? UP : DOWN;
}

const ends = values.seconds === undefined ? [] : [AbortSignal.timeout(Number(values.seconds) * 1_000)];
const interrupt = new AbortController();
process.once('SIGINT', () => interrupt.abort());

try {
  const firmquote = new Firmquote({ appInfo: 'pricing-screen' });
  const signal = AbortSignal.any([interrupt.signal, ...ends]);
  for await (const update of firmquote.prices.stream({ pairs }, { signal })) {
    const price = take(update);
    if (process.stdout.isTTY) draw();
    else if (price !== undefined) process.stdout.write(`${JSON.stringify(price)}\n`);
  }
} catch (error) {
  if (!(error instanceof FirmquoteError)) throw error;
  process.stderr.write(`${error.message}\n${error.nextStep}\n`);
  process.exitCode = 1;
}
