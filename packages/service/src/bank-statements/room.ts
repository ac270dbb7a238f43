import type { DepositsRoom } from '../deposits/room.ts';

/** What files, entries and their agreement with the ledger work with: the same as deposits, which credits become in the same commit. */
export type StatementsRoom = DepositsRoom;
