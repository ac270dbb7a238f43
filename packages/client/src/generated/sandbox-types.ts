// Made by `node scripts/generate-client.ts` from @firmquote/api. Change that, not this file.
import type { Open } from '../open.ts';
import type { CalendarDate, CurrencyCode, Instant } from './types.ts';

export type * from './operator-types.ts';
export type * from './types.ts';

export interface SandboxBankAccount {
  /** IBAN or number, as the files name it. */
  readonly account: string;
  readonly currency: CurrencyCode;
  readonly holder: string;
  /** Negative when the account is overdrawn, which is allowed. */
  readonly balance: string;
  /** How many so far, which is the number of the last one. */
  readonly statements: number;
  readonly lastStatementDate: CalendarDate | null;
}

export interface SandboxBankEntry {
  readonly bankReference: string;
  readonly account: string;
  readonly currency: CurrencyCode;
  readonly direction: Open<'credit' | 'debit'>;
  readonly kind: Open<'payment' | 'return' | 'charge' | 'interest'>;
  readonly amount: string;
  readonly bookingDate: CalendarDate;
  readonly valueDate: CalendarDate;
}

export interface SandboxBankFile {
  readonly fileId: string;
  readonly kind: Open<'camt.054' | 'camt.053' | 'pain.002'>;
  /** Its name among the statement files. */
  readonly name: string;
  readonly entries: number;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly createdAt: Instant;
  readonly toldAt: Instant | null;
}

export interface SandboxBankSettings {
  /** Money for a new trade arrives by itself 5 s after execution. */
  readonly autoDeposit: boolean;
  /** fast: paid out 5 s after funding; calendar: on the value date, before the cut-off; runs: released then, and paid only by settlement runs. */
  readonly settlement: Open<'fast' | 'calendar' | 'runs'>;
}

export interface SandboxClock {
  readonly now: Instant;
  /** Business time minus real time; 0 if not moved. */
  readonly offsetMs: number;
}
