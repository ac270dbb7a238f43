import type { Connection } from '../database/pool.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { exceptionSweep } from './exception-sweep.ts';
import type { ExceptionsRoom } from './room.ts';
import { reportedLogFaults } from './state-exception-store.ts';

/** What the verification of a sealed log has found. */
interface FoundFault {
  readonly log: string;
  readonly fault: string;
  readonly key: string | undefined;
  readonly seal: string;
}

/**
 * A row of the audit trail or the journal that does not match its seal is work for people (`log_fault`), reported once, however often
 * it is found and by how many instances. No machine closes it: what has happened to the row is for a person to find out, and to say.
 */
export function logFaultSweep(room: ExceptionsRoom, found: () => readonly FoundFault[]): Sweep {
  return exceptionSweep(room, {
    name: 'report_log_faults',
    does: 'Opens exceptions for rows of the audit trail and the journal that do not match their seals.',
    everyMs: 15_000,
    lock: 'log_faults',
    over: async () => [],
    arisen: (connection) => newFaults(connection, found()),
  });
}

async function newFaults(connection: Connection, found: readonly FoundFault[]) {
  if (found.length === 0) return [];
  const faults = new Map(found.map((each) => [nameOf(each), each]));
  for (const reported of await reportedLogFaults(connection, [...faults.keys()])) faults.delete(reported);
  return Array.from(faults, ([logFault, { fault }]) => ({
    type: 'log_fault' as const,
    reason: fault,
    customerId: null,
    transactionId: null,
    logFault,
  }));
}

function nameOf({ log, fault, key, seal }: FoundFault): string {
  return `${log}, seal ${seal}: ${fault}${key === undefined ? '' : ` ${key}`}`;
}
