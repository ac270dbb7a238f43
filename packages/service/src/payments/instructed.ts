import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { type DuePayment, subjectOf } from './due-payments.ts';

/** By what a bank distinguishes a payment from others. */
interface Identifiers {
  readonly endToEndId: string;
  readonly uetr: string;
}

/** What payments were called that were made before of what is due now. */
export interface EarlierInstructions {
  /** How many identifiers a trade or a withdrawal has had, by its id. */
  readonly numbers: ReadonlyMap<string, number>;
  /** Of payments of cancelled runs, by {@link attemptsKey}. */
  readonly kept: ReadonlyMap<string, Identifiers>;
}

/** The attempts that a payment is for, as one text. */
export function attemptsKey(
  items: readonly Pick<
    DuePayment,
    'purpose' | 'attempt' | 'transaction_id' | 'withdrawal_id' | 'return_id'
  >[],
): string {
  return items
    .map((each) => `${each.purpose} ${subjectOf(each)} ${each.attempt}`)
    .sort()
    .join(', ');
}

/**
 * Identifiers belong to the attempts that are paid and not to the run: a payment that is made again because its run was
 * cancelled is the same to the bank, which so knows it should both files reach it. An attempt that failed is followed by
 * another one, which is another payment.
 */
export async function earlierInstructions(
  connection: Queryable,
  due: readonly DuePayment[],
): Promise<EarlierInstructions> {
  const { rows } = await connection.query<
    Pick<Row<'payments'>, 'end_to_end_id' | 'uetr' | 'live'> & {
      readonly subject: string;
      readonly items: string;
    }
  >(
    `with named as (
       select i.transaction_id as subject, i.payment_id from payment_items i
       where (i.customer_id, i.transaction_id) in (select * from unnest($1::uuid[], $2::uuid[]))
       union
       select i.withdrawal_id, i.payment_id from payment_items i where i.withdrawal_id = any ($3::uuid[])
       union
       select i.return_id, i.payment_id from payment_items i where i.return_id = any ($4::uuid[])
     )
     select n.subject, p.end_to_end_id, p.uetr, p.live, (
       select json_agg(json_build_object('transaction_id', i.transaction_id, 'withdrawal_id', i.withdrawal_id, 'return_id', i.return_id,
         'purpose', i.purpose, 'attempt', i.attempt))
       from payment_items i where i.payment_id = p.id)::text as items
     from named n join payments p on p.id = n.payment_id order by p.id`,
    [
      due.map((each) => each.customer_id),
      due.map((each) => each.transaction_id),
      due.map((each) => each.withdrawal_id),
      due.map((each) => each.return_id),
    ],
  );
  const ids = new Map<string, Set<string>>();
  const kept = new Map<string, Identifiers>();
  for (const row of rows) {
    const ofSubject = ids.get(row.subject) ?? new Set();
    ids.set(row.subject, ofSubject.add(row.end_to_end_id));
    if (row.live) continue;
    const { end_to_end_id: endToEndId, uetr } = row;
    kept.set(attemptsKey(JSON.parse(row.items) as DuePayment[]), { endToEndId, uetr });
  }
  return { numbers: new Map([...ids].map(([subject, each]) => [subject, each.size])), kept };
}
