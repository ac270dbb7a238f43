import {
  type AccountStatement,
  NO_DETAILS,
  type WrittenEntry,
  writeCamt053,
  writeCamt054,
  writePain002,
} from '@firmquote/bank-formats';
import { type BankEntry, bankReferenceOf, type HouseAccount } from './movement.ts';

/** The bank's words: what it has booked, its days and its refusals, as the files that it sends. */

/** What a notification or statement says of one account. */
export interface AccountEntries {
  readonly account: HouseAccount;
  readonly entries: readonly BankEntry[];
}

export interface AccountDay extends AccountEntries {
  /** UUID of the statement. */
  readonly id: string;
  readonly number: number;
  /** YYYY-MM-DD */
  readonly day: string;
  readonly openingMinor: bigint;
  readonly closingMinor: bigint;
}

/** A payment of the house that the bank does not make. */
export interface Rejection {
  /** Of the payment file that ordered it, and of the block in it; null without one. */
  readonly messageId: string | null;
  readonly paymentInformationId: string | null;
  readonly endToEndId: string;
  readonly uetr: string | null;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** ISO external status reason, such as AC04. */
  readonly reason: string;
}

/**
 * A camt.054: what has just been booked, account by account.
 * @param fileId UUID
 * @param createdAt RFC 3339
 */
export function notificationXml(
  fileId: string,
  createdAt: string,
  accounts: readonly AccountEntries[],
): string {
  return writeCamt054(
    headerOf(fileId, createdAt),
    accounts.map(({ account, entries }, index) => ({
      id: `${plainId(fileId).slice(0, 30)}${index + 1}`,
      account,
      entries: entries.map(entryOf),
    })),
  );
}

/** A camt.053: days that are over, statement by statement. */
export function statementXml(fileId: string, createdAt: string, days: readonly AccountDay[]): string {
  return writeCamt053(
    headerOf(fileId, createdAt),
    days.map(({ id, account, number, day, openingMinor, closingMinor, entries }): AccountStatement => {
      const { currency } = account;
      const opening = { minor: openingMinor, currency, date: day };
      const closing = { minor: closingMinor, currency, date: day };
      return { id: plainId(id), account, number, opening, closing, entries: entries.map(entryOf) };
    }),
  );
}

/** A pain.002 that rejects payments of one payment file: all of them are of the same. */
export function statusReportXml(fileId: string, createdAt: string, rejections: readonly Rejection[]): string {
  return writePain002(
    { ...headerOf(fileId, createdAt), originalMessageId: rejections[0]?.messageId ?? null },
    rejections.map(({ paymentInformationId, endToEndId, uetr, amountMinor, currency, reason }) => ({
      status: 'RJCT',
      reasonCode: reason,
      originalId: paymentInformationId,
      instructionId: endToEndId,
      ...{ endToEndId, uetr, amountMinor, currency },
    })),
  );
}

function headerOf(fileId: string, createdAt: string) {
  return { id: plainId(fileId), createdAt };
}

/** Identifications in these messages have at most 35 characters. */
function plainId(uuid: string): string {
  return uuid.replaceAll('-', '');
}

function entryOf(entry: BankEntry): WrittenEntry {
  const { id, direction, amountMinor, bookingDate, valueDate, originalId } = entry;
  return {
    ...{ direction, amountMinor, bookingDate, valueDate },
    status: 'booked',
    bankReference: bankReferenceOf(id),
    transactionCode: codeOf(entry),
    details: [
      {
        ...NO_DETAILS,
        kind: entry.kind === 'return' ? 'return' : 'payment',
        amountMinor,
        endToEndId: entry.endToEndId,
        uetr: entry.uetr,
        paymentInformationId: entry.paymentInformationId,
        remittanceText: entry.remittanceText,
        counterpartyName: entry.counterpartyName,
        counterpartyAccount: entry.counterpartyAccount,
        returnReason: entry.returnReason,
        originalReference: originalId === null ? null : bankReferenceOf(originalId),
      },
    ],
  };
}

/** Domain, family and subfamily of ISO 20022's bank transaction codes. */
function codeOf({ kind, direction }: BankEntry): string {
  if (kind === 'charge') return 'ACMT/MDOP/CHRG';
  if (kind === 'interest') return 'ACMT/MCOP/INTR';
  // What comes back belongs to the family of the payment that went the other way.
  const isReceived = (direction === 'credit') !== (kind === 'return');
  return `PMNT/${isReceived ? 'RCDT' : 'ICDT'}/${kind === 'return' ? 'RRTN' : 'OTHR'}`;
}
