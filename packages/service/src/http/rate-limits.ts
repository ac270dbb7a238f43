import type { Caller, RatePolicy } from './context.ts';

/** Requests a minute of one policy; `burst` is how many may come at once (default: a minute's worth). */
export interface Quota {
  readonly perMinute: number;
  readonly burst?: number;
}
export type Quotas = Readonly<Record<Exclude<RatePolicy, 'unlimited'> | 'all', Quota>>;

/** Contract §10. `revalidation` is for conditional reads that end in 304. */
export const DEFAULT_QUOTAS: Quotas = {
  indicative: { perMinute: 200 },
  quotes: { perMinute: 60 },
  execute: { perMinute: 60, burst: 5 },
  reads: { perMinute: 500 },
  revalidation: { perMinute: 1200 },
  all: { perMinute: 500 },
};

interface Bucket {
  tokens: number;
  at: number;
}

export interface RateDecision {
  readonly allowed: boolean;
  readonly policy: string;
  readonly remaining: number;
  /** Seconds until the bucket is full again, or until one request fits when refused. */
  readonly resetSeconds: number;
}

const MAX_BUCKETS = 100_000;

/**
 * Token buckets on real time, one for each customer and policy, kept in the process: with n instances a customer
 * gets up to n times the rate. Full buckets are forgotten, so memory is bounded by who called in the last minute.
 */
export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  take(key: string, policy: string, quota: Quota): RateDecision {
    const now = this.#now();
    const burst = quota.burst ?? quota.perMinute;
    const perMs = quota.perMinute / 60_000;
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      if (this.#buckets.size >= MAX_BUCKETS) this.#forgetFull(now);
      bucket = { tokens: burst, at: now };
      this.#buckets.set(key, bucket);
    } else {
      bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.at) * perMs);
      bucket.at = now;
    }
    if (bucket.tokens < 1) {
      return {
        allowed: false,
        policy,
        remaining: 0,
        resetSeconds: Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000)),
      };
    }
    bucket.tokens -= 1;
    return {
      allowed: true,
      policy,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: Math.ceil((burst - bucket.tokens) / perMs / 1000),
    };
  }

  /** Gives one request back: a conditional read that ended in 304 is counted in the larger bucket instead. */
  giveBack(key: string): void {
    const bucket = this.#buckets.get(key);
    if (bucket) bucket.tokens += 1;
  }

  #forgetFull(now: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (now - bucket.at > 60_000) this.#buckets.delete(key);
    }
    // All of them in use within a minute: drop the oldest rather than grow.
    for (const key of this.#buckets.keys()) {
      if (this.#buckets.size < MAX_BUCKETS) break;
      this.#buckets.delete(key);
    }
  }
}

/** The bucket's owner: the customer, so that a second client does not double the rate. */
export function bucketOwner(caller: Caller): string {
  return caller.customerId ?? caller.clientId;
}
