/** Test files of whole installations, and of programs that load them: they run when a word names them, and in `.ci/run`. */
export const DRILLS: readonly string[] = ['packages/service/test/drills/', 'bench/', 'simulator/', 'soak/'];

export function isDrill(file: string): boolean {
  return DRILLS.some((folder) => file.startsWith(folder));
}

/** Drills that say something of the database itself: another one may answer otherwise, and the rest is the same on all. */
const OF_DATABASE =
  /\/drills\/(database-faults|full-disk|keys|migrate|replication|rolling-upgrade)\.test\.ts$/;

/** Whether a file is worth a run on another database. */
export function asksDatabase(file: string): boolean {
  return !isDrill(file) || OF_DATABASE.test(file);
}
