import { pendingPayments } from '../payments/room.ts';
import { isoInstant } from '../platform/clock.ts';
import type { Report, ReportParameters, Row } from './report.ts';
import { amountText } from './trade-reports.ts';
import { type LadderRow, proceedsForBalances, readLadder } from './trade-store.ts';

/** What one day brings in and takes out of one currency, in minor units. */
interface Rung {
  readonly valueDate: string;
  readonly currency: string;
  tradesIn: number;
  expected: bigint;
  received: bigint;
  outstanding: bigint;
  tradesOut: number;
  toPay: bigint;
  toBalances: bigint;
  otherPayments: number;
  otherToPay: bigint;
}

/**
 * What comes in and goes out on each day: of open trades on their value date, and of other payments on the day of their run, or today,
 * since the next run takes them.
 */
export const SETTLEMENT_LADDER: Report = {
  name: 'settlement-ladder',
  async *rows({ database, now }, parameters) {
    const ladder = new Ladder(await readLadder(database, parameters));
    for (const kept of await proceedsForBalances(database, parameters)) {
      const rung = ladder.at(kept.value_date, kept.currency);
      rung.toPay -= BigInt(kept.minor);
      rung.toBalances += BigInt(kept.minor);
    }
    const today = isoInstant(now).slice(0, 10);
    for (const pending of await pendingPayments(database, parameters.currency)) {
      const day = pending.execution_date ?? today;
      if (!isWithin(day, parameters)) continue;
      const rung = ladder.at(day, pending.currency);
      rung.otherPayments += pending.payments;
      rung.otherToPay += BigInt(pending.to_pay);
    }
    yield ladder.rungs().map(rowOf);
    return {};
  },
};

class Ladder {
  readonly #rungs: Map<string, Rung>;

  constructor(rows: readonly LadderRow[]) {
    this.#rungs = new Map(rows.map((row) => [keyOf(row.value_date, row.currency), rungOf(row)]));
  }

  at(valueDate: string, currency: string): Rung {
    const key = keyOf(valueDate, currency);
    const found = this.#rungs.get(key) ?? emptyRung(valueDate, currency);
    this.#rungs.set(key, found);
    return found;
  }

  /** By day and currency. */
  rungs(): Rung[] {
    return [...this.#rungs].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, rung]) => rung);
  }
}

function keyOf(valueDate: string, currency: string): string {
  return `${valueDate} ${currency}`;
}

function emptyRung(valueDate: string, currency: string): Rung {
  return {
    ...{
      valueDate,
      currency,
      tradesIn: 0,
      expected: 0n,
      received: 0n,
      outstanding: 0n,
      tradesOut: 0,
      toPay: 0n,
    },
    ...{ toBalances: 0n, otherPayments: 0, otherToPay: 0n },
  };
}

function rungOf(row: LadderRow): Rung {
  return {
    ...emptyRung(row.value_date, row.currency),
    tradesIn: row.trades_in,
    expected: BigInt(row.expected),
    received: BigInt(row.received),
    outstanding: BigInt(row.outstanding),
    tradesOut: row.trades_out,
    toPay: BigInt(row.to_pay),
  };
}

function isWithin(day: string, { fromDate, toDate }: ReportParameters): boolean {
  return (fromDate === undefined || day >= fromDate) && (toDate === undefined || day <= toDate);
}

function rowOf({ valueDate, currency, tradesIn, tradesOut, otherPayments, ...minor }: Rung): Row {
  const text = (amount: bigint): string => amountText(amount, currency);
  return {
    valueDate,
    currency,
    tradesIn,
    expected: text(minor.expected),
    received: text(minor.received),
    outstanding: text(minor.outstanding),
    tradesOut,
    toPay: text(minor.toPay),
    toBalances: text(minor.toBalances),
    otherPayments,
    otherToPay: text(minor.otherToPay),
    net: text(minor.outstanding - minor.toPay - minor.otherToPay),
  };
}
