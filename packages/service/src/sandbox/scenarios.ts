import { powerOfTen } from '@firmquote/fx';
import type { Pool } from '../database/pool.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { withdraw } from '../quotes/quote-lifecycle.ts';
import type { QuotesRoom, Scenarios } from '../quotes/room.ts';
import { quotesToWithdraw, whenFirstToWithdraw } from './store.ts';

/** Drills that the simulated bank carries out; the others belong to quotes, executions and statements of SQL. */
export const SHORT_DEPOSIT = 905;
export const EXCESSIVE_DEPOSIT = 906;
export const PAYOUT_FAILS_ONCE = 908;
export const TWO_DEPOSITS = 910;

const CODES: ReadonlyMap<bigint, number> = new Map(
  Array.from({ length: 10 }, (_, i) => [901n + BigInt(i), 901 + i]),
);

/**
 * The drill that an amount asks for: its last three digits before the decimal point, 901 to 910
 * (docs/interface.md#sandbox).
 * @param amountMinor the fixed amount, in minor units
 */
export function scenarioOf(amountMinor: bigint, minorUnits: number): number | null {
  return CODES.get((amountMinor / powerOfTen(minorUnits)) % 1_000n) ?? null;
}

export const sandboxScenarios: Scenarios = { of: scenarioOf };

const WITHDRAW_AFTER_MS = 1_000;
const BATCH = 1_000;

/** Scenario 903: the quote is taken back a second after it was made. */
export function withdrawalSweep(room: QuotesRoom, pool: Pool): Sweep {
  return {
    name: 'withdraw_sandbox_quotes',
    does: 'Withdraws quotes of drill 903.',
    everyMs: 250,
    run: () =>
      withdraw(
        (now, held) => quotesToWithdraw(pool, now - WITHDRAW_AFTER_MS, held, BATCH),
        room,
        'sandbox_scenario',
      ),
    nextDueAt: async () => {
      const at = await whenFirstToWithdraw(pool);
      return at === undefined ? undefined : at + WITHDRAW_AFTER_MS;
    },
  };
}
