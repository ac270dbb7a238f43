import type { CurrencyStatement, CustomerStatement } from '@firmquote/api/operations/customer-documents';
import type { Queryable } from '../database/pool.ts';
import {
  type CustomerMovement,
  customerBalances,
  customerMovements,
  debtMovements,
  debtReason,
  debtsBefore,
} from '../ledger/customer-account.ts';
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
  'debtReason',
  'debtBooked',
  'debtReleased',
  'debt',
] as const;

/**
 * What was traded, paid in and paid out, with the balance after each, by currency. Positive balances are owed to the
 * customer. A credit is in the customer's favour: a payment that arrived, a bought amount to be paid out. What of the balance is a debt
 * apart from open trades is stated by itself.
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
  const rowsMax = STATEMENT_LINES_MAX + 1;
  const movements = await customerMovements(database, customerId, wanted, rowsMax);
  const debts = await debtMovements(database, customerId, wanted, rowsMax);
  if (Math.max(movements.length, debts.length) > STATEMENT_LINES_MAX) {
    throw new Problem('report_too_large', `The statement has more than ${STATEMENT_LINES_MAX} lines.`, {
      members: { limit: STATEMENT_LINES_MAX, report: 'statement' },
    });
  }
  const opening = await customerBalances(database, customerId, range.from);
  const openingDebts = await debtsBefore(database, customerId, range.from);
  const references = await referencesOf(database, customerId, idsOf([...movements, ...debts]));
  const byCurrency = Map.groupBy(movements, (movement) => movement.currency);
  const debtsByCurrency = Map.groupBy(debts, (movement) => movement.currency);
  const codes = [...new Set([...opening.keys(), ...byCurrency.keys(), ...debtsByCurrency.keys()])]
    .filter((code) => currency === undefined || code === currency)
    .sort();
  return {
    from: isoInstant(range.from),
    to: isoInstant(range.to),
    generatedAt: isoInstant(now),
    currencies: codes.map((code) => ({
      ...currencyStatement(code, opening.get(code) ?? 0n, byCurrency.get(code) ?? [], references),
      debt: debtStatement(code, openingDebts.get(code) ?? 0n, debtsByCurrency.get(code) ?? [], references),
    })),
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

type ReferencesOfAll = Awaited<ReturnType<typeof referencesOf>>;

function lineView(
  movement: CustomerMovement,
  type: string,
  balance: bigint,
  references: ReferencesOfAll,
): CurrencyStatement['lines'][number] {
  const { at, currency, transactionId, depositId, withdrawalId, amount } = movement;
  const reference = references.get(namedBy(movement) ?? '');
  return {
    at: isoInstant(at),
    type,
    transactionId: transactionId === null ? null : typeId('txn', transactionId),
    reference: reference?.reference ?? null,
    clientReference: reference?.clientReference ?? null,
    debit: amount < 0n ? amountText(-amount, currency) : null,
    credit: amount > 0n ? amountText(amount, currency) : null,
    balance: amountText(balance, currency),
    depositId: depositId === null ? null : typeId('dep', depositId),
    withdrawalId: withdrawalId === null ? null : typeId('wdr', withdrawalId),
  };
}

function currencyStatement(
  currency: string,
  opening: bigint,
  movements: readonly CustomerMovement[],
  references: ReferencesOfAll,
): Omit<CurrencyStatement, 'debt'> {
  let balance = opening;
  const lines = movements.map((movement) => {
    balance += movement.amount;
    const type = movement.isForgiven ? 'shortfall_forgiven' : movement.kind;
    return lineView(movement, type, balance, references);
  });
  const [openingBalance, closingBalance] = [amountText(opening, currency), amountText(balance, currency)];
  return { currency, openingBalance, closingBalance, lines };
}

function debtStatement(
  currency: string,
  opening: bigint,
  movements: readonly CustomerMovement[],
  references: ReferencesOfAll,
): CurrencyStatement['debt'] {
  let [booked, released] = [0n, 0n];
  const lines = movements.map((movement) => {
    const { kind, depositId, amount } = movement;
    const reason = debtReason(kind, depositId);
    if (reason === undefined) throw new Error(`${kind} books no debts`);
    if (amount < 0n) booked -= amount;
    else released += amount;
    return lineView(movement, reason, opening + booked - released, references);
  });
  const sums = { opening, booked, released, closing: opening + booked - released };
  const text = (name: keyof typeof sums) => amountText(sums[name], currency);
  return {
    ...{
      opening: text('opening'),
      booked: text('booked'),
      released: text('released'),
      closing: text('closing'),
    },
    lines,
  };
}

/** The same as one table: each currency begins with its opening balance and ends with its closing one, and then has its debt likewise, if there is one. */
export function statementCsv({ from, to, currencies }: CustomerStatement): string {
  const write = (row: Row) => csvLine(STATEMENT_COLUMNS.map((column) => row[column] ?? null));
  const body = currencies.flatMap(({ currency, openingBalance, closingBalance, lines, debt }) => [
    write({ currency, at: from, type: 'opening_balance', balance: openingBalance }),
    ...lines.map((line) => write({ currency, ...line })),
    write({ currency, at: to, type: 'closing_balance', balance: closingBalance }),
    ...(debt.lines.length === 0 && !/[1-9]/.test(debt.opening)
      ? []
      : debtRows(currency, from, to, debt).map(write)),
  ]);
  return csvLine(STATEMENT_COLUMNS) + body.join('');
}

/** In columns of their own: the balances have it in them. */
function debtRows(currency: string, from: string, to: string, debt: CurrencyStatement['debt']): Row[] {
  return [
    { currency, at: from, type: 'opening_debt', debt: debt.opening },
    ...debt.lines.map(({ type: reason, debit, credit, balance, ...line }) => ({
      ...{ currency, ...line, type: debit === null ? 'debt_released' : 'debt_booked' },
      ...{ debtReason: reason, debtBooked: debit, debtReleased: credit, debt: balance },
    })),
    { currency, at: to, type: 'closing_debt', debt: debt.closing },
  ];
}
