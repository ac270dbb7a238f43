import type { FastifyInstance } from 'fastify';
import { idempotent } from '../http/idempotency.ts';
import { type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { ProblemSchema } from '../http/schema.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import * as accounts from './account-schema.ts';
import { listCollectionAccounts, listInstructions, type SettlementInstruction } from './account-store.ts';
import { setCollectionAccount } from './collection-accounts.ts';
import { customerNotFound } from './records.ts';
import { type CustomerRoutesOptions, operatorAccess, pathCustomer } from './route-helpers.ts';
import { NoBody, pageOf } from './schema.ts';
import { addSettlementInstruction, retireSettlementInstruction } from './settlement-instructions.ts';
import { findCustomer } from './store.ts';
import { collectionAccountView, instructionView } from './view.ts';

const access = operatorAccess('operator:customers');
const tags = ['Operator: accounts'];
const path = '/v1/operator/customers/:customerId/settlement-instructions';

export function accountRoutes(app: FastifyInstance, options: CustomerRoutesOptions): void {
  addInstructionRoute(app, options);
  listInstructionsRoute(app, options);
  retireInstructionRoute(app, options);
  collectionAccountRoutes(app, options);
}

function addInstructionRoute(app: FastifyInstance, { room, idempotency }: CustomerRoutesOptions): void {
  app.post(
    path,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Add an account that the customer is paid to; it replaces the active one of its currency',
        body: accounts.AddSettlementInstruction,
        response: { 201: accounts.SettlementInstruction, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      const body = request.body as accounts.AddSettlementInstruction;
      const added = await addSettlementInstruction(
        room,
        pathCustomer(request),
        body,
        (connection, instruction) => keep(connection, addedAnswer(instruction)),
      );
      return addedAnswer(added);
    }),
  );
}

function listInstructionsRoute(app: FastifyInstance, { room, cursors }: CustomerRoutesOptions): void {
  app.get(
    path,
    {
      config: { access },
      schema: {
        tags,
        summary: 'List the accounts that the customer is paid to, newest first',
        querystring: accounts.InstructionsQuery,
        response: { 200: pageOf(accounts.SettlementInstruction), default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const customerId = pathCustomer(request);
      const query = new QueryReader(request.query);
      const filters = {
        currency: query.text('currency', 3),
        status: query.choice('status', accounts.InstructionStatus),
      };
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const scope: CursorScope = {
        list: `settlement-instructions ${customerId}`,
        sort: '-createdAt',
        filters,
      };
      const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      if ((await findCustomer(room.pool, customerId)) === undefined) throw customerNotFound();
      const rows = await listInstructions(room.pool, customerId, filters, before, limit + 1);
      const page = cursors.page(scope, rows, limit, (row) => [row.id], instructionView);
      return linkedPage(request, reply, page);
    },
  );
}

function retireInstructionRoute(app: FastifyInstance, { room }: CustomerRoutesOptions): void {
  app.delete(
    `${path}/:ssiId`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Retire an account that the customer is paid to',
        response: { 204: NoBody, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const customerId = pathCustomer(request);
      const id = parseTypeId('ssi', (request.params as { ssiId: string }).ssiId);
      if (id === undefined) {
        throw new Problem(
          'settlement_instruction_not_found',
          'There is no settlement instruction with this id.',
        );
      }
      await retireSettlementInstruction(room, customerId, id);
      return reply.code(204).send();
    },
  );
}

function collectionAccountRoutes(app: FastifyInstance, { room }: CustomerRoutesOptions): void {
  app.get(
    '/v1/operator/collection-accounts',
    {
      config: { access },
      schema: {
        tags,
        summary: "The house's accounts that customers pay into, one a currency",
        response: { 200: accounts.CollectionAccounts, default: ProblemSchema },
      },
    },
    async () => ({ items: (await listCollectionAccounts(room.pool)).map(collectionAccountView) }),
  );

  app.put(
    '/v1/operator/collection-accounts/:currency',
    {
      config: { access },
      schema: {
        tags,
        summary: "Set the house's account of a currency",
        body: accounts.SetCollectionAccount,
        response: { 200: accounts.CollectionAccount, default: ProblemSchema },
      },
    },
    async (request) => {
      const { currency } = request.params as { currency: string };
      const account = await setCollectionAccount(
        room,
        currency,
        request.body as accounts.SetCollectionAccount,
      );
      return collectionAccountView(account);
    },
  );
}

function addedAnswer(instruction: SettlementInstruction) {
  const customer = typeId('cus', instruction.customerId);
  const location = `/v1/operator/customers/${customer}/settlement-instructions/${typeId('ssi', instruction.id)}`;
  return { status: 201, body: instructionView(instruction), headers: { Location: location } };
}
