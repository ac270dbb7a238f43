import type { DepositsRoom } from '../deposits/room.ts';

/** What the work of people is done with: the same as deposits, which most of it is about. */
export type ExceptionsRoom = DepositsRoom;
