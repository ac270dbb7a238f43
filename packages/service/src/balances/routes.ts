import type { Operation } from '@firmquote/api/operation';
import * as api from '@firmquote/api/operations/balances';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import type { Outcome } from '../approvals/do-or-propose.ts';
import { proposed } from '../approvals/view.ts';
import { requireCustomer } from '../customers/room.ts';
import { customerOf } from '../http/context.ts';
import { type Call, type Result, serve } from '../http/serve.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';
import { bookTopUp, type CustomerBalances, showBalances } from './balances.ts';
import {
  changeOneWithdrawal,
  redirectWithdrawal,
  type WithdrawalChange,
  type WithdrawalCommand,
  withdrawalNotFound,
} from './change-withdrawal.ts';
import { endDebt } from './debts.ts';
import { type ListedTopUp, listTopUps } from './reversal-store.ts';
import { reverseTopUp } from './reverse-top-up.ts';
import type { BalancesRoom } from './room.ts';
import { withdraw, withdrawForCustomer } from './withdraw.ts';
import { operatorWithdrawalView, type WithdrawalRow, withdrawalView } from './withdrawal-record.ts';
import { findWithdrawal, listWithdrawals } from './withdrawal-store.ts';

/** Balances of pre-funded customers, and withdrawals from them. */
export function balanceRoutes(app: FastifyInstance, room: BalancesRoom): void {
  balancesRoutes(app, room);
  customerRoutes(app, room);
  operatorRoutes(app, room);
  topUpRoutes(app, room);
  debtRoutes(app, room);
}

function balancesRoutes(app: FastifyInstance, room: BalancesRoom): void {
  serve(app, api.getBalances, async ({ request }) =>
    balancesView(await showBalances(room, customerOf(request).customerId)),
  );
  serve(app, api.getCustomerBalances, async ({ params }) =>
    balancesView(await showBalances(room, params.customerId)),
  );
}

/** Operators book what the bank has told by phone, and take back what never came. */
function topUpRoutes(app: FastifyInstance, room: BalancesRoom): void {
  serve(app, api.topUpBalance, async ({ params, body, by, inCommit }) => {
    await bookTopUp(room, { ...body, ...params, bookedBy: by }, inCommit(balancesView));
  });
  serve(app, api.listTopUps, async ({ params, page }) => {
    const customerId = await requireCustomer(room.pool, params.customerId);
    const rows = await listTopUps(room.pool, customerId, page.afterId, page.rows);
    return { body: page.of(rows, (row) => [row.id], topUpView) };
  });
  serve(app, api.reverseTopUp, async ({ params, body, by, inCommit }) => {
    const shown = (topUp: ListedTopUp): Result => ({ body: topUpView(topUp) });
    await reverseTopUp(room, { ...body, ...params, by }, inCommit(shown));
  });
}

const actorOf = (by: string | null) => (by === null ? null : actorId(by));

function topUpView(topUp: ListedTopUp) {
  const currency = knownCurrency(topUp.currency);
  const { depositId, reversedAt, owedMinor } = topUp;
  return {
    bankReference: topUp.bankReference,
    currency: currency.code,
    amount: formatAmount(BigInt(topUp.amountMinor), currency),
    status: reversedAt === null ? (depositId === null ? 'booked' : 'replaced') : 'reversed',
    bookedAt: isoInstant(topUp.bookedAt),
    bookedBy: actorOf(topUp.bookedBy),
    depositId: depositId === null ? null : typeId('dep', depositId),
    reversedAt: reversedAt === null ? null : isoInstant(reversedAt),
    reversedBy: actorOf(topUp.reversedBy),
    reason: topUp.reason,
    owedAmount: owedMinor === null ? null : formatAmount(BigInt(owedMinor), currency),
  };
}

/** Operators end what customers owe. */
function debtRoutes(app: FastifyInstance, room: BalancesRoom): void {
  const shown = (outcome: Outcome<CustomerBalances>): Result =>
    outcome.done ? balancesView(outcome.result) : proposed(outcome.approval);
  serve(app, api.payDebtFromBalance, async ({ params, body, by, inCommit }) => {
    await endDebt(room, { ...body, ...params, by, end: 'paid' }, inCommit(shown));
  });
  serve(app, api.writeOffDebt, async ({ params, body, by, inCommit }) => {
    await endDebt(room, { ...body, ...params, by, end: 'written_off' }, inCommit(shown));
  });
}

