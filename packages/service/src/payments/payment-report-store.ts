import { insertRows } from '../database/insert-rows.ts';
import type { Connection, Queryable } from '../database/pool.ts';
import type { CamelRow, Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { type PaymentTarget, targetsOf } from './payment-states.ts';

export type { PaymentTarget };

export interface FoundPayment {
  readonly id: string;
  readonly endToEndId: string;
  readonly uetr: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  /** Of the file that orders it. */
  readonly messageId: string;
  /** False once its run was cancelled. */
  readonly live: boolean;
  readonly items: readonly PaymentTarget[];
}

type PaymentRow = Pick<
  Row<'payments'>,
  'id' | 'end_to_end_id' | 'uetr' | 'currency' | 'amount_minor' | 'live'
> &
  Pick<Row<'settlement_runs'>, 'message_id'> & { readonly items: string };

/** Of items `i` of payments. */
const ITEMS = `json_agg(json_build_object('customerId', i.customer_id, 'subjectId', coalesce(i.transaction_id, i.withdrawal_id, i.return_id),
  'purpose', i.purpose, 'attempt', i.attempt, 'amountMinor', i.amount_minor::text)
  order by i.customer_id, coalesce(i.transaction_id, i.withdrawal_id, i.return_id))::text as items`;

function paymentOf(row: PaymentRow): FoundPayment {
  return {
    id: row.id,
    endToEndId: row.end_to_end_id,
    uetr: row.uetr,
    currency: row.currency,
    amountMinor: BigInt(row.amount_minor),
    messageId: row.message_id,
    live: row.live,
    items: targetsOf(row.items),
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Payments with one of these UETRs or EndToEndIds; those of a run that was cancelled count too, should they be paid. */
export async function findPayments(
  connection: Queryable,
  uetrs: readonly string[],
  endToEndIds: readonly string[],
): Promise<FoundPayment[]> {
  const valid = uetrs.filter((each) => UUID.test(each));
  if (valid.length + endToEndIds.length === 0) return [];
  const { rows } = await connection.query<PaymentRow>({
    name: 'find_reported_payments',
    text: `select p.id, p.end_to_end_id, p.uetr, p.currency, p.amount_minor, p.live, r.message_id,
             (select ${ITEMS.replace(' as items', '')} from payment_items i where i.payment_id = p.id) as items
           from payments p join settlement_runs r on r.id = p.run_id
           where p.id in (
             select id from payments where uetr = any ($1::uuid[])
             union all select id from payments where end_to_end_id = any ($2::text[]))
           -- A payment that was made again keeps what it is called.
           order by p.live desc, p.id desc`,
    values: [valid, endToEndIds],
  });
  return rows.map(paymentOf);
}

export interface FoundBlock {
  readonly blockId: string;
  readonly currency: string;
  /** Its run was cancelled. */
  readonly isCancelled: boolean;
  readonly items: readonly PaymentTarget[];
  readonly said: readonly SaidStatus[];
}

/** What a bank has said last of the payment of something. */
export interface SaidStatus extends Pick<PaymentTarget, 'subjectId'> {
  readonly status: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Payments of our files by MsgId, or of the blocks in them by PmtInfId, which is the message and a letter for the scheme. */
export async function findBlocks(connection: Queryable, blockIds: readonly string[]): Promise<FoundBlock[]> {
  if (blockIds.length === 0) return [];
  const { rows } = await connection.query<
    Pick<Row<'settlement_runs'>, 'currency' | 'status'> & {
      readonly block_id: string;
      readonly items: string;
      readonly said: string | null;
    }
  >({
    name: 'find_reported_blocks',
    text: `select b.block_id, r.currency, r.status, (json_agg(json_build_object('subjectId',
             coalesce(i.transaction_id, i.withdrawal_id, i.return_id), 'status', p.bank_status,
             'at', trunc(extract(epoch from p.bank_status_at) * 1000))) filter (where p.bank_status is not null))::text as said, ${ITEMS}
           from unnest($1::text[]) b (block_id)
           join settlement_runs r on r.message_id = rtrim(b.block_id, 'SPIU')
           join payments p on p.run_id = r.id
             and (b.block_id = r.message_id or p.scheme = case right(b.block_id, 1) when 'S' then 'sepa' when 'I' then 'instant' when 'U' then 'urgent' else 'plain' end)
           join payment_items i on i.payment_id = p.id
           group by b.block_id, r.currency, r.status`,
    values: [[...new Set(blockIds)]],
  });
  return rows.map(({ block_id: blockId, currency, status, items, said }) => ({
    blockId,
    currency,
    isCancelled: status === 'cancelled',
    items: targetsOf(items),
    said: JSON.parse(said ?? '[]') as SaidStatus[],
  }));
}

export type NamedTransaction = Pick<
  TransactionRow,
  | 'customer_id'
  | 'id'
  | 'reference'
  | 'buy_currency'
  | 'buy_minor'
  | 'payout_attempts'
  | 'sell_currency'
  | 'refund'
>;

/** Trades by their references. */
export async function tradesByReference(
  connection: Queryable,
  references: readonly string[],
): Promise<NamedTransaction[]> {
  if (references.length === 0) return [];
  const { rows } = await connection.query<NamedTransaction>({
    name: 'trades_by_reference',
    text: `select customer_id, id, reference, buy_currency, buy_minor, payout_attempts, sell_currency, refund
           from transactions where reference = any ($1::text[]) order by customer_id, id`,
    values: [references],
  });
  return rows;
}

/** What a bank has reported of one attempt. */
export type StoredReport = PaymentTarget &
  Pick<CamelRow<'bank_notices'>, 'kind' | 'sourceId' | 'currency' | 'at'>;

/** What was reported before of these targets. */
export async function reportsOn(
  connection: Queryable,
  targets: readonly PaymentTarget[],
): Promise<Omit<StoredReport, 'at'>[]> {
  const subjects = new Map(targets.map((each) => [each.subjectId, each.customerId]));
  if (subjects.size === 0) return [];
  const { rows } = await connection.query<Omit<StoredReport, 'amountMinor' | 'at'> & { amountMinor: string }>(
    {
      name: 'bank_notices_of',
      text: `select n.customer_id as "customerId", n.transaction_id as "subjectId", n.purpose, n.attempt, n.kind,
             n.source_id as "sourceId", n.currency, n.amount_minor as "amountMinor"
           from unnest($1::uuid[], $2::uuid[]) t (customer_id, id)
           join bank_notices n on n.customer_id = t.customer_id and n.transaction_id = t.id`,
      values: [[...subjects.values()], [...subjects.keys()]],
    },
  );
  return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
}

/** What one source has reported. */
export async function reportsBy(connection: Queryable, sourceId: string): Promise<StoredReport[]> {
  const { rows } = await connection.query<Omit<StoredReport, 'amountMinor'> & { amountMinor: string }>(
    `select customer_id as "customerId", transaction_id as "subjectId", purpose, attempt, kind, source_id as "sourceId", currency,
       amount_minor as "amountMinor", at
     from bank_notices where source_id = $1 order by customer_id, transaction_id`,
    [sourceId],
  );
  return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
}

/** Forgets what one source has reported, but of these subjects. */
export async function deleteReports(
  connection: Connection,
  sourceId: string,
  but: readonly string[],
): Promise<void> {
  await connection.query(
    'delete from bank_notices where source_id = $1 and transaction_id <> all ($2::uuid[])',
    [sourceId, but],
  );
}

/**
 * Keeps the reports that did not fit, and their payments, or the deposit that they take back: when one changes or more is reported of it, they are
 * reconsidered.
 */
export async function setReportsAside(
  connection: Connection,
  reports: readonly {
    readonly sourceId: string;
    readonly items: readonly Pick<PaymentTarget, 'customerId' | 'subjectId'>[];
  }[],
): Promise<void> {
  const rows = reports.flatMap(({ sourceId, items }) =>
    items.map((each) => ({ source_id: sourceId, customer_id: each.customerId, subject_id: each.subjectId })),
  );
  if (rows.length === 0) return;
  await connection.query({
    name: 'set_bank_reports_aside',
    text: `insert into bank_reports_set_aside (source_id, customer_id, subject_id)
           select distinct n.source_id, n.customer_id, n.subject_id
           from json_to_recordset($1) as n (source_id uuid, customer_id uuid, subject_id uuid)
           on conflict do nothing`,
    values: [JSON.stringify(rows)],
  });
}

export async function insertReports(connection: Connection, reports: readonly StoredReport[]): Promise<void> {
  const rows = reports.map((each) => ({
    customer_id: each.customerId,
    transaction_id: each.subjectId,
    purpose: each.purpose,
    attempt: each.attempt,
    kind: each.kind,
    source_id: each.sourceId,
    currency: each.currency,
    amount_minor: each.amountMinor.toString(),
    at: isoInstant(each.at),
  }));
  await insertRows(connection, 'bank_notices', rows);
}

/** Writes what a bank has said last of the payments that hold these attempts. */
export async function noteStatuses(
  connection: Connection,
  notes: readonly {
    readonly target: PaymentTarget;
    readonly status: string;
    readonly reason: string | null;
    readonly at: number;
    /** It is said of the payment itself, and not of all that were ordered with it. */
    readonly isOwn: boolean;
  }[],
): Promise<void> {
  if (notes.length === 0) return;
  const rows = notes.map(({ target, status, reason, at, isOwn }, place) => ({
    customer_id: target.customerId,
    subject_id: target.subjectId,
    purpose: target.purpose,
    attempt: target.attempt,
    status,
    reason,
    at: isoInstant(at),
    is_own: isOwn,
    place,
  }));
  await connection.query({
    name: 'note_bank_statuses',
    text: `with reported as (
             select distinct on (i.payment_id) i.payment_id, n.status, n.reason, n.at, n.is_own
             from json_to_recordset($1) as n (customer_id uuid, subject_id uuid, purpose text, attempt int,
               status text, reason text, at timestamptz, is_own boolean, place int)
             cross join lateral (
               select payment_id from payment_items where customer_id = n.customer_id and transaction_id = n.subject_id
                 and purpose = n.purpose and attempt = n.attempt and live
               union all
               select payment_id from payment_items where withdrawal_id = n.subject_id and live
               union all
               select payment_id from payment_items where return_id = n.subject_id and live
             ) i
             order by i.payment_id, n.is_own desc, n.place desc
           ), held as (
             select p.id from payments p where p.id in (select payment_id from reported) order by p.id for update
           )
           update payments p set bank_status = t.status, bank_status_reason = t.reason, bank_status_at = t.at
           from reported t join held h on h.id = t.payment_id where p.id = t.payment_id
             and (t.is_own or p.bank_status_at is distinct from t.at)`,
    values: [JSON.stringify(rows)],
  });
}
