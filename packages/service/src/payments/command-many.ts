import type { CommandMany } from '@firmquote/api/operations/operator-transactions';
import { isEnclosed } from '../database/enclosure.ts';
import { inTransaction } from '../database/pool.ts';
import { eachByItself, eachInOrder, type ItemOutcome } from '../http/each-by-itself.ts';
import { uuidOf } from '../platform/ids.ts';
import { lockRows } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { keysOfTransactions } from '../transactions/room.ts';
import {
  confirm,
  confirmRefund,
  fail,
  type OperatorCommand,
  redirect,
  rejectRefund,
  repeatRefund,
  retry,
  settle,
} from './operate.ts';
import type { PaymentsRoom } from './room.ts';

type Item = CommandMany['items'][number];
type Work = (room: PaymentsRoom, command: OperatorCommand, item: Item) => Promise<TransactionRow>;

/** What can be done to many transactions at once; each of them as by its own route. */
const WORKS: Readonly<Record<CommandMany['command'], Work>> = {
  settle: (room, command) => settle(room, command),
  'payout-confirmed': (room, command, item) => confirm(room, command, item.bankReference),
  'payout-failed': (room, command, item) => fail(room, command, item.reason, item.detail),
  'retry-payout': (room, command) => retry(room, command),
  'redirect-payout': (room, command) => redirect(room, command),
  'refund-paid': (room, command, item) => confirmRefund(room, command, item.bankReference),
  'refund-failed': (room, command, item) => rejectRefund(room, command, item.detail),
  'retry-refund': (room, command) => repeatRefund(room, command),
};

/**
 * The same command on many transactions, each in a commit of its own. Where one commit ends all of them, as for a proposal, they are done in
 * the order in which everybody locks transactions, and all are held before the first: two orders that name the same ones wait for each other
 * and not in a circle.
 * @param onFailure receives what no problem explains
 */
export async function commandMany(
  room: PaymentsRoom,
  { command: name, items }: CommandMany,
  onFailure: (error: unknown, item: Item) => void,
): Promise<ItemOutcome<TransactionRow>[]> {
  const work = (item: Item) => {
    const command = { transactionId: idOf(item), ifMatch: item.version };
    return WORKS[name](room, command, item);
  };
  if (!isEnclosed()) return eachByItself(items, work, onFailure);
  const keys = await inTransaction(room.pool, async (connection) => {
    const found = await keysOfTransactions(connection, items.map(idOf));
    await lockRows(connection, found);
    return found;
  });
  const places = new Map(keys.map(({ id }, place) => [id, place]));
  return eachInOrder(items, (item) => places.get(idOf(item)) ?? keys.length, work, onFailure);
}

function idOf({ transactionId }: Item): string {
  return uuidOf('txn', transactionId);
}
