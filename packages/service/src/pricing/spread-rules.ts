import type { Pool } from '../database/pool.ts';
import { Live, type LiveOptions } from '../settings/live.ts';
import { SpreadBook, type SpreadCandidates } from './spread-book.ts';
import { RULE_SET_VERSION_QUERY, readRuleSetUnless, type SpreadRuleSet } from './spread-store.ts';

/** Whose spread it is. */
export interface PricedCustomer {
  readonly id: string;
  readonly groupName: string | undefined;
}

/** Where hot paths find the rules of a customer: in memory, answered without a promise when known. */
export interface SpreadRuleSource {
  /** In order (docs/interface.md#spreads); which one applies depends on the request. */
  candidates(customer: PricedCustomer, pair: string): SpreadCandidates | Promise<SpreadCandidates>;
}

/** The rules of the whole service as one snapshot, which is exchanged only when the version of the set has moved. */
export class LiveSpreadRules extends Live<SpreadBook> implements SpreadRuleSource {
  constructor(read: LiveOptions<SpreadBook>['read'], now?: () => number) {
    super({ name: 'spread_rules', version: RULE_SET_VERSION_QUERY, read, now });
  }

  candidates({ id, groupName }: PricedCustomer, pair: string): SpreadCandidates | Promise<SpreadCandidates> {
    const book = this.current();
    if (book instanceof Promise) return book.then((loaded) => loaded.candidates(id, groupName, pair));
    return book.candidates(id, groupName, pair);
  }

  /** Takes over a set that was just committed here. */
  changed({ version, rules }: SpreadRuleSet): void {
    this.take(version, new SpreadBook(version, rules));
  }
}

export function liveSpreadRules(pool: Pool): LiveSpreadRules {
  return new LiveSpreadRules(async (known) => {
    const { version, rules } = await readRuleSetUnless(pool, known);
    return rules && { version, value: new SpreadBook(version, rules) };
  });
}
