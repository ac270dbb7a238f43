import type { FastifyRequest } from 'fastify';
import type { RouteAccess } from '../http/context.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import type { CursorCodec } from '../http/paging.ts';
import type { MarketControl } from './control.ts';

export interface MarketRoutesOptions {
  readonly control: MarketControl;
  readonly idempotency: IdempotencyStore;
  readonly cursors: CursorCodec;
}

export const access: RouteAccess = { audience: 'operator', scope: 'operator:market' };
export const tags = ['Operator: market'];

/** UUID of the OAuth client that calls: the operator who orders something. */
export function actorOf(request: FastifyRequest): string {
  const { caller } = request;
  if (caller === undefined) throw new Error('an operator route needs an authenticated caller');
  return caller.clientId;
}
