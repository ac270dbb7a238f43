import type { Connection, Queryable } from '../database/pool.ts';
import type { CamelRow, Row } from '../database/rows.ts';
import { HOUSE_ID, type JournalEntry } from '../ledger/journal.ts';
import { isoInstant } from '../platform/clock.ts';
import type { PaymentState } from './payment-states.ts';

/** What the house sends back of a deposit, to the account of its remitter. A row as the driver gives it. */
export type DepositReturn = Omit<Row<'deposit_returns'>, 'requested_by' | 'approved_by' | 'updated_at'>;

interface NewDepositReturn {
  readonly id: string;
  readonly depositId: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly accountHolder: string;
  readonly bic: string | null;
  readonly iban: string | null;
  readonly accountNumber: string | null;
  readonly routingNumber: string | null;
  /** Persons or OAuth clients (UUID). */
  readonly requestedBy: string;
  readonly approvedBy: string | null;
  readonly reason: string;
}

/** Written in the commit that takes the money out of suspense; the next run pays it. */
export async function orderReturn(
  connection: Connection,
  wanted: NewDepositReturn,
  now: number,
): Promise<JournalEntry> {
  await connection.query(
    `insert into deposit_returns (id, deposit_id, currency, amount_minor, status, account_holder, bic, iban, account_number,
       routing_number, requested_by, approved_by, reason, created_at, updated_at)
     values ($1, $2, $3, $4, 'pending', $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)`,
    [
      wanted.id,
      wanted.depositId,
      wanted.currency,
      wanted.amountMinor.toString(),
      wanted.accountHolder,
      wanted.bic,
      wanted.iban,
      wanted.accountNumber,
      wanted.routingNumber,
      wanted.requestedBy,
      wanted.approvedBy,
      wanted.reason,
      isoInstant(now),
    ],
  );
  const { depositId: deposit_id, currency, amountMinor } = wanted;
  return entryOf({ deposit_id, currency }, 'return_ordered', amountMinor);
}

/** Of these things that are paid those that go back of deposits, in the order in which the deposits are locked. */
export async function returnsAmong(
  connection: Queryable,
  ids: readonly string[],
): Promise<Pick<CamelRow<'deposit_returns'>, 'id' | 'depositId'>[]> {
  const { rows } = await connection.query<Pick<CamelRow<'deposit_returns'>, 'id' | 'depositId'>>(
    'select id, deposit_id as "depositId" from deposit_returns where id = any ($1::uuid[]) order by deposit_id, id',
    [ids],
  );
  return rows;
}

/** Locks returns in the order of their ids. */
export async function lockReturns(connection: Connection, ids: readonly string[]): Promise<DepositReturn[]> {
  if (ids.length === 0) return [];
  const { rows } = await connection.query<DepositReturn>(
    'select * from deposit_returns where id = any ($1::uuid[]) order by id for update',
    [ids],
  );
  return rows;
}

/** Returns of a deposit are instructed once; one that fails is ordered anew. */
export function returnState(row: DepositReturn): PaymentState {
  if (row.status === 'failed') return row.failure ?? 'rejected';
  return row.status === 'pending' ? 'sent' : row.status === 'paid' ? 'paid' : 'ended';
}

export type ReturnChange =
  | { readonly to: 'paid'; readonly bankReference: string | undefined; readonly at: number }
  | { readonly to: 'failed'; readonly failure: 'rejected' | 'returned'; readonly detail: string | undefined };

const DETAIL_MAX = 500;

/**
 * What the bank has done with a locked return. What has failed comes back into suspense by a sweep.
 * @returns the return as it is then, and the house's entries, to be posted last
 */
export async function changeReturn(
  connection: Connection,
  row: DepositReturn,
  change: ReturnChange,
  now: number,
): Promise<{ readonly after: DepositReturn; readonly entries: readonly JournalEntry[] }> {
  const { rows } = await connection.query<DepositReturn>(
    `update deposit_returns set status = $2, failure = $3, detail = $4, bank_reference = coalesce($5, bank_reference),
       paid_at = coalesce($6, paid_at), updated_at = $7
     where id = $1 returning *`,
    [
      row.id,
      change.to,
      change.to === 'failed' ? change.failure : null,
      change.to === 'failed' ? (change.detail?.slice(0, DETAIL_MAX) ?? null) : null,
      change.to === 'paid' ? (change.bankReference ?? null) : null,
      change.to === 'paid' ? isoInstant(change.at) : null,
      isoInstant(now),
    ],
  );
  const [after] = rows;
  if (after === undefined) throw new Error(`return ${row.id} of a deposit is gone`);
  const minor = BigInt(row.amount_minor);
  if (change.to === 'paid') return { after, entries: [entryOf(row, 'return_paid', minor)] };
  return { after, entries: row.status === 'paid' ? [entryOf(row, 'return_undone', minor)] : [] };
}

