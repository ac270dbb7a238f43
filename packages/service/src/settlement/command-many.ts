import { parseTypeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
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
  type SettlementRoom,
  settle,
} from './operate.ts';
import type { CommandMany } from './schema.ts';

type Item = CommandMany['items'][number];
type Work = (room: SettlementRoom, order: OperatorOrder, item: Item) => Promise<TransactionRow>;

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

/** What became of one of them. */
export type CommandOutcome =
  | { readonly transactionId: string; readonly outcome: 'done'; readonly row: TransactionRow }
  | { readonly transactionId: string; readonly outcome: 'refused'; readonly problem: Problem }
  | { readonly transactionId: string; readonly outcome: 'failed' };

/**
 * The same command on many transactions, one after the other, each in a commit of its own: one that cannot be done keeps none
 * of the others from it.
 * @param onFailure told of what no problem explains; such an item may be tried again
 */
export async function commandMany(
  room: SettlementRoom,
  { command, items }: CommandMany,
  onFailure: (error: unknown, transactionId: string) => void,
): Promise<CommandOutcome[]> {
  const outcomes: CommandOutcome[] = [];
  for (const item of items) {
    const { transactionId } = item;
    try {
      const order = { transactionId: parseTypeId('txn', transactionId), ifMatch: item.version };
      const row = await WORKS[command](room, order, item);
      outcomes.push({ transactionId, outcome: 'done', row });
    } catch (error) {
      if (error instanceof Problem) outcomes.push({ transactionId, outcome: 'refused', problem: error });
      else {
        onFailure(error, transactionId);
        outcomes.push({ transactionId, outcome: 'failed' });
      }
    }
  }
  return outcomes;
}
