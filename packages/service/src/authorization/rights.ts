import type { Queryable } from '../database/pool.ts';
import type { Caller } from '../http/context.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { IpAllowList } from './ip-allow-list.ts';
import type { AuthorizationRoom } from './room.ts';
import { covers } from './scopes.ts';
import { type ClientRecord, canAuthenticate, readAllowList, readEnd } from './store.ts';

export interface Actor {
  /** UUID of the actor's own client, or of the person. */
  readonly clientId: string;
  /** UUID of the pair of eyes. */
  readonly personId?: string | undefined;
  readonly scopes: ReadonlySet<string>;
  /** Of a customer, who manages its own clients. */
  readonly isCustomer?: boolean;
}

/**
 * Nobody gives, or takes hold of, rights that it does not have itself: whoever may make operators' clients could
 * otherwise make itself one that may do everything.
 * @throws Problem insufficient_scope
 */
export function requireRights(actor: Actor | undefined, scopes: readonly string[]): void {
  const missing =
    actor &&
    scopes.find((scope) => {
      // Operators give customers what they have no use for themselves.
      const isTheirs = actor.isCustomer === true || scope.startsWith('operator:');
      return isTheirs && !covers(actor.scopes, scope);
    });
  if (missing === undefined) return;
  throw new Problem('insufficient_scope', `This needs the scope ${missing}, which you do not have.`, {
    members: { requiredScope: missing },
  });
}

/**
 * Who may come from some addresses only makes no client that may come from others, and gets hold of none: as with rights, nobody
 * gives more than it has.
 * @param list of the client that it makes or works on; empty: from anywhere
 * @throws Problem ip_not_allowed
 */
export async function requireNoWider(
  actor: Actor | undefined,
  db: Queryable,
  kind: 'customer' | 'operator',
  list: readonly string[],
): Promise<void> {
  // Customers are elsewhere than the operators who make their clients.
  if (actor === undefined || (actor.isCustomer === true) !== (kind === 'customer')) return;
  const own = await readAllowList(db, actor.clientId);
  if (own.length === 0) return;
  const held = new IpAllowList(own);
  if (list.length > 0 && list.every((entry) => held.holds(entry))) return;
  throw new Problem(
    'ip_not_allowed',
    `You may connect only from ${own.join(', ')}. Set ipAllowList to addresses among these.`,
  );
}

/** @throws Problem own_client: at least the client that acts stays, so that nobody locks itself out */
export function requireOther(actor: Actor | undefined, clientId: string): void {
  if (actor?.clientId !== clientId) return;
  throw new Problem('own_client', 'Use another client to suspend or end the one you are using.');
}

/** @throws Problem own_client where the client that acts would have nothing left to authenticate with */
export async function requireWayIn(
  actor: Actor | undefined,
  db: Queryable,
  clientId: string,
  now: number,
): Promise<void> {
  if (actor?.clientId === clientId && !(await canAuthenticate(db, clientId, now)))
    requireOther(actor, clientId);
}

/**
 * What a client makes or changes ends with it, or before.
 * @param isGiven the request says when it ends; otherwise it is when the client in the path ends
 * @throws Problem validation_failed
 */
export async function requireNoLonger(
  actor: Actor | undefined,
  db: Queryable,
  expiresAt: number | undefined,
  isGiven: boolean,
): Promise<void> {
  const own = actor && (await readEnd(db, actor.clientId));
  if (own === undefined || (expiresAt !== undefined && expiresAt <= own)) return;
  throw validationProblem([
    isGiven
      ? { pointer: '/expiresAt', code: 'too_late', detail: 'must not be after your own client ends' }
      : {
          pointer: '/path/clientId',
          code: 'too_late',
          detail: 'is a client that does not end by the time your own does; set its expiresAt first',
        },
  ]);
}

/**
 * For whoever lets a client in, or lets it go on or come from elsewhere: one that it gets hold of is neither wider than itself nor
 * there for longer.
 * @throws Problem ip_not_allowed, validation_failed
 */
export async function requireHold(
  actor: Actor | undefined,
  db: Queryable,
  { kind, ipAllowList, expiresAt }: Pick<ClientRecord, 'kind' | 'ipAllowList' | 'expiresAt'>,
): Promise<void> {
  await requireNoWider(actor, db, kind, ipAllowList);
  await requireNoLonger(actor, db, expiresAt, false);
}

/** @throws Problem validation_failed */
export function requireFuture(instant: number | undefined, now: number, pointer = '/expiresAt'): void {
  if (instant === undefined || instant > now) return;
  throw validationProblem([{ pointer, code: 'in_the_past', detail: 'must be in the future' }]);
}

/** The room as it is for a caller, who may reach no further than its own rights. */
export function by<Room extends AuthorizationRoom>(
  { actor, personId, customerId, scopes }: Caller,
  room: Room,
): Room {
  return { ...room, actor: { clientId: actor.id, personId, scopes, isCustomer: customerId !== undefined } };
}
