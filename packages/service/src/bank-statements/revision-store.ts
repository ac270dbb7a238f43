import type { Connection, Queryable } from '../database/pool.ts';
import type { CamelRow, Present, Row } from '../database/rows.ts';
import type { DepositRecord } from '../deposits/record.ts';
import { isoInstant } from '../platform/clock.ts';
import { isToBeTried } from './apply-failure-store.ts';
import type { DueSpan } from './process-due.ts';
import { waitUnlessListed, writeNeverBooked } from './sameness-store.ts';
import { LIST_OF, listAnew } from './withdraw-store.ts';

/** Details whose deposit is to be brought in line with what is known of them now. */
export type RevisedDetail = Pick<
  CamelRow<'entry_details'>,
  | 'id'
  | 'depositId'
  | 'endToEndId'
  | 'structuredReferences'
  | 'remittanceText'
  | 'counterpartyName'
  | 'counterpartyAccount'
  | 'creditedAccount'
> &
  Present<Pick<Row<'entry_details'>, 'revise'>> &
  Pick<Row<'bank_entries'>, 'account'>;

/** The first after an id. Those that another instance holds are passed over. */
export async function lockRevised(
  connection: Connection,
  { after, upTo, now }: DueSpan,
): Promise<RevisedDetail | undefined> {
  const { rows } = await connection.query<RevisedDetail>(
    `select e.id, e.revise, b.account, e.deposit_id as "depositId", e.end_to_end_id as "endToEndId",
       e.structured_references as "structuredReferences", e.remittance_text as "remittanceText",
       e.counterparty_name as "counterpartyName", e.counterparty_account as "counterpartyAccount",
       e.credited_account as "creditedAccount"
     from entry_details e join bank_entries b on b.id = e.entry_id
     where e.revise is not null and e.id > $1 and ($2::uuid is null or e.id <= $2) and ${isToBeTried('e.id', '$3')}
     order by e.id limit 1 for update of e skip locked`,
    [after, upTo, isoInstant(now)],
  );
  return rows[0];
}

/** Id of the first after another one. */
export async function nextRevised(
  connection: Queryable,
  after: string,
  now: number,
): Promise<string | undefined> {
  const { rows } = await connection.query<Pick<Row<'entry_details'>, 'id'>>({
    name: 'next_revised',
    text: `select id from entry_details e where revise is not null and id > $1 and ${isToBeTried('e.id', '$2')} order by id limit 1`,
    values: [after, isoInstant(now)],
  });
  return rows[0]?.id;
}

/** The deposit is in line with its details now. */
export async function writeRevised(connection: Connection, id: string): Promise<void> {
  await connection.query('update entry_details set revise = null where id = $1', [id]);
}

/** What a deposit is matched by. Its content as it was first reported stays what it is compared by. */
export async function writeCompletedDeposit(connection: Connection, deposit: DepositRecord): Promise<void> {
  await connection.query(
    `update deposits set remittance_text = $2, remitter_name = $3, remitter_account = $4, virtual_account = $5 where id = $1`,
    [
      deposit.id,
      deposit.remittanceText,
      deposit.remitterName,
      deposit.remitterAccount,
      deposit.virtualAccount ?? null,
    ],
  );
}

/**
 * A sum is its first payment from now on, unless the bank has booked these one by one and never the sum, and each of its payments is
 * about to become a deposit. They were the same as the sum, and waited for no statement: from now on they do, unless one lists them or
 * the sum.
 * @returns ids of the payments; none where the file that listed them was withdrawn
 */
export async function splitDetail(connection: Connection, id: string): Promise<string[]> {
  await joinRepeatedParts(connection, id);
  await joinPayments(connection, id);
  const { rows } = await connection.query<
    Pick<Row<'entry_details'>, 'id'> & { readonly is_single: boolean | null }
  >(
    `update entry_details e set same_as = null, same_reason = null, differs = null, deposit_state = 'due',
       missing_since = (select m.missing_since from entry_details m where m.id = $1)
     where e.same_as = $1 and e.same_reason = 'part_of_sum' returning e.id, (
       select b.payments = 1 from bank_entries b where b.id = e.entry_id) as is_single`,
    [id],
  );
  const parts = rows.map((row) => row.id).sort();
  const [first] = parts;
  if (first === undefined) return [];
  if (rows[0]?.is_single === true) await writeNeverBooked(connection, id, 'none');
  // What was the same as the sum is so still.
  else await writeSumOf(connection, id, first);
  const entryIds = await listAnew(connection, 'e.id = any ($1::uuid[])', [parts]);
  await connection.query(
    'update entry_details set missing_since = null where id = any ($1::uuid[]) and listed_by is not null',
    [parts],
  );
  await waitUnlessListed(connection, entryIds);
  return parts;
}

async function writeSumOf(connection: Connection, id: string, firstId: string): Promise<void> {
  await connection.query(
    `update entry_details set same_as = $2, same_part = null, same_reason = 'sum_of_details', differs = null,
       missing_since = null, deposit_state = 'none', deposit_id = null, payment_state = 'none', payment_reason = null
     where id = $1 or (same_as = $1 and id <> $2)`,
    [id, firstId],
  );
}

/** What was the same as one of its payments is so still. */
async function joinPayments(connection: Connection, id: string): Promise<void> {
  await connection.query(
    `update entry_details e set same_part = null, same_as = case when p.same_as = $1 then p.id else p.same_as end
     from entry_details p where e.same_as = $1 and p.id = e.same_part and p.same_as is not null`,
    [id],
  );
}

/**
 * Several messages may have listed the payments of a sum before its deposit was divided. Those of the first one carry the money: each of
 * the others is the same as the one in its place among those of its amount. One that lists other amounts lists the sum.
 */
async function joinRepeatedParts(connection: Connection, id: string): Promise<void> {
  await connection.query(
    `with parts as (
       select e.id, l.id as list_id, e.amount_minor, row_number() over (
         partition by l.id, e.amount_minor order by e.known_end_to_end, e.uetr, e.known_reference, e.number, e.id) as place
       from entry_details e join bank_entries b on b.id = e.entry_id cross join lateral (select ${LIST_OF} as id) l
       where e.same_as = $1 and e.same_reason = 'part_of_sum'
     ), carrying as (
       select p.* from parts p where p.list_id = (select f.list_id from parts f order by f.id limit 1)
     ), first as (
       select c.id from carrying c order by c.id limit 1
     )
     update entry_details e set same_as = coalesce(c.id, first.id), differs = '{}',
       same_reason = case when c.id is null then 'sum_of_details' else 'content' end
     from parts p left join carrying c on c.amount_minor = p.amount_minor and c.place = p.place, first
     where e.id = p.id and p.list_id not in (select k.list_id from carrying k)`,
    [id],
  );
}
