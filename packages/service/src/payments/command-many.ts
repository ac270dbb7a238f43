import type { CommandMany } from '@firmquote/api/operations/operator-transactions';
import { eachByItself, type ItemOutcome } from '../http/each-by-itself.ts';
import { uuidOf } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import {
  confirm,
  confirmRefund,
  fail,
  type OperatorOrder,
  redirect,
  rejectRefund,
  repeatRefund,
  retry,
  settle,
} from './operate.ts';
import type { PaymentsRoom } from './room.ts';

type Item = CommandMany['items'][number];
type Work = (room: PaymentsRoom, order: OperatorOrder, item: Item) => Promise<TransactionRow>;

/** What can be done to many transactions at once; each of them as by its own route. */
const WORKS: Readonly<Record<CommandMany['command'], Work>> = {
  settle: (room, order) => settle(room, order),
  'payout-confirmed': (room, order, item) => confirm(room, order, item.bankReference),
  'payout-failed': (room, order, item) => fail(room, order, item.reason, item.detail),
  'retry-payout': (room, order) => retry(room, order),
  'redirect-payout': (room, order) => redirect(room, order),
  'refund-paid': (room, order, item) => confirmRefund(room, order, item.bankReference),
  'refund-failed': (room, order, item) => rejectRefund(room, order, item.detail),
  'retry-refund': (room, order) => repeatRefund(room, order),
};

/**
 * The same command on many transactions, each in a commit of its own.
 * @param onFailure told of what no problem explains
 */
export function commandMany(
  room: PaymentsRoom,
  { command, items }: CommandMany,
  onFailure: (error: unknown, item: Item) => void,
): Promise<ItemOutcome<TransactionRow>[]> {
  const work = (item: Item) => {
    const order = { transactionId: uuidOf('txn', item.transactionId), ifMatch: item.version };
    return WORKS[command](room, order, item);
  };
  return eachByItself(items, work, onFailure);
}
