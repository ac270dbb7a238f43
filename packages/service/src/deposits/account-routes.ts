import * as api from '@firmquote/api/operations/payer-accounts';
import type { FastifyInstance } from 'fastify';
import { requireCustomer } from '../customers/room.ts';
import { inTransaction } from '../database/pool.ts';
import { serve } from '../http/serve.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { type KnownRemitter, listRemitters, removeRemitter } from './known-remitter-store.ts';
import type { DepositsRoom } from './room.ts';
import type { VirtualAccount } from './virtual-account-store.ts';
import {
  addVirtualAccount,
  closeVirtualAccount,
  listVirtualAccounts,
  releaseVirtualAccount,
} from './virtual-accounts.ts';

/** Accounts by which deposits are recognised: virtual ones, and those that a customer has paid from. */
export function accountRoutes(app: FastifyInstance, room: DepositsRoom): void {
  serve(app, api.addVirtualAccount, async ({ params, body, by, inCommit }) => {
    await addVirtualAccount(
      room,
      { ...params, ...body, by },
      inCommit((account: VirtualAccount) => {
        const view = accountView(account);
        const path = `/v1/operator/customers/${view.customerId}/virtual-accounts/${view.virtualAccountId}`;
        return { headers: { Location: path }, body: view };
      }),
    );
  });
  serve(app, api.listVirtualAccounts, async ({ params, page }) => {
    const rows = await listVirtualAccounts(room, params.customerId, page.afterId, page.rows);
    return { body: page.of(rows, (row) => [row.id], accountView) };
  });
  serve(app, api.releaseVirtualAccount, async ({ params }) => ({
    body: accountView(await releaseVirtualAccount(room, params.customerId, params.virtualAccountId)),
  }));
  serve(app, api.closeVirtualAccount, async ({ params }) => {
    await closeVirtualAccount(room, params.customerId, params.virtualAccountId);
    return {};
  });
  serve(app, api.listRemitters, async ({ params }) => {
    await requireCustomer(room.pool, params.customerId);
    return { body: { items: (await listRemitters(room.pool, params.customerId)).map(remitterView) } };
  });
  serve(app, api.forgetRemitter, async ({ params }) => {
    await inTransaction(room.pool, async (connection) => {
      const customerId = await requireCustomer(connection, params.customerId);
      if (!(await removeRemitter(connection, customerId, params.remitterId)))
        throw new Problem('remitter_not_found', 'The customer has no such remitter.');
    });
    return {};
  });
}

function accountView(account: VirtualAccount): api.VirtualAccount {
  return {
    virtualAccountId: typeId('vac', account.id),
    customerId: typeId('cus', account.customerId),
    currency: account.currency,
    number: account.number,
    status: account.status,
    createdAt: isoInstant(account.createdAt),
    usableFrom: account.usableFrom === null ? null : isoInstant(account.usableFrom),
    closedAt: account.closedAt === null ? null : isoInstant(account.closedAt),
  };
}

function remitterView(remitter: KnownRemitter): api.Remitter {
  return {
    remitterId: typeId('rem', remitter.id),
    account: remitter.account,
    name: remitter.name,
    learntAt: isoInstant(remitter.learntAt),
    learntBy: actorId(remitter.learntBy),
    depositId: typeId('dep', remitter.depositId),
  };
}
