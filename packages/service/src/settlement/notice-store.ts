import { insertRows } from '../database/insert-rows.ts';
import type { Connection, Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import type { TransactionRow } from '../transactions/record.ts';
import type { TransactionId } from '../transactions/store.ts';

/** One attempt to pay a payout or a refund. */
export interface PaymentTarget {
  readonly customerId: string;
  readonly transactionId: string;
  readonly purpose: 'payout' | 'refund';
  readonly attempt: number;
  readonly amountMinor: bigint;
}

export interface FoundPayment {
  readonly id: string;
  readonly endToEndId: string;
  readonly uetr: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly items: readonly PaymentTarget[];
}

interface PaymentRow {
  id: string;
  end_to_end_id: string;
  uetr: string;
  currency: string;
  amount_minor: string;
  items: string | null;
}

const ITEMS = `(
  select json_agg(json_build_object('customerId', i.customer_id, 'transactionId', i.transaction_id, 'purpose', i.purpose,
    'attempt', i.attempt, 'amountMinor', i.amount_minor::text) order by i.customer_id, i.transaction_id)
  from payment_items i where i.payment_id = p.id and i.withdrawal_id is null)::text as items`;

function paymentOf(row: PaymentRow): FoundPayment {
  return {
    id: row.id,
    endToEndId: row.end_to_end_id,
    uetr: row.uetr,
    currency: row.currency,
    amountMinor: BigInt(row.amount_minor),
    items: itemsOf(row.items),
  };
}

/** Null where there are none: the payment of a withdrawal has no trades. */
function itemsOf(json: string | null): PaymentTarget[] {
  if (json === null) return [];
  const items = JSON.parse(json) as (Omit<PaymentTarget, 'amountMinor'> & { amountMinor: string })[];
  return items.map((item) => ({ ...item, amountMinor: BigInt(item.amountMinor) }));
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
    name: 'find_told_payments',
    text: `select p.id, p.end_to_end_id, p.uetr, p.currency, p.amount_minor, ${ITEMS} from payments p
           where p.id in (
             select id from payments where uetr = any ($1::uuid[])
             union all select id from payments where end_to_end_id = any ($2::text[]))`,
    values: [valid, endToEndIds],
  });
  return rows.map(paymentOf);
}

export interface FoundBlock {
  readonly blockId: string;
  readonly currency: string;
  readonly items: readonly PaymentTarget[];
  readonly withdrawals: readonly BlockWithdrawal[];
}

/** A payment out of a balance, in a block of payments. */
export interface BlockWithdrawal {
  readonly uetr: string;
  readonly amountMinor: bigint;
}

/** Payments of our files by MsgId, or of the blocks in them by PmtInfId, which is the message and a letter for the scheme. */
export async function findBlocks(connection: Queryable, blockIds: readonly string[]): Promise<FoundBlock[]> {
  if (blockIds.length === 0) return [];
  const { rows } = await connection.query<{
    block_id: string;
    currency: string;
    items: string | null;
    withdrawals: string | null;
  }>({
    name: 'find_told_blocks',
    text: `select b.block_id, r.currency,
             json_agg(json_build_object('customerId', i.customer_id, 'transactionId', i.transaction_id, 'purpose', i.purpose,
               'attempt', i.attempt, 'amountMinor', i.amount_minor::text) order by i.customer_id, i.transaction_id)
               filter (where i.withdrawal_id is null)::text as items,
             json_agg(json_build_object('uetr', p.uetr, 'amountMinor', i.amount_minor::text) order by i.customer_id, i.withdrawal_id)
               filter (where i.withdrawal_id is not null)::text as withdrawals
           from unnest($1::text[]) b (block_id)
           join settlement_runs r on r.message_id = rtrim(b.block_id, 'SP')
           join payments p on p.run_id = r.id
             and (b.block_id = r.message_id or p.scheme = case right(b.block_id, 1) when 'S' then 'sepa' else 'plain' end)
           join payment_items i on i.payment_id = p.id
           group by b.block_id, r.currency`,
    values: [[...new Set(blockIds)]],
  });
  return rows.map((row) => ({
    blockId: row.block_id,
    currency: row.currency,
    items: itemsOf(row.items),
    withdrawals: (
      JSON.parse(row.withdrawals ?? '[]') as { readonly uetr: string; readonly amountMinor: string }[]
    ).map((each) => ({ ...each, amountMinor: BigInt(each.amountMinor) })),
  }));
}

