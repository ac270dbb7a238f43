/** Test files of whole installations, and of programs that load them: they run when a word names them, and in `.ci/run`. */
export const DRILLS: readonly string[] = ['packages/service/test/drills/', 'bench/', 'simulator/', 'soak/'];

export function isDrill(file: string): boolean {
  return DRILLS.some((folder) => file.startsWith(folder));
}
