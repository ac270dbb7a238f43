import type { ProposalKind } from '@firmquote/api/command-kinds';
import type { Pool } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import type { ApprovalKind } from './approvals.ts';

/** What the use cases of this room work with. The composition root knows the kinds of all rooms. */
export interface ApprovalsRoom {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly kinds: ReadonlyMap<ProposalKind, ApprovalKind>;
  /** Lets as many approvals be carried out at once as there are connections for. */
  readonly inTurn?: <T>(work: () => Promise<T>) => Promise<T>;
  /** How long a proposal waits for a decision, milliseconds. */
  readonly ttlMs: number;
}
