import type { FastifyInstance } from 'fastify';
import {
  confirm,
  confirmRefund,
  fail,
  redirect,
  rejectRefund,
  repeatRefund,
  retry,
  settle,
} from './operate.ts';
import { orderRoute, type SettlementRoutesOptions } from './order-route.ts';
import * as schema from './schema.ts';

/** What operators do with a payout. */
export function payoutRoutes(app: FastifyInstance, options: SettlementRoutesOptions): void {
  const { room } = options;
  orderRoute(app, options, 'settle', 'Release the payout of a funded transaction', schema.NoFields, (order) =>
    settle(room, order),
  );
  orderRoute<schema.PayoutConfirmed>(
    app,
    options,
    'payout-confirmed',
    'The bank has paid out',
    schema.PayoutConfirmed,
    (order, { bankReference }) => confirm(room, order, bankReference),
  );
  orderRoute<schema.PayoutFailed>(
    app,
    options,
    'payout-failed',
    'The bank refused the payout, or sent it back',
    schema.PayoutFailed,
    (order, { reason, detail }) => fail(room, order, reason, detail),
  );
  orderRoute(
    app,
    options,
    'retry-payout',
    "Pay out again, to the customer's present account",
    schema.NoFields,
    (order) => retry(room, order),
  );
}

/** A payout whose account was retired. */
export function redirectRoute(app: FastifyInstance, options: SettlementRoutesOptions): void {
  orderRoute(
    app,
    options,
    'redirect-payout',
    "Pay out to the customer's present account instead of the one that was promised",
    schema.NoFields,
    (order) => redirect(options.room, order),
  );
}

/** What operators do with money that goes back. */
export function refundRoutes(app: FastifyInstance, options: SettlementRoutesOptions): void {
  const { room } = options;
  orderRoute<schema.PayoutConfirmed>(
    app,
    options,
    'refund-paid',
    'The bank has paid the refund',
    schema.PayoutConfirmed,
    (order, { bankReference }) => confirmRefund(room, order, bankReference),
  );
  orderRoute<schema.RefundFailed>(
    app,
    options,
    'refund-failed',
    'The bank refused the refund, or sent it back',
    schema.RefundFailed,
    (order, { detail }) => rejectRefund(room, order, detail),
  );
  orderRoute(
    app,
    options,
    'retry-refund',
    "Refund again, to the customer's present account",
    schema.NoFields,
    (order) => repeatRefund(room, order),
  );
}
