export { BackupError, makeBackup, restoreBackup, verifyBackup } from './backup.ts';
export type { EmbeddedPostgres, EmbeddedPostgresOptions } from './embedded-postgres.ts';
export { DataFolderInUse, runningPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
export { hasCluster } from './placement.ts';
