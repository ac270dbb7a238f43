import type { EventType } from '@firmquote/api/operations/events';
import type { PayoutStatus, StatusReason, StepDetail } from '@firmquote/api/operations/transactions';
import { type Actor, canTransition, isFinalTransactionStatus, type TransactionStatus } from '@firmquote/fx';
import { actorNow } from '../database/acting.ts';
import type { Connection } from '../database/pool.ts';
import { appendEvents, type NewEvent } from '../events/append.ts';
import { type JournalEntry, postEntries } from '../ledger/journal.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId } from '../platform/ids.ts';
import { inWords, Problem } from '../problems/problem.ts';
import { type StepActor, type TimelineEntry, type TransactionRow, timelineOf } from './record.ts';
import type { TransactionId } from './store.ts';

/** Columns that a change may set. Amounts in minor units, instants epoch milliseconds, `json` ones as JSON text. */
export interface TransactionPatch {
  statusReason?: StatusReason | null;
  valueDate?: string;
  fundingCutoffAt?: number;
  receivedMinor?: bigint;
  excessMinor?: bigint;
  shortfallMinor?: bigint;
  deposits?: string;
  /** Where the payout goes: settlement instruction and its masked form. */
  destinationId?: string;
  destinationMasked?: string;
  payoutStatus?: PayoutStatus;
  proceeds?: 'payout' | 'balance';
  payoutAttempts?: number;
  payoutReference?: string | null;
  paidAt?: number | null;
  settledAt?: number | null;
  refund?: string | null;
  holds?: string;
  failure?: string | null;
}

export interface TransactionChange {
  /** New status; left out when the status stays. */
  readonly to?: TransactionStatus;
  /** Stable code for the timeline, such as `deposit_matched`. */
  readonly code: string;
  /** Who caused it; must be one whom the lifecycle allows. */
  readonly actor: Actor;
  readonly patch?: TransactionPatch;
  readonly entries?: readonly JournalEntry[];
  /** Reported besides the change of status itself. */
  readonly events?: readonly NewEvent[];
  /** Further members of the timeline entry. */
  readonly detail?: StepDetail;
}

/** Called with the locked row; undefined leaves it as it is. */
type DecideChange = (row: TransactionRow) => TransactionChange | undefined;

export interface ChangeOptions {
  /** Rows that another instance is working on are passed over instead of waited for. */
  readonly skipLocked?: boolean;
}

/**
 * The one way in which a transaction changes after its execution: locks the rows in key order, lets `decide` look at
 * each, checks the transition against the lifecycle, and writes rows, timeline, events, ledger entries and freed
 * limits in the caller's transaction.
 * @returns the rows that changed, as they are now
 */
export async function changeTransactions(
  connection: Connection,
  ids: readonly TransactionId[],
  at: number,
  decide: DecideChange,
  options: ChangeOptions = {},
): Promise<TransactionRow[]> {
  const rows = await lockRows(connection, ids, options.skipLocked);
  const changed: { before: TransactionRow; after: TransactionRow; change: TransactionChange }[] = [];
  for (const before of rows) {
    const change = decide(before);
    if (change !== undefined) changed.push({ before, change, after: applyChange(before, change, at) });
  }
  if (changed.length === 0) return [];

  const events: NewEvent[] = [];
  const lastEventOf: number[] = [];
  for (const { before, after, change } of changed) {
    const own = [...(change.events ?? []), ...statusEvents(before, after)];
    events.push(...(own.length > 0 ? own : [unchangedStatusEvent(after)]));
    lastEventOf.push(events.length - 1);
  }
  const sequences = await appendEvents(connection, events, at);
  for (const [i, each] of changed.entries()) {
    const sequence = sequences[lastEventOf[i] ?? -1] ?? each.before.change_sequence;
    each.after = { ...each.after, change_sequence: String(sequence) };
  }
  await writeRows(
    connection,
    changed.map((each) => each.after),
  );
  await postEntries(
    connection,
    changed.flatMap((each) => each.change.entries ?? []),
    at,
  );
  await freeLimits(connection, changed);
  return changed.map((each) => each.after);
}

