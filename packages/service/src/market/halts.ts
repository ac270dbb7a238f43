import type { CamelRow } from '../database/rows.ts';

/**
 * A halt that an operator ordered. Instants are epoch milliseconds, actors and customers UUIDs. `withdrawsQuotes` says whether the
 * quotes in its reach are taken back; otherwise they stand, and are executed until they expire.
 */
export type HaltRecord = Omit<
  CamelRow<'market_halts'>,
  'closedTold' | 'closedToldTo' | 'openedTold' | 'openedToldTo'
>;

/** What a halt is for: everything, one pair for everybody, or one customer with every pair. */
export type HaltTarget = Pick<HaltRecord, 'scope' | 'pair' | 'customerId'>;

/** The halts in force, as hot paths ask for them. */
export class Halts {
  static readonly NONE = new Halts([]);
  readonly all: boolean;
  readonly pairs: ReadonlySet<string>;
  readonly customers: ReadonlySet<string>;
  /** Those of them that take back quotes. */
  readonly withdrawing: Halts;

  /** @param current without another word a halt takes back quotes */
  constructor(current: readonly (HaltTarget & Partial<Pick<HaltRecord, 'withdrawsQuotes'>>)[]) {
    const withdrawing = current.filter(({ withdrawsQuotes }) => withdrawsQuotes !== false);
    this.withdrawing = withdrawing.length === current.length ? this : new Halts(withdrawing);
    this.all = current.some(({ scope }) => scope === 'all');
    this.pairs = new Set(current.flatMap(({ pair }) => pair ?? []));
    this.customers = new Set(current.flatMap(({ customerId }) => customerId ?? []));
  }
}
