import * as accounts from '@firmquote/api/operations/customer-accounts';
import * as api from '@firmquote/api/operations/customers';
import { listOwnAccounts } from '@firmquote/api/operations/own-money';
import type { FastifyInstance } from 'fastify';
import { customerOf } from '../http/context.ts';
import { type Result, serve } from '../http/serve.ts';
import { typeId } from '../platform/ids.ts';
import { listCollectionAccounts, listInstructions, type SettlementInstruction } from './account-store.ts';
import { releaseCollectionAccount, setCollectionAccount } from './collection-accounts.ts';
import { createCustomer } from './create-customer.ts';
import { limitUsage } from './limits.ts';
import { setPostalAddress, showPostalAddress } from './postal-address.ts';
import { type CustomerRecord, customerNotFound, type LimitsRecord } from './records.ts';
import { type CustomersRoom, requireCustomer } from './room.ts';
import { setLimits } from './set-limits.ts';
import {
  addSettlementInstruction,
  releaseSettlementInstruction,
  retireSettlementInstruction,
} from './settlement-instructions.ts';
import { findCustomer, findLimits, listCustomers } from './store.ts';
import { resumeCustomer, suspendCustomer } from './suspend-customer.ts';
import { updateCustomer } from './update-customer.ts';
import {
  collectionAccountView,
  customerLimitsView,
  customerView,
  instructionView,
  limitsView,
  ownAccountView,
  usageView,
} from './view.ts';

/** Customers, limits and accounts; and the customer's own limits and accounts. */
export function customerRoutes(app: FastifyInstance, room: CustomersRoom): void {
  profileRoutes(app, room);
  limitRoutes(app, room);
  accountRoutes(app, room);
}

function profileRoutes(app: FastifyInstance, room: CustomersRoom): void {
  serve(app, api.createCustomer, async ({ body, inCommit }) => {
    await createCustomer(
      room,
      body,
      inCommit((customer) => createdResult(customer)),
    );
  });
  serve(app, api.listCustomers, async ({ query, page }) => {
    const rows = await listCustomers(room.pool, query, page.afterId, page.rows);
    return { body: page.of(rows, (row) => [row.id], customerView) };
  });
  serve(app, api.getCustomer, async ({ params }) => {
    const customer = await findCustomer(room.pool, params.customerId);
    if (customer === undefined) throw customerNotFound();
    return customerResult(customer);
  });
  serve(app, api.updateCustomer, async ({ params, body, ifMatch }) =>
    customerResult(await updateCustomer(room, params.customerId, body, ifMatch)),
  );
  serve(app, api.suspendCustomer, async ({ params, body }) =>
    customerResult(await suspendCustomer(room, params.customerId, body.reason)),
  );
  serve(app, api.resumeCustomer, async ({ params }) =>
    customerResult(await resumeCustomer(room, params.customerId)),
  );
}

function customerResult(customer: CustomerRecord): Result {
  return { version: customer.version, body: customerView(customer) };
}

function createdResult(customer: CustomerRecord): Result {
  const { customerId } = customerView(customer);
  return { ...customerResult(customer), headers: { Location: `/v1/operator/customers/${customerId}` } };
}

function limitRoutes(app: FastifyInstance, room: CustomersRoom): void {
  const view = (limits: LimitsRecord) => ({ version: limits.version, body: limitsView(limits) });
  serve(app, api.getCustomerLimits, async ({ params }) => {
    const limits = await findLimits(room.pool, params.customerId);
    if (limits === undefined) throw customerNotFound();
    return view(limits);
  });
  serve(app, api.setCustomerLimits, async ({ params, body, ifMatch }) =>
    view(await setLimits(room, params.customerId, body, ifMatch)),
  );
  serve(app, api.getLimitUsage, async ({ params, request }) => ({
    body: usageView(await limitUsage(room.pool, params.customerId, request.receivedAt)),
  }));
  serve(app, api.getOwnLimits, async ({ request }) => {
    const usage = await limitUsage(room.pool, customerOf(request).customerId, request.receivedAt);
    return { body: customerLimitsView(usage) };
  });
}

function accountRoutes(app: FastifyInstance, room: CustomersRoom): void {
  serve(app, accounts.addSettlementInstruction, async ({ params, body, inCommit }) => {
    await addSettlementInstruction(room, params.customerId, body, inCommit(addedResult));
  });
  serve(app, accounts.listSettlementInstructions, async ({ params, query, page }) => {
    const customerId = await requireCustomer(room.pool, params.customerId);
    const rows = await listInstructions(room.pool, customerId, query, page.afterId, page.rows);
    return { body: page.of(rows, (row) => [row.id], instructionView) };
  });
  serve(app, listOwnAccounts, async ({ request, query, page }) => {
    const { customerId } = customerOf(request);
    const rows = await listInstructions(room.pool, customerId, query, page.afterId, page.rows);
    return { body: page.of(rows, (row) => [row.id], ownAccountView) };
  });
  serve(app, accounts.retireSettlementInstruction, async ({ params }) => {
    await retireSettlementInstruction(room, params.customerId, params.ssiId);
    return {};
  });
  serve(app, accounts.releaseSettlementInstruction, async ({ params, inCommit }) => {
    const view = inCommit((released: SettlementInstruction) => ({ body: instructionView(released) }));
    await releaseSettlementInstruction(room, params.customerId, params.ssiId, view);
  });
  serve(app, accounts.getPostalAddress, async ({ params }) => ({
    body: { postalAddress: await showPostalAddress(room, params.customerId) },
  }));
  serve(app, accounts.setPostalAddress, async ({ params, body }) => ({
    body: { postalAddress: await setPostalAddress(room, params.customerId, body.postalAddress) },
  }));
  serve(app, accounts.listCollectionAccounts, async () => ({
    body: { items: (await listCollectionAccounts(room.pool)).map(collectionAccountView) },
  }));
  serve(app, accounts.setCollectionAccount, async ({ params, body }) => ({
    body: collectionAccountView(await setCollectionAccount(room, params.currency, body)),
  }));
  serve(app, accounts.releaseCollectionAccount, async ({ params }) => ({
    body: collectionAccountView(await releaseCollectionAccount(room, params.currency)),
  }));
}

function addedResult(instruction: SettlementInstruction): Result {
  const customer = typeId('cus', instruction.customerId);
  const location = `/v1/operator/customers/${customer}/settlement-instructions/${typeId('ssi', instruction.id)}`;
  return { headers: { Location: location }, body: instructionView(instruction) };
}
