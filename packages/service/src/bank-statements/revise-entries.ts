import { compact } from '@firmquote/bank-formats';
import { hasProposals } from '../approvals/approvals.ts';
import { type Connection, inTransaction, type Queryable } from '../database/pool.ts';
import type { CamelRow, Present, Row } from '../database/rows.ts';
import { cancelDeposit } from '../deposits/cancel-deposit.ts';
import { matchDeposits } from '../deposits/match-deposits.ts';
import { type DepositRecord, suspenseMinorOf } from '../deposits/record.ts';
import { lockDeposit } from '../deposits/room.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { isToBeTried } from './apply-failures.ts';
import { wordsOf } from './book-credits.ts';
import { withText } from './complete-entry.ts';
import { type DueSpan, processDue } from './process-due.ts';
import type { StatementsRoom } from './room.ts';

/** Entries in one run. */
const BATCH = 50;
const SYSTEM = { actor: 'system', reason: null, detail: {} } as const;

/**
 * Brings deposits in line with what later entries have reported: a deposit is completed and, if nobody has touched it, matched
 * again; that of a sum gives way to deposits of its payments. Each in a commit of its own.
 * @returns how many entries were settled
 */
export function reviseEntries(room: StatementsRoom, logger: Logger, only: 'fresh' | 'all'): Promise<number> {
  return processDue(
    room,
    {
      what: 'completed entries',
      kind: 'revise',
      batch: BATCH,
      work: (span) => reviseSome(room, span),
      next: (after, now) => nextRevised(room.pool, after, now),
    },
    logger,
    only,
  );
}

async function reviseSome(room: StatementsRoom, span: DueSpan): Promise<number> {
  let last: string | undefined = span.after;
  for (let settled = 0; settled < span.rowsMax; settled++) {
    last = await reviseOne(room, { ...span, after: last });
    if (last === undefined) return settled;
  }
  return span.rowsMax;
}

/** @returns id of the details, or undefined when there are none */
function reviseOne(room: StatementsRoom, span: DueSpan): Promise<string | undefined> {
  return inTransaction(room.pool, async (connection) => {
    const detail = await lockRevised(connection, span);
    if (detail === undefined) return undefined;
    const deposit = detail.depositId === null ? undefined : await lockDeposit(connection, detail.depositId);
    if (deposit !== undefined && detail.revise === 'split') await split(room, connection, detail, deposit);
    else if (deposit !== undefined) await complete(room, connection, detail, deposit);
    await writeRevised(connection, detail.id);
    return detail.id;
  });
}

async function complete(
  { clock, dates }: StatementsRoom,
  connection: Connection,
  detail: RevisedDetail,
  deposit: DepositRecord,
): Promise<void> {
  const words = wordsOf(detail);
  const isMore = compact(words.remittanceText ?? '').includes(compact(deposit.remittanceText ?? ''));
  const after: DepositRecord = {
    ...deposit,
    remittanceText: isMore ? words.remittanceText : withText(deposit.remittanceText, words.remittanceText),
    remitterName: deposit.remitterName ?? detail.counterpartyName,
    remitterAccount: deposit.remitterAccount ?? detail.counterpartyAccount,
    virtualAccount: deposit.virtualAccount ?? words.virtualAccount,
  };
  await completeDeposit(connection, after);
  // Once an operator has touched it, it is theirs.
  const isUntouched = deposit.version === 1 && deposit.status === 'unmatched';
  if (!isUntouched || (await hasProposals(connection, typeId('dep', deposit.id)))) return;
  await matchDeposits(connection, [after], clock.now(), dates.current, SYSTEM);
}

/** Only while all of it is in suspense: a sum that was matched stays so, and its payments are parts of it. */
async function split(
  room: StatementsRoom,
  connection: Connection,
  detail: RevisedDetail,
  deposit: DepositRecord,
): Promise<void> {
  const isFree = deposit.status === 'unmatched' && suspenseMinorOf(deposit) === deposit.amountMinor;
  if (!isFree || (await hasProposals(connection, typeId('dep', deposit.id)))) return;
  const reason = 'The payments of the sum are known.';
  const work = { connection, room, now: room.clock.now(), actor: 'bank_feed', approvedBy: undefined, reason };
  await splitDetail(connection, detail.id);
  await cancelDeposit(work, deposit, 'same_entry');
}

/** Details whose deposit is to be brought in line with what is known of them now. */
type RevisedDetail = Pick<
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
async function lockRevised(
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
async function nextRevised(connection: Queryable, after: string, now: number): Promise<string | undefined> {
  const { rows } = await connection.query<Pick<Row<'entry_details'>, 'id'>>({
    name: 'next_revised',
    text: `select id from entry_details e where revise is not null and id > $1 and ${isToBeTried('e.id', '$2')} order by id limit 1`,
    values: [after, isoInstant(now)],
  });
  return rows[0]?.id;
}

async function writeRevised(connection: Connection, id: string): Promise<void> {
  await connection.query('update entry_details set revise = null where id = $1', [id]);
}

/** What a deposit is matched by. Its content as it was first reported stays what it is compared by. */
async function completeDeposit(connection: Connection, deposit: DepositRecord): Promise<void> {
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

/** A sum is its first payment from now on, and each of its payments is about to become a deposit. */
async function splitDetail(connection: Connection, id: string): Promise<void> {
  const { rows } = await connection.query<Pick<Row<'entry_details'>, 'id'>>(
    `update entry_details set same_as = null, same_reason = null, differs = null, deposit_state = 'due'
     where same_as = $1 and same_reason = 'part_of_sum' returning id`,
    [id],
  );
  const [first] = rows.map((row) => row.id).sort();
  if (first === undefined) throw new Error(`the sum ${id} has no payments`);
  // What was the same as the sum is so still.
  await connection.query(
    `update entry_details set same_as = $2, same_reason = 'sum_of_details', differs = null,
       deposit_state = 'none', deposit_id = null, payment_state = 'none', payment_reason = null
     where id = $1 or (same_as = $1 and id <> $2)`,
    [id, first],
  );
}
