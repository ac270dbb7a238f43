import type { FeedEvent } from '../events/customer-feed.ts';
import type { LoggedAttempt } from './delivery-store.ts';

/** What is sent in a turn, and what waits. Decided without I/O. */

/** Something to be sent to an endpoint. */
export interface Item {
  readonly event: FeedEvent;
  /** Attempts so far in this round. */
  readonly attempts: number;
  readonly log: readonly LoggedAttempt[];
  /** It has a delivery already. */
  readonly isWritten: boolean;
}

export interface Plan {
  /** Each in its order; they are sent beside each other. */
  readonly chains: readonly (readonly Item[])[];
  /** What waits for an earlier event that waits itself. */
  readonly blocked: readonly Item[];
}

/**
 * @param due deliveries whose time has come; of a resource the first one only, where the order counts
 * @param news events that were never sent, in the order of the feed
 * @param waiting resources of which something waits, whether it is due or not
 */
export function planTurn(
  isOrdered: boolean,
  due: readonly Item[],
  news: readonly Item[],
  waiting: ReadonlySet<string>,
): Plan {
  if (!isOrdered) return { chains: [...due, ...news].map((item) => [item]), blocked: [] };
  const chains: Item[][] = due.map((item) => [item]);
  const blocked: Item[] = [];
  const chainOf = new Map<string, Item[]>();
  for (const item of news) {
    const { resource } = item.event;
    const chain = resource === undefined ? undefined : chainOf.get(resource);
    // More than one may wait behind a delivery that is due: they come when it is done.
    if (resource !== undefined && waiting.has(resource)) blocked.push(item);
    else if (chain !== undefined) chain.push(item);
    else {
      const begun = [item];
      chains.push(begun);
      if (resource !== undefined) chainOf.set(resource, begun);
    }
  }
  return { chains, blocked };
}
