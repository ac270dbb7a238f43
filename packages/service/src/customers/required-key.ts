import { keyRequired, type RequestKey } from '../http/idempotency.ts';
import type { CustomerDirectory, CustomerProfile } from './profile.ts';

/**
 * The key as it was sent; undefined where there is none and the customer needs none.
 * @throws Problem idempotency_key_required where the customer is set to need one
 */
export function customersKey(
  { customers }: { readonly customers: CustomerDirectory },
  customerId: string,
  key: RequestKey | undefined,
): RequestKey | undefined | Promise<undefined> {
  if (key !== undefined) return key;
  const found = customers.profile(customerId);
  if (found instanceof Promise) return found.then(requireNoKey);
  return requireNoKey(found);
}

function requireNoKey({ settings }: CustomerProfile): undefined {
  if (!settings.requireIdempotencyKey) return undefined;
  throw keyRequired('This customer must send an Idempotency-Key.');
}
