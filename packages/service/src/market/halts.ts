import type { HaltScope } from '@firmquote/api/operations/market';

/** What a halt is for: everything, one pair for everybody, or one customer with every pair. */
export interface HaltTarget {
  readonly scope: HaltScope;
  readonly pair: string | null;
  /** UUID. */
  readonly customerId: string | null;
}

/** A halt that an operator ordered. Instants are epoch milliseconds, actors are UUIDs of OAuth clients. */
export interface HaltRecord extends HaltTarget {
  readonly id: string;
  /** Whether the quotes in its reach are taken back; otherwise they stand, and are executed until they expire. */
  readonly withdrawsQuotes: boolean;
  readonly reason: string;
  readonly haltedAt: number;
  readonly haltedBy: string;
  readonly resumedAt: number | null;
  readonly resumedBy: string | null;
  readonly resumeReason: string | null;
}

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
