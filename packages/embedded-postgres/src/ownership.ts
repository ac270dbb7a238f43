import { existsSync, lchownSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Whose files are: root works in folders of others, who must be able to go on. */

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Gives a folder away with all that is in it. The folder comes last: where it is given, all is. */
export function giveTree(folder: string, { uid, gid }: Owner): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    lchownSync(join(entry.parentPath, entry.name), uid, gid);
  lchownSync(folder, uid, gid);
}

/** The user who has a folder, where root works in somebody else's. */
export function otherOwner(folder: string): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = statSync(folder);
  return uid === 0 ? undefined : { uid, gid };
}

/** Makes a file. A new one belongs to the user who has its folder, one that was there stays as it is. */
export function madeForFolder<T>(path: string, make: () => T): T {
  const isNew = !existsSync(path);
  const made = make();
  const owner = isNew ? otherOwner(dirname(path)) : undefined;
  if (owner !== undefined) lchownSync(path, owner.uid, owner.gid);
  return made;
}
