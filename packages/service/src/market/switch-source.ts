import { afterCommit } from '../database/enclosure.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { actorId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import type { MarketControl } from './control.ts';
import type { SequenceNumbers } from './fix/protocol.ts';
import type { MarketCommand } from './halt-market.ts';
import {
  insertSequenceReset,
  insertSwitch,
  readSequenceResets,
  readSwitches,
  type SourceSwitch,
} from './source-store.ts';
import { nextRevision } from './store.ts';

/**
 * Switches a price source off or on, on every instance within a second. A source that is off stays connected, but none
 * of its ticks, earlier ones included, is priced on. Switching to what it is already changes nothing.
 * @returns the switch in force; undefined when the source was never switched
 * @throws Problem price_source_not_found
 */
export async function switchSource(
  control: MarketControl,
  source: string,
  enabled: boolean,
  { actor, reason }: MarketCommand,
): Promise<SourceSwitch | undefined> {
  if (!control.sourceNames().includes(source)) {
    throw new Problem('price_source_not_found', 'There is no price source of this name.');
  }
  const change = await inTransaction(control.pool, async (connection) => {
    await nextRevision(connection);
    const [current] = await readSwitches(connection, source);
    if ((current?.enabled ?? true) === enabled) return current;
    const number = (current?.number ?? 0) + 1;
    const next = { source, number, enabled, reason, changedAt: control.clock.now(), changedBy: actor };
    await insertSwitch(connection, next);
    return next;
  });
  await afterCommit(() => control.load());
  return change;
}

/**
 * Puts new sequence numbers of a FIX session on record and sets them; what cannot be set is not on record.
 * @param set throws when it cannot
 */
export function recordSequenceReset<T>(
  pool: Pool,
  source: string,
  numbers: SequenceNumbers,
  { actor, reason }: MarketCommand,
  resetAt: number,
  set: () => T | Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (connection) => {
    await nextRevision(connection);
    const [last] = await readSequenceResets(connection, source);
    const number = (last?.number ?? 0) + 1;
    await insertSequenceReset(connection, { source, number, ...numbers, reason, resetAt, resetBy: actor });
    return set();
  });
}

/**
 * Sets the sequence numbers of a FIX session in this process, and logs it on with them.
 * @throws Problem price_source_not_found
 */
export async function resetSequence(
  control: MarketControl,
  source: string,
  numbers: SequenceNumbers,
  command: MarketCommand,
): Promise<void> {
  const session = control.market.source(source);
  const reported = { actor: actorId(command.actor), reason: command.reason };
  await recordSequenceReset(control.pool, source, numbers, command, control.clock.now(), async () => {
    if ((await session?.resetSequence?.(numbers, reported)) === true) return;
    throw new Problem(
      'price_source_not_found',
      'There is no FIX session of this name in this process, or its gateway is not running.',
    );
  });
  await control.load();
}
