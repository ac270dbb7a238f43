import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type Account, accountOf, findAccount } from './account.ts';
import { type Binaries, packagedBinaries, readableBinaries } from './binaries.ts';
import { ensureCluster, ROLE } from './initialise.ts';
import { type InstanceLock, takeInstanceLock } from './instance-lock.ts';
import { endLeftover } from './leftover.ts';
import { madeForFolder, otherOwner } from './ownership.ts';
import { closeToOthers, clusterOwner, linkPlacement, makeHome, placeCluster } from './placement.ts';
import { type ServerEnd, startServer } from './server.ts';
import { openServerLog } from './server-log.ts';
import { openSocketDirectory, SOCKET_PORT } from './socket-directory.ts';

const DATABASE = 'firmquote';
const LOG_LINES_IN_ERROR = 10;
const SYSTEM_DIRECTORY = '/var/lib/firmquote';
/** In `postmaster.pid`, counted from 0; see PostgreSQL's miscadmin.h, LOCK_FILE_LINE_SOCKET_DIR. */
const SOCKET_LINE = 4;

export interface EmbeddedPostgresOptions {
  /** The service's data folder; made when missing. */
  readonly dataDir: string;
  /** Gets a line for what an operator wants to know: where the data are, a first initialisation, a slow recovery. */
  readonly log?: (message: string) => void;
  /** False gives up safety against power loss for speed, for clusters that are thrown away. Default true. */
  readonly durable?: boolean;
  /** Connections that it takes, where that is more than usual. */
  readonly connections?: number;
  /** Another PostgreSQL than the packaged one. */
  readonly binaries?: Binaries;
  /** Whether somebody has named the folder, so that the database must lie in it. Default true. */
  readonly isChosen?: boolean;
  /** Where root puts what the database's user cannot reach in the data folder or the checkout. */
  readonly systemDirectory?: string;
}

