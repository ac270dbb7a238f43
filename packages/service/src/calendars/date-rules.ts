import {
  BUILT_IN_DATE_RULES,
  builtInCalendars,
  type CutOff,
  type DateRules,
  type DateRulesSource,
  type RollOf,
  seedCutOffs,
  withCalendarYears,
} from '@firmquote/fx';
import type { Pool } from '../database/pool.ts';
import type { Topic } from '../settings/follower.ts';
import { DATE_RULES_VERSION_QUERY, readDateRules, type StoredDateRules } from './store.ts';

/**
 * Calendars and cut-offs in force in this process. `current` is exchanged as a whole: whoever has taken it goes on with
 * what it was, and the next piece of work gets the new one.
 */
export class LiveDateRules implements DateRulesSource {
  readonly #rollOf: RollOf | undefined;
  #current: DateRules;
  #version: bigint | undefined;

  /** @param rollOf when trade dates change; left out: by the market's convention */
  constructor(rollOf?: RollOf) {
    this.#rollOf = rollOf;
    this.#current = withRoll(BUILT_IN_DATE_RULES, rollOf);
  }

  get current(): DateRules {
    return this.#current;
  }

  /** Takes in what was read or just committed; an older state than the one held is passed over. */
  take(stored: StoredDateRules): void {
    if (this.#version !== undefined && stored.version <= this.#version) return;
    this.#current = withRoll(dateRulesOf(stored), this.#rollOf);
    this.#version = stored.version;
  }

  /** Reads what has changed. When the database does not answer, what is held stays in force. */
  async refresh(pool: Pool): Promise<void> {
    const stored = await readDateRules(pool, this.#version);
    if (stored !== undefined) this.take(stored);
  }

  topic(pool: Pool): Topic {
    return {
      name: 'calendars',
      version: DATE_RULES_VERSION_QUERY,
      held: () => this.#version?.toString(),
      load: () => this.refresh(pool),
    };
  }
}

function withRoll(rules: DateRules, rollOf: RollOf | undefined): DateRules {
  return rollOf === undefined ? rules : { ...rules, rollOf };
}

/** The built-in rules with an operator's changes. */
export function dateRulesOf({ years, cutOffs }: Pick<StoredDateRules, 'years' | 'cutOffs'>): DateRules {
  const own = new Map<string, CutOff>(
    cutOffs.map(({ currency, time, zone }) => [currency, Object.freeze({ time, zone })]),
  );
  return {
    calendars: withCalendarYears(
      builtInCalendars,
      years.map(({ days, ...year }) => ({
        ...year,
        days: days.map(({ date, state, reason }) => ({ date, state, name: reason })),
      })),
    ),
    cutOffs: { sameDay: (currency) => own.get(currency) ?? seedCutOffs.sameDay(currency) },
  };
}
