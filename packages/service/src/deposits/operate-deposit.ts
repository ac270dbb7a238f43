import type { ProposalKind } from '@firmquote/api/command-kinds';
import { doOrPropose, type Outcome } from '../approvals/do-or-propose.ts';
import { amountsOf } from '../approvals/judge.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import { actorId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { allocationsOf } from './allocation-store.ts';
import { rulesInForce } from './matching-settings.ts';
import { type AllocationRecord, type DepositRecord, isOfTransaction } from './record.ts';
import type { DepositsRoom } from './room.ts';
import { lockDeposit, lockTransactions, recallBookedAs } from './store.ts';

/** An operator's command on one deposit. */
export interface DepositCommand {
  /** UUID. */
  readonly depositId: string;
  readonly ifMatch: number | '*' | undefined;
  /** Person or OAuth client (UUID). */
  readonly actor: string;
  /** In the operator's words. */
  readonly reason: string;
  /** Runs in the same transaction; what it throws undoes everything. */
  readonly inCommit?: (connection: Connection, outcome: CommandOutcome) => Promise<void>;
}

/** What became of it, with the deposit as it is then. */
export type CommandOutcome = Outcome<DepositRecord>;

/** Who does a piece of manual work, and when. */
export interface ManualWork {
  readonly connection: Connection;
  readonly room: DepositsRoom;
  readonly now: number;
  /** Person or OAuth client (UUID) of the one who wanted it. */
  readonly actor: string;
  /** The second person, where it took one. */
  readonly approvedBy: string | undefined;
  readonly reason: string;
}

/** A kind of manual work: what it is worth, and how it is done. */
export interface DepositAction<Request> {
  /** Of its proposals. */
  readonly kind: ProposalKind;
  /** US dollar cents that it moves; undefined when nobody knows, which takes two persons. */
  worth(work: ManualWork, deposit: DepositRecord, request: Request): Promise<bigint | undefined>;
  /** Whether it takes two persons whatever it is worth. */
  needsTwo?(request: Request): boolean;
  /** Does it; the deposit is locked. @returns the deposit as it is then */
  carryOut(work: ManualWork, deposit: DepositRecord, request: Request): Promise<DepositRecord>;
}

/** What a second person gets to see and `carryOut` gets back. */
export interface Proposed<Request> {
  readonly depositId: string;
  /** What was approved is what was seen: the deposit must still be in this version. */
  readonly version: number;
  readonly worthUsdMinor: string | null;
  readonly order: Request;
}

/**
 * Does manual work on a deposit in one commit, or writes it down for a second person when it is worth more than the
 * limit of the matching rules.
 * @throws Problem deposit_not_found, version_mismatch, already_exists (something is proposed), and what the work throws
 */
export async function commandDeposit<Request>(
  room: DepositsRoom,
  command: DepositCommand,
  action: DepositAction<Request>,
  request: Request,
): Promise<CommandOutcome> {
  const now = room.clock.now();
  return inTransaction(room.pool, async (connection) => {
    const deposit = await lockForWork(connection, command.depositId);
    const work: ManualWork = {
      connection,
      room,
      now,
      actor: command.actor,
      approvedBy: undefined,
      reason: command.reason,
    };
    const outcome = await underVersion(command, deposit, () =>
      carryOutOrPropose(work, command, deposit, action, request),
    );
    await command.inCommit?.(connection, outcome);
    return outcome;
  });
}

