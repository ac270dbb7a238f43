import type { Queryable } from '../database/pool.ts';
import { auditLine } from './line.ts';
import { type AuditRow, auditByNumber, countAudit, lastAuditNumber, readAudit } from './store.ts';

export type LogName = 'audit' | 'journal';

/** A row of a log: what it is found by, and what of it is hashed. */
export interface LogLine {
  readonly key: string;
  readonly line: string;
}

/** Rows in the order of a key that they keep. */
export interface SealedLog {
  readonly name: LogName;
  /** Before the key of every row. */
  readonly start: string;
  /** Up to which key rows may be sealed now; few come later that belong before it. */
  boundary(database: Queryable): Promise<string>;
  /** The key that a row of a business instant has at least, where keys hold the time. */
  keyAt?(instant: number): string;
  /** Rows after a key and up to another one, in order. */
  lines(database: Queryable, after: string, through: string, rowsMax: number): Promise<LogLine[]>;
  byKeys(database: Queryable, keys: readonly string[]): Promise<LogLine[]>;
  count(database: Queryable, after: string, through: string): Promise<number>;
  isAfter(key: string, other: string): boolean;
}

/** A row is written at the end of its transaction. */
const UNDER_WAY_MS = 3_000;

const lineOf = (row: AuditRow): LogLine => ({ key: row.number, line: auditLine(row) });

/** The audit trail as a log, in the order of its numbers. @param now real time */
export function auditLines(now: () => number): SealedLog {
  return {
    name: 'audit',
    start: '0',
    boundary: (database) => lastAuditNumber(database, now() - UNDER_WAY_MS),
    async lines(database, after, through, rowsMax) {
      return (await auditByNumber(database, after, through, rowsMax)).map(lineOf);
    },
    async byKeys(database, keys) {
      return (await readAudit(database, keys)).map(lineOf);
    },
    count: countAudit,
    isAfter: (key, other) => BigInt(key) > BigInt(other),
  };
}
