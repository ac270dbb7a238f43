import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { depositsInOrder, openExceptionsInOrder, suspenseByAge } from './deposit-store.ts';
import type { Report, Row } from './report.ts';
import { amountText } from './trade-reports.ts';

const HOUR_MS = 3_600_000;
/** Hours at which an age begins. */
const AGES = [0, 24, 72, 168, 720] as const;

/** What nobody's money is yet, by how long it has been so; held against the ledger. */
export const SUSPENSE: Report = {
  name: 'suspense',
  async *rows({ database, now }, parameters) {
    const since = AGES.slice(1).map((hours) => now - hours * HOUR_MS);
    const reported = await suspenseByAge(database, parameters, since);
    const rows: Row[] = [];
    const off: string[] = [];
    for (const currency of new Set(reported.map((row) => row.currency))) {
      const mine = reported.filter((row) => row.currency === currency);
      const ages = mine.filter((row) => row.age !== null);
      for (const { age, deposits, minor } of ages) {
        const index = (age ?? 1) - 1;
        const hours = { ageFromHours: AGES[index] ?? 0, ageToHours: AGES[index + 1] ?? null };
        rows.push({ currency, ...hours, deposits, amount: amountText(minor, currency), check: null });
      }
      const sum = ages.reduce((all, { minor }) => all + BigInt(minor), 0n);
      const booked = BigInt(mine.find((row) => row.age === null)?.minor ?? '0');
      const isEqual = sum === booked;
      if (!isEqual) off.push(currency);
      rows.push({
        ...{ currency, ageFromHours: null, ageToHours: null },
        deposits: ages.reduce((all, { deposits }) => all + deposits, 0),
        amount: amountText(booked, currency),
        check: isEqual ? 'in_ledger' : 'DOES_NOT_ADD_UP',
      });
    }
    if (rows.length > 0) yield rows;
    const alarm = `Deposits in suspense and the suspense account differ in ${off.join(', ')}.`;
    return off.length === 0 ? { balanced: true } : { balanced: false, alarm };
  },
};

/** Work that waits, the longest first. */
export const EXCEPTIONS: Report = {
  name: 'exceptions',
  async *rows({ database, now }, parameters) {
    for await (const open of openExceptionsInOrder(database, parameters)) {
      yield open.map((row) => ({
        exceptionId: typeId('exc', row.id),
        type: row.type,
        reason: row.reason,
        openedAt: isoInstant(row.opened_at),
        ageHours: Math.max(0, Math.trunc((now - row.opened_at) / HOUR_MS)),
        assignee: row.assignee,
        customerId: row.customer_id === null ? null : typeId('cus', row.customer_id),
        depositId: row.deposit_id === null ? null : typeId('dep', row.deposit_id),
        transactionId: row.transaction_id === null ? null : typeId('txn', row.transaction_id),
        withdrawalId: row.withdrawal_id === null ? null : typeId('wdr', row.withdrawal_id),
        entryId: row.entry_id === null ? null : typeId('ste', row.entry_id),
        currency: row.currency,
        inSuspense:
          row.currency === null || row.suspense_minor === null
            ? null
            : amountText(row.suspense_minor, row.currency),
      }));
    }
    return {};
  },
};

/** Every payment that came in, with what became of it. */
export const DEPOSITS: Report = {
  name: 'deposits',
  async *rows({ database }, parameters) {
    for await (const received of depositsInOrder(database, parameters)) {
      yield received.map((row) => ({
        depositId: typeId('dep', row.id),
        receivedAt: isoInstant(row.received_at),
        bookedOn: row.booked_on,
        valueDate: row.value_date,
        account: row.account,
        bankReference: row.bank_reference,
        currency: row.currency,
        amount: amountText(row.amount_minor, row.currency),
        allocated: amountText(row.allocated_minor, row.currency),
        excess: amountText(row.excess_minor, row.currency),
        returned: amountText(row.returned_minor, row.currency),
        status: row.status,
        exceptionType: row.exception_type,
        exceptionReason: row.exception_reason,
        customerId: row.customer_id === null ? null : typeId('cus', row.customer_id),
        remitterName: row.remitter_name,
        remitterAccount: row.remitter_account,
        isLate: row.is_late,
        judgedBy: row.judged_by,
      }));
    }
    return {};
  },
};
