import type { CommandMany } from '@firmquote/api/operations/operator-transactions';
import { eachByItself, type ItemOutcome } from '../http/each-by-itself.ts';
import { uuidOf } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
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
 * The same command on many transactions, each in a commit of its own.
 * @param onFailure receives what no problem explains
 */
export function commandMany(
  room: PaymentsRoom,
  { command: name, items }: CommandMany,
  onFailure: (error: unknown, item: Item) => void,
): Promise<ItemOutcome<TransactionRow>[]> {
  const work = (item: Item) => {
    const command = { transactionId: uuidOf('txn', item.transactionId), ifMatch: item.version };
    return WORKS[name](room, command, item);
  };
  return eachByItself(items, work, onFailure);
}