export interface EmbeddedPostgres {
  /** For `new pg.Pool`. */
  readonly poolOptions: { host: string; port: number; user: string; database: string; ssl: false };
  /** The same as a URL; the socket's folder stands percent-encoded in the place of the host. */
  readonly connectionString: string;
  /** Process id of the postmaster. */
  readonly pid: number;
  /** PGDATA. */
  readonly dataDir: string;
  /** Resolves when the server has ended, by `stop` or by itself. */
  readonly ended: Promise<ServerEnd>;
  /** Shuts the server down (open connections are closed) and gives the data folder free. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts the service's own PostgreSQL on the cluster of a data folder, which is made on the first start. It listens on
 * a Unix socket only, and ends with this process, however that ends.
 *
 * @throws Error with one clear message when another process runs it already, when its files are of another version or
 *   owner, or when it does not start.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {});
  const durable = options.durable ?? true;
  const { systemDirectory, ownerUid, account, place, lock } = holdCluster(options);
  try {
    const binaries = readableBinaries(account, options.binaries ?? packagedBinaries(), systemDirectory);
    const { connections } = options;
    const data = join(realpathSync(place.home), 'postgres');
    const cluster = { data, account, binaries, durable, connections };
    const before = ownerUid === undefined || !account.switched ? account : (accountOf(ownerUid) ?? account);
    await endLeftover(cluster.data, before, log);
    if (before.uid !== account.uid)
      log(`The database belonged to the user '${before.name}' and belongs to '${account.name}' from now on.`);
    const isNew = await ensureCluster(cluster);
    linkPlacement(options.dataDir, place);
    if (isNew && durable) log(`Made a new PostgreSQL ${binaries.major} database.`);
    if (place.elsewhere)
      log(
        `The user '${account.name}', which runs the database, cannot reach ${options.dataDir}: the database is in ${place.home}. Keep both folders, or set FIRMQUOTE_DATA_DIR=${place.home} to have everything there.`,
      );
    return await startCluster({ ...cluster, log }, join(options.dataDir, 'postgres.log'), lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Where the cluster of the data folder lies, or will lie, and the lock that keeps every other process from it. */
function holdCluster(options: EmbeddedPostgresOptions) {
  const systemDirectory = options.systemDirectory ?? SYSTEM_DIRECTORY;
  mkdirSync(options.dataDir, { recursive: true });
  const ownerUid = clusterOwner(options.dataDir);
  // Who has the folder runs the service on it, also where root is the first to make a database in it.
  const account = findAccount(ownerUid ?? otherOwner(options.dataDir)?.uid);
  closeToOthers(options.dataDir, account);
  const place = placeCluster(options.dataDir, account, systemDirectory, options.isChosen ?? true);
  makeHome(place, systemDirectory);
  const lock = lockCluster(join(place.home, 'postgres.lock'), options.dataDir);
  return { systemDirectory, ownerUid, account, place, lock };
}

/**
 * Does something with the files of the cluster while no server runs on them.
 * @param work gets PGDATA, which may not be there
 * @throws DataFolderInUse
 */
export async function withCluster(
  options: EmbeddedPostgresOptions,
  work: (data: string, account: Account) => Promise<void>,
): Promise<void> {
  const { place, lock, account } = holdCluster(options);
  try {
    await work(place.data, account);
    linkPlacement(options.dataDir, place);
  } finally {
    lock.release();
  }
}

/** A service runs on the data folder. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse';

  constructor(dataDir: string) {
    super(`Another Firmquote is running on the data folder ${dataDir}. Stop it, or choose another folder.`);
  }
}

/**
 * How the PostgreSQL that another process has started on a data folder is reached: by the socket that it names in PGDATA.
 * @throws Error when it does not run, or belongs to another user
 */
export function runningPostgres(
  dataDir: string,
  isChosen: boolean,
  systemDirectory = SYSTEM_DIRECTORY,
): EmbeddedPostgres['poolOptions'] {
  const { data } = placeCluster(dataDir, findAccount(clusterOwner(dataDir)), systemDirectory, isChosen);
  const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  const host = lines[SOCKET_LINE] ?? '';
  if (host === '') throw new Error(`${data} names no socket`);
  return { host, port: SOCKET_PORT, user: ROLE, database: DATABASE, ssl: false };
}

function lockCluster(path: string, dataDir: string): InstanceLock {
  const lock = madeForFolder(path, () => takeInstanceLock(path));
  if (lock === undefined) {
    throw new DataFolderInUse(dataDir);
  }
  return lock;
}

type ClusterToStart = Parameters<typeof ensureCluster>[0] & { readonly log: (message: string) => void };

async function startCluster(
  cluster: ClusterToStart,
  logPath: string,
  lock: InstanceLock,
): Promise<EmbeddedPostgres> {
  const serverLog = madeForFolder(logPath, () => openServerLog(logPath));
  const socket = openSocketDirectory(cluster.data, cluster.account);
  const close = (): void => {
    socket.remove();
    serverLog.close();
  };
  try {
    const server = await startServer({ ...cluster, socketDirectory: socket.path, logFile: serverLog.file });
    const poolOptions = {
      host: socket.path,
      port: SOCKET_PORT,
      user: ROLE,
      database: DATABASE,
      ssl: false,
    } as const;
    try {
      await ensureDatabase(poolOptions);
    } catch (error) {
      await server.stop();
      throw error;
    }
    let stopped: Promise<void> | undefined;
    const stop = (): Promise<void> => {
      stopped ??= server.stop().finally(() => {
        close();
        lock.release();
      });
      return stopped;
    };
    const connectionString = `postgresql://${ROLE}@${encodeURIComponent(socket.path)}:${SOCKET_PORT}/${DATABASE}`;
    return {
      poolOptions,
      connectionString,
      pid: server.pid,
      dataDir: cluster.data,
      ended: server.ended,
      stop,
    };
  } catch (error) {
    const tail = serverLog.tail(LOG_LINES_IN_ERROR);
    close();
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`The embedded database did not start: ${message}\n${tail}`.trim(), { cause: error });
  }
}

/** Also the proof that this process can connect. */
async function ensureDatabase(options: pg.ClientConfig): Promise<void> {
  const client = new pg.Client({ ...options, database: 'postgres' });
  await client.connect();
  try {
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}
