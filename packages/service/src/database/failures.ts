import pg from 'pg';
import { ReadOnlyDatabase, UnconfirmedCommit } from './session.ts';

/** SQLSTATE of a database error, if it is one. It has a digit; without one it is a code of the system, as `EPIPE`. */
export function sqlState(error: unknown): string | undefined {
  const code = systemCode(error);
  return code !== undefined && /^(?=.*[0-9])[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Classes of SQLSTATE that speak of the server: connection, resources, operators, the system; and no writes taken. */
const SERVER_STATES = /^(08|53|57P|58|25006$)/;

const OURS = [TypeError, ReferenceError, RangeError, SyntaxError];

/** True when the database itself cannot be reached, is going away or cannot write, or we are, as opposed to a statement that failed. */
export function isConnectionFailure(error: unknown): boolean {
  if (error instanceof ReadOnlyDatabase || error instanceof UnconfirmedCommit) return true;
  const state = sqlState(error);
  if (state !== undefined) return SERVER_STATES.test(state);
  // A mistake of ours, whatever words it has in it, is not the database's.
  if (OURS.some((kind) => error instanceof kind)) return false;
  return (
    error instanceof Error &&
    /ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|timeout|terminated|Connection|after calling end/i.test(
      `${error.message} ${systemCode(error)}`,
    )
  );
}

/** Errors of those who wanted a connection and got none. */
const unsent = new WeakSet<Error>();

/** To be called with what a pool says when it has no connection to give: nothing was sent over one. */
export function markUnsent(error: unknown): void {
  if (error instanceof Error) unsent.add(error);
}

/**
 * How the driver, or a pooler, tells that a connection has ended, or has gone silent, with a statement on it. A host or a network that cannot be
 * reached is how the system tells that nobody acknowledges what was sent.
 */
const UNANSWERED = /ECONN(RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOST|ENET|read timeout|terminated/i;

/** True when a statement was on its way: it may have been done, a commit too. */
function isUnanswered(error: unknown): boolean {
  if (!(error instanceof Error) || unsent.has(error)) return false;
  const state = sqlState(error);
  return state === undefined
    ? UNANSWERED.test(`${error.message} ${systemCode(error)}`)
    : state.startsWith('08');
}

/** True when what was sent may have been committed although it failed: callers are told `outcome_unknown`. */
export function mayBeDone(error: unknown): boolean {
  const hindrance = hindranceOf(error);
  return hindrance === 'unanswered' || hindrance === 'unconfirmed';
}

/** True when the same has to be done once more, with a new instant. */
export function isDayClosed(error: unknown): boolean {
  return sqlState(error) === DAY_CLOSED;
}

/** What keeps the database, or a disk of this machine, from doing what was asked; undefined for a fault of ours. */
export type Hindrance = 'unconfirmed' | 'unanswered' | 'read_only' | 'no_room' | 'unreachable' | 'busy';

/** An entry was to be booked on a day that has been closed meanwhile (`post_to_open_days`). */
const DAY_CLOSED = 'FQD01';
/** A transaction that idled for too long, or took too long in all: the server has undone it, and ended the connection. */
const ENDED_STATES = ['25P03', '25P04'];
/** Lock and statement timeouts, deadlocks, transactions that got into each other's way, a closed day: nothing was done. */
const BUSY_STATES: ReadonlySet<string> = new Set([
  ...['55P03', '57014', '40P01', '40001', DAY_CLOSED],
  ...ENDED_STATES,
]);
const NO_ROOM_CODES: ReadonlySet<string> = new Set(['53100', 'ENOSPC', 'EDQUOT']);

/** A plan that a migration has overtaken: nothing was done, and with a new connection the same works. */
export function isStalePlan(error: unknown): boolean {
  return (
    sqlState(error) === '0A000' &&
    error instanceof pg.DatabaseError &&
    error.routine === 'RevalidateCachedQuery'
  );
}

/** What a caller is told where somebody else holds what the request needs. */
export const LOCKED = 'The data for this request is locked. Nothing was done.';

export function hindranceOf(error: unknown): Hindrance | undefined {
  if (error instanceof UnconfirmedCommit) return 'unconfirmed';
  const code = systemCode(error);
  if (error instanceof ReadOnlyDatabase || code === '25006') return 'read_only';
  if (code !== undefined && NO_ROOM_CODES.has(code)) return 'no_room';
  if ((code !== undefined && BUSY_STATES.has(code)) || isStalePlan(error)) return 'busy';
  if (!isConnectionFailure(error)) return undefined;
  return isUnanswered(error) ? 'unanswered' : 'unreachable';
}
