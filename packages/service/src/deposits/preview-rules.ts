import type { MatchingRulesDocument, RulesPreview } from '@firmquote/api/operations/matching-rules';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { Pool, Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { allocationsOf } from './allocation-store.ts';
import { customersOf, type Origin, originsOf } from './candidates.ts';
import { decideDeposit } from './decide-deposit.ts';
import { targetOf } from './fund-transaction.ts';
import type { Match } from './matching.ts';
import { type MatchingSettings, readMatchingSettings, rulesInForce } from './matching-settings.ts';
import { newestDeposits, tradesFor } from './preview-store.ts';
import { type AllocationRecord, type DepositRecord, isOfTrade } from './record.ts';

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
    await connection.query('begin isolation level repeatable read read only');
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
  const inForce = await rulesInForce(connection);
  const draft = readMatchingSettings(document, inForce.version);
  const deposits = await newestDeposits(connection, count);
  const origins = await originsOf(connection, deposits);
  const allocations = Map.groupBy(
    await allocationsOf(
      connection,
      deposits.map(({ id }) => id),
    ),
    (each) => each.depositId,
  );
  const found = await tradesFor(
    connection,
    deposits,
    origins,
    [...allocations.values()].flat().filter(isOfTrade),
  );
  const rows = new Map(found.map((row) => [row.id, row]));
  const customers = await customersOf(connection, found, origins.values());
  const changes: RulesPreview['changes'][number][] = [];
  for (const deposit of deposits) {
    for (const allocation of allocations.get(deposit.id) ?? []) undo(rows, allocation);
    const origin = origins.get(deposit.id) as Origin;
    const visible = new Map([...rows].filter(([, row]) => row.created_at <= deposit.createdAt));
    const targets = [...visible.values()].map(targetOf);
    const decide = (settings: MatchingSettings) =>
      decideDeposit(deposit, { origin, rows: visible, targets, customers, settings }).match;
    const [now, then] = [outcomeOf(deposit, decide(inForce)), outcomeOf(deposit, decide(draft))];
    if (JSON.stringify(now) !== JSON.stringify(then)) changes.push(changeOf(deposit, now, then));
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
