import type { RatePolicy } from '@firmquote/api/operation';
import type { Caller } from './context.ts';

/** Requests a minute of one policy; `burst` is how many may come at once (default: a minute's worth). */
export interface Quota {
  readonly perMinute: number;
  readonly burst?: number;
}
export type Quotas = Readonly<Record<Exclude<RatePolicy, 'unlimited'> | 'all', Quota>>;

/** docs/interface.md#rate-limits. `revalidation` is for conditional reads that end in 304. */
export const DEFAULT_QUOTAS: Quotas = {
  indicative: { perMinute: 200 }, // limit: {a minute} Indicative prices of a customer
  quotes: { perMinute: 60 }, // limit: {a minute} Firm quotes of a customer
  execute: { perMinute: 60, burst: 5 }, // limit: {a minute} Executions and cancellations of a customer
  reads: { perMinute: 500 }, // limit: {a minute} Reads of a customer
  revalidation: { perMinute: 1200 }, // limit: {a minute} Unchanged reads (304) of a customer
  all: { perMinute: 500 }, // limit: {a minute} Requests of a customer but executions, cancellations and unchanged reads
};

/** Requests without a caller from one address, which may be a proxy with many behind it. */
export const DEFAULT_PER_ADDRESS: Quota = { perMinute: 600 }; // limit: {a minute} Requests without a caller, and refused ones, of one address

interface Bucket {
  tokens: number;
  at: number;
}

interface Owner {
  readonly buckets: Map<string, Bucket>;
  usedAt: number;
}

/** Requests that were counted for an owner; below 0 when they were given back. */
export interface Taken {
  readonly owner: string;
  readonly policy: string;
  readonly requests: number;
  /** Undefined for what was given back: there is a bucket then. */
  readonly quota: Quota | undefined;
}

export interface RateDecision {
  readonly allowed: boolean;
  readonly policy: string;
  readonly remaining: number;
  /** Seconds until the bucket is full again, or until one request fits when refused. */
  readonly resetSeconds: number;
}

const MAX_OWNERS = 50_000; // limit: Customers, clients and addresses whose rates are in memory
/** After this long without a request every bucket is full again. */
const FORGET_AFTER_MS = 60_000;

/**
 * Token buckets on real time, one for each owner and policy, kept in the process. Each of n instances gives an n-th of a quota,
 * so that all of them together give no more than it. Owners who did not call for a minute are forgotten, so memory is
 * bounded by who did.
 */
export class RateLimiter {
  readonly #owners = new Map<string, Owner>();
  readonly #now: () => number;
  readonly #instances: () => number;

  /** Undefined where nobody wants to know: then nothing is made of what is taken. */
  #onTaken: ((taken: Taken) => void) | undefined;

  /** @param instances how many share the quotas with this one, itself included; those of one service count as one */
  constructor(now: () => number = () => performance.now(), instances: () => number = () => 1) {
    this.#now = now;
    this.#instances = instances;
  }

  /** How many share each quota now, this one included. */
  get instances(): number {
    return this.#instances();
  }

  take(ownerId: string, policy: string, quota: Quota): RateDecision {
    const now = this.#now();
    const instances = this.#instances();
    const burst = burstOf(quota, instances);
    const perMs = quota.perMinute / 60_000 / instances;
    const owner = this.#owner(ownerId, now);
    const bucket = bucketOf(owner, policy, burst, perMs, now);
    if (bucket.tokens < 1) {
      const resetSeconds = Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000));
      return { allowed: false, policy, remaining: 0, resetSeconds };
    }
    bucket.tokens -= 1;
    this.#onTaken?.({ owner: ownerId, policy, requests: 1, quota });
    const resetSeconds = Math.ceil((burst - bucket.tokens) / perMs / 1000);
    return { allowed: true, policy, remaining: Math.floor(bucket.tokens), resetSeconds };
  }

  /** Gives one request back: a conditional read that ended in 304 is counted in the larger bucket instead. */
  giveBack(ownerId: string, policy: string): void {
    const bucket = this.#owners.get(ownerId)?.buckets.get(policy);
    if (bucket === undefined) return;
    bucket.tokens += 1;
    this.#onTaken?.({ owner: ownerId, policy, requests: -1, quota: undefined });
  }

  /** Calls the listener with what is taken and given back here. Must not throw. */
  onTaken(listener: (taken: Taken) => void): void {
    this.#onTaken = listener;
  }

  /** Counts what another process of this service has given of the same bucket: it may owe, until that is made up for. */
  takenElsewhere({ owner: ownerId, policy, requests, quota }: Taken): void {
    const now = this.#now();
    const owner = this.#owner(ownerId, now);
    const instances = this.#instances();
    const bucket =
      quota === undefined
        ? owner.buckets.get(policy)
        : bucketOf(owner, policy, burstOf(quota, instances), quota.perMinute / 60_000 / instances, now);
    if (bucket !== undefined) bucket.tokens -= requests;
  }

  #owner(id: string, now: number): Owner {
    let owner = this.#owners.get(id);
    if (owner === undefined) {
      if (this.#owners.size >= MAX_OWNERS) this.#forget(now);
      owner = { buckets: new Map(), usedAt: now };
      this.#owners.set(id, owner);
    }
    owner.usedAt = now;
    return owner;
  }

  #forget(now: number): void {
    for (const [id, owner] of this.#owners) {
      if (now - owner.usedAt > FORGET_AFTER_MS) this.#owners.delete(id);
    }
    // All of them in use within a minute: drop the oldest rather than grow.
    for (const id of this.#owners.keys()) {
      if (this.#owners.size < MAX_OWNERS) break;
      this.#owners.delete(id);
    }
  }
}

/** With what has come in since it was last looked at. */
function bucketOf(owner: Owner, policy: string, burst: number, perMs: number, now: number): Bucket {
  const known = owner.buckets.get(policy);
  if (known === undefined) {
    const bucket = { tokens: burst, at: now };
    owner.buckets.set(policy, bucket);
    return bucket;
  }
  known.tokens = Math.min(burst, known.tokens + (now - known.at) * perMs);
  known.at = now;
  return known;
}

/** How many may come at once, of what one of so many instances gives. */
function burstOf({ perMinute, burst = perMinute }: Quota, instances: number): number {
  return Math.ceil(burst / instances);
}

/**
 * A quota as `RateLimit-Policy` has it: what this instance gives of it, as `RateLimit` says what is left of that. `burst` is how many
 * may come at once, where that is not a minute's worth; the draft leaves room for parameters of one's own.
 */
export function quotaText(name: string, quota: Quota, instances: number): string {
  const perMinute = Math.ceil(quota.perMinute / instances);
  const burst = burstOf(quota, instances);
  return `"${name}";q=${perMinute};w=60${burst === perMinute ? '' : `;burst=${burst}`}`;
}

/** The bucket's owner of an address. One network of IPv6 (/64) is handed to one user, who may use any address of it. */
export function addressOwner(address: string): string {
  if (!address.includes(':') || address.includes('.')) return `address ${address}`;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  return `address ${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

/** The bucket's owner: the customer, so that a second client does not double the rate. */
export function bucketOwner(caller: Caller): string {
  return caller.customerId ?? caller.actor.id;
}
