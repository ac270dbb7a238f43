import { requireCustomer } from '../customers/room.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import { appendEvents } from '../events/append.ts';
import { postEntries } from '../ledger/journal.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { amountDetail, availableMinor, lockBalances, notCovered } from './balances.ts';
import { findTopUp, type ListedTopUp, setTopUpReversed } from './reversal-store.ts';
import type { BalancesRoom } from './room.ts';
import { holdBankReferences } from './store.ts';

interface ReverseCommand {
  readonly customerId: string | undefined;
  /** Under which the balance was topped up. */
  readonly bankReference: string;
  readonly reason: string;
  /** The customer owes what the balance no longer covers. */
  readonly owesRest?: boolean;
  /** Person or OAuth client (UUID). */
  readonly by: string;
}

/**
 * Takes a top-up by hand out of the balance again: it was wrong, or its money never came. Its bank reference is free for another, and a deposit that
 * comes under it later is a deposit like any other.
 * @param inCommit runs in the same transaction; what it throws undoes everything
 * @throws Problem customer_not_found, validation_failed; invalid_state_transition when a deposit has its place, or it is reversed; limit_exceeded
 *   (limitType balance) when the balance does not cover it and nobody is to owe the rest
 */
export function reverseTopUp(
  room: Pick<BalancesRoom, 'pool' | 'clock'>,
  command: ReverseCommand,
  inCommit?: (connection: Connection, topUp: ListedTopUp) => Promise<void>,
): Promise<ListedTopUp> {
  const now = room.clock.now();
  return inTransaction(room.pool, async (connection) => {
    const customerId = await requireCustomer(connection, command.customerId);
    await holdBankReferences(connection, [command.bankReference], 'top_up');
    await lockBalances(connection, [customerId]);
    const topUp = requireBooked(await findTopUp(connection, customerId, command.bankReference));
    const { id, currency } = topUp;
    const minor = BigInt(topUp.amountMinor);
    const available = await availableMinor(connection, customerId, currency);
    if (minor > available && command.owesRest !== true) throw notCovered(currency, available, minor, 'taken');
    const owedMinor = minor > available ? minor - available : 0n;
    const { by, reason } = command;
    const reversalId = newUuid(now);
    await setTopUpReversed(connection, { id, customerId, reversalId, by, at: now, reason, owedMinor });
    const detail = amountDetail(currency, minor);
    await appendEvents(connection, [{ customerId, type: 'balance.top_up_reversed', detail }], now);
    const postings = [
      { account: 'customer_balance', currency, amount: minor - owedMinor },
      { account: 'customer_receivable', currency, amount: owedMinor },
      { account: 'bank', currency, amount: -minor },
    ] as const;
    await postEntries(connection, [{ id: reversalId, customerId, kind: 'top_up_reversed', postings }], now);
    const after = { ...topUp, reversedAt: now, reversedBy: by, reason, owedMinor: owedMinor.toString() };
    await inCommit?.(connection, after);
    return after;
  });
}

function requireBooked(topUp: ListedTopUp | undefined): ListedTopUp {
  if (topUp === undefined) {
    const detail = 'is of no top-up by hand of this customer';
    throw validationProblem([{ pointer: '/bankReference', code: 'not_permitted', detail }]);
  }
  if (topUp.depositId !== null) {
    throw new Problem(
      'invalid_state_transition',
      'The bank has told of this money, and a deposit has the place of the top-up. Unmatch the deposit instead.',
      { members: { from: 'replaced', to: 'reversed', depositId: typeId('dep', topUp.depositId) } },
    );
  }
  if (topUp.reversedAt !== null) {
    const members = { from: 'reversed', to: 'reversed' };
    throw new Problem('invalid_state_transition', 'The top-up is reversed already.', { members });
  }
  return topUp;
}