/** Failed or cancelled: the money is in suspense again. The deposit is locked and written by the caller. */
export async function reopenReturn(
  connection: Connection,
  row: DepositReturn,
  status: 'failed' | 'cancelled',
  now: number,
): Promise<JournalEntry> {
  await connection.query(
    'update deposit_returns set status = $2, reopened_at = $3, updated_at = $3 where id = $1',
    [row.id, status, isoInstant(now)],
  );
  return entryOf(row, 'return_reopened', BigInt(row.amount_minor));
}

/**
 * What came back by an entry that the bank has never booked has not come back: it stays paid. The deposit is locked and written by the caller.
 * @returns the house's entries, to be posted last
 */
export async function keepPaid(
  connection: Connection,
  row: DepositReturn,
  now: number,
): Promise<readonly JournalEntry[]> {
  await connection.query(
    `update deposit_returns set status = 'paid', failure = null, detail = null, reopened_at = null,
       paid_at = coalesce(paid_at, $2), updated_at = $2
     where id = $1`,
    [row.id, isoInstant(now)],
  );
  const minor = BigInt(row.amount_minor);
  const again = row.reopened_at === null ? [] : [entryOf(row, 'return_ordered', minor)];
  return [...again, entryOf(row, 'return_paid', minor)];
}

/** Suspense → owed to remitters → bank, and back. */
const ACCOUNTS = {
  return_ordered: ['suspense', 'returns_payable'],
  return_paid: ['returns_payable', 'bank'],
  return_undone: ['bank', 'returns_payable'],
  return_reopened: ['returns_payable', 'suspense'],
} as const;

function entryOf(
  { deposit_id: depositId, currency }: Pick<DepositReturn, 'deposit_id' | 'currency'>,
  kind: keyof typeof ACCOUNTS,
  minor: bigint,
): JournalEntry {
  const [debited, credited] = ACCOUNTS[kind];
  const postings = [
    { account: debited, currency, amount: minor },
    { account: credited, currency, amount: -minor },
  ];
  return { customerId: HOUSE_ID, kind, depositId, postings };
}

export interface ShownReturn extends DepositReturn {
  /** The run that it is in, and whether its file is at the bank. */
  run_id: string | null;
  run_status: string | null;
}

/** Returns of deposits, oldest first, with the run that pays each. */
export async function returnsOf(
  connection: Queryable,
  depositIds: readonly string[],
): Promise<ShownReturn[]> {
  if (depositIds.length === 0) return [];
  const { rows } = await connection.query<ShownReturn>({
    name: 'returns_of_deposits',
    text: `select r.*, p.run_id, s.status as run_status from deposit_returns r
           left join payment_items i on i.return_id = r.id and i.live
           left join payments p on p.id = i.payment_id
           left join settlement_runs s on s.id = p.run_id
           where r.deposit_id = any ($1::uuid[]) order by r.created_at, r.id`,
    values: [depositIds],
  });
  return rows;
}

/** Whether a run that was not cancelled holds it. */
export async function isInstructed(connection: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await connection.query('select from payment_items where return_id = $1 and live', [
    id,
  ]);
  return rowCount !== 0;
}

/** Whether a part of a deposit is on its way back to its remitter, or the bank has not paid it and it is not in suspense again yet. */
export async function isReturning(connection: Queryable, depositId: string): Promise<boolean> {
  const { rowCount } = await connection.query(
    `select from deposit_returns where deposit_id = $1 and (status = 'pending' or (status = 'failed' and reopened_at is null)) limit 1`,
    [depositId],
  );
  return rowCount !== 0;
}

/** Whether the remitter's bank has taken back, or may have, what the house was to send back, and nobody has decided on that. */
export async function mayBeTakenBack(connection: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await connection.query(
    "select where deposit_return_is_held($1) = 'deposit_returned'",
    [id],
  );
  return rowCount !== 0;
}

/** Failed, and not in suspense again yet. */
export async function failedReturns(connection: Queryable, rowsMax: number): Promise<DepositReturn[]> {
  const { rows } = await connection.query<DepositReturn>(
    "select * from deposit_returns where status = 'failed' and reopened_at is null order by id limit $1",
    [rowsMax],
  );
  return rows;
}

export interface NamedReturn extends Pick<CamelRow<'deposit_returns'>, 'id' | 'reference' | 'currency'> {
  readonly amountMinor: bigint;
}

export async function returnsNamed(
  connection: Queryable,
  references: readonly string[],
): Promise<NamedReturn[]> {
  if (references.length === 0) return [];
  const { rows } = await connection.query<Omit<NamedReturn, 'amountMinor'> & { amountMinor: string }>({
    name: 'returns_named',
    text: `select id, reference, currency, amount_minor as "amountMinor" from deposit_returns
           where reference = any ($1::text[]) order by id`,
    values: [references],
  });
  return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
}
