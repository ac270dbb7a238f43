import type { Logger } from '../platform/logger.ts';
import type { Migrated } from './migrate.ts';

/** Of a start: nothing, where nothing was done. */
export function reportMigrated({ applied, defined, granted, newer }: Migrated, logger: Logger): void {
  if (applied.length > 0 || defined.length > 0 || granted.length > 0)
    logger.info(
      { migrations: applied, definitions: defined.length, grants: granted.length },
      'database migrated',
    );
  if (newer.length > 0)
    logger.warn({ migrations: newer }, 'a newer version has migrated the database; this one can run with it');
}
