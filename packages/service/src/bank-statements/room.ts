import type { DepositsRoom } from '../deposits/room.ts';

/** What files, entries and their agreement with the ledger work with: the same as deposits, which credits become in the same commit. */
export type StatementsRoom = DepositsRoom;

/** What other rooms ask of this one besides its use cases. */
export { type Failure, failureOf, tryNow } from './apply-failure-store.ts';
export { isInBooks } from './judge-entry.ts';
export { giveUpStatus } from './status-store.ts';
