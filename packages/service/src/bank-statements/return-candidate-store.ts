import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { NO_DEPOSIT } from '../deposits/cancel-deposit.ts';
import { takenBackOf } from './due-entry-store.ts';

/** A deposit, or a credit that is about to become one, which an entry may take back. */
export interface ReturnCandidate {
  /** Null while the credit is due. */
  readonly depositId: string | null;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly status: string | null;
  readonly returnedMinor: bigint;
  readonly remittanceText: string | null;
  /** Details that have taken all of it back already. */
  readonly returnedBy: string | null;
  /** It has gone by somebody's word, which no entry has told yet. */
  readonly isToBeTold: boolean;
}

type CandidateRow = Pick<Row<'entry_details'>, 'deposit_id' | 'amount_minor' | 'remittance_text'> &
  Pick<Row<'bank_entries'>, 'currency'> & {
    /** Null while the credit is due. */
    readonly status: string | null;
    readonly returned_minor: string | null;
    readonly returned_by: string | null;
    readonly is_to_be_told: boolean;
  };

/**
 * Whether a deposit `d` has gone by somebody's word, which no entry has told yet. What the house is to send back leaves by its own
 * payment, and what it has booked as its own did not go: such a deposit is taken back besides.
 */
const IS_TO_BE_TOLD = `(d.booked_as is null and d.returned_minor - ${takenBackOf('d.id')} >= d.amount_minor)`;

export async function isToBeTold(connection: Queryable, depositId: string): Promise<boolean> {
  const { rowCount } = await connection.query(`select from deposits d where d.id = $1 and ${IS_TO_BE_TOLD}`, [
    depositId,
  ]);
  return rowCount === 1;
}

/** What is of a part is the house's own return of that, which a person has said of a debit. */
const TAKEN = `(select r.id from entry_details r
  where r.returned_deposit_id = d.id and r.amount_minor = d.amount_minor limit 1) as returned_by,
  coalesce(d.status = 'returned' and ${IS_TO_BE_TOLD}, false) as is_to_be_told`;
const DEPOSIT = `d.id as deposit_id, d.amount_minor, d.currency, d.status, d.returned_minor, d.remittance_text,
  ${TAKEN}`;
const CREDIT = `e.deposit_id, e.amount_minor, b.currency, d.status, d.returned_minor, e.remittance_text,
  ${TAKEN}
  from entry_details e join bank_entries b on b.id = e.entry_id left join deposits d on d.id = e.deposit_id
  where b.account = $1 and b.direction = 'credit' and e.deposit_state in ('due', 'booked')`;

/** What a person has said there never was is nobody's to take back. */
const WAS_MONEY = `coalesce(d.booked_as, '') not in (${NO_DEPOSIT.map((each) => `'${each}'`).join(', ')})`;

/** How an entry identifies the payment that it takes back. */
export type ReturnWay = 'uetr' | 'end_to_end' | 'bank_reference' | 'remitter';

const QUERIES: Readonly<Record<ReturnWay, string>> = {
  uetr: `select ${CREDIT} and e.uetr = any ($2::text[])`,
  end_to_end: `select ${CREDIT} and e.end_to_end_id = any ($2::text[])`,
  bank_reference: `select ${CREDIT} and (b.bank_reference = any ($2::text[]) or e.detail_reference = any ($2::text[]))
    union all
    select ${DEPOSIT} from deposits d where d.account = $1 and d.bank_reference = any ($2::text[])
      and ${WAS_MONEY} and not exists (select from entry_details e where e.deposit_id = d.id)`,
  remitter: `select ${DEPOSIT} from deposits d where d.account = $1 and d.remitter_account = any ($2::text[]) and ${WAS_MONEY}`,
};

/** Enough to see that several are meant. */
const CANDIDATES_MAX = 200;

/** What an entry on the account may take back, by identifiers of one kind. */
export async function returnCandidates(
  connection: Queryable,
  account: string,
  way: ReturnWay,
  values: readonly string[],
): Promise<ReturnCandidate[]> {
  if (values.length === 0) return [];
  const { rows } = await connection.query<CandidateRow>({
    name: `return_candidates_${way}`,
    text: `select * from (${QUERIES[way]}) c limit ${CANDIDATES_MAX}`,
    values: [account, values],
  });
  return rows.map((row) => ({
    depositId: row.deposit_id,
    amountMinor: BigInt(row.amount_minor),
    currency: row.currency,
    status: row.status,
    returnedMinor: BigInt(row.returned_minor ?? '0'),
    remittanceText: row.remittance_text,
    returnedBy: row.returned_by,
    isToBeTold: row.is_to_be_told,
  }));
}
