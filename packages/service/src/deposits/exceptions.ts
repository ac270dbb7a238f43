import type { ExceptionType } from '@firmquote/api/operations/deposits';
import type { Connection, Queryable } from '../database/pool.ts';
import type { Present, Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import type { DepositException } from './receivables.ts';

interface ReportSubject {
  readonly scheduleId: string;
  /** The run that failed. */
  readonly reportId: string | null;
  /** Day of the schedule. */
  readonly slot: string;
}

export interface NewException extends DepositException {
  readonly id: string;
  readonly depositId: string | null;
  readonly customerId: string | null;
  readonly transactionId: string | null;
  readonly withdrawalId?: string | null;
  /** What goes back of a deposit. */
  readonly returnId?: string | null;
  /** Entry of a statement. */
  readonly entryId?: string;
  /** Status of a report of a bank. */
  readonly statusId?: string;
  /** Row of a sealed log. */
  readonly logFault?: string;
  /** Report of a schedule, UUIDs, that there is none of. */
  readonly report?: ReportSubject;
  readonly assignee: string | null;
  readonly actor: string;
}

/** Writes open exceptions with the first line of their history. */
export async function openExceptions(
  connection: Connection,
  exceptions: readonly NewException[],
  at: number,
): Promise<void> {
  if (exceptions.length === 0) return;
  const rows = exceptions.map((each) => ({
    id: each.id,
    type: each.type,
    reason: each.reason,
    deposit_id: each.depositId,
    customer_id: each.customerId,
    transaction_id: each.transactionId,
    withdrawal_id: each.withdrawalId ?? null,
    return_id: each.returnId ?? null,
    entry_id: each.entryId ?? null,
    status_id: each.statusId ?? null,
    log_fault: each.logFault ?? null,
    schedule_id: each.report?.scheduleId ?? null,
    report_id: each.report?.reportId ?? null,
    slot: each.report?.slot ?? null,
    status: 'open',
    assignee: each.assignee,
    opened_at: isoInstant(at),
    version: 1,
    actor: each.actor,
  }));
  await connection.query({
    name: 'open_exceptions',
    text: `with opened as (
             insert into reconciliation_exceptions
             select e.* from json_populate_recordset(null::reconciliation_exceptions, $1) e returning id, opened_at
           )
           insert into exception_history (exception_id, version, at, actor, action, detail)
           select o.id, 1, o.opened_at, r.actor, 'opened', '{}' from opened o
           join json_to_recordset($1) as r (id uuid, actor text) on r.id = o.id`,
    values: [JSON.stringify(rows)],
  });
}

/** What these were about is over: should it come again, it is reported again. */
export async function markOver(connection: Connection, ids: readonly string[], at: number): Promise<void> {
  if (ids.length === 0) return;
  await connection.query('update reconciliation_exceptions set over_at = $2 where id = any ($1::uuid[])', [
    ids,
    isoInstant(at),
  ]);
}

/** Why an exception is open about an entry that a notification reported and no statement lists. */
export const NOT_IN_STATEMENT = 'not_in_statement';

/**
 * For work of people that comes without a deposit, such as a payout that the bank reports differently
 * (`payout_mismatch`). Writes an open exception in the caller's transaction.
 * @returns its UUID
 */
export async function reportException(
  connection: Connection,
  reported: {
    readonly type: ExceptionType;
    readonly reason: string;
    readonly customerId: string | null;
    readonly transactionId: string | null;
    readonly withdrawalId?: string | null;
    readonly returnId?: string | null;
    /** UUID of the entry of a statement that it is about. */
    readonly entryId?: string;
    readonly actor: string;
  },
  now: number,
): Promise<string> {
  const id = newUuid(now);
  // An entry has one open exception: that it could not be applied is over with what is said of it now, and that no statement lists it is
  // said again when this is over.
  if (reported.entryId !== undefined) {
    const superseded = { actor: reported.actor, resolution: 'superseded', note: null };
    await closeEntryException(connection, reported.entryId, superseded, now, 'not_applied');
    const only = { reason: NOT_IN_STATEMENT };
    await closeEntryExceptions(connection, [reported.entryId], superseded, now, only);
  }
  await openExceptions(connection, [{ ...reported, id, depositId: null, assignee: null }], now);
  return id;
}

/**
 * A report of a schedule that there is none of: reported once for each slot and reason, whoever has closed it meanwhile.
 * @returns whether it is new
 */
export async function reportMissingReport(
  connection: Connection,
  report: ReportSubject,
  reason: 'run_failed' | 'cannot_run',
  now: number,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    'select from reconciliation_exceptions where schedule_id = $1 and slot = $2 and reason = $3',
    [report.scheduleId, report.slot, reason],
  );
  if (rowCount !== 0) return false;
  const about = { depositId: null, customerId: null, transactionId: null, assignee: null, actor: 'system' };
  await openExceptions(
    connection,
    [{ ...about, id: newUuid(now), type: 'report_failed', reason, report }],
    now,
  );
  return true;
}

