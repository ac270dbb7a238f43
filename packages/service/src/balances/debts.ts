import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { Approvable } from '../approvals/approvals.ts';
import { doOrPropose, type Outcome, worthOf } from '../approvals/do-or-propose.ts';
import { requireCustomer } from '../customers/room.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import { appendEvents } from '../events/append.ts';
import { readAmount } from '../http/amounts.ts';
import { requireCurrency } from '../http/market-codes.ts';
import { postEntries } from '../ledger/journal.ts';
import { typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import {
  amountDetail,
  availableMinor,
  balancesOf,
  type CustomerBalances,
  lockBalances,
  notCovered,
} from './balances.ts';
import { readDebt } from './debt-store.ts';
import type { BalancesRoom } from './room.ts';

/** How a debt ends: the customer's balance pays it, or the house bears it. */
type DebtEnd = 'paid' | 'written_off';

interface DebtCommand {
  readonly customerId: string | undefined;
  readonly currency: string;
  readonly amount: string;
  readonly reason: string;
  /** Person or OAuth client (UUID). */
  readonly by: string;
  readonly end: DebtEnd;
}

/** What a second person gets to see and the approval gets back. */
interface ProposedEnd {
  readonly customerId: string;
  readonly currency: string;
  readonly amountMinor: string;
  readonly worthUsdMinor: string | null;
  readonly end: DebtEnd;
}

const DEBT_KIND = 'debt_end';

/**
 * Ends a debt of a customer or a part of it, from its balance or at the cost of the house; above the limit of work by hand it takes two persons.
 * @param inCommit runs in the same transaction; what it throws undoes everything
 * @throws Problem customer_not_found, currency_not_supported, amount_precision_invalid, amount_below_minimum, already_exists;
 *   invalid_state_transition when the customer does not owe so much; limit_exceeded (limitType balance)
 */
export function endDebt(
  room: BalancesRoom,
  command: DebtCommand,
  inCommit?: (connection: Connection, outcome: Outcome<CustomerBalances>) => Promise<void>,
): Promise<Outcome<CustomerBalances>> {
  const now = room.clock.now();
  const { code, minor } = readMoney(command);
  return inTransaction(room.pool, async (connection) => {
    const customerId = await requireCustomer(connection, command.customerId);
    const worth = worthOf(room, code, minor);
    const { reason, by: proposedBy, end } = command;
    const proposed: ProposedEnd = {
      customerId,
      currency: code,
      amountMinor: minor.toString(),
      worthUsdMinor: worth?.toString() ?? null,
      end,
    };
    const outcome = await doOrPropose(
      connection,
      {
        needsTwo: false,
        act: {
          kind: 'customer_debt',
          actorId: proposedBy,
          amounts: [{ customerId, usdMinor: worth }],
          formerLimit: { fromUsdMinor: await room.fourEyesFromUsdMinor(connection) },
        },
        carryOut: async () => {
          await carryOut(connection, proposed, now);
          return balancesOf(connection, customerId);
        },
        proposal: () => {
          const subject = typeId('cus', customerId);
          return { kind: DEBT_KIND, subject, request: proposed, reason, proposedBy };
        },
      },
      now,
    );
    await inCommit?.(connection, outcome);
    return outcome;
  });
}

/** What a second person can approve of debts. */
export function debtApproval(): Approvable {
  return [
    DEBT_KIND,
    {
      scope: 'operator:funding',
      carryOut: (connection, { request, now }) => carryOut(connection, request as ProposedEnd, now),
    },
  ];
}

function readMoney({ currency: code, amount }: DebtCommand): { code: string; minor: bigint } {
  const currency = requireCurrency(code, '/currency');
  return { code: currency.code, minor: readAmount(amount, currency) };
}

/** Held with the balance, by which all goes that brings a customer's money: of two at once the second sees what the first has left. */
async function carryOut(
  connection: Connection,
  { customerId, currency, amountMinor, end }: ProposedEnd,
  now: number,
): Promise<void> {
  const minor = BigInt(amountMinor);
  await lockBalances(connection, [customerId]);
  await requireOwed(connection, customerId, currency, minor);
  if (end === 'paid') {
    const available = await availableMinor(connection, customerId, currency);
    if (minor > available) throw notCovered(currency, available, minor, 'taken');
    const detail = amountDetail(currency, minor);
    await appendEvents(connection, [{ customerId, type: 'balance.debt_paid', detail }], now);
  }
  const from = end === 'paid' ? 'customer_balance' : 'charges';
  const postings = [
    { account: from, currency, amount: minor },
    { account: 'customer_receivable', currency, amount: -minor },
  ] as const;
  await postEntries(connection, [{ customerId, kind: `debt_${end}`, postings }], now);
}

async function requireOwed(
  connection: Connection,
  customerId: string,
  code: string,
  minor: bigint,
): Promise<void> {
  const owed = await readDebt(connection, customerId, code);
  if (minor <= owed) return;
  const amount = `${formatAmount(owed, knownCurrency(code))} ${code}`;
  throw new Problem('invalid_state_transition', `The customer owes ${amount} apart from open trades.`, {
    members: { customerId: typeId('cus', customerId) },
  });
}
