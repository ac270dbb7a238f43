import type { BodyOf } from '@firmquote/api/operation';
import type { commandDeposits } from '@firmquote/api/operations/deposit-commands';
import { isEnclosed } from '../database/enclosure.ts';
import { inTransaction } from '../database/pool.ts';
import { bookingAsHouse } from '../deposits/book-deposit.ts';
import { holdDeposits } from '../deposits/hold-deposits.ts';
import { ignoring } from '../deposits/ignore-deposit.ts';
import { assignDeposit, noteOnDeposit } from '../deposits/note-deposit.ts';
import { type CommandOutcome, commandDeposit, type DepositCommand } from '../deposits/operate-deposit.ts';
import { releasing } from '../deposits/release-deposit.ts';
import { returning } from '../deposits/return-deposit.ts';
import { unmatching } from '../deposits/unmatch-deposit.ts';
import { eachByItself, eachInOrder, type ItemOutcome } from '../http/each-by-itself.ts';
import { uuidOf } from '../platform/ids.ts';
import type { ExceptionsRoom } from './room.ts';

type CommandDeposits = BodyOf<typeof commandDeposits>;
type Item = CommandDeposits['items'][number];

/**
 * The same command on many deposits, each in a commit of its own. Where one commit ends all of them, as in a dry run, they are held before
 * the first, in the order in which everybody holds them: two that name the same ones wait for each other and not in a circle.
 * @param onFailure receives what no problem explains
 */
export async function commandEach(
  room: ExceptionsRoom,
  commands: CommandDeposits,
  actor: string,
  onFailure: (error: unknown, item: Item) => void,
): Promise<ItemOutcome<CommandOutcome>[]> {
  const { command: name, items } = commands;
  const work = (item: Item) => onDeposit(room, commands, item, actor);
  if (!isEnclosed()) return eachByItself(items, work, onFailure);
  const held = await inTransaction(room.pool, (connection) =>
    holdDeposits(connection, items.map(idOf), REACH[name] ?? 'deposits'),
  );
  const places = new Map(held.map((id, place) => [id, place]));
  return eachInOrder(items, (item) => places.get(idOf(item)) ?? held.length, work, onFailure);
}

/** What commands change besides the deposits. */
const REACH: { readonly [Name in CommandDeposits['command']]?: 'parts' | 'matches' } = {
  return: 'parts',
  unmatch: 'parts',
  release: 'matches',
};

function idOf({ depositId }: Item): string {
  return uuidOf('dep', depositId);
}

async function onDeposit(
  room: ExceptionsRoom,
  { command: name, reason, as, remember = false, assignee = null }: CommandDeposits,
  item: Item,
  actor: string,
): Promise<CommandOutcome> {
  const command: DepositCommand = { depositId: idOf(item), ifMatch: item.version, actor, reason };
  switch (name) {
    case 'return':
      return commandDeposit(room, command, returning, { returnedBy: 'house' });
    case 'release':
      return commandDeposit(room, command, releasing, { remember });
    case 'ignore':
      return commandDeposit(room, command, ignoring, {});
    case 'book':
      if (as === undefined) throw new Error('a booking was let through without its account');
      return commandDeposit(room, command, bookingAsHouse, { as });
    case 'unmatch':
      return commandDeposit(room, command, unmatching, {});
    case 'assign':
      return { done: true, result: await assignDeposit(room, command, assignee) };
    case 'note':
      return { done: true, result: await noteOnDeposit(room, command) };
  }
}