export interface Closing {
  readonly depositId: string;
  readonly actor: string;
  readonly resolution: string;
  readonly note: string | null;
}

/**
 * Closes the open exceptions of deposits.
 * @returns who was at work on each, by deposit id
 */
export async function closeExceptions(
  connection: Connection,
  closings: readonly Closing[],
  at: number,
): Promise<ReadonlyMap<string, string | null>> {
  if (closings.length === 0) return new Map();
  const { rows } = await connection.query<
    Pick<ExceptionRow, 'assignee'> & Present<Pick<ExceptionRow, 'deposit_id'>>
  >({
    name: 'close_exceptions',
    text: `with closed as (
             update reconciliation_exceptions e
             set status = 'resolved', resolved_at = $2, resolution = c.resolution, version = e.version + 1
             from json_to_recordset($1) as c ("depositId" uuid, actor text, resolution text, note text)
             where e.deposit_id = c."depositId" and e.deposit_id = any ($3::uuid[]) and e.status = 'open'
             returning e.id, e.version, e.deposit_id, e.assignee, c.actor, c.resolution, c.note
           ), told as (
             insert into exception_history (exception_id, version, at, actor, action, note, detail)
             select id, version, $2, actor, 'resolved', note, json_build_object('resolution', resolution) from closed
           )
           select deposit_id, assignee from closed`,
    values: [JSON.stringify(closings), isoInstant(at), closings.map(({ depositId }) => depositId)],
  });
  return new Map(rows.map((row) => [row.deposit_id, row.assignee]));
}

/** Open exceptions of deposits whose customer is another one now, or none; the deposit's history says how that came. */
export async function passExceptions(
  connection: Connection,
  deposits: readonly { readonly id: string; readonly customerId: string | null }[],
): Promise<void> {
  if (deposits.length === 0) return;
  await connection.query({
    name: 'pass_exceptions',
    text: `update reconciliation_exceptions e set customer_id = d."customerId", version = e.version + 1
           from json_to_recordset($1) as d (id uuid, "customerId" uuid)
           where e.deposit_id = d.id and e.deposit_id = any ($2::uuid[]) and e.status = 'open'
             and e.customer_id is distinct from d."customerId"`,
    values: [
      JSON.stringify(deposits.map(({ id, customerId }) => ({ id, customerId }))),
      deposits.map(({ id }) => id),
    ],
  });
}

export type ExceptionRow = Row<'reconciliation_exceptions'>;

/** With the sum that it is about, minor units as text; null where it is about no single sum. */
export type ExceptionWithSum = ExceptionRow & {
  readonly sumCurrency: string | null;
  readonly sumMinor: string | null;
};

