import type { CurrencyStatement, CustomerStatement } from '@firmquote/api/operations/customer-documents';
import type { Queryable } from '../database/pool.ts';
import { type CustomerMovement, customerBalances, customerMovements } from '../ledger/customer-account.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { csvLine } from './csv.ts';
import type { Row } from './report.ts';
import { referencesOf } from './statement-store.ts';
import { amountText } from './trade-reports.ts';

/** Lines that a statement may have. */
const STATEMENT_LINES_MAX = 10_000; // limit

const STATEMENT_COLUMNS = [
  'currency',
  'at',
  'type',
  'transactionId',
  'reference',
  'clientReference',
  'debit',
  'credit',
  'balance',
  'depositId',
  'withdrawalId',
] as const;

/**
 * What was traded, paid in and paid out, with the balance after each, by currency. Positive balances are owed to the
 * customer. A credit is in the customer's favour: a payment that arrived, a bought amount to be paid out.
 * @throws Problem report_too_large
 */
export async function readCustomerStatement(
  database: Queryable,
  customerId: string,
  range: { readonly from: number; readonly to: number },
  currency: string | undefined,
  now: number,
): Promise<CustomerStatement> {
  const wanted = { ...range, currency };
  const movements = await customerMovements(database, customerId, wanted, STATEMENT_LINES_MAX + 1);
  if (movements.length > STATEMENT_LINES_MAX) {
    throw new Problem('report_too_large', `The statement has more than ${STATEMENT_LINES_MAX} lines.`, {
      members: { limit: STATEMENT_LINES_MAX, report: 'statement' },
    });
  }
  const opening = await customerBalances(database, customerId, range.from);
  const references = await referencesOf(database, customerId, idsOf(movements));
  const byCurrency = Map.groupBy(movements, (movement) => movement.currency);
  const codes = [...new Set([...opening.keys(), ...byCurrency.keys()])]
    .filter((code) => currency === undefined || code === currency)
    .sort();
  return {
    from: isoInstant(range.from),
    to: isoInstant(range.to),
    generatedAt: isoInstant(now),
    currencies: codes.map((code) =>
      currencyStatement(code, opening.get(code) ?? 0n, byCurrency.get(code) ?? [], references),
    ),
  };
}

function idsOf(movements: readonly CustomerMovement[]): string[] {
  return [...new Set(movements.flatMap((movement) => namedBy(movement) ?? []))];
}

/** Kinds of what is booked and reversed by hand. */
const BY_HAND: ReadonlySet<string> = new Set(['balance_topped_up', 'top_up_reversed']);

/** What a movement has its references from. A top-up that was booked by hand has the id of its entry, unless a deposit takes its place. */
function namedBy(movement: CustomerMovement): string | null {
  const { transactionId, withdrawalId, depositId, kind, entryId } = movement;
  return transactionId ?? withdrawalId ?? (BY_HAND.has(kind) ? (depositId ?? entryId) : null);
}

function currencyStatement(
  currency: string,
  opening: bigint,
  movements: readonly CustomerMovement[],
  references: Awaited<ReturnType<typeof referencesOf>>,
): CurrencyStatement {
  const text = (minor: bigint) => amountText(minor, currency);
  let balance = opening;
  const lines = movements.map((movement) => {
    const { at, kind, transactionId, depositId, withdrawalId, amount } = movement;
    balance += amount;
    const reference = references.get(namedBy(movement) ?? '');
    return {
      at: isoInstant(at),
      type: kind,
      transactionId: transactionId === null ? null : typeId('txn', transactionId),
      reference: reference?.reference ?? null,
      clientReference: reference?.clientReference ?? null,
      debit: amount < 0n ? text(-amount) : null,
      credit: amount > 0n ? text(amount) : null,
      balance: text(balance),
      depositId: depositId === null ? null : typeId('dep', depositId),
      withdrawalId: withdrawalId === null ? null : typeId('wdr', withdrawalId),
    };
  });
  return { currency, openingBalance: text(opening), closingBalance: text(balance), lines };
}

/** The same as one table: each currency begins with its opening balance and ends with its closing one. */
export function statementCsv({ from, to, currencies }: CustomerStatement): string {
  const write = (row: Row) => csvLine(STATEMENT_COLUMNS.map((column) => row[column] ?? null));
  const body = currencies.flatMap(({ currency, openingBalance, closingBalance, lines }) => [
    write({ currency, at: from, type: 'opening_balance', balance: openingBalance }),
    ...lines.map((line) => write({ currency, ...line })),
    write({ currency, at: to, type: 'closing_balance', balance: closingBalance }),
  ]);
  return csvLine(STATEMENT_COLUMNS) + body.join('');
}
