import { requireCustomer } from '../customers/room.ts';
import { afterCommit } from '../database/enclosure.ts';
import { inTransaction } from '../database/pool.ts';
import { requirePair } from '../http/market-codes.ts';
import { newUuid } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import type { MarketControl } from './control.ts';
import { findCurrentHalt, insertHalt, writeResumption, writeWithdrawing } from './halt-store.ts';
import type { HaltRecord, HaltTarget } from './halts.ts';
import { nextRevision } from './store.ts';

/** Who commands it, UUID of a person or OAuth client, and why. */
export interface MarketCommand {
  readonly actor: string;
  readonly reason: string;
}

/**
 * Halts trading: no firm quotes, indicative prices are not tradable. In force in this process when it resolves, in others
 * within a second. When the operator says so the open quotes in its reach are withdrawn and no more executed; otherwise
 * they stand until they expire. Halting what is halted changes nothing but withdraws once more, so that a withdrawal that
 * failed is made good by repeating the call, and quotes that were kept can still be taken back.
 * @throws Problem pair_not_supported, customer_not_found
 */
export async function haltMarket(
  control: MarketControl,
  target: HaltTarget,
  { actor, reason }: MarketCommand,
  withdrawsQuotes = true,
): Promise<{ readonly halt: HaltRecord; readonly withdrawn: number }> {
  if (target.pair !== null) requirePair(target.pair, '/pair');
  const halt = await inTransaction(control.pool, async (connection) => {
    await nextRevision(connection);
    const current = await findCurrentHalt(connection, target);
    if (current !== undefined) {
      if (!withdrawsQuotes || current.withdrawsQuotes) return current;
      await writeWithdrawing(connection, current.id);
      return { ...current, withdrawsQuotes };
    }
    if (target.customerId !== null) await requireCustomer(connection, target.customerId);
    const now = control.clock.now();
    const resumption = { resumedAt: null, resumedBy: null, resumeReason: null };
    const made = {
      ...{ id: newUuid(now), ...target, reason, withdrawsQuotes },
      ...{ haltedAt: now, haltedBy: actor, ...resumption },
    };
    await insertHalt(connection, made);
    return made;
  });
  await control.load();
  return { halt, withdrawn: withdrawsQuotes ? await control.withdrawNow() : 0 };
}

/**
 * Lifts one halt; others that reach the same pair or customer stay.
 * @throws Problem invalid_state_transition when there is no such halt
 */
export async function resumeMarket(
  control: MarketControl,
  target: HaltTarget,
  command: { readonly actor: string; readonly reason: string | null },
): Promise<HaltRecord> {
  const resumed = await inTransaction(control.pool, async (connection) => {
    await nextRevision(connection);
    const current = await findCurrentHalt(connection, target);
    if (current === undefined) {
      throw new Problem('invalid_state_transition', 'No such halt is in force.', {
        members: { from: 'open', to: 'open' },
      });
    }
    // A clock that was set back meanwhile must not end a halt before it began.
    const resumedAt = Math.max(control.clock.now(), current.haltedAt);
    const next = { ...current, resumedAt, resumedBy: command.actor, resumeReason: command.reason };
    await writeResumption(connection, next);
    return next;
  });
  await afterCommit(() => control.load());
  return resumed;
}