/** What the bank has reported comes before what was made of it. */
const WITH_SUM = `reconciliation_exceptions x left join lateral (
    select b.currency, b.amount_minor from entry_details e join bank_entries b on b.id = e.entry_id
    where e.id = x.entry_id
    union all select r.currency, r.amount_minor from deposit_returns r where r.id = x.return_id
    union all select d.currency, d.amount_minor from deposits d where d.id = x.deposit_id
    union all select w.currency, w.amount_minor from balance_withdrawals w
    where w.customer_id = x.customer_id and w.id = x.withdrawal_id
    union all select t.buy_currency, t.buy_minor from transactions t
    where x.type = 'payout_mismatch' and t.customer_id = x.customer_id and t.id = x.transaction_id and t.refund is null
    limit 1
  ) s on true`;

export async function findException(
  connection: Queryable,
  id: string,
  lock = false,
): Promise<ExceptionWithSum | undefined> {
  const { rows } = await connection.query<ExceptionWithSum>(
    `select x.*, s.currency as "sumCurrency", s.amount_minor as "sumMinor" from ${WITH_SUM} where x.id = $1 ${lock ? 'for update of x' : ''}`,
    [id],
  );
  return rows[0];
}

export async function openExceptionOf(
  connection: Queryable,
  depositId: string,
): Promise<ExceptionRow | undefined> {
  const { rows } = await connection.query<ExceptionRow>(
    "select * from reconciliation_exceptions where deposit_id = $1 and status = 'open'",
    [depositId],
  );
  return rows[0];
}

/** Whether a person has yet to say what an entry of a statement is. */
export async function isEntryOpen(connection: Queryable, entryId: string): Promise<boolean> {
  const { rowCount } = await connection.query(
    `select 1 from entry_details
     where id = $1 and (payment_state in ('mismatch', 'unknown', 'due') or deposit_state = 'due')`,
    [entryId],
  );
  return rowCount === 1;
}

/** Closes the open exception about an entry, where there is one. @param type only one of this type */
export async function closeEntryException(
  connection: Connection,
  entryId: string,
  closing: Omit<Closing, 'depositId'>,
  at: number,
  type?: ExceptionType,
): Promise<void> {
  await closeEntryExceptions(connection, [entryId], closing, at, { type });
}

/** @param only those of a type, or that are open for a reason */
export async function closeEntryExceptions(
  connection: Connection,
  entryIds: readonly string[],
  closing: Omit<Closing, 'depositId'>,
  at: number,
  only: { readonly type?: ExceptionType | undefined; readonly reason?: string } = {},
): Promise<void> {
  if (entryIds.length === 0) return;
  const { rows } = await connection.query<ExceptionRow>(
    `select * from reconciliation_exceptions
     where entry_id = any ($1::uuid[]) and status = 'open' and ($2::text is null or type = $2)
       and ($3::text is null or reason = $3)
     order by id for update`,
    [entryIds, only.type ?? null, only.reason ?? null],
  );
  const { actor, resolution, note } = closing;
  for (const row of rows) {
    const closed = {
      ...row,
      status: 'resolved' as const,
      resolved_at: at,
      resolution,
      version: row.version + 1,
    };
    await writeException(connection, closed, { actor, action: 'resolved', note }, at);
  }
}

/** What is said of entries that are held against payments; an entry has one of them at a time. */
const OF_PAYMENTS = "type in ('payout_mismatch', 'implausible_date')";

/**
 * Closes what is open about payments that are as they should be after all: by the entries that reported them, or by what they
 * were for when no entry reported them.
 */
export async function closePaymentExceptions(
  connection: Connection,
  settled: { readonly entryIds: readonly string[]; readonly subjectIds: readonly string[] },
  at: number,
): Promise<void> {
  if (settled.entryIds.length + settled.subjectIds.length === 0) return;
  const { rows } = await connection.query<ExceptionRow>({
    name: 'payment_exceptions_over',
    text: `select * from reconciliation_exceptions
           where status = 'open' and ${OF_PAYMENTS} and (entry_id = any ($1::uuid[])
             or (entry_id is null and reason = 'state' and (transaction_id = any ($2::uuid[]) or withdrawal_id = any ($2::uuid[]) or return_id = any ($2::uuid[]))))
           order by id for update`,
    values: [settled.entryIds, settled.subjectIds],
  });
  for (const row of rows) {
    const closed = { ...row, status: 'resolved' as const, resolved_at: at, version: row.version + 1 };
    const step = { actor: 'bank_feed', action: 'resolved', note: null } as const;
    await writeException(connection, { ...closed, resolution: 'told_since' }, step, at);
  }
}

