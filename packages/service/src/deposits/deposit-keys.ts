import type { Connection, Queryable } from '../database/pool.ts';
import { houseAccounts, type PayerEvidence, remitterAccount } from './match-context.ts';
import { type DepositRecord, type DepositRow, depositFromRow } from './record.ts';

/**
 * Why a deposit may find its place later: what it fits has come into being since (a trade of the account's customer, a
 * virtual account, a balance's reference), of two things that it could be for one is gone, or its payer is known now.
 * What rules were set to suggest, duplicates, excess and other currencies stay a person's work.
 */
export const OPEN_REASONS = [
  'no_reference',
  'unknown_reference',
  'known_remitter',
  'several_transactions',
  'too_many_open_transactions',
  'transaction_and_balance',
  'several_balances',
  'remitter_unknown',
  'remitter_is_not_customer',
] as const;

/** By what deposits are found again. */
export type KeyKind = 'reference' | 'account' | 'owner' | 'remitter' | 'held';

/** Real milliseconds after which a deposit is looked at once more: what was written while it was is committed by then. */
const SECOND_LOOK_MS = 5_000;

/** No rule has matched it, and nobody has touched it. */
export function isOpen(deposit: DepositRecord): boolean {
  const reasons: readonly string[] = OPEN_REASONS;
  return (
    deposit.status === 'unmatched' &&
    deposit.version === 1 &&
    deposit.exception !== null &&
    reasons.includes(deposit.exception.reason)
  );
}

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

function keysOf(deposit: DepositRecord, known: PayerEvidence | undefined): [KeyKind, string][] {
  const { references = [], accountOwner = null } = known ?? {};
  const remitter = remitterAccount(deposit);
  const accounts = [...new Set(houseAccounts(deposit))];
  return [
    ...references.map((each) => ['reference', each] as [KeyKind, string]),
    ...accounts.map((each) => ['account', each] as [KeyKind, string]),
    ...(accountOwner === null ? [] : [['owner', accountOwner] as [KeyKind, string]]),
    ...(remitter === undefined ? [] : [['remitter', remitter] as [KeyKind, string]]),
    ...(deposit.exception?.type === 'third_party' ? [['held', ''] as [KeyKind, string]] : []),
  ];
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

/** Of these deposits those that are open, oldest first. */
export async function openDeposits(connection: Queryable, ids: readonly string[]): Promise<DepositRecord[]> {
  if (ids.length === 0) return [];
  const { rows } = await connection.query<DepositRow>({
    name: 'open_deposits',
    text: `select * from deposits where id = any ($1::uuid[]) and status = 'unmatched' and version = 1
             and exception_reason = any ($2::text[])
           order by id`,
    values: [ids, OPEN_REASONS],
  });
  return rows.map(depositFromRow);
}
