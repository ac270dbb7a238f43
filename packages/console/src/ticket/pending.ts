import type { DealtQuote } from './machine.ts';

/**
 * An execution that nobody knows the end of yet. It outlives a reload, a sign-in and another page, so that a new ticket begins with what
 * became of the last one.
 */
export interface Pending {
  /** Who has begun it; nobody else is shown it. */
  readonly personId: string;
  readonly quote: DealtQuote;
  readonly executeKey: string;
}

const PLACE = 'firmquote.ticket.pending';

export function keepPending(pending: Pending): void {
  sessionStorage.setItem(PLACE, JSON.stringify(pending));
}

export function pendingOf(personId: string): Pending | undefined {
  const kept = JSON.parse(sessionStorage.getItem(PLACE) ?? 'null') as Pending | null;
  return kept?.personId === personId ? kept : undefined;
}

/** Once it is known what became of it. */
export function forgetPending(executeKey: string): void {
  const kept = JSON.parse(sessionStorage.getItem(PLACE) ?? 'null') as Pending | null;
  if (kept?.executeKey === executeKey) sessionStorage.removeItem(PLACE);
}
