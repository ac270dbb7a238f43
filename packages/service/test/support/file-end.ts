import { after } from 'node:test';

type Work = () => unknown;

let ofFile: Work[] = [];
const ofEachFile: Work[] = [];

/** Work for when the tests of the file that runs are over, last come first served. */
export function whenFileEnds(work: Work): void {
  ofFile.push(work);
}

/** Work for the end of each test file of the process, behind that of the file. */
export function atEachFileEnd(work: Work): void {
  ofEachFile.push(work);
}

/** Does all of it, so that nothing is left behind by a failure, which is thrown afterwards. */
export async function endFile(): Promise<void> {
  const works = [...ofFile.reverse(), ...ofEachFile];
  ofFile = [];
  const failures: unknown[] = [];
  for (const work of works) {
    try {
      await work();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

// A file with a process of its own. Where several share one, the runner ends each of them (scripts/test-group.ts).
after(endFile);
