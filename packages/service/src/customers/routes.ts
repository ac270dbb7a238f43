import type { FastifyInstance } from 'fastify';
import { accountRoutes } from './account-routes.ts';
import { addressRoutes } from './address-routes.ts';
import { customerRoutes } from './customer-routes.ts';
import { limitRoutes } from './limit-routes.ts';
import type { CustomerRoutesOptions } from './route-helpers.ts';
import { spreadRoutes } from './spread-routes.ts';

export type { CustomerRoutesOptions };

/** Customers, limits, spread rules and accounts; and the customer's own limits. */
export function registerCustomerRoutes(app: FastifyInstance, options: CustomerRoutesOptions): void {
  customerRoutes(app, options);
  limitRoutes(app, options);
  accountRoutes(app, options);
  addressRoutes(app, options);
  spreadRoutes(app, options);
}
