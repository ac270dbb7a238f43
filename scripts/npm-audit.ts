import { spawnSync } from 'node:child_process';
import process from 'node:process';

/** Faults that are known of the packages that the service runs on, as the registry tells them. */

/** From this severity on a fault ends the check. */
const LEVELS: readonly string[] = ['high', 'critical'];
const LIMIT_MS = 60_000;

export interface Audit {
  /** Why nobody could be asked. */
  readonly unasked?: string;
  /** Packages with known faults that are grave, a line for each. */
  readonly grave: readonly string[];
}

export function auditPackages(folder: string): Audit {
  const { stdout, stderr, error } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    timeout: LIMIT_MS,
  });
  return readAudit(stdout ?? '', error?.message ?? stderr);
}

/** npm's exit code is 1 for faults and for a registry that tells of none. */
export function readAudit(stdout: string, stderr: string): Audit {
  const answer = parse(stdout);
  if (answer?.vulnerabilities === undefined) {
    const reason = answer?.message ?? stderr.trim().split('\n').at(-1);
    return { unasked: reason || 'npm said nothing', grave: [] };
  }
  const grave = Object.values(answer.vulnerabilities)
    .filter(({ severity }) => LEVELS.includes(severity))
    .map(({ name, severity, range }) => `${name} ${range}: ${severity}`);
  return { grave };
}

interface Answer {
  readonly message?: string;
  readonly vulnerabilities?: Readonly<
    Record<string, { readonly name: string; readonly severity: string; readonly range: string }>
  >;
}

function parse(text: string): Answer | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
