// Made by `node scripts/generate-client.ts` from @firmquote/api. Change that, not this file.
import type { Open } from '../open.ts';
import type { SandboxBankAccount, SandboxBankFile } from './sandbox-types.ts';
import type { Amount, CurrencyCode, Instant, PairCode } from './types.ts';

export type * from './call-types.ts';
export type * from './operator-call-types.ts';

export interface BookSandboxBankEntryBody {
  readonly currency: CurrencyCode;
  /** The effect on the house's account. */
  readonly direction: 'credit' | 'debit';
  readonly amount: Amount;
  /** By default `payment`. The others are between the bank and the house. */
  readonly kind?: 'payment' | 'charge' | 'interest' | undefined;
  readonly text: string;
  /** Of a payment of the house, so that the entry matches it. */
  readonly endToEndId?: string | undefined;
  /** Who sent or received the money. */
  readonly counterpartyName?: string | undefined;
  /** Where it came from or went to. */
  readonly counterpartyAccount?: string | undefined;
}

export interface ControlSandboxMarketAnswer {
  readonly pair?: PairCode | undefined;
  readonly bid?: string | undefined;
  readonly ask?: string | undefined;
  readonly live?: boolean | undefined;
  readonly state?: Open<'open' | 'closed' | 'calendar'> | undefined;
}

/** One of: `pair`, `bid` and `ask` set and freeze a pair; `pair` and `live` release it; `state` sets the whole market. */
export interface ControlSandboxMarketBody {
  readonly pair?: PairCode | undefined;
  readonly bid?: string | undefined;
  readonly ask?: string | undefined;
  readonly live?: true | undefined;
  readonly state?: 'open' | 'closed' | 'calendar' | undefined;
}

export interface EndSandboxBankDayAnswer {
  readonly items: readonly SandboxBankFile[];
}

export interface GetSandboxMarketAnswer {
  /** Held open, held closed, or by the market week. A restart takes it from FIRMQUOTE_MARKET_HOURS. */
  readonly state: Open<'open' | 'closed' | 'calendar'>;
  /** Pairs whose price was set, until they are released or the service restarts. */
  readonly frozen: readonly {
    readonly pair: PairCode;
    readonly bid: string;
    readonly ask: string;
  }[];
}

export interface ListSandboxBankAccountsAnswer {
  readonly items: readonly SandboxBankAccount[];
}

export interface ListSandboxBankFilesQuery {
  readonly kind?:
    | 'camt.054'
    | 'camt.053'
    | 'pain.002'
    | readonly ('camt.054' | 'camt.053' | 'pain.002')[]
    | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

/** Exactly one field. */
export interface MoveSandboxClockBody {
  /** Forwards, or backwards when negative. */
  readonly advanceSeconds?: number | undefined;
  readonly now?: Instant | undefined;
  readonly real?: true | undefined;
}

export interface ReceiveSandboxDepositBody {
  /** Text of the payment, usually the transaction's reference. */
  readonly reference: string;
  readonly amount: Amount;
  readonly currency: CurrencyCode;
  readonly remitterName?: string | undefined;
  /** Account that the money comes from. By default the bank does not say. */
  readonly remitterAccount?: string | undefined;
}

export interface ReturnSandboxDepositBody {
  /** ISO 20022 return reason; by default FOCR, the remitter wants it back. */
  readonly reason?: string | undefined;
}

export interface SetSandboxBankBody {
  /** Money for a new trade arrives by itself 5 s after execution. */
  readonly autoDeposit?: boolean | undefined;
  /** fast: paid out 5 s after funding; calendar: on the value date, before the cut-off; runs: released then, and paid only by settlement runs. */
  readonly settlement?: 'fast' | 'calendar' | 'runs' | undefined;
}
