import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SequenceNumbers, sequenceLine } from './protocol.ts';

/** What keeps the numbers from being set; one line for people. */
export class SequenceResetError extends Error {
  override readonly name = 'SequenceResetError';
}

/**
 * Sets the sequence numbers of a FIX session in its file, while no service has the session.
 * @param isStopped somebody vouches for that, though the file was not closed: its gateway was killed
 * @returns the file
 * @throws SequenceResetError when there is no such file, or a gateway seems to have it
 */
export function resetSequenceFile(
  dataDir: string,
  session: string,
  numbers: SequenceNumbers,
  isStopped: boolean,
): string {
  const folder = join(dataDir, 'fix');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  // The name of a session has no dot; its two parties follow.
  const found = names.filter((name) => name.startsWith(`${session}.`) && name.endsWith('.seq'));
  const [name] = found;
  if (name === undefined || found.length > 1) {
    const what = name === undefined ? 'no file' : 'more than one file';
    throw new SequenceResetError(`There is ${what} of the session "${session}" in ${folder}.`);
  }
  const path = join(folder, name);
  if (!isStopped && !readFileSync(path, 'latin1').endsWith(' closed\n')) {
    throw new SequenceResetError(
      `${path} is in use, or its gateway was killed. Stop the service first; if it is stopped, add --stopped.`,
    );
  }
  writeFileSync(path, sequenceLine(numbers, 'closed'), 'latin1');
  return path;
}
