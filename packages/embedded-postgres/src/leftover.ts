import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, runAs } from './account.ts';

/** How long a left-over server gets for a shutdown with a checkpoint, then for one without, then for dying. */
const PATIENCE_MS = { SIGINT: 30_000, SIGQUIT: 10_000, SIGKILL: 5_000 } as const;
const POLL_MS = 50;

/**
 * Ends what is left of an earlier server on a data folder, and clears a lock file that would refuse the start. Only
 * for a caller that holds the cluster's lock: whatever runs then has lost its service.
 *
 * The postmaster is asked first; its children can outlive it for a moment when it was killed. Nothing may write to the
 * files any more before postmaster.pid is removed, which is PostgreSQL's own guard against two servers.
 */
export async function endLeftover(
  data: string,
  account: Account,
  log: (message: string) => void,
): Promise<void> {
  if (!existsSync(data)) return;
  const lockFile = join(data, 'postmaster.pid');
  if (clusterProcesses(data, account).length > 0) {
    log('PostgreSQL of an earlier start is still running; stopping it.');
    await endAll(data, account);
  }
  // PostgreSQL itself clears a lock file whose process is gone. One whose process id has come to be somebody else's,
  // or whose process nobody has reaped, it believes: in a container that is no rare case.
  const pid = postmasterPid(lockFile);
  if (pid !== undefined && sendSignal(pid, 0)) rmSync(lockFile);
  // The socket has a lock file of its own with the same trouble; it guards no data.
  for (const name of readdirSync(data)) if (name.startsWith('.s.PGSQL.')) rmSync(join(data, name));
}

async function endAll(data: string, account: Account): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    const running = clusterProcesses(data, account);
    const postmaster = postmasterPid(join(data, 'postmaster.pid'));
    const canAsk = signal !== 'SIGKILL' && postmaster !== undefined && running.includes(postmaster);
    for (const pid of canAsk ? [postmaster] : running) sendSignal(pid, signal);
    const deadline = performance.now() + PATIENCE_MS[signal];
    while (performance.now() < deadline) {
      if (clusterProcesses(data, account).length === 0) return;
      await sleep(POLL_MS);
    }
  }
  throw new Error(`PostgreSQL of an earlier start cannot be ended (${data}).`);
}

/** Process ids of a running server on these files, postmaster and children. */
export function clusterProcesses(data: string, account: Account): number[] {
  return process.platform === 'linux' ? fromProcFs(data, account) : fromPs(data);
}

/**
 * Every PostgreSQL process has the data folder as its working directory. Asked as the account, since root in a
 * container is not allowed to see the working directory of another user's process.
 */
const LIST_CLUSTER_PROCESSES = `
for process in /proc/[0-9]*; do
  if [ "$process/cwd" -ef "$1" ] && read -r name <"$process/comm" && [ "$name" = postgres ]; then
    echo "\${process#/proc/}"
  fi
done 2>/dev/null
exit 0`;

function fromProcFs(data: string, account: Account): number[] {
  const result = spawnSync('/bin/sh', ['-c', LIST_CLUSTER_PROCESSES, 'sh', data], {
    ...runAs(account),
    encoding: 'utf8',
  });
  if (result.status !== 0)
    throw new Error('Cannot list the processes of PostgreSQL.', { cause: result.error });
  return result.stdout
    .split('\n')
    .filter(Boolean)
    .map((pid) => Number.parseInt(pid, 10));
}

/** Where there is no /proc, the postmaster is known by its command line. */
function fromPs(data: string): number[] {
  const lines = execFileSync('ps', ['-axww', '-o', 'pid=,command='], { encoding: 'utf8' }).split('\n');
  return lines
    .filter((line) => line.includes('postgres') && line.includes(` -D ${data} `))
    .map((line) => Number.parseInt(line, 10));
}

/** Line 1 of postmaster.pid. */
function postmasterPid(lockFile: string): number | undefined {
  if (!existsSync(lockFile)) return undefined;
  const pid = Number.parseInt(readFileSync(lockFile, 'utf8'), 10);
  return pid > 1 ? pid : undefined;
}

/** Whether there was a process to send it to. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
