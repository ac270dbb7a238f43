import type { DateRules } from '@firmquote/fx';
import { lockBalances } from '../balances/balances.ts';
import { wantProceedsInBalance } from '../customers/standing.ts';
import type { Connection } from '../database/pool.ts';
import { inWords, Problem } from '../problems/problem.ts';
import {
  type ChangeOptions,
  changeTransactions,
  lockRows,
  type TransactionChange,
} from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import type { TransactionId } from '../transactions/store.ts';
import { creditProceeds, startSettlement } from './payout-changes.ts';
import { missedValueDate, rolled } from './roll-missed.ts';
import { heldTrades } from './store.ts';

/**
 * Transition 8 for trades that may go, and transition 9 at once for what is credited to a balance, which needs no bank. No
 * settlement run looks at that once more, so money that is not there for certain is held here.
 * @param decide who releases a locked trade; undefined leaves it
 * @throws Problem invalid_state_transition where an operator releases what is held
 */
export async function releasePayouts(
  connection: Connection,
  ids: readonly TransactionId[],
  now: number,
  dates: DateRules,
  decide: (row: TransactionRow) => 'system' | 'operator' | undefined,
  options: ChangeOptions = {},
): Promise<TransactionRow[]> {
  if (ids.length === 0) return [];
  const toBalance = await wantProceedsInBalance(connection, [...new Set(ids.map((each) => each.customerId))]);
  const held = toBalance.size === 0 ? NOTHING_HELD : await heldUnderLock(connection, ids, toBalance, options);
  const released = await changeTransactions(
    connection,
    held.ids ?? ids,
    now,
    (row): TransactionChange | undefined => {
      const actor = decide(row);
      if (actor === undefined) return undefined;
      const why = held.why.get(row.id);
      if (why !== undefined) {
        if (actor === 'system') return undefined;
        throw moneyHeld(row, why);
      }
      const change = startSettlement(row, actor, toBalance.has(row.customer_id));
      // What the roll has not come to yet, and goes now, goes on a date that has not passed.
      const valueDate = missedValueDate(row, now, dates);
      if (valueDate === undefined) return change;
      const { patch, detail } = rolled(row, valueDate);
      return { ...change, patch: { ...change.patch, ...patch }, ...(detail === undefined ? {} : { detail }) };
    },
    options,
  );
  const credited = released.filter((row) => row.proceeds === 'balance');
  if (credited.length === 0) return released;
  const settled = await changeTransactions(
    connection,
    credited.map((row) => ({ customerId: row.customer_id, id: row.id })),
    now,
    (row) => creditProceeds(row, now),
  );
  return [...released.filter((row) => row.proceeds !== 'balance'), ...settled];
}

interface Held {
  /** The trades that are held from here on; left out where none was to be. */
  readonly ids?: readonly TransactionId[];
  readonly why: ReadonlyMap<string, string>;
}

const NOTHING_HELD: Held = { why: new Map() };

/**
 * Why money is not there is read when nobody can change the trades and the balances any more that it depends on: whoever was at them has
 * said by then what became of it.
 */
async function heldUnderLock(
  connection: Connection,
  ids: readonly TransactionId[],
  toBalance: ReadonlySet<string>,
  { skipLocked }: ChangeOptions,
): Promise<Held> {
  const rows = await lockRows(connection, ids, skipLocked);
  const locked = rows.map((row) => ({ customerId: row.customer_id, id: row.id }));
  // All of them at once, as the feeds of those that go are taken after this.
  await lockBalances(connection, [...new Set(locked.map((each) => each.customerId))]);
  const why = await heldTrades(
    connection,
    locked.filter((each) => toBalance.has(each.customerId)),
  );
  return { ids: locked, why };
}

function moneyHeld({ status: from }: TransactionRow, why: string): Problem {
  const detail = `The proceeds would go into the balance, and the money behind them is held (${inWords(why)}).`;
  return new Problem('invalid_state_transition', detail, { members: { from, to: 'settling' } });
}
