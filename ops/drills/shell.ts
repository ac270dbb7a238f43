import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';

/** Programs that a drill needs, of which most machines lack one or another. */

/** Where Debian has programs for administrators, which are not on everybody's path. */
const MORE = ['/usr/sbin', '/sbin'];

export function has(program: string): boolean {
  return [...(process.env.PATH ?? '').split(delimiter), ...MORE].some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Why a drill is skipped here, or false. */
export function skipWithout(rights: 'root' | 'anybody', ...programs: string[]): string | false {
  if (process.platform !== 'linux') return 'it is for Linux';
  if (rights === 'root' && process.getuid?.() !== 0) return 'it takes root';
  const missing = programs.filter((program) => !has(program));
  return missing.length > 0 && `there is no ${missing.join(', no ')} here`;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** As which user. */
  readonly uid?: number;
  readonly gid?: number;
}

/** Runs a program to its end, whatever that is. */
export function attempt(program: string, args: readonly string[], options: RunOptions = {}) {
  const PATH = [process.env.PATH, ...MORE].join(delimiter);
  return spawnSync(program, args, {
    ...options,
    env: { ...process.env, PATH, ...options.env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** @returns what it has written */
export function run(program: string, args: readonly string[], options: RunOptions = {}): string {
  const ended: SpawnSyncReturns<string> = attempt(program, args, options);
  if (ended.status === 0) return ended.stdout;
  const reported = ended.error?.message ?? `${ended.stdout}${ended.stderr}`.slice(-3_000);
  throw new Error(`${program} ${args.join(' ')}: ${ended.signal ?? ended.status}\n${reported}`);
}
