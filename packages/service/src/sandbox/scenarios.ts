import { powerOfTen } from '@firmquote/fx';
import type { Pool } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { withdraw } from '../quotes/quote-lifecycle.ts';
import type { QuotesRoom, Scenarios } from '../quotes/room.ts';

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

const OPEN_DRILLS = `from ends_of_open_quotes() e cross join lateral (
    select * from current_quotes x where x.scenario = 903 and x.expires_at >= e.since and x.expires_at < e.before
    order by x.expires_at offset 0) q
  where status = 'open'`;

/** Scenario 903: the quote is taken back a second after it was made. */
export function withdrawalSweep(room: QuotesRoom, pool: Pool): Sweep {
  return {
    name: 'withdraw_sandbox_quotes',
    does: 'Withdraws quotes of drill 903.',
    everyMs: 250,
    run: () =>
      withdraw(
        async (now) => {
          const { rows } = await pool.query<Pick<Row<'quotes'>, 'customer_id' | 'id'>>({
            // Planned anew each time: a plan kept from when the table was empty would read it all.
            text: `select customer_id, id ${OPEN_DRILLS} and created_at <= $1 order by created_at limit $2`,
            values: [isoInstant(now - WITHDRAW_AFTER_MS), BATCH],
          });
          return rows.map((row) => ({ customerId: row.customer_id, id: row.id }));
        },
        room,
        'sandbox_scenario',
      ),
    nextDueAt: async () => {
      const { rows } = await pool.query<{ at: number | null }>(`select min(created_at) as at ${OPEN_DRILLS}`);
      const at = rows[0]?.at ?? undefined;
      return at === undefined ? undefined : at + WITHDRAW_AFTER_MS;
    },
  };
}