/** Whether something is open about a payment already: by the entry that reported it, else by what it is for. */
export async function hasPaymentException(
  connection: Queryable,
  { entryId, subjectId }: { readonly entryId: string | null; readonly subjectId: string | null },
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `select 1 from reconciliation_exceptions
     where status = 'open' and ${OF_PAYMENTS} and (entry_id = $1
       or ($1::uuid is null and entry_id is null and (transaction_id = $2 or withdrawal_id = $2 or return_id = $2))) limit 1`,
    [entryId, subjectId],
  );
  return rowCount === 1;
}

/** Writes assignee, status and resolution of a locked exception, with a line of history. */
export async function writeException(
  connection: Connection,
  row: ExceptionRow,
  step: {
    readonly actor: string;
    readonly action: 'assigned' | 'resolved' | 'retried';
    readonly note: string | null;
  },
  at: number,
): Promise<void> {
  await connection.query(
    `update reconciliation_exceptions set assignee = $2, status = $3, resolved_at = $4, resolution = $5, version = $6
     where id = $1`,
    [
      row.id,
      row.assignee,
      row.status,
      row.resolved_at === null ? null : isoInstant(row.resolved_at),
      row.resolution,
      row.version,
    ],
  );
  const detail = {
    assignee: row.assignee,
    ...(row.resolution === null ? {} : { resolution: row.resolution }),
  };
  await connection.query(
    `insert into exception_history (exception_id, version, at, actor, action, note, detail)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [row.id, row.version, isoInstant(at), step.actor, step.action, step.note, JSON.stringify(detail)],
  );
}

interface ExceptionFilter {
  readonly types: readonly ExceptionType[] | undefined;
  readonly status: 'open' | 'resolved' | undefined;
  readonly assignee: string | undefined;
  /** Only those that nobody is at work on. */
  readonly unassigned: boolean;
  /** Opened at or before this instant, epoch milliseconds. */
  readonly openedUntil: number | undefined;
  readonly customerId: string | undefined;
  readonly depositId: string | undefined;
}

/** Oldest first: what has waited longest is next. `after` is the id that the page begins after. */
export async function listExceptions(
  connection: Queryable,
  filter: ExceptionFilter,
  after: string | undefined,
  rowsMax: number,
): Promise<ExceptionWithSum[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const conditions = ['true'];
  // Said in so many words, because the index of open ones is chosen by it.
  if (filter.status !== undefined)
    conditions.push(`x.status = '${filter.status === 'open' ? 'open' : 'resolved'}'`);
  if (filter.types !== undefined) conditions.push(`x.type = any (${bind(filter.types)}::text[])`);
  if (filter.assignee !== undefined) conditions.push(`x.assignee = ${bind(filter.assignee)}`);
  if (filter.unassigned) conditions.push('x.assignee is null');
  if (filter.openedUntil !== undefined)
    conditions.push(`x.opened_at <= ${bind(isoInstant(filter.openedUntil))}`);
  if (filter.customerId !== undefined) conditions.push(`x.customer_id = ${bind(filter.customerId)}`);
  if (filter.depositId !== undefined) conditions.push(`x.deposit_id = ${bind(filter.depositId)}`);
  if (after !== undefined) conditions.push(`x.id > ${bind(after)}::uuid`);
  const { rows } = await connection.query<ExceptionWithSum>(
    `select x.*, s.currency as "sumCurrency", s.amount_minor as "sumMinor" from ${WITH_SUM}
     where ${conditions.join(' and ')} order by x.id limit ${bind(rowsMax)}`,
    values,
  );
  return rows;
}
