import type { SetAmountLimits } from '@firmquote/api/operations/pricing';
import { findPair, formatUsd, parseAmount, US_DOLLAR } from '@firmquote/fx';
import type { CustomerDirectory } from '../customers/profile.ts';
import { notWith } from '../http/sentences.ts';
import { parseTypeId } from '../platform/ids.ts';
import { type FieldError, Problem, validationProblem } from '../problems/problem.ts';

/** Permitted amounts of one trade in US dollar cents. */
export interface AmountBounds {
  readonly minUsdMinor: bigint | undefined;
  readonly maxUsdMinor: bigint | undefined;
}

/** Whose limits are asked for. */
interface LimitTarget {
  readonly id: string | undefined;
  readonly groupName: string | undefined;
}

const FREE: AmountBounds = Object.freeze({ minUsdMinor: undefined, maxUsdMinor: undefined });

/**
 * Smallest and largest amounts by customer, group and pair. Minimum and maximum each come from the most specific limit
 * that names one, in the order of spread rules: customer and pair, customer, group and pair, group, pair, any.
 */
export class AmountLimitBook {
  readonly #byTarget: ReadonlyMap<string, AmountBounds>;

  constructor(byTarget: ReadonlyMap<string, AmountBounds>) {
    this.#byTarget = byTarget;
  }

  /** No limit at all: nothing has to be valued. */
  get isEmpty(): boolean {
    return this.#byTarget.size === 0;
  }

  boundsFor({ id, groupName }: LimitTarget, pair: string): AmountBounds {
    if (this.isEmpty) return FREE;
    const targets = [
      ...(id === undefined ? [] : [targetKey(id, '', pair), targetKey(id, '', '')]),
      ...(groupName === undefined ? [] : [targetKey('', groupName, pair), targetKey('', groupName, '')]),
      targetKey('', '', pair),
      targetKey('', '', ''),
    ];
    let minUsdMinor: bigint | undefined;
    let maxUsdMinor: bigint | undefined;
    for (const each of targets) {
      const bounds = this.#byTarget.get(each);
      minUsdMinor ??= bounds?.minUsdMinor;
      maxUsdMinor ??= bounds?.maxUsdMinor;
    }
    return { minUsdMinor, maxUsdMinor };
  }
}

function targetKey(customerId: string, groupName: string, pair: string): string {
  return `${customerId}\n${groupName}\n${pair}`;
}

/** @throws Problem amount_below_minimum, amount_above_maximum with `min` or `max` in US dollars */
export function requireWithinBounds(bounds: AmountBounds, usdMinor: bigint): void {
  const { minUsdMinor, maxUsdMinor } = bounds;
  if (minUsdMinor !== undefined && usdMinor < minUsdMinor) {
    const min = formatUsd(minUsdMinor);
    throw new Problem('amount_below_minimum', `One trade must be worth at least ${min} USD.`, {
      field: '/amount',
      members: { min, currency: 'USD' },
    });
  }
  if (maxUsdMinor !== undefined && usdMinor > maxUsdMinor) {
    const max = formatUsd(maxUsdMinor);
    throw new Problem('amount_above_maximum', `One trade may be worth at most ${max} USD.`, {
      field: '/amount',
      members: { max, currency: 'USD' },
    });
  }
}

/**
 * Limits as they are applied.
 * @throws Problem validation_failed with a pointer to each mistake
 */
export function readAmountLimits(input: SetAmountLimits): AmountLimitBook {
  const errors: FieldError[] = [];
  const byTarget = new Map<string, AmountBounds>();
  for (const [index, limit] of input.limits.entries()) {
    const wrong = (field: string, code: string, detail: string): undefined => {
      errors.push({ pointer: `/limits/${index}${field}`, code, detail });
      return undefined;
    };
    const amount = (field: 'minimum' | 'maximum') => {
      const text = limit[field];
      if (text === null) return undefined;
      const parsed = parseAmount(text, US_DOLLAR);
      return parsed.ok ? parsed.minor : wrong(`/${field}`, parsed.error, 'must be an amount of US dollars');
    };
    const customerId =
      limit.customerId === null
        ? ''
        : (parseTypeId('cus', limit.customerId) ?? wrong('/customerId', 'wrong_format', 'is not a valid id'));
    const bounds = { minUsdMinor: amount('minimum'), maxUsdMinor: amount('maximum') };
    if (limit.customerId !== null && limit.groupName !== null) {
      wrong('/groupName', 'not_permitted', notWith('customerId'));
    }
    if (limit.pair !== null && findPair(limit.pair) === undefined) {
      wrong('/pair', 'pair_not_supported', 'is not a pair of known currencies in market order');
    }
    if (limit.minimum === null && limit.maximum === null) {
      wrong('', 'required', 'must name a minimum, a maximum, or both');
    }
    if (
      bounds.minUsdMinor !== undefined &&
      bounds.maxUsdMinor !== undefined &&
      bounds.minUsdMinor > bounds.maxUsdMinor
    ) {
      wrong('/maximum', 'out_of_range', 'must not be less than minimum');
    }
    const key = targetKey(customerId ?? '', limit.groupName ?? '', limit.pair ?? '');
    if (byTarget.has(key)) wrong('', 'repeated', 'is for the same customer, group and pair as another limit');
    byTarget.set(key, bounds);
  }
  if (errors.length > 0) throw validationProblem(errors);
  return new AmountLimitBook(byTarget);
}

/** @throws Problem validation_failed naming each customer that there is not */
export async function requireKnownCustomers(
  customers: CustomerDirectory,
  limits: SetAmountLimits['limits'],
): Promise<void> {
  const isKnown = async (customerId: string | null): Promise<boolean> => {
    const id = customerId === null ? undefined : parseTypeId('cus', customerId);
    // What is no id at all is reported by the check of the document.
    if (id === undefined) return true;
    try {
      await customers.profile(id);
      return true;
    } catch (error) {
      if (error instanceof Problem && error.code === 'customer_not_found') return false;
      throw error;
    }
  };
  const known = await Promise.all(limits.map(({ customerId }) => isKnown(customerId)));
  const errors = limits.flatMap((_, index) =>
    known[index]
      ? []
      : [{ pointer: `/limits/${index}/customerId`, code: 'customer_not_found', detail: 'is not a customer' }],
  );
  if (errors.length > 0) throw validationProblem(errors);
}
