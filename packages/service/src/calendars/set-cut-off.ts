import { isTimeZone, seedCutOffs } from '@firmquote/fx';
import { afterCommit } from '../database/enclosure.ts';
import { inTransaction } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import { TIME_ZONE } from '../http/sentences.ts';
import { validationProblem } from '../problems/problem.ts';
import { requireCurrency } from './range.ts';
import type { CalendarsRoom } from './room.ts';
import type { OperatorChange } from './store.ts';
import {
  BUILT_IN_VERSION,
  bumpDateRules,
  type CutOffVersion,
  cutOffVersions,
  insertCutOff,
  lockDateRules,
  readDateRules,
} from './store.ts';

/** The latest time of day at which a currency is settled for the same day, on a clock of the IANA database. */
interface CutOffInput {
  /** `HH:MM`, 24 hours. */
  readonly time: string;
  readonly zone: string;
  /** Where the time is known from, such as the bank's own schedule. */
  readonly source: string;
  /** Why it is changed, for the history. */
  readonly reason: string;
}

/** A cut-off in force; without a change it is the seed. */
export interface CutOffInForce {
  readonly currency: string;
  readonly time: string;
  readonly zone: string;
  /** Undefined while it is the seed. */
  readonly change: CutOffVersion | undefined;
}

/**
 * Sets a currency's same-day cut-off. In force with the commit in this process, and within a second in the others.
 * Quotes and trades that exist keep the instants that they were given; payouts follow the new time.
 * @throws Problem currency_not_supported, version_mismatch, validation_failed
 */
export async function setCutOff(
  room: CalendarsRoom,
  code: string,
  input: CutOffInput,
  command: OperatorChange,
): Promise<CutOffInForce> {
  const currency = requireCurrency(room, code);
  if (!isTimeZone(input.zone)) {
    throw validationProblem([
      {
        pointer: '/zone',
        code: 'wrong_format',
        detail: TIME_ZONE,
      },
    ]);
  }
  const now = room.clock.now();
  const done = await inTransaction(room.pool, async (connection) => {
    await lockDateRules(connection);
    const [former] = await cutOffVersions(connection, currency, 1);
    requireVersion(command.ifMatch, former?.version ?? BUILT_IN_VERSION);
    if (former !== undefined && isSame(former, input)) return { change: former, stored: undefined };
    const change: CutOffVersion = {
      version: (former?.version ?? BUILT_IN_VERSION) + 1,
      time: input.time,
      zone: input.zone,
      source: input.source,
      reason: input.reason,
      changedBy: command.clientId,
      changedAt: now,
    };
    await insertCutOff(connection, currency, change);
    await bumpDateRules(connection);
    return { change, stored: await readDateRules(connection) };
  });
  const { stored } = done;
  if (stored !== undefined) await afterCommit(() => room.dates.take(stored));
  return inForce(currency, done.change);
}

/** What holds for a currency, given its newest change. */
export function inForce(currency: string, change: CutOffVersion | undefined): CutOffInForce {
  const { time, zone } = change ?? seedCutOffs.sameDay(currency);
  return { currency, time, zone, change };
}

function isSame(former: CutOffVersion, input: CutOffInput): boolean {
  return former.time === input.time && former.zone === input.zone && former.source === input.source;
}
