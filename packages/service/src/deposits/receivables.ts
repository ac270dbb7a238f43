import type { ExceptionType } from '@firmquote/api/operations/deposits';
import type { TransactionStatus } from '@firmquote/fx';
import type { BookedTopUp } from '../balances/replace-top-up.ts';

/** What of a deposit decides where it belongs. */
export interface DepositFacts {
  readonly amountMinor: bigint;
  readonly currency: string;
  /** Valid payment references found in the remittance text, without repeats. */
  readonly references: readonly string[];
  /** Whether balances take its currency. */
  readonly isTakenIntoBalances: boolean;
}

/** A trade that a deposit may belong to. Amounts in minor units of the sold currency. */
export interface OpenReceivable {
  readonly customerId: string;
  readonly transactionId: string;
  readonly reference: string;
  readonly status: TransactionStatus;
  readonly currency: string;
  readonly sellMinor: bigint;
  readonly receivedMinor: bigint;
  readonly shortfallMinor: bigint;
  /** Value of the sold amount in US dollar cents, as it was at the quote. */
  readonly usdMinor: bigint;
  readonly valueDate: string;
}

/** More open trades of one customer and currency than this are not looked through by the rules. */
export const OPEN_TRADES_MAX = 50; // limit: Open trades of a customer and currency that rules look at

/** A customer's balance that a deposit may top up. */
export interface BalanceTarget {
  readonly customerId: string;
  /** That the text names; null when it is known by the customer's virtual account. */
  readonly reference: string | null;
}

/** Trades that come into question, by how they were found. */
export interface Candidates {
  readonly byReference: readonly OpenReceivable[];
  /** Trades that await money of the customer whose virtual account the deposit came in on. */
  readonly byVirtualAccount: readonly OpenReceivable[];
  /** Trades that await money of customers who have paid from the remitter's account before. */
  readonly byRemitter: readonly OpenReceivable[];
  /** Balances that the text names. */
  readonly balances: readonly BalanceTarget[];
  /** The balance of the pre-funded customer whose virtual account the deposit came in on, when no trade of it is open. */
  readonly balanceOfAccount: BalanceTarget | undefined;
}

/** What a correspondent bank may have kept of a payment without anybody being asked. Both bounds hold. */
export interface Tolerance {
  /** US dollar cents. */
  readonly usdMinor: bigint;
  /** Hundredths of a percent of the sold amount. */
  readonly bps: bigint;
}

/** How a part of a deposit is divided: allocated + excess is the part; allocated + shortfall is taken off what is owed. */
export interface Allocation {
  readonly target: OpenReceivable;
  readonly rule: string;
  /** 0 to 100, by rule; null where a person decided. */
  readonly score: number | null;
  readonly allocatedMinor: bigint;
  readonly excessMinor: bigint;
  readonly shortfallMinor: bigint;
}

/** The whole of a deposit goes into a balance. */
export interface TopUp {
  readonly target: BalanceTarget;
  /** The top-up by hand whose place it takes. */
  readonly replaced?: BookedTopUp;
  readonly rule: string;
  readonly score: number | null;
}

/** Why somebody has to look at a deposit. `reason` is a stable code. */
export interface DepositException {
  readonly type: ExceptionType;
  readonly reason: string;
}

const EXPECTING: ReadonlySet<TransactionStatus> = new Set(['awaiting_funds', 'partially_funded', 'overdue']);

export function isExpecting(status: TransactionStatus): boolean {
  return EXPECTING.has(status);
}

/** Minor units that are still to come. */
export function outstandingOf(target: OpenReceivable): bigint {
  return target.sellMinor - target.receivedMinor - target.shortfallMinor;
}

/** The shortfall counts against the whole trade, so that instalments do not each earn a tolerance. */
export function isTolerated(target: OpenReceivable, shortfall: bigint, tolerance: Tolerance): boolean {
  const total = target.shortfallMinor + shortfall;
  return (
    total * 10_000n <= target.sellMinor * tolerance.bps &&
    total * target.usdMinor <= tolerance.usdMinor * target.sellMinor
  );
}
