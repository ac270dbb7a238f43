import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Account, passesTest } from './account.ts';

/** Folder of PGDATA inside the cluster's home. */
const DATA_FOLDER = 'postgres';
/** Names the home in the data folder, when the home is elsewhere. */
const POINTER_FILE = 'postgres.location';
/** Names the data folder in a home elsewhere. */
const OWNER_FILE = 'data-folder';

/** Where a cluster lies. */
interface Placement {
  /** The folder that holds `data` and the lock: the data folder itself, or one that the account can reach. */
  readonly home: string;
  /** PGDATA. */
  readonly data: string;
  readonly elsewhere: boolean;
}

/** The owner of the files of the cluster that belongs to a data folder, if there is a cluster. */
export function clusterOwner(dataDir: string): number | undefined {
  const data = join(readPointer(dataDir) ?? dataDir, DATA_FOLDER);
  return existsSync(data) ? statSync(data).uid : undefined;
}

/** Whether a data folder has a database. */
export function hasCluster(dataDir: string): boolean {
  return clusterOwner(dataDir) !== undefined;
}

/**
 * Nobody else looks into the data folder: it holds credentials, logs and the books. Where root runs the database as another
 * user, that one passes through by its group, and reads nothing but its own.
 */
export function closeToOthers(folder: string, account: Account): void {
  const { uid, mode } = statSync(folder);
  const passesByGroup = account.switched && uid !== account.uid;
  try {
    if (passesByGroup) chownSync(folder, uid, account.gid);
    chmodSync(folder, passesByGroup ? 0o710 : 0o700);
  } catch (error) {
    if ((mode & 0o007) === 0) return;
    throw new Error(
      `FIRMQUOTE_DATA_DIR: ${folder} is open to every user and belongs to another one, so that it cannot be closed. Close it (chmod 700), or choose another folder.`,
      { cause: error },
    );
  }
}

/**
 * Decides where the cluster of a data folder lies: inside it. Where nobody has chosen the folder, and the account cannot reach
 * it (a checkout in root's home folder), it lies in a folder of its own below `systemDirectory`.
 * @param isChosen the folder was named by whoever runs the service, who must find the books in it
 */
export function placeCluster(
  dataDir: string,
  account: Account,
  systemDirectory: string,
  isChosen: boolean,
): Placement {
  const real = realpathSync(dataDir);
  const pointer = readPointer(real);
  if (pointer !== undefined) {
    const place = followPointer(real, pointer, account);
    if (!isChosen) return place;
    throw new Error(
      `The database of ${real} lies in ${place.home}, where an earlier version has put it. Set FIRMQUOTE_DATA_DIR=${place.home}, so that it lies in the folder that the settings name.`,
    );
  }
  if (!account.switched || passesTest(account, '-x', real)) return placement(real, false);
  if (existsSync(join(real, DATA_FOLDER, 'PG_VERSION'))) {
    throw new Error(
      `The user '${account.name}', which runs the database, can no longer reach ${real}. ` +
        'Allow others to pass through each folder above it (chmod o+x).',
    );
  }
  if (isChosen) {
    throw new Error(
      `The user '${account.name}', which runs the database, cannot reach ${real}. Set FIRMQUOTE_DATA_DIR to a folder that it can reach, such as ${join(systemDirectory, 'data')}, let others pass through the folders above this one (chmod o+x), or start as a normal user.`,
    );
  }
  const digest = createHash('sha256').update(real).digest('hex').slice(0, 16);
  return placement(join(systemDirectory, digest), true);
}

/** Makes the home, and writes both halves of the link between it and the data folder. Call it under the lock. */
export function linkPlacement(dataDir: string, place: Placement): void {
  if (!place.elsewhere) return;
  const real = realpathSync(dataDir);
  writeAtomically(join(place.home, OWNER_FILE), `${real}\n`);
  writeAtomically(join(real, POINTER_FILE), `${place.home}\n`);
}

/** Folders above a cluster that is not in the data folder: passable for every user, writable for root only. */
export function makeHome(place: Placement, systemDirectory: string): void {
  if (!place.elsewhere) return;
  mkdirSync(place.home, { recursive: true, mode: 0o755 });
  for (const folder of [systemDirectory, place.home]) {
    const { uid, mode } = statSync(folder);
    if (uid !== 0 || (mode & 0o022) !== 0) {
      throw new Error(
        `${folder} must belong to root and be writable for root only: the database lies in it.`,
      );
    }
  }
}

function followPointer(dataDir: string, home: string, account: Account): Placement {
  const file = join(dataDir, POINTER_FILE);
  if (!account.switched) {
    throw new Error(`The database of ${dataDir} was made by root and lies in ${home}. Start as root again.`);
  }
  // A new, empty database in its place would hide the loss of every trade.
  if (!existsSync(join(home, DATA_FOLDER, 'PG_VERSION'))) {
    throw new Error(
      `The database that ${file} names (${home}) is not there. Bring it back, or delete ${file} to begin an empty one.`,
    );
  }
  const owner = readLine(join(home, OWNER_FILE));
  const ownerIsAlive = owner !== undefined && owner !== dataDir && readPointer(owner) === home;
  if (ownerIsAlive) {
    throw new Error(
      `${dataDir} is a copy of ${owner}, whose database is in ${home}: two folders cannot share one.`,
    );
  }
  return placement(home, true);
}

function placement(home: string, elsewhere: boolean): Placement {
  return { home, data: join(home, DATA_FOLDER), elsewhere };
}

function readPointer(dataDir: string): string | undefined {
  return readLine(join(dataDir, POINTER_FILE));
}

function readLine(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

function writeAtomically(path: string, text: string): void {
  const temporary = `${path}.${randomUUID()}`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}
