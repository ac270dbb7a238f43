import type { FastifyInstance, FastifyRequest } from 'fastify';
import { customerNotFound } from '../customers/records.ts';
import { requireCustomer } from '../customers/room.ts';
import type { RouteAccess } from '../http/context.ts';
import { type Answer, idempotent } from '../http/idempotency.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import { type CursorCodec, type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { CurrencyCode, Instant, LINE_PATTERN, literals, nullable, ProblemSchema } from '../http/schema.ts';
import { isoInstant } from '../platform/clock.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { Problem } from '../problems/problem.ts';
import { type KnownRemitter, listRemitters, removeRemitter } from './known-remitters.ts';
import { operatorOf } from './order-routes.ts';
import type { DepositsRoom } from './room.ts';
import {
  addVirtualAccount,
  closeVirtualAccount,
  listVirtualAccounts,
  type VirtualAccount,
  virtualAccountNotFound,
} from './virtual-accounts.ts';

const CUSTOMER = '/v1/operator/customers/:customerId';
const access: RouteAccess = { audience: 'operator', scope: 'operator:deposits' };
const tags = ['Operator: accounts'];

const AddAccount = Type.Object(
  {
    currency: CurrencyCode,
    number: Type.String({
      minLength: 4,
      maxLength: 64,
      pattern: LINE_PATTERN,
      description:
        'IBAN or number, as the bank names it in its statements. Blanks and punctuation do not matter.',
    }),
  },
  { additionalProperties: false },
);
const AccountAnswer = Type.Object({
  virtualAccountId: Type.String(),
  customerId: Type.String(),
  currency: CurrencyCode,
  number: Type.String(),
  status: literals(['active', 'closed']),
  createdAt: Instant,
  closedAt: nullable(Instant),
});
const AccountList = Type.Object({
  items: Type.Array(AccountAnswer),
  nextCursor: nullable(Type.String()),
  hasMore: Type.Boolean(),
});
const RemitterList = Type.Object({
  items: Type.Array(
    Type.Object({
      remitterId: Type.String(),
      account: Type.String(),
      name: nullable(Type.String()),
      learntAt: Instant,
      learntBy: Type.String(),
      depositId: Type.String({ description: 'The deposit that it was learnt from.' }),
    }),
  ),
});
const Nothing = Type.Null();

export interface AccountRoutesOptions {
  readonly room: DepositsRoom;
  readonly idempotency: IdempotencyStore;
  readonly cursors: CursorCodec;
}

/** Accounts by which deposits are recognised: virtual ones, and those that a customer has paid from. */
export function accountRoutes(app: FastifyInstance, options: AccountRoutesOptions): void {
  addRoute(app, options);
  listRoute(app, options);
  closeRoute(app, options);
  remitterRoutes(app, options);
}

function addRoute(app: FastifyInstance, { room, idempotency }: AccountRoutesOptions): void {
  app.post(
    `${CUSTOMER}/virtual-accounts`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Register a virtual account: what arrives on it is the customer’s',
        body: AddAccount,
        response: { 201: AccountAnswer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      const { currency, number } = request.body as Static<typeof AddAccount>;
      const customerId = customerOfPath(request);
      const given = { customerId, currency, number, by: operatorOf(request) };
      const account = await addVirtualAccount(room, given, (connection, added) =>
        keep(connection, created(added)),
      );
      return created(account);
    }),
  );
}

function created(account: VirtualAccount): Answer {
  const view = accountView(account);
  const location = `/v1/operator/customers/${view.customerId}/virtual-accounts/${view.virtualAccountId}`;
  return { status: 201, headers: { Location: location }, body: view };
}

function listRoute(app: FastifyInstance, { room, cursors }: AccountRoutesOptions): void {
  app.get(
    `${CUSTOMER}/virtual-accounts`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'List the virtual accounts of a customer, newest first',
        response: { 200: AccountList, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const customerId = customerOfPath(request);
      const query = new QueryReader(request.query);
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const scope: CursorScope = { list: `virtual-accounts ${customerId}`, sort: '-createdAt', filters: {} };
      const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const rows = await listVirtualAccounts(room, customerId, before, limit + 1);
      const page = cursors.page(scope, rows, limit, (row) => [row.id], accountView);
      return linkedPage(request, reply, page);
    },
  );
}

function closeRoute(app: FastifyInstance, { room }: AccountRoutesOptions): void {
  app.delete(
    `${CUSTOMER}/virtual-accounts/:virtualAccountId`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Close a virtual account',
        response: { 204: Nothing, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const customerId = customerOfPath(request);
      const id = parseTypeId('vac', (request.params as { virtualAccountId: string }).virtualAccountId);
      if (id === undefined) throw virtualAccountNotFound();
      await closeVirtualAccount(room, customerId, id);
      return reply.code(204).send();
    },
  );
}

function remitterRoutes(app: FastifyInstance, { room }: AccountRoutesOptions): void {
  app.get(
    `${CUSTOMER}/remitters`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Accounts that the customer is known to pay from, newest first (at most 200)',
        response: { 200: RemitterList, default: ProblemSchema },
      },
    },
    async (request) => {
      const customerId = customerOfPath(request);
      new QueryReader(request.query).finish();
      await requireCustomer(room.pool, customerId);
      return { items: (await listRemitters(room.pool, customerId)).map(remitterView) };
    },
  );
  app.delete(
    `${CUSTOMER}/remitters/:remitterId`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Forget an account that the customer has paid from',
        response: { 204: Nothing, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const customerId = customerOfPath(request);
      const id = parseTypeId('rem', (request.params as { remitterId: string }).remitterId);
      if (id === undefined || !(await removeRemitter(room.pool, customerId, id))) {
        throw new Problem('remitter_not_found', 'The customer has no such remitter.');
      }
      return reply.code(204).send();
    },
  );
}

function customerOfPath(request: FastifyRequest): string {
  const id = parseTypeId('cus', (request.params as { customerId: string }).customerId);
  if (id === undefined) throw customerNotFound();
  return id;
}

function accountView(account: VirtualAccount) {
  return {
    virtualAccountId: typeId('vac', account.id),
    customerId: typeId('cus', account.customerId),
    currency: account.currency,
    number: account.number,
    status: account.status,
    createdAt: isoInstant(account.createdAt),
    closedAt: account.closedAt === null ? null : isoInstant(account.closedAt),
  };
}

function remitterView(remitter: KnownRemitter) {
  return {
    remitterId: typeId('rem', remitter.id),
    account: remitter.account,
    name: remitter.name,
    learntAt: isoInstant(remitter.learntAt),
    learntBy: typeId('cli', remitter.learntBy),
    depositId: typeId('dep', remitter.depositId),
  };
}
