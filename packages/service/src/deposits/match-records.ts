import type { DateRules } from '@firmquote/fx';
import { typeId } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import type { PayingCustomer } from './candidate-store.ts';
import type { Origin } from './candidates.ts';
import { balanceAllocation } from './fund-balance.ts';
import type { MatchingSettings } from './matching-settings.ts';
import type { AllocationRecord, DepositRecord } from './record.ts';
import { type Allocation, type DepositException, outstandingOf, type TopUp } from './target.ts';
import { timelinessEvidence } from './timeliness.ts';
import type { DepositStep } from './write-deposits.ts';

interface Matched {
  readonly deposit: DepositRecord;
  readonly allocations: readonly Allocation[];
  readonly topUp: TopUp | undefined;
}

/** Everything that matching looks at. */
export interface Around {
  readonly origins: ReadonlyMap<string, Origin>;
  readonly customers: ReadonlyMap<string, PayingCustomer>;
  /** By id, as they are now. */
  readonly rows: Map<string, TransactionRow>;
  readonly settings: MatchingSettings;
  readonly acceptsAnyPayer: boolean;
  readonly dates: DateRules;
}

/** Why deposits are looked at that were here before, as allocations and history keep it. */
export interface Again {
  /** `system`: the engine looks again by itself. Or the OAuth client (UUID) of the operator who wants it. */
  readonly actor: string;
  /** In the operator's words. */
  readonly reason: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  /** The operator has said that it does not matter who pays. */
  readonly acceptsAnyPayer?: boolean;
}

/** What was decided on a deposit. */
export interface Decided extends Matched {
  readonly exception: DepositException | null;
}

/** The step of the history. */
export function stepOf(
  { deposit: before, allocations, topUp }: Decided,
  after: DepositRecord,
  again: Again | undefined,
): DepositStep {
  const matches = allocations.map(({ target, rule, score, allocatedMinor }) => ({
    transactionId: typeId('txn', target.transactionId),
    rule,
    score,
    allocatedMinor: allocatedMinor.toString(),
  }));
  const detail = {
    ...again?.detail,
    source: after.source,
    matches,
    ...(topUp === undefined ? {} : { balance: balanceDetail(topUp, after) }),
  };
  const isArrival = again === undefined;
  return {
    before: isArrival ? undefined : before,
    after,
    actor: again?.actor ?? 'matcher',
    action: isArrival ? 'received' : 'matched',
    reason: again?.reason ?? null,
    detail,
  };
}

function balanceDetail({ target, rule, score }: TopUp, deposit: DepositRecord): Record<string, unknown> {
  const allocatedMinor = deposit.amountMinor.toString();
  return { customerId: typeId('cus', target.customerId), rule, score, allocatedMinor };
}

export interface Deciding extends Around {
  readonly actor: string;
  readonly now: number;
}

/** The parts that trades and the balance have of it. */
export function partsOf({ deposit, allocations, topUp }: Decided, around: Deciding): AllocationRecord[] {
  const { actor, now: at } = around;
  const how = { matchedBy: 'auto', actor, at } as const;
  const parts = allocations.map(({ target, rule, score, ...amounts }): AllocationRecord => {
    const row = around.rows.get(target.transactionId);
    const saw = {
      status: target.status,
      outstandingMinor: outstandingOf(target).toString(),
      ...(row && { timeliness: timelinessEvidence(row, deposit, around.dates) }),
    };
    return {
      ...how,
      ...amounts,
      rule,
      score,
      customerId: target.customerId,
      transactionId: target.transactionId,
      depositId: deposit.id,
      evidence: evidenceOf(deposit, { reference: target.reference, ...saw }, around),
    };
  });
  if (topUp === undefined) return parts;
  const { target, rule, score } = topUp;
  const evidence = evidenceOf(deposit, { reference: target.reference }, around);
  return [balanceAllocation(deposit, target, deposit.amountMinor, { ...how, rule, score, evidence })];
}

/** What the rules saw, as JSON text. */
function evidenceOf(
  deposit: DepositRecord,
  target: Readonly<Record<string, unknown>>,
  { settings: { version, tolerance } }: Around,
): string {
  return JSON.stringify({
    ...target,
    depositMinor: deposit.amountMinor.toString(),
    rulesVersion: version,
    toleranceUsdMinor: tolerance.usdMinor.toString(),
    toleranceBps: tolerance.bps.toString(),
    remitterAccount: deposit.remitterAccount,
    virtualAccount: deposit.virtualAccount ?? null,
  });
}
