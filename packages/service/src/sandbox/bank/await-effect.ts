import { setTimeout as delay } from 'node:timers/promises';
import { bookEntries } from '../../bank-statements/book-entries.ts';
import { Problem } from '../../problems/problem.ts';
import type { BankRoom } from './deliver-files.ts';

const TRIES_MAX = 100; // limit: Times that the effect of a file is looked for
const PAUSE_MS = 50; // limit: Pause between two looks for the effect of a file

/**
 * Waits for the effect of a delivered file. As a rule it is there at once; another instance that has taken the entries
 * under way may need a moment.
 * @param look answers undefined as long as it is not there
 * @throws Problem overloaded, after some seconds: it will still come
 */
export async function awaitEffect<T>(room: BankRoom, look: () => Promise<T | undefined>): Promise<T> {
  for (let count = 0; count < TRIES_MAX; count++) {
    const found = await look();
    if (found !== undefined) return found;
    if (count > 0) await delay(PAUSE_MS);
    await bookEntries(room, room.logger);
  }
  throw new Problem('overloaded', 'The bank has booked it; the service has not imported it yet.', {
    headers: { 'Retry-After': '5' },
  });
}
