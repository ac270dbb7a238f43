import type { Quote } from '@firmquote/client';
import type { Cli } from '../cli.ts';
import { clockText } from '../duration.ts';
import { CliError, Finished, interrupted } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { canAsk } from '../io.ts';
import { askLine, isYes } from '../prompt.ts';
import type { Service } from '../service.ts';
import { executeQuote, traded } from './execute.ts';
import { QUOTE_VIEW } from './views.ts';

/** How often the time that is left is shown, ms. */
const REDRAW_MS = 250;
/** How early the question ends, so that a yes still arrives in time, ms. */
const LAST_MOMENT_MS = 250;

export interface Decision {
  /** `--execute`, or yes to every question. */
  readonly executes: boolean;
  readonly reference: string | undefined;
  /** The command line that asks for such a quote again. */
  readonly again: string;
}

/** A firm quote is here: show it, and trade if somebody says so, or said so before. */
export async function decide(cli: Cli, service: Service, quote: Quote, decision: Decision): Promise<void> {
  const mayAsk = canAsk(cli.io) && cli.print.isTerminal;
  if (!decision.executes || mayAsk) await cli.print.one(quote, { columns: QUOTE_VIEW });
  if (!decision.executes) {
    if (!mayAsk) {
      await cli.note(
        `Not executed. To trade: firmquote quotes execute ${quote.quoteId} (open until ${quote.expiresAt}).`,
      );
      return;
    }
    await ask(cli, service, quote, decision);
  } else await service.confirmWrite('Executing the quote');
  const transaction = await executeQuote(cli, service, quote, { clientReference: decision.reference });
  await traded(cli, transaction);
}

async function ask(cli: Cli, service: Service, quote: Quote, { again }: Decision): Promise<void> {
  const isProduction = (await service.environment()) === 'production';
  const leftMs = () => service.client.quotes.secondsLeft(quote) * 1_000 - LAST_MOMENT_MS;
  const expiry = new AbortController();
  const expired = () =>
    expiry.abort(
      new CliError(
        EXIT.tooLate,
        'quote_expired',
        'The quote has expired. Nothing was executed.',
        `Ask again: ${again}`,
      ),
    );
  const timer = setInterval(() => leftMs() <= 0 && expired(), REDRAW_MS);
  const isPlain = cli.io.env.TERM === 'dumb';
  const what = isProduction
    ? `Execute on production (${new URL(service.settings.baseUrl).host})? Type yes: `
    : 'Execute? [y/N] ';
  try {
    const answer = await askLine(cli.io, {
      question: () => (isPlain ? what : `${clockText(leftMs())} left. ${what}`),
      ...(isPlain ? {} : { redrawMs: REDRAW_MS }),
      giveUp: expiry.signal,
    });
    if (isProduction ? answer?.trim().toLowerCase() === 'yes' : isYes(answer)) return;
  } catch (error) {
    if (error instanceof CliError && error.code === 'interrupted')
      throw interrupted('Interrupted. Nothing was executed.');
    throw error;
  } finally {
    clearInterval(timer);
  }
  await cli.note(
    `Nothing was executed. The quote is open for ${clockText(leftMs())} more: firmquote quotes execute ${quote.quoteId}`,
  );
  throw new Finished(EXIT.interrupted);
}
