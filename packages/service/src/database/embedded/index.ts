export type { EmbeddedPostgres, EmbeddedPostgresOptions } from './embedded-postgres.ts';
export { DataFolderInUse, runningPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
