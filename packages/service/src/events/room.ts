import type { Pool } from '../database/pool.ts';
import type { HeldPolls } from '../http/held-polls.ts';

/** What the use cases of this room work with. */
export interface EventsRoom {
  readonly pool: Pool;
  readonly polls: HeldPolls;
}

/** What other rooms ask of this one besides its use cases. */
export { followFeed, lockFeedEnd } from './store.ts';
