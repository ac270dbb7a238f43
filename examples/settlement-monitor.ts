// A settlement monitor: the trades that are not settled yet, then each change as it happens.
//
//   node examples/settlement-monitor.ts [--state FILE] [--until-settled]
//
// With --state it stores the last event that it has processed, and resumes there when it starts again: nothing is lost, and nothing
// comes twice. With --until-settled it ends when every trade is settled.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { type Event, Firmquote, FirmquoteError, type TransactionStatus } from '@firmquote/client';

/** Money is still to come, or to go. */
const UNDER_WAY: readonly TransactionStatus[] = [
  'awaiting_funds',
  'partially_funded',
  'funded',
  'settling',
  'overdue',
  'settlement_failed',
];
/** Somebody should look at these today. */
const ALARMING: ReadonlySet<string> = new Set(['overdue', 'settlement_failed']);

const { values } = parseArgs({
  options: { state: { type: 'string' }, 'until-settled': { type: 'boolean', default: false } },
});

function readState(): string | undefined {
  if (values.state === undefined) return undefined;
  try {
    return readFileSync(values.state, 'utf8').trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Only after the event was worked off. By renaming, so that a crash leaves the old state or the new one. */
function keepState(eventId: string): void {
  if (values.state === undefined) return;
  writeFileSync(`${values.state}.new`, `${eventId}\n`);
  renameSync(`${values.state}.new`, values.state);
}

function say(at: string, id: string, status: string, more = ''): void {
  const mark = ALARMING.has(status) ? '!' : ' ';
  process.stdout.write(`${mark} ${at}  ${id}  ${status}${more && `  ${more}`}\n`);
}

async function main(): Promise<void> {
  const firmquote = new Firmquote({ appInfo: 'settlement-monitor' });
  const open = new Set<string>();
  for await (const trade of firmquote.transactions.list({ status: UNDER_WAY, sort: 'createdAt' })) {
    open.add(trade.transactionId);
    const { funding, settlement } = trade;
    const due = `${funding.outstanding} ${trade.sellCurrency} due by ${settlement.fundingCutoffAt}`;
    say(trade.updatedAt, trade.transactionId, trade.status, funding.outstanding.match(/[1-9]/) ? due : '');
  }
  const isDone = () => values['until-settled'] && open.size === 0;
  if (isDone()) return;

  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  const onMissed = (count: number) =>
    process.stderr.write(`${count} events are no longer in the feed: the list above shows their results.\n`);
  for await (const event of firmquote.events.follow({
    after: readState(),
    signal: interrupt.signal,
    onMissed,
  })) {
    workOff(event, open);
    keepState(event.eventId);
    if (isDone()) return;
  }
}

/** Works for an event that comes again, too: everything in it says how things are now, not by how much they changed. */
function workOff({ type, timestamp, data }: Event, open: Set<string>): void {
  const { transactionId, status, previousStatus, statusReason, amount, currency } = data;
  // `quote.executed` names the transaction, but its status is that of the quote.
  if (type.startsWith('quote.') || transactionId === undefined || status === null) return;
  if ((UNDER_WAY as readonly string[]).includes(status)) open.add(transactionId);
  else open.delete(transactionId);
  const money = amount === undefined ? '' : `${amount} ${currency}`;
  if (status !== previousStatus) say(timestamp, transactionId, status, statusReason ?? money);
  else if (money !== '') say(timestamp, transactionId, status, money);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof FirmquoteError)) throw error;
  process.stderr.write(`${error.message}\n${error.nextStep}\n`);
  process.exitCode = 1;
}
