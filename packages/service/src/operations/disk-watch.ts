import { statfs } from 'node:fs/promises';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import type { Metrics } from './metrics.ts';

const LOOK_EVERY_MS = 10_000;

interface DiskWatch {
  /** PGDATA of the embedded database. */
  readonly folder: string;
  readonly warningBytes: bigint;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Watches the room that is left for the embedded database: reported in the metrics, and in the log when it runs short. */
export function diskSweep({ folder, warningBytes, logger, metrics }: DiskWatch): Sweep {
  let free: bigint | undefined;
  let reportedShort = false;
  metrics.watchDisk(() => free, warningBytes);
  const look = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(folder, { bigint: true });
    free = bavail * bsize;
    const isShort = free < warningBytes;
    if (isShort && !reportedShort)
      logger.warn({ folder, freeBytes: free.toString() }, 'the disk of the database is running full');
    reportedShort = isShort;
    return 0;
  };
  return {
    name: 'watch_disk',
    does: 'Checks the free disk space of the embedded database, and warns if it is low.',
    everyMs: LOOK_EVERY_MS,
    isHousekeeping: true,
    fromTheStart: true,
    run: look,
  };
}