/** Rows in key order, held until the transaction ends. */
export async function lockRows(
  connection: Connection,
  ids: readonly TransactionId[],
  skipLocked = false,
): Promise<TransactionRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await connection.query<TransactionRow>({
    name: skipLocked ? 'lock_transactions_skip' : 'lock_transactions',
    text: `select t.* from transactions t
           where (t.customer_id, t.id) in (select * from unnest($1::uuid[], $2::uuid[]))
           order by t.customer_id, t.id for update of t ${skipLocked ? 'skip locked' : ''}`,
    values: [ids.map((each) => each.customerId), ids.map((each) => each.id)],
  });
  return rows;
}

function applyChange(before: TransactionRow, change: TransactionChange, at: number): TransactionRow {
  const to = change.to ?? before.status;
  if (change.to !== undefined && !canTransition(before.status, to, change.actor)) {
    throw new Problem(
      'invalid_state_transition',
      `A transaction that is ${inWords(before.status)} cannot become ${inWords(to)} this way.`,
      {
        members: { from: before.status, to },
      },
    );
  }
  const timeline = timelineOf(before);
  const entry = {
    sequence: timeline.length + 1,
    at: isoInstant(at),
    status: to,
    actor: change.actor,
    code: change.code,
    ...change.detail,
  };
  timeline.push(entry);
  return {
    ...before,
    ...patchColumns(change.patch ?? {}),
    status: to,
    version: before.version + 1,
    timeline: JSON.stringify(timeline.slice(1)),
    acted_by: actedBy(before, entry),
    updated_at: at,
  };
}

/** Who took the steps, with this one, where somebody did: what the service does by itself is nobody's. */
function actedBy({ acted_by: before }: TransactionRow, { sequence, actor }: TimelineEntry): string | null {
  const now = actor === 'operator' ? actorNow() : undefined;
  if (now === undefined) return before;
  const approved = now.approvedBy === undefined ? {} : { approvedBy: actorId(now.approvedBy) };
  const step: StepActor = { by: actorId(now.by), ...approved };
  return JSON.stringify({ ...JSON.parse(before ?? '{}'), [sequence]: step });
}

const PATCH_COLUMNS = {
  statusReason: 'status_reason',
  valueDate: 'value_date',
  fundingCutoffAt: 'funding_cutoff_at',
  receivedMinor: 'received_minor',
  excessMinor: 'excess_minor',
  shortfallMinor: 'shortfall_minor',
  deposits: 'deposits',
  destinationId: 'destination_id',
  destinationMasked: 'destination_masked',
  payoutStatus: 'payout_status',
  proceeds: 'proceeds',
  payoutAttempts: 'payout_attempts',
  payoutReference: 'payout_reference',
  paidAt: 'paid_at',
  settledAt: 'settled_at',
  refund: 'refund',
  holds: 'holds',
  failure: 'failure',
} as const satisfies Record<keyof TransactionPatch, keyof TransactionRow>;

function patchColumns(patch: TransactionPatch): Partial<TransactionRow> {
  const columns: Record<string, unknown> = {};
  for (const [name, column] of Object.entries(PATCH_COLUMNS)) {
    const value = patch[name as keyof TransactionPatch];
    if (value !== undefined) columns[column] = typeof value === 'bigint' ? value.toString() : value;
  }
  return columns;
}

function statusEvents(before: TransactionRow, after: TransactionRow): NewEvent[] {
  const events: NewEvent[] = [];
  if (before.value_date !== after.value_date) {
    events.push({
      ...eventBase(after),
      type: 'transaction.value_date_changed',
      detail: { valueDate: after.value_date, previousValueDate: before.value_date },
    });
  }
  if (before.status !== after.status) {
    events.push({
      ...eventBase(after),
      type: `transaction.${after.status}` as EventType,
      previousStatus: before.status,
      ...(after.status_reason === null ? {} : { detail: { statusReason: after.status_reason } }),
    });
  }
  return events;
}

