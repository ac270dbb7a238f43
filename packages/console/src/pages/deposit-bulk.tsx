import { ApiError } from '@firmquote/client';
import type { Deposit } from '@firmquote/client/operator';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { noticeFailure, operator } from '../api/session.ts';
import { useWhileBusy } from '../parts/chosen.tsx';
import { isApproval } from '../parts/command.tsx';
import { useDraft } from '../parts/draft.ts';
import { TextField } from '../parts/form.tsx';
import { explained } from '../parts/states.tsx';
import { KEPT, useStays } from '../parts/stays.ts';
import { Money, Status } from '../parts/text.tsx';
import { Way } from '../parts/way.tsx';
import { DepositMany } from './deposit-many.tsx';

interface Result {
  readonly deposit: Deposit;
  readonly outcome: string;
  readonly detail: string;
  readonly approvalId?: string | undefined;
}

interface BulkProps {
  readonly deposits: readonly Deposit[];
  readonly onBusy: (isBusy: boolean) => void;
  readonly onClose: () => void;
}

/** What is done to many at once: each for itself, and each with what became of it. */
export function DepositBulk(props: BulkProps) {
  const [isMany, setMany] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const onBusy = (is: boolean) => {
    setBusy(is);
    props.onBusy(is);
  };
  // What is under way stays in sight.
  const turn = (toMany: boolean) => !isBusy && setMany(toMany);
  return (
    <>
      <div className="actions" style={{ marginBottom: 8 }}>
        <button
          type="button"
          className="button"
          aria-pressed={!isMany}
          aria-disabled={isBusy}
          onClick={() => turn(false)}
        >
          Match exact ones
        </button>
        <button
          type="button"
          className="button"
          aria-pressed={isMany}
          aria-disabled={isBusy}
          onClick={() => turn(true)}
        >
          Other actions
        </button>
      </div>
      {isMany ? <DepositMany {...props} onBusy={onBusy} /> : <MatchExact {...props} onBusy={onBusy} />}
    </>
  );
}

function MatchExact({ deposits, onBusy, onClose }: BulkProps) {
  const [reason, setReason, forget] = useDraft('deposits.bulk');
  const { results, isBusy, isKept, match } = useMatchExact(deposits, reason.trim(), forget);
  useWhileBusy(isBusy, onBusy);
  return (
    <section className="card bulk" aria-label="Chosen deposits">
      <h2>{deposits.length === 1 ? 'One deposit is chosen' : `${deposits.length} deposits are chosen`}</h2>
      <TextField label="Reason, kept with each" value={reason} onChange={setReason} isHeld={isBusy} />
      <div className="actions">
        <button
          type="button"
          className="button first"
          disabled={reason.trim() === '' || results !== undefined}
          aria-disabled={isBusy}
          onClick={() => void match()}
        >
          Match those with one exact suggestion
        </button>
        <button type="button" className="button" aria-disabled={isBusy} onClick={() => !isBusy && onClose()}>
          {results === undefined ? 'Clear selection' : 'Close'}
        </button>
      </div>
      <div className="outcome hint" role="status">
        {isBusy && 'Sending …'} {isBusy && isKept && KEPT}
      </div>
      {results !== undefined && <Results of={results} />}
    </section>
  );
}

/** Matches one deposit after the other, and shows at once what became of each. */
function useMatchExact(deposits: readonly Deposit[], reason: string, onDone: () => void) {
  const queries = useQueryClient();
  const [results, show] = useState<readonly Result[]>();
  const [isBusy, setBusy] = useState(false);
  const isUnderWay = useRef(false);
  const [isKept, keep] = useState(false);
  useStays(isBusy, isUnderWay, () => keep(true));
  // One key for each deposit: pressed again after a lost answer, it is still matched once.
  const keys = useRef(new Map<string, string>());
  const match = async () => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setBusy(true);
    keep(false);
    const found: Result[] = [];
    for (const deposit of deposits) {
      const key = keys.current.get(deposit.depositId) ?? crypto.randomUUID();
      keys.current.set(deposit.depositId, key);
      found.push(await matchExact(deposit, reason, key));
      show([...found]);
    }
    isUnderWay.current = false;
    setBusy(false);
    onDone();
    void queries.invalidateQueries();
  };
  return { results, isBusy, isKept, match };
}

function Results({ of }: { readonly of: readonly Result[] }) {
  return (
    <ol aria-label="Result of each" aria-live="polite">
      {of.map(({ deposit, outcome, detail, approvalId }) => (
        <li key={deposit.depositId}>
          <Money amount={deposit.amount} currency={deposit.currency} />{' '}
          <Status of={outcome} mood={outcome === 'matched' ? 'ok' : outcome === 'failed' ? 'bad' : 'warn'} />{' '}
          {detail}{' '}
          {approvalId !== undefined && (
            <Way to="/approvals" instead={null} search={{ approval: approvalId }}>
              Open the approval
            </Way>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Only where exactly one trade awaits exactly this amount; whoever is unsure looks at it alone. */
async function matchExact(deposit: Deposit, reason: string, idempotencyKey: string): Promise<Result> {
  const { depositId, version } = deposit;
  try {
    const { items } = await operator.listExceptions({ depositId, limit: 1 });
    const [open] = items;
    if (open === undefined) return { deposit, outcome: 'left', detail: 'It has no open exception.' };
    const { suggestions } = await operator.getException(open.exceptionId);
    const exact = suggestions.filter(({ reasonsFor }) => reasonsFor.includes('amount_exact'));
    const [only] = exact;
    if (only === undefined || exact.length > 1)
      return {
        deposit,
        outcome: 'left',
        detail: only === undefined ? 'No suggestion is exact.' : `${exact.length} suggestions are exact.`,
      };
    const answer = await operator.matchDeposit(
      depositId,
      { allocations: [{ transactionId: only.transactionId }], reason },
      { idempotencyKey, ifMatch: `"v${version}"` },
    );
    return isApproval(answer)
      ? {
          deposit,
          outcome: 'waits',
          detail: 'It waits for a second person.',
          approvalId: answer.approvalId,
        }
      : { deposit, outcome: 'matched', detail: `With ${only.reference}.` };
  } catch (error) {
    noticeFailure(error);
    const { title, detail, requestId } = explained(error);
    const unsure =
      error instanceof ApiError && error.status < 500 ? '' : ' It may have been done: check the deposit.';
    return { deposit, outcome: 'failed', detail: `${title}. ${detail}${unsure} ${requestId ?? ''}` };
  }
}