export type NamedTrade = Pick<
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
): Promise<NamedTrade[]> {
  if (references.length === 0) return [];
  const { rows } = await connection.query<NamedTrade>({
    name: 'trades_by_reference',
    text: `select customer_id, id, reference, buy_currency, buy_minor, payout_attempts, sell_currency, refund
           from transactions where reference = any ($1::text[]) order by customer_id, id`,
    values: [references],
  });
  return rows;
}

/** The trades, in key order, held until the transaction ends. */
export async function lockTrades(
  connection: Connection,
  ids: readonly TransactionId[],
): Promise<TransactionRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await connection.query<TransactionRow>(
    `select t.* from transactions t
     where (t.customer_id, t.id) in (select * from unnest($1::uuid[], $2::uuid[]))
     order by t.customer_id, t.id for update of t`,
    [ids.map((each) => each.customerId), ids.map((each) => each.id)],
  );
  return rows;
}

export type NoticeKind = 'paid' | 'rejected' | 'returned';

/** What a bank has told of one attempt. */
export interface ToldNotice extends Omit<PaymentTarget, 'purpose'> {
  /** In place of a transaction a withdrawal has its own id. */
  readonly purpose: PaymentTarget['purpose'] | 'withdrawal';
  readonly kind: NoticeKind;
  readonly sourceId: string;
  readonly currency: string;
  readonly at: number;
}

/** What was told of these trades before. */
export async function toldOf(
  connection: Queryable,
  ids: readonly TransactionId[],
): Promise<Omit<ToldNotice, 'at'>[]> {
  if (ids.length === 0) return [];
  const { rows } = await connection.query<Omit<ToldNotice, 'amountMinor' | 'at'> & { amountMinor: string }>({
    name: 'bank_notices_of',
    text: `select n.customer_id as "customerId", n.transaction_id as "transactionId", n.purpose, n.attempt, n.kind,
             n.source_id as "sourceId", n.currency, n.amount_minor as "amountMinor"
           from unnest($1::uuid[], $2::uuid[]) t (customer_id, id)
           join bank_notices n on n.customer_id = t.customer_id and n.transaction_id = t.id`,
    values: [ids.map((each) => each.customerId), ids.map((each) => each.id)],
  });
  return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
}

export async function insertNotices(connection: Connection, notices: readonly ToldNotice[]): Promise<void> {
  const rows = notices.map((each) => ({
    customer_id: each.customerId,
    transaction_id: each.transactionId,
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
    transaction_id: target.transactionId,
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
    text: `with told as (
             select distinct on (i.payment_id) i.payment_id, n.status, n.reason, n.at, n.is_own
             from json_to_recordset($1) as n (customer_id uuid, transaction_id uuid, purpose text, attempt int,
               status text, reason text, at timestamptz, is_own boolean, place int)
             join payment_items i on i.customer_id = n.customer_id and i.transaction_id = n.transaction_id
               and i.purpose = n.purpose and i.attempt = n.attempt and i.live
             order by i.payment_id, n.is_own desc, n.place desc
           ), held as (
             select p.id from payments p where p.id in (select payment_id from told) order by p.id for update
           )
           update payments p set bank_status = t.status, bank_status_reason = t.reason, bank_status_at = t.at
           from told t join held h on h.id = t.payment_id where p.id = t.payment_id
             and (t.is_own or p.bank_status_at is distinct from t.at)`,
    values: [JSON.stringify(rows)],
  });
}
