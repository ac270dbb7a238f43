import type { NewQuoteRequest } from '@firmquote/api/operations/quotes';
import { entrySweep } from '../../src/bank-statements/book-entries.ts';
import type { Pool } from '../../src/database/pool.ts';
import { fundingCutoffSweep, settlementSweep } from '../../src/payments/sweeps.ts';
import { type Clock, systemClock, VirtualClock } from '../../src/platform/clock.ts';
import { createLogger, type Logger } from '../../src/platform/logger.ts';
import { SweepRunner } from '../../src/platform/sweeps.ts';
import { expireQuotes } from '../../src/quotes/quote-lifecycle.ts';
import type { QuoteRecord } from '../../src/quotes/record.ts';
import { requestQuote } from '../../src/quotes/request-quote.ts';
import { SandboxControls } from '../../src/sandbox/controls.ts';
import { sandboxScenarios, withdrawalSweep } from '../../src/sandbox/scenarios.ts';
import { simulatedBankSweep } from '../../src/sandbox/simulated-bank.ts';
import { SettingsFollower } from '../../src/settings/follower.ts';
import type { PricedTransaction, TransactionRow } from '../../src/transactions/record.ts';
import { createDesk, type Desk, EXAMPLE_INSTANT } from './trading.ts';

export const silentLogger: Logger = createLogger('silent', { write: () => undefined });

/** A sandbox instance over a database, with a customer who trades in it. Its sweeps run when the clock is moved. */
export interface Sandbox {
  readonly desk: Desk;
  readonly clock: VirtualClock;
  readonly controls: SandboxControls;
  readonly runner: SweepRunner;
  /** Moves business time and answers it. */
  advance(seconds: number): Promise<number>;
  to(instant: number): Promise<number>;
  /** A quote whose amount may be a magic one. */
  quote(body?: Partial<NewQuoteRequest>): Promise<QuoteRecord>;
  trade(body?: Partial<NewQuoteRequest>): Promise<PricedTransaction>;
  read(row: TransactionRow): Promise<PricedTransaction>;
}

export function createRunner(desk: Desk, controls: SandboxControls, logger = silentLogger): SweepRunner {
  const { pool, clock, dates } = desk;
  return new SweepRunner(
    [
      simulatedBankSweep({ pool, clock, logger, dates, settlement: () => controls.bank.settlement }),
      entrySweep(desk, logger),
      fundingCutoffSweep(desk),
      settlementSweep(desk, { isActive: () => controls.bank.settlement !== 'fast' }),
      withdrawalSweep(desk.services, pool),
      { name: 'expiry', does: 'Expires quotes.', everyMs: 1_000, run: () => expireQuotes(desk.services) },
      new SettingsFollower(pool, [controls.topic()]).sweep,
    ],
    logger,
  );
}

/** Real time that stands, for a test whose clock moves by hand alone. */
export function standingTime(): Clock {
  const instant = systemClock.now();
  return { now: () => instant };
}

/** Begins at the instant of docs/interface.md#worked-examples, whatever business time the database is at. */
export async function createSandbox(
  pool: Pool,
  instant = EXAMPLE_INSTANT,
  base: Clock = systemClock,
): Promise<Sandbox> {
  const clock = new VirtualClock(0, base);
  const controls = new SandboxControls(pool, clock);
  const market = { refresh: async () => undefined };
  const desk = await createDesk(pool, { clock });
  const runner = createRunner(desk, controls);
  await controls.load();
  await controls.moveClock({ instant }, new SweepRunner([], silentLogger), market);
  const services = { ...desk.services, scenarios: sandboxScenarios };
  const quote = async (body?: Partial<NewQuoteRequest>): Promise<QuoteRecord> => {
    const { record } = await requestQuote(services, {
      customerId: desk.customerId,
      clientId: desk.clientId,
      key: undefined,
      body: { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '100000.00', ...body },
    });
    return record;
  };
  return {
    desk,
    clock,
    controls,
    runner,
    advance: (seconds) => controls.moveClock({ advanceMs: seconds * 1_000 }, runner, market),
    to: (at) => controls.moveClock({ instant: at }, runner, market),
    quote,
    trade: async (body) => desk.execute(await quote(body)),
    async read(row) {
      const found = await desk.services.transactions.find(row.customer_id, row.id);
      if (found === undefined) throw new Error('the transaction is gone');
      return found;
    },
  };
}
