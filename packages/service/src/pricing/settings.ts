import type { SetAmountLimits, SetPricingPolicy } from '@firmquote/api/operations/pricing';
import type { Pool } from '../database/pool.ts';
import { type DocumentKind, LiveDocument } from '../settings/documents.ts';
import type { Topic } from '../settings/follower.ts';
import { AmountLimitBook, readAmountLimits } from './amount-limits.ts';
import { DEFAULT_POLICY, type PricingPolicy, readPolicy } from './policy.ts';

/** The settings of pricing in force, read and ready to be applied. */
export interface PricingSettings {
  readonly policy: PricingPolicy;
  readonly amountLimits: AmountLimitBook;
}

export const DEFAULT_SETTINGS: PricingSettings = {
  policy: readPolicy(DEFAULT_POLICY, 1),
  amountLimits: new AmountLimitBook(new Map()),
};

const TABLE = { table: 'pricing_settings', changedAt: 'created_at', shared: true } as const;

const POLICY: DocumentKind<SetPricingPolicy, PricingPolicy> = {
  ...TABLE,
  name: 'pricing_policy',
  initial: DEFAULT_POLICY,
  read: readPolicy,
};
const AMOUNT_LIMITS: DocumentKind<SetAmountLimits, AmountLimitBook> = {
  ...TABLE,
  name: 'amount_limits',
  initial: { limits: [] },
  read: readAmountLimits,
};

/** Where hot paths read the settings: in memory, answered without a promise when known. */
export interface SettingsSource {
  current(): PricingSettings | Promise<PricingSettings>;
}

export class LivePricingSettings implements SettingsSource {
  readonly policy: LiveDocument<SetPricingPolicy, PricingPolicy>;
  readonly amountLimits: LiveDocument<SetAmountLimits, AmountLimitBook>;

  constructor(pool: Pool) {
    this.policy = new LiveDocument(pool, POLICY);
    this.amountLimits = new LiveDocument(pool, AMOUNT_LIMITS);
  }

  get topics(): readonly Topic[] {
    return [this.policy, this.amountLimits];
  }

  current(): PricingSettings | Promise<PricingSettings> {
    const policy = this.policy.current();
    const amountLimits = this.amountLimits.current();
    if (!(policy instanceof Promise || amountLimits instanceof Promise)) return { policy, amountLimits };
    return Promise.all([policy, amountLimits]).then((both) => ({ policy: both[0], amountLimits: both[1] }));
  }
}
