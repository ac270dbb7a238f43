export { BackupError, makeBackup, restoreBackup, verifyBackup } from './backup.ts';
export type { Binaries } from './binaries.ts';
export type { EmbeddedPostgres, EmbeddedPostgresOptions } from './embedded-postgres.ts';
export { DataFolderInUse, runningPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
export { SERVICE_ROLE } from './initialise.ts';
export { hasCluster } from './placement.ts';
