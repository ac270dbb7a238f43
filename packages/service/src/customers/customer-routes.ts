import type { FastifyInstance, FastifyReply } from 'fastify';
import { etagOf, ifNoneMatch, parseIfMatch } from '../http/conditional.ts';
import { idempotent } from '../http/idempotency.ts';
import { type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { ProblemSchema } from '../http/schema.ts';
import { typeId } from '../platform/ids.ts';
import { createCustomer } from './create-customer.ts';
import { type CustomerRecord, customerNotFound } from './records.ts';
import { type CustomerRoutesOptions, operatorAccess, pathCustomer } from './route-helpers.ts';
import * as schema from './schema.ts';
import { findCustomer, listCustomers } from './store.ts';
import { resumeCustomer, suspendCustomer } from './suspend-customer.ts';
import { updateCustomer } from './update-customer.ts';
import { customerView } from './view.ts';

const access = operatorAccess('operator:customers');
const tags = ['Operator: customers'];
const path = '/v1/operator/customers/:customerId';

export function customerRoutes(app: FastifyInstance, options: CustomerRoutesOptions): void {
  createCustomerRoute(app, options);
  listCustomersRoute(app, options);
  customerRoute(app, options);
  suspensionRoutes(app, options);
}

function createCustomerRoute(app: FastifyInstance, { room, idempotency }: CustomerRoutesOptions): void {
  app.post(
    '/v1/operator/customers',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Create a customer',
        body: schema.CreateCustomer,
        response: { 201: schema.Customer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      const customer = await createCustomer(
        room,
        request.body as schema.CreateCustomer,
        (connection, created) => keep(connection, createdAnswer(created)),
      );
      return createdAnswer(customer);
    }),
  );
}

function listCustomersRoute(app: FastifyInstance, { room, cursors }: CustomerRoutesOptions): void {
  app.get(
    '/v1/operator/customers',
    {
      config: { access },
      schema: {
        tags,
        summary: 'List customers, newest first',
        querystring: schema.CustomersQuery,
        response: { 200: schema.pageOf(schema.Customer), default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const filters = {
        status: query.choice('status', schema.CustomerStatus),
        groupName: query.text('groupName', 64),
      };
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const scope: CursorScope = { list: 'customers', sort: '-createdAt', filters };
      const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const rows = await listCustomers(room.pool, filters, before, limit + 1);
      const page = cursors.page(scope, rows, limit, (row) => [row.id], customerView);
      return linkedPage(request, reply, page);
    },
  );
}

function customerRoute(app: FastifyInstance, { room }: CustomerRoutesOptions): void {
  app.get(
    path,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Read a customer',
        response: { 200: schema.Customer, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const customer = await findCustomer(room.pool, pathCustomer(request));
      if (customer === undefined) throw customerNotFound();
      if (ifNoneMatch(request.headers['if-none-match'], customer.version)) {
        return reply.header('ETag', etagOf(customer.version)).code(304).send();
      }
      return show(reply, customer);
    },
  );

  app.patch(
    path,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Change a customer',
        body: schema.UpdateCustomer,
        response: { 200: schema.Customer, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const change = request.body as schema.UpdateCustomer;
      const ifMatch = parseIfMatch(request.headers['if-match']);
      return show(reply, await updateCustomer(room, pathCustomer(request), change, ifMatch));
    },
  );
}

function suspensionRoutes(app: FastifyInstance, { room, idempotency }: CustomerRoutesOptions): void {
  app.post(
    `${path}/suspend`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Suspend a customer: it can neither quote nor execute, and its open quotes are withdrawn',
        body: schema.SuspendCustomer,
        response: { 200: schema.Customer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request) => {
      const { reason } = (request.body as schema.SuspendCustomer) ?? {};
      return shownAnswer(await suspendCustomer(room, pathCustomer(request), reason));
    }),
  );

  app.post(
    `${path}/resume`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Let a suspended customer trade again',
        body: schema.NoBody,
        response: { 200: schema.Customer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request) =>
      shownAnswer(await resumeCustomer(room, pathCustomer(request))),
    ),
  );
}

function show(reply: FastifyReply, customer: CustomerRecord): schema.Customer {
  reply.header('ETag', etagOf(customer.version));
  return customerView(customer);
}

function shownAnswer(customer: CustomerRecord) {
  return { status: 200, body: customerView(customer), headers: { ETag: etagOf(customer.version) } };
}

function createdAnswer(customer: CustomerRecord) {
  const location = `/v1/operator/customers/${typeId('cus', customer.id)}`;
  return {
    status: 201,
    body: customerView(customer),
    headers: { Location: location, ETag: etagOf(customer.version) },
  };
}
