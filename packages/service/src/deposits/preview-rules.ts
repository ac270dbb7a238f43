import type { MatchingRulesDocument, RulesPreview } from '@firmquote/api/operations/matching-rules';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import { BEGIN_SNAPSHOT, type Pool, type Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { allocationsOf } from './allocation-store.ts';
import { decideMatch } from './decide-match.ts';
import { loadMatchContext, withTransactions } from './match-context.ts';
import { findCandidates } from './match-context-store.ts';
import type { Match } from './matching-rules.ts';
import { type MatchingSettings, readMatchingSettings } from './matching-settings.ts';
import { type AllocationRecord, type DepositRecord, isOfTransaction } from './record.ts';
import { newestDeposits } from './store.ts';

/**
 * What a draft of rules would have done with the newest deposits, beside what the rules in force do. Nothing is
 * written. The deposits are taken from the newest to the oldest, and what each of them did to a trade is taken back
 * before it is decided, so that every one meets its trades as they were when it arrived; trades that were made later
 * are out of its sight.
 */
export async function previewRules(
  pool: Pool,
  document: MatchingRulesDocument,
  count: number,
): Promise<RulesPreview> {
  const connection = await pool.connect();
  try {
    // One picture of everything, however long it takes.
    await connection.query(BEGIN_SNAPSHOT);
    return await preview(connection, document, count);
  } finally {
    await connection.query('rollback').catch(() => undefined);
    connection.release();
  }
}

async function preview(
  connection: Queryable,
  document: MatchingRulesDocument,
  count: number,
): Promise<RulesPreview> {
  const deposits = await newestDeposits(connection, count);
  const allocations = await allocationsOf(
    connection,
    deposits.map(({ id }) => id),
  );
  const context = await loadMatchContext(
    connection,
    deposits,
    (sought) => findCandidates(connection, sought, allocations.filter(isOfTransaction)),
    true,
  );
  const inForce = context.settings;
  const draft = readMatchingSettings(document, inForce.version);
  const rows = new Map(context.rows);
  const parts = Map.groupBy(allocations, (each) => each.depositId);
  const changes: RulesPreview['changes'][number][] = [];
  for (const deposit of deposits) {
    for (const allocation of parts.get(deposit.id) ?? []) undo(rows, allocation);
    const visible = [...rows.values()].filter((row) => row.created_at <= deposit.createdAt);
    const then = withTransactions(context, visible);
    const by = (settings: MatchingSettings) =>
      outcomeOf(deposit, decideMatch(deposit, { ...then, settings }));
    const [now, drafted] = [by(inForce), by(draft)];
    if (JSON.stringify(now) !== JSON.stringify(drafted)) changes.push(changeOf(deposit, now, drafted));
  }
  return {
    rulesVersion: inForce.version,
    depositsTried: deposits.length,
    unchanged: deposits.length - changes.length,
    changes,
  };
}

/** The trade as it was before the deposit; whatever else became of it, it was waiting for money then. */
function undo(rows: Map<string, TransactionRow>, allocation: AllocationRecord): void {
  const row = allocation.transactionId === null ? undefined : rows.get(allocation.transactionId);
  if (row === undefined) return;
  const received = BigInt(row.received_minor) - allocation.allocatedMinor;
  const depositId = typeId('dep', allocation.depositId);
  const deposits = JSON.parse(row.deposits) as { depositId: string }[];
  rows.set(row.id, {
    ...row,
    status: received === 0n ? 'awaiting_funds' : 'partially_funded',
    received_minor: received.toString(),
    shortfall_minor: (BigInt(row.shortfall_minor) - allocation.shortfallMinor).toString(),
    deposits: JSON.stringify(deposits.filter((each) => each.depositId !== depositId)),
  });
}

type Outcome = RulesPreview['changes'][number]['draft'];

function outcomeOf(deposit: DepositRecord, match: Match): Outcome {
  const amount = (minor: bigint) => formatAmount(minor, knownCurrency(deposit.currency));
  if (match.outcome === 'exception') {
    return { outcome: 'exception', exception: { ...match.exception }, allocations: [] };
  }
  if (match.outcome === 'topped_up') {
    const none = amount(0n);
    const amounts = {
      allocatedAmount: amount(deposit.amountMinor),
      excessAmount: none,
      shortfallAmount: none,
    };
    const part = { transactionId: null, matchRule: match.topUp.rule, ...amounts };
    return { outcome: 'matched', exception: null, allocations: [part] };
  }
  return {
    outcome: 'matched',
    exception: null,
    allocations: match.allocations.map((each) => ({
      transactionId: typeId('txn', each.target.transactionId),
      matchRule: each.rule,
      allocatedAmount: amount(each.allocatedMinor),
      excessAmount: amount(each.excessMinor),
      shortfallAmount: amount(each.shortfallMinor),
    })),
  };
}

function changeOf(deposit: DepositRecord, inForce: Outcome, draft: Outcome) {
  return {
    depositId: typeId('dep', deposit.id),
    status: deposit.status,
    amount: formatAmount(deposit.amountMinor, knownCurrency(deposit.currency)),
    currency: deposit.currency,
    receivedAt: isoInstant(deposit.receivedAt),
    inForce,
    draft,
  };
}
