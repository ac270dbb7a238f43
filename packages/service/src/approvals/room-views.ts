import type { ProposalKind } from '@firmquote/api/command-kinds';
import type { Connection } from '../database/pool.ts';
import type { RawCommand } from '../http/command-desk.ts';
import { typeId } from '../platform/ids.ts';
import type { Effects } from './effects.ts';

/** What a trial in somebody's transaction has changed; nothing where nobody knows what to look at. */
export type Look = (
  connection: Connection,
  kind: ProposalKind,
  request: unknown,
) => Promise<Seen | undefined>;

interface Seen {
  readonly effects: Effects;
  /** Whoever approves it approves these effects and no others. */
  readonly isBound: boolean;
}

/** What shows the thing that a proposal of a room is about. */
interface RoomView {
  readonly operationId: string;
  readonly params: (request: Readonly<Record<string, string>>) => RawCommand['params'];
  /** It depends on the market: what is approved is not what was shown to the last cent. */
  readonly moves?: true;
}

const deposit: RoomView = {
  operationId: 'getDeposit',
  params: ({ depositId = '' }) => ({ depositId }),
};

const balances: RoomView = {
  operationId: 'getCustomerBalances',
  params: ({ customerId = '' }) => ({ customerId: typeId('cus', customerId) }),
};

const VIEWS: Readonly<Partial<Record<ProposalKind, RoomView>>> = {
  deposit_match: deposit,
  deposit_top_up: deposit,
  deposit_unmatch: deposit,
  deposit_return: deposit,
  deposit_release: deposit,
  shortfall_forgive: deposit,
  top_up_replace: deposit,
  deposit_ignore: deposit,
  deposit_book_as: deposit,
  statement_entry: { operationId: 'getStatementEntry', params: ({ entryId = '' }) => ({ entryId }) },
  withdraw_statement_file: { operationId: 'getStatementFile', params: ({ fileId = '' }) => ({ fileId }) },
  balance_withdrawal: balances,
  debt_end: balances,
  settlement_run_cancel: { operationId: 'getSettlementRun', params: ({ runId = '' }) => ({ runId }) },
  unwind_transaction: {
    operationId: 'getAnyTransaction',
    params: ({ transactionId = '' }) => ({ transactionId: typeId('txn', transactionId) }),
    moves: true,
  },
};

export function roomView(kind: ProposalKind): RoomView | undefined {
  return VIEWS[kind];
}
