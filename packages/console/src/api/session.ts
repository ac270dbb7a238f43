import { AuthenticationError, PermissionError } from '@firmquote/client';
import { FirmquoteOperator } from '@firmquote/client/operator';
import { BusinessClock } from './business-clock.ts';

/** Who is signed in, as `GET /auth/session` tells. */
export interface Session {
  readonly personId: string;
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly isSandbox: boolean;
  readonly clockOffsetMs?: number;
  readonly csrfToken: string;
  readonly idleEndsAt: string;
  readonly freshUntil: string;
}

/** Whose page this is, and what its changes say to show that they come from it. */
let own: Pick<Session, 'personId' | 'csrfToken'> | undefined;
/** Of the last answers, ms; the newest last. */
const roundTrips: number[] = [];
const ROUND_TRIPS_MAX = 40;

/**
 * Carries calls with the cookie of the session: what changes something says that it comes from this page. Each sign-in, in whichever tab,
 * changes what it has to say. What was refused for that has done nothing, and is sent once more.
 */
const sessionFetch: typeof fetch = async (input, init) => {
  const token = own?.csrfToken;
  const answer = await send(input, init);
  if (init?.method === 'GET' || !(await isFromAnotherSignIn(answer))) return answer;
  // Another call may have read the session meanwhile.
  if (token === own?.csrfToken) await readSession({ signal: init?.signal ?? undefined }).catch(noticeFailure);
  return token === own?.csrfToken ? answer : send(input, init);
};

const send: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  headers.delete('user-agent');
  if (init?.method !== 'GET' && own !== undefined) headers.set('x-csrf-token', own.csrfToken);
  const began = performance.now();
  const answer = await fetch(input, { ...init, headers, credentials: 'same-origin' });
  if (roundTrips.push(performance.now() - began) > ROUND_TRIPS_MAX) roundTrips.shift();
  return answer;
};

async function isFromAnotherSignIn(answer: Response): Promise<boolean> {
  if (answer.status !== 403) return false;
  const problem = await answer
    .clone()
    .json()
    .catch(() => undefined);
  return problem?.code === 'cross_site_request';
}

/** Everything that the console asks of the service goes through it. */
export const operator = new FirmquoteOperator({
  baseUrl: location.origin,
  fetch: sessionFetch,
  // The page itself came this way; the cookie of the session goes nowhere but over TLS or to this machine.
  allowInsecure: true,
});

/** What the service's instants of business are compared with; `operator.clock` is real time. */
export const business = new BusinessClock(operator.clock);

/** How long an answer takes at most, nearly always, ms. */
export function roundTripMs(): number {
  const sorted = roundTrips.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? 250;
}

export async function readSession({
  signal,
}: {
  readonly signal: AbortSignal | undefined;
}): Promise<Session> {
  const session = await operator.request<Session>(
    { id: 'getOwnSession', method: 'GET', path: '/auth/session' },
    {},
    { signal },
  );
  // What was asked before the clock was moved here would move it back.
  signal?.throwIfAborted();
  business.move(session.clockOffsetMs);
  // What one person has typed is not sent as another one.
  if (own !== undefined && own.personId !== session.personId) announceNeed('person');
  else own = session;
  return session;
}

type Need = 'sign-in' | 'fresh' | 'person' | 'rights';
const listeners = new Set<(need: Need) => void>();

/**
 * Tells when the session is over, something takes a sign-in that is fresh, somebody else has signed in, or the rights are others than the
 * page knows.
 */
export function onNeed(listener: (need: Need) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Looks at what a call failed with, whether it says something of the session. */
export function noticeFailure(error: unknown): void {
  const need = needOf(error);
  if (need !== undefined) announceNeed(need);
}

/** None of the roles has the right; other refusals have other reasons. */
export function isRightMissing(error: unknown): error is PermissionError {
  return error instanceof PermissionError && error.code === 'insufficient_scope';
}

export function announceNeed(need: Need): void {
  for (const listener of listeners) listener(need);
}

function needOf(error: unknown): Need | undefined {
  if (error instanceof AuthenticationError) return 'sign-in';
  if (isRightMissing(error)) return 'rights';
  return error instanceof PermissionError && error.code === 'fresh_sign_in_required' ? 'fresh' : undefined;
}

/** Where to sign in and come back from. */
export function signInAddress(fresh: boolean): string {
  const back = `${location.pathname}${location.search}`;
  return `/login?${fresh ? 'fresh=true&' : ''}return_to=${encodeURIComponent(back)}`;
}
