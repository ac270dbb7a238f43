import type { Connection, Queryable } from '../database/pool.ts';
import { isOpen, keysOf } from './deposit-keys.ts';
import type { PayerEvidence } from './match-context.ts';
import type { DepositRecord } from './record.ts';

/** Real milliseconds after which a deposit is looked at once more: what was written while it was is committed by then. */
const SECOND_LOOK_MS = 5_000;

/**
 * Writes down by what open deposits may be found again. Without repeats, so that those that are known may be written again
 * when more is known of them.
 * @param areNew they have just arrived: what is committed at the same time does not see them, nor they it
 */
export async function writeKeys(
  connection: Queryable,
  deposits: readonly DepositRecord[],
  evidence: ReadonlyMap<string, PayerEvidence>,
  areNew: boolean,
): Promise<void> {
  const open = deposits.filter(isOpen);
  if (open.length === 0) return;
  const rows = open.flatMap((deposit) => {
    const { id: deposit_id, currency, amountMinor } = deposit;
    return keysOf(deposit, evidence.get(deposit.id)).map(([kind, key]) => ({
      kind,
      key,
      currency,
      amount_minor: amountMinor.toString(),
      deposit_id,
    }));
  });
  await connection.query({
    name: 'write_deposit_keys',
    text: `with keys as (
             insert into deposit_keys select n.* from json_populate_recordset(null::deposit_keys, $1) n on conflict do nothing
           )
           insert into match_changes (kind, key, due_at)
           select 'deposit', id::text, now() + $3 * interval '1 millisecond' from unnest($2::uuid[]) as n (id)`,
    values: [JSON.stringify(rows), areNew ? open.map((each) => each.id) : [], SECOND_LOOK_MS],
  });
}

/** They have been matched or touched: nothing finds them any more. */
export async function dropKeys(connection: Connection, depositIds: readonly string[]): Promise<void> {
  if (depositIds.length === 0) return;
  await connection.query({
    name: 'drop_deposit_keys',
    text: 'delete from deposit_keys where deposit_id = any ($1::uuid[])',
    values: [depositIds],
  });
}