/** Every change has a place in the feed; one that has no event of its own is reported as the status that it kept. */
function unchangedStatusEvent(after: TransactionRow): NewEvent {
  return {
    ...eventBase(after),
    type: `transaction.${after.status}` as EventType,
    previousStatus: after.status,
  };
}

function eventBase(row: TransactionRow): Omit<NewEvent, 'type'> {
  return {
    customerId: row.customer_id,
    quoteId: row.quote_id,
    transactionId: row.id,
    version: row.version,
    status: row.status,
    clientReference: row.client_reference,
  };
}

async function writeRows(connection: Connection, rows: readonly TransactionRow[]): Promise<void> {
  const { rowCount } = await connection.query({
    name: 'write_transactions',
    text: `update transactions t set
        status = n.status, status_reason = n.status_reason, version = n.version, change_sequence = n.change_sequence,
        value_date = n.value_date, funding_cutoff_at = n.funding_cutoff_at, received_minor = n.received_minor,
        excess_minor = n.excess_minor, shortfall_minor = n.shortfall_minor, deposits = n.deposits,
        destination_id = n.destination_id, destination_masked = n.destination_masked,
        payout_status = n.payout_status, proceeds = n.proceeds, payout_attempts = n.payout_attempts, payout_reference = n.payout_reference,
        paid_at = n.paid_at, settled_at = n.settled_at, refund = n.refund, holds = n.holds, failure = n.failure,
        timeline = n.timeline, acted_by = n.acted_by, updated_at = n.updated_at
      from json_populate_recordset(null::transactions, $1) n
      where t.customer_id = n.customer_id and t.id = n.id and t.version = n.version - 1`,
    values: [`[${rows.map(rowJson).join(',')}]`],
  });
  if (rowCount !== rows.length) throw new Error(`wrote ${rowCount} of ${rows.length} locked transactions`);
}

function rowJson(row: TransactionRow): string {
  const { deposits, refund, holds, failure, timeline, acted_by: actedBy } = row;
  const scalars = JSON.stringify({
    customer_id: row.customer_id,
    id: row.id,
    status: row.status,
    status_reason: row.status_reason,
    version: row.version,
    change_sequence: row.change_sequence,
    value_date: row.value_date,
    funding_cutoff_at: isoInstant(row.funding_cutoff_at),
    received_minor: row.received_minor,
    excess_minor: row.excess_minor,
    shortfall_minor: row.shortfall_minor,
    destination_id: row.destination_id,
    destination_masked: row.destination_masked,
    payout_status: row.payout_status,
    proceeds: row.proceeds,
    payout_attempts: row.payout_attempts,
    payout_reference: row.payout_reference,
    paid_at: row.paid_at === null ? null : isoInstant(row.paid_at),
    settled_at: row.settled_at === null ? null : isoInstant(row.settled_at),
    updated_at: isoInstant(row.updated_at),
  });
  return `${scalars.slice(0, -1)},"deposits":${deposits},"refund":${refund ?? 'null'},"holds":${holds},"failure":${failure ?? 'null'},"timeline":${timeline},"acted_by":${actedBy ?? 'null'}}`;
}

/** A trade that has ended no longer counts against the customer's open position; one that is reopened does again. */
async function freeLimits(
  connection: Connection,
  changed: readonly { before: TransactionRow; after: TransactionRow }[],
): Promise<void> {
  const freed = new Map<string, bigint>();
  for (const { before, after } of changed) {
    const was = isFinalTransactionStatus(before.status);
    const is = isFinalTransactionStatus(after.status);
    if (was === is) continue;
    const usd = BigInt(after.usd_minor) * (is ? 1n : -1n);
    freed.set(after.customer_id, (freed.get(after.customer_id) ?? 0n) + usd);
  }
  if (freed.size === 0) return;
  await connection.query({
    name: 'free_limits',
    text: `update customer_usage u set open_usd_minor = u.open_usd_minor - f.usd
           from unnest($1::uuid[], $2::numeric[]) as f (customer_id, usd) where u.customer_id = f.customer_id`,
    values: [[...freed.keys()], [...freed.values()].map(String)],
  });
}
