import type { AmountRounding } from '@firmquote/fx';
import type { Quotas } from '../http/rate-limits.ts';

export type PricingDisclosure = 'full' | 'total' | 'none';

/** Behaviour that is the customer's own, as the operator set it. */
export interface CustomerSettings {
  /** How much of the price's make-up answers show: components and market side, the total, or neither. */
  readonly pricingDisclosure: PricingDisclosure;
  /** `execute` without If-Match is 428. */
  readonly requireStatusCheck: boolean;
  /** Every POST that changes something needs an Idempotency-Key. */
  readonly requireIdempotencyKey: boolean;
  /** Values that `validitySeconds` may take, ascending, 1 to 86,400. */
  readonly permittedValidities: readonly number[];
  readonly amountRounding: AmountRounding;
  /** Payouts of one run to one account of the customer go in one payment. */
  readonly paymentNetting: boolean;
  /** Payments whose remitter is somebody else: matched like others, or held for an operator. */
  readonly thirdPartyPayments: 'accept' | 'hold';
  /** Other names under which the customer pays: their payments are its own. */
  readonly payerNames: readonly string[];
  /** Pre-funded customers pay from their balance when they execute. */
  readonly fundingMode: 'post_funded' | 'pre_funded';
  /** What is bought goes into the balance instead of out. */
  readonly proceedsToBalance: boolean;
}

/** docs/interface.md#quotes: permitted validities are 10, 30, 60 and 300 s unless the operator says otherwise. */
export const DEFAULT_SETTINGS: CustomerSettings = {
  pricingDisclosure: 'full',
  requireStatusCheck: false,
  requireIdempotencyKey: false,
  permittedValidities: [10, 30, 60, 300],
  amountRounding: 'half_up',
  paymentNetting: false,
  thirdPartyPayments: 'accept',
  payerNames: [],
  fundingMode: 'post_funded',
  proceedsToBalance: false,
};

/** Money limits in US dollar cents. */
export interface CustomerLimits {
  /** Executed volume of one trade day. */
  readonly dailyUsdMinor: bigint;
  /** Executed but neither settled nor cancelled. */
  readonly openUsdMinor: bigint;
  /** One trade. */
  readonly tradeUsdMinor: bigint;
  readonly maxOpenQuotes: number;
  readonly quotas: Quotas;
}

/** What is used of the limits, in US dollar cents. */
export interface UsageRecord {
  /** The trade date that `dailyUsdMinor` belongs to; null before the first trade. */
  readonly limitDay: string | null;
  readonly dailyUsdMinor: bigint;
  readonly openUsdMinor: bigint;
}

export const NOTHING_USED: UsageRecord = { limitDay: null, dailyUsdMinor: 0n, openUsdMinor: 0n };

/** All that a quote needs to know of its customer. */
export interface CustomerProfile {
  readonly id: string;
  readonly name: string;
  readonly groupName: string | undefined;
  readonly status: 'active' | 'suspended';
  readonly settings: CustomerSettings;
  readonly limits: CustomerLimits;
  readonly quotas: Quotas;
  /** Currencies with an account of the customer to pay to. */
  readonly payoutCurrencies: ReadonlySet<string>;
  /** What was used of the limits when the profile was read; executions hold the limits themselves, exactly. */
  readonly usage: UsageRecord;
}

/** Read side of the customers room, for hot paths. Values are at most five seconds old. */
export interface CustomerDirectory {
  /** @throws Problem customer_not_found */
  profile(customerId: string): CustomerProfile | Promise<CustomerProfile>;
  /** Currencies that the house has an account for, so that customers can send them. */
  collectionCurrencies(): ReadonlySet<string> | Promise<ReadonlySet<string>>;
}
