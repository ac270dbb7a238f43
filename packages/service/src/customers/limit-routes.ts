import type { FastifyInstance, FastifyReply } from 'fastify';
import { etagOf, ifNoneMatch, parseIfMatch } from '../http/conditional.ts';
import { customerOf } from '../http/context.ts';
import { ProblemSchema } from '../http/schema.ts';
import { limitUsage } from './limit-usage.ts';
import { customerNotFound, type LimitsRecord } from './records.ts';
import { type CustomerRoutesOptions, operatorAccess, pathCustomer } from './route-helpers.ts';
import * as schema from './schema.ts';
import { setLimits } from './set-limits.ts';
import { findLimits } from './store.ts';
import { customerLimitsView, limitsView, usageView } from './view.ts';

const access = operatorAccess('operator:limits');
const tags = ['Operator: limits'];
const path = '/v1/operator/customers/:customerId/limits';

export function limitRoutes(app: FastifyInstance, options: CustomerRoutesOptions): void {
  limitsRoutes(app, options);
  usageRoutes(app, options);
}

function limitsRoutes(app: FastifyInstance, { room }: CustomerRoutesOptions): void {
  app.get(
    path,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Read the limits of a customer',
        response: { 200: schema.Limits, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const limits = await findLimits(room.pool, pathCustomer(request));
      if (limits === undefined) throw customerNotFound();
      if (ifNoneMatch(request.headers['if-none-match'], limits.version)) {
        return reply.header('ETag', etagOf(limits.version)).code(304).send();
      }
      return show(reply, limits);
    },
  );

  app.put(
    path,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Set the limits of a customer',
        body: schema.SetLimits,
        response: { 200: schema.Limits, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const ifMatch = parseIfMatch(request.headers['if-match']);
      return show(
        reply,
        await setLimits(room, pathCustomer(request), request.body as schema.SetLimits, ifMatch),
      );
    },
  );
}

function usageRoutes(app: FastifyInstance, { room }: CustomerRoutesOptions): void {
  app.get(
    `${path}/usage`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'How much of the limits is used',
        response: { 200: schema.LimitUsage, default: ProblemSchema },
      },
    },
    async (request) => usageView(await limitUsage(room.pool, pathCustomer(request), request.receivedAt)),
  );

  app.get(
    '/v1/customer/limits',
    {
      config: { access: { audience: 'customer', scope: 'transactions:read' }, rate: 'reads' },
      schema: {
        tags: ['Customer'],
        summary: 'Your own limits, and how much of them is used',
        response: { 200: schema.CustomerLimits, default: ProblemSchema },
      },
    },
    async (request) => {
      const usage = await limitUsage(room.pool, customerOf(request).customerId, request.receivedAt);
      return customerLimitsView(usage);
    },
  );
}

function show(reply: FastifyReply, limits: LimitsRecord): schema.Limits {
  reply.header('ETag', etagOf(limits.version));
  return limitsView(limits);
}
