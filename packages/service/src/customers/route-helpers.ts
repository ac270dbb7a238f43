import type { FastifyRequest } from 'fastify';
import type { RouteAccess } from '../http/context.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import type { CursorCodec } from '../http/paging.ts';
import { parseTypeId } from '../platform/ids.ts';
import { customerNotFound } from './records.ts';
import type { CustomersRoom } from './room.ts';

export interface CustomerRoutesOptions {
  readonly room: CustomersRoom;
  readonly idempotency: IdempotencyStore;
  readonly cursors: CursorCodec;
}

export function operatorAccess(scope: `operator:${string}`): RouteAccess {
  return { audience: 'operator', scope };
}

/**
 * UUID of the customer in the path.
 * @throws Problem customer_not_found, also for what is no id at all
 */
export function pathCustomer(request: FastifyRequest): string {
  const { customerId } = request.params as { customerId: string };
  const id = parseTypeId('cus', customerId);
  if (id === undefined) throw customerNotFound();
  return id;
}