function balancesView({ rows, debts, reference }: CustomerBalances): Result {
  const items = rows.map((row) => ({
    currency: row.currency,
    available: formatAmount(BigInt(row.available_minor), knownCurrency(row.currency)),
  }));
  const owed = debts.map(({ currency, debt_minor: minor }) => ({
    currency,
    amount: formatAmount(BigInt(minor), knownCurrency(currency)),
  }));
  return { body: { items, debts: owed, topUpReference: reference } };
}

/** Customers take money out of their balances. */
function customerRoutes(app: FastifyInstance, room: BalancesRoom): void {
  const shown = (row: WithdrawalRow): Result => ({ version: row.version, body: withdrawalView(row) });
  serve(app, api.createWithdrawal, async ({ request, body, inCommit }) => {
    const { customerId, clientId: by } = customerOf(request);
    const made = (row: WithdrawalRow) => ({ ...shown(row), headers: locationOf(api.listWithdrawals, row) });
    await withdraw(room, { ...body, customerId, by }, inCommit(made));
  });
  serve(app, api.listWithdrawals, async ({ request, query, page }) => {
    const { customerId } = customerOf(request);
    const rows = await listWithdrawals(room.pool, { ...query, customerId }, page.afterId, page.rows);
    return { body: page.of(rows, (row) => [row.id], withdrawalView) };
  });
  serve(app, api.getWithdrawal, async ({ request, params }) =>
    shown(await existing(room, params.withdrawalId, customerOf(request).customerId)),
  );
  serve(app, api.cancelWithdrawal, async ({ request, params, ifMatch, inCommit }) => {
    const { customerId } = customerOf(request);
    const command = { ...params, customerId, ifMatch, inCommit: inCommit(shown) };
    await changeOneWithdrawal(room, command, () => ({ to: 'cancelled', by: 'customer', detail: undefined }));
  });
}

async function existing({ pool }: BalancesRoom, id: string, customerId?: string): Promise<WithdrawalRow> {
  const row = await findWithdrawal(pool, id, customerId);
  if (row === undefined) throw withdrawalNotFound();
  return row;
}

function locationOf({ path }: Operation, row: WithdrawalRow): Record<string, string> {
  return { Location: `${path}/${typeId('wdr', row.id)}` };
}

/** Operators take money out of balances, and report what banks did where no statement does. */
function operatorRoutes(app: FastifyInstance, room: BalancesRoom): void {
  const shown = (row: WithdrawalRow): Result => ({
    version: row.version,
    body: operatorWithdrawalView(row),
  });
  serve(app, api.withdrawForCustomer, async ({ params, body, by, inCommit }) => {
    await withdrawForCustomer(
      room,
      { ...body, ...params, by },
      inCommit((outcome) =>
        outcome.done
          ? { ...shown(outcome.result), headers: locationOf(api.listAllWithdrawals, outcome.result) }
          : proposed(outcome.approval),
      ),
    );
  });
  serve(app, api.listAllWithdrawals, async ({ query, page }) => {
    const rows = await listWithdrawals(room.pool, query, page.afterId, page.rows);
    return { body: page.of(rows, (row) => [row.id], operatorWithdrawalView) };
  });
  serve(app, api.getAnyWithdrawal, async ({ params }) => shown(await existing(room, params.withdrawalId)));
  const serveCommand = <const O extends Operation & Pick<typeof api.confirmWithdrawal, 'params'>>(
    operation: O,
    work: (command: WithdrawalCommand, body: Call<O>['body']) => Promise<WithdrawalRow>,
  ): void =>
    serve(app, operation, async ({ params, body, ifMatch, inCommit }) => {
      const { withdrawalId } = params as { readonly withdrawalId: string };
      await work({ withdrawalId, ifMatch, inCommit: inCommit(shown) }, body);
      return undefined;
    });
  const change = (command: WithdrawalCommand, to: (now: number) => WithdrawalChange) =>
    changeOneWithdrawal(room, command, to);
  serveCommand(api.confirmWithdrawal, (command, { bankReference }) =>
    change(command, (now) => ({ to: 'paid', bankReference, paidAt: now })),
  );
  serveCommand(api.redirectWithdrawal, (command) => redirectWithdrawal(room, command));
  serveCommand(api.failWithdrawal, (command, { detail }) =>
    change(command, () => ({ to: 'failed', detail })),
  );
  serveCommand(api.cancelAnyWithdrawal, (command, { detail }) =>
    change(command, () => ({ to: 'cancelled', by: 'operator', detail })),
  );
}
