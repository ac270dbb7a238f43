import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * A test file that hangs is named and ends, instead of holding up everything behind it. The longest takes half a minute
 * on a machine of its own, and twenty times that where others keep all cores busy.
 */
export const TEST_LIMIT_MS = 900_000;
/**
 * Loading the service and compiling what is hot costs a second and a half, whatever the number of files behind it; with more
 * of them in a process, the last processes leave cores idle.
 */
const GROUP_SIZE = 30;
/** What files are taken to need that have not run yet: groups begin, and programs fill what is left over at the end. */
const UNKNOWN_MS = 2_000;
const UNKNOWN_ALONE_MS = 12_000;

/**
 * What a test file that must be the only one of its process says somewhere: that it changes what all code of the process
 * sees, measures the process, or lives on programs of its own, which share nothing anyway. A file that is found by
 * mistake costs the time of a process.
 */
const OWN_PROCESS: readonly RegExp[] = [
  /\bprocess\.(abort|chdir|emit|exit|exitCode|off|on|once|removeListener|setuid|setgid|umask)\b/,
  /\bprocess\.(memoryUsage|cpuUsage|resourceUsage|constrainedMemory|availableMemory)\b/,
  /\bprocess\.env(\.\w+|\[[^\]]*\])\s*(=[^=]|\?\?=|\|\|=)|delete process\.env|Object\.assign\(process\.env/,
  /\bmock\./,
  /\bglobal(This)?\.\w+\s*=[^=]/,
  /\b(assign|defineProperty|defineProperties)\(global(This)?\b/,
  /\bprototype\.\w+\s*=[^=]/,
  /'node:(v8|vm|worker_threads|cluster|inspector|perf_hooks|async_hooks)'/,
  // A regular expression has an `exec` too.
  /(?<![.\w])(spawn|exec|execFile|fork|startService|runProgram)\(/,
  /\b(startEmbeddedPostgres|startForTest)\b/,
];

/** How long each file took when it ran last, ms. */
export type FileTimes = Readonly<Record<string, number>>;

export function needsOwnProcess(source: string): boolean {
  return OWN_PROCESS.some((pattern) => pattern.test(source));
}

/**
 * Neighbours share a process, since they use the same code; the longest begin first, so that none is left over at the
 * end. Who is with whom depends on the files alone, so that a failure comes again.
 */
export function groupTests(
  files: readonly string[],
  source: (file: string) => string,
  times: FileTimes = {},
  size = GROUP_SIZE,
): string[][] {
  const all = Map.groupBy(files.toSorted(), (file) => needsOwnProcess(source(file)));
  const alone = all.get(true) ?? [];
  const sharing = all.get(false) ?? [];
  const groups = alone.map((file) => ({ files: [file], ms: times[file] ?? UNKNOWN_ALONE_MS }));
  for (let i = 0; i < sharing.length; i += size) {
    const group = sharing.slice(i, i + size);
    groups.push({ files: group, ms: group.reduce((sum, file) => sum + (times[file] ?? UNKNOWN_MS), 0) });
  }
  return groups.sort((a, b) => b.ms - a.ms).map((group) => group.files);
}

/** A program for each group, for the test runner of Node, which starts them in the order of their names. */
export function writePrograms(groups: readonly (readonly string[])[], folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const runner = JSON.stringify(join(import.meta.dirname, 'test-group.ts'));
  return groups.map((files, index) => {
    const path = join(folder, `${String(index).padStart(4, '0')}.test.mjs`);
    const lines = [`import { runGroup } from ${runner};`, `await runGroup(${JSON.stringify(files)});`, ''];
    writeFileSync(path, lines.join('\n'));
    return path;
  });
}

export function readTimes(path: string): FileTimes {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // There was no run, or it was interrupted while it wrote.
    return {};
  }
}

export function writeTimes(path: string, times: FileTimes): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(times));
}
