import type { DateRules } from '@firmquote/fx';
import { type Connection, inTransaction } from '../database/pool.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { matchDeposits } from './match-deposits.ts';
import type { DepositRecord, NewDeposit } from './record.ts';
import type { DepositsRoom } from './room.ts';
import { findByBankReference, insertDeposits } from './store.ts';

interface ReceivedDeposit {
  /** As it is now; of a deposit that was known already, the first one. */
  readonly deposit: DepositRecord;
  /** `conflict`: the account has another entry under this bank reference. */
  readonly outcome: 'received' | 'known' | 'conflict';
}

/**
 * Takes in one deposit: records it, books it, matches it, all in one commit.
 * @param inCommit runs in the same transaction; what it throws undoes everything
 * @throws Problem already_exists when the account has another entry under this bank reference
 */
export async function receiveDeposit(
  room: DepositsRoom,
  deposit: NewDeposit,
  inCommit?: (connection: Connection, received: ReceivedDeposit) => Promise<void>,
): Promise<ReceivedDeposit> {
  return inTransaction(room.pool, async (connection) => {
    const now = room.clock.now();
    const [received] = await receiveDeposits(connection, [deposit], now, room.dates.current);
    if (received === undefined) throw new Error('a deposit was neither written nor found');
    if (received.outcome === 'conflict') throw alreadyExists(received.deposit);
    await inCommit?.(connection, received);
    return received;
  });
}

function alreadyExists(deposit: DepositRecord): Problem {
  return new Problem(
    'already_exists',
    `The account has a different deposit with bank reference ${deposit.bankReference}.`,
    { members: { depositId: typeId('dep', deposit.id) } },
  );
}

/**
 * Takes in deposits in the caller's transaction, whatever they come from. Nothing gets lost: what finds no trade stays
 * in suspense, listed with the reason.
 *
 * Locks are taken in one order by everybody, so that deposits, sweeps and operators cannot block each other for good:
 * deposits by bank reference (one alone, by its id), the references against top-ups by hand, trades by key, customers' feeds, withdrawals,
 * customers' balances, and last the house's balances, which all deposits of a currency share.
 * @returns one result for each, in the order given
 */
export async function receiveDeposits(
  connection: Connection,
  deposits: readonly NewDeposit[],
  now: number,
  dates: DateRules,
): Promise<ReceivedDeposit[]> {
  const records = deposits.map((deposit) => newRecord(deposit, now));
  const inserted = await insertDeposits(connection, [...records].sort(byBankReference));
  const written = records.filter((record) => inserted.has(record.id));
  const settled = await matchDeposits(connection, written, now, dates);
  const known = written.length === records.length ? [] : await findByBankReference(connection, deposits);
  return records.map((record) => {
    const received = settled.get(record.id);
    if (received !== undefined) return { deposit: received, outcome: 'received' };
    const first = known.find(
      (each) => each.account === record.account && each.bankReference === record.bankReference,
    );
    if (first === undefined) throw new Error(`deposit ${record.bankReference} vanished`);
    return { deposit: first, outcome: first.fingerprint === record.fingerprint ? 'known' : 'conflict' };
  });
}

function newRecord(deposit: NewDeposit, now: number): DepositRecord {
  return {
    ...deposit,
    virtualAccount: deposit.virtualAccount ?? null,
    bookedOn: deposit.bookedOn ?? null,
    bookedAs: null,
    id: newUuid(now),
    status: 'unmatched',
    exception: { type: 'unmatched', reason: 'no_reference' },
    customerId: null,
    allocatedMinor: 0n,
    excessMinor: 0n,
    returnedMinor: 0n,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}

function byBankReference(a: DepositRecord, b: DepositRecord): number {
  if (a.account !== b.account) return a.account < b.account ? -1 : 1;
  return a.bankReference < b.bankReference ? -1 : a.bankReference > b.bankReference ? 1 : 0;
}