async function carryOutOrPropose<Request>(
  work: ManualWork,
  command: DepositCommand,
  deposit: DepositRecord,
  action: DepositAction<Request>,
  request: Request,
): Promise<CommandOutcome> {
  const { connection, now } = work;
  const worth = await action.worth(work, deposit, request);
  const { fourEyesFromUsdMinor } = await rulesInForce(connection);
  const depositId = typeId('dep', deposit.id);
  const proposed: Proposed<Request> = {
    depositId,
    version: deposit.version,
    worthUsdMinor: worth?.toString() ?? null,
    order: request,
  };
  const { kind } = action;
  const { actor: proposedBy, reason } = command;
  const allocated = await allocationsOf(connection, [deposit.id]);
  return doOrPropose(
    connection,
    {
      needsTwo: action.needsTwo?.(request) === true,
      act: async (after) => ({
        kind: 'deposit_work',
        actorId: proposedBy,
        amounts: amountsOf(worth, await partsOf(work, allocated, after)),
        formerLimit: { fromUsdMinor: fourEyesFromUsdMinor },
      }),
      carryOut: () => action.carryOut(work, deposit, request),
      proposal: () => ({ kind, subject: depositId, request: proposed, reason, proposedBy }),
    },
    now,
  );
}

/** What the work moves for each customer: what it allocates or takes away, or else whose deposit it is. */
async function partsOf(
  { connection }: ManualWork,
  before: readonly AllocationRecord[],
  after: DepositRecord,
): Promise<Map<string, bigint>> {
  const parts = new Map<string, bigint>();
  const add = (allocations: readonly AllocationRecord[], sign: bigint) => {
    for (const { customerId, allocatedMinor, excessMinor } of allocations) {
      parts.set(customerId, (parts.get(customerId) ?? 0n) + sign * (allocatedMinor + excessMinor));
    }
  };
  add(before, -1n);
  add(await allocationsOf(connection, [after.id]), 1n);
  const moved = [...parts]
    .filter(([, minor]) => minor !== 0n)
    .map(([customerId, minor]): [string, bigint] => [customerId, minor < 0n ? -minor : minor]);
  if (moved.length > 0) return new Map(moved);
  const owners = [...new Set([...parts.keys(), ...(after.customerId === null ? [] : [after.customerId])])];
  return new Map(owners.map((customerId) => [customerId, 1n]));
}

export async function lockForWork(connection: Connection, depositId: string): Promise<DepositRecord> {
  const deposit = await lockDeposit(connection, depositId);
  if (deposit === undefined) throw new Problem('deposit_not_found', 'There is no deposit with this id.');
  return deposit;
}

/**
 * Does the work on what the caller has seen. What the state forbids whatever was seen is reported before the version, and the
 * version before anything else that is wrong.
 * @throws Problem version_mismatch, and what the work throws
 */
export async function underVersion<T>(
  { ifMatch }: Pick<DepositCommand, 'ifMatch'>,
  before: DepositRecord,
  work: () => Promise<T>,
): Promise<T> {
  const done = await work().catch((error: unknown) => {
    if (error instanceof Problem && error.status !== 409) requireVersion(ifMatch, before.version);
    throw error;
  });
  requireVersion(ifMatch, before.version);
  return done;
}

/**
 * What somebody bears the loss of goes nowhere any more: it would be taken, or sent, a second time.
 * @throws Problem invalid_state_transition
 */
export async function requireNoLoss(
  connection: Connection,
  { id, bookedAs, status }: DepositRecord,
  to: string,
): Promise<void> {
  const isLost = bookedAs === 'never_booked';
  const recall = isLost ? null : await recallBookedAs(connection, id);
  if (!isLost && recall === null) return;
  const why = isLost
    ? 'The bank never booked this money. Nothing of it can be given to anyone.'
    : `The remitter's bank took this money back, which is booked as ${recall}. Nothing of it can be given to anyone.`;
  throw new Problem('invalid_state_transition', why, { members: { from: status, to } });
}

/** What has a part of a deposit: its trades are locked. */
export async function heldBy(connection: Connection, deposit: Pick<DepositRecord, 'id'>) {
  const allocations = await allocationsOf(connection, [deposit.id]);
  const ids = allocations.filter(isOfTransaction).map((each) => each.transactionId);
  return { allocations, rows: await lockTransactions(connection, ids) };
}

/** Who did it, as history keeps it besides the actor. */
export function approvalDetail({ approvedBy }: ManualWork): Record<string, string> {
  return approvedBy === undefined ? {} : { approvedBy: actorId(approvedBy) };
}
