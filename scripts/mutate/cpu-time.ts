import { readdirSync, readFileSync } from 'node:fs';

/** Of the kernel's clock ticks, which user space sees at this rate on every architecture. */
const TICK_MS = 10;
/** Of /proc/<pid>/stat, from behind the name: process group, and ticks of itself and of children that have ended. */
const GROUP = 2;
const TICKS = [11, 12, 13, 14] as const;

/** CPU time that a process group has used; undefined where the system does not tell (all but Linux). */
export function cpuMillisecondsOf(group: number): number | undefined {
  let names: string[];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return undefined;
  }
  return names.reduce((sum, name) => {
    const fields = statOf(name);
    if (fields[GROUP] !== String(group)) return sum;
    return sum + TICKS.reduce((ticks, at) => ticks + Number.parseInt(fields[at] ?? '0', 10), 0) * TICK_MS;
  }, 0);
}

function statOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    // It has ended meanwhile.
    return [];
  }
}
