import { ApiError } from '@firmquote/client';
import type { Deposit } from '@firmquote/client/operator';
import { useState } from 'react';
import { operator } from '../api/session.ts';
import { decimalsOf, enteredAmount, formatAmount, parseAmount } from '../money/amount.ts';
import { lesser, minus, signOf, sum } from '../money/sum.ts';
import { type CommandState, useCommand } from '../parts/command.tsx';
import { useDraft } from '../parts/draft.ts';
import { AmountField } from '../parts/form.tsx';
import type { Candidate, Pick } from './deposit-candidates.tsx';

export type Matching = ReturnType<typeof useMatching>;

/** What somebody divides a deposit into, against the version that they have seen. */
export function useMatching(deposit: Deposit) {
  const [seen, see] = useState(deposit.version);
  const [picks, pick] = useState<readonly Pick[]>([]);
  const [reason, setReason, forget] = useDraft(`deposit.${deposit.depositId}`);
  const decimals = decimalsOf(deposit.currency);
  const division = divide(deposit, picks, decimals);
  const command = useCommand(
    `deposit.${deposit.depositId}.match`,
    (intent: Intent, options) =>
      operator.matchDeposit(
        deposit.depositId,
        {
          allocations: intent.allocations as never,
          reason: intent.reason,
          ...(intent.isAnother && { isAnotherPayment: true }),
        },
        { ...options, ifMatch: `"v${intent.version}"` },
      ),
    ({ version }) => {
      see(version);
      pick([]);
      forget();
    },
  );
  const isChanged = deposit.version > seen;
  const isReady = picks.length > 0 && division.isWhole && reason.trim() !== '' && !isChanged;
  const send = (isAnother: boolean) => {
    if (!isReady) return;
    command.send({ allocations: division.allocations, reason: reason.trim(), version: seen, isAnother });
  };
  return {
    ...{ ...division, picks, reason, setReason, command, seen, see, isChanged, isReady },
    match: () => send(false),
    /** A balance was topped up by hand under its bank reference, and this is another payment. */
    matchAnother: isAlreadyThere(command.state) ? () => send(true) : undefined,
    change: (changed: readonly Pick[]) => {
      command.reset();
      pick(changed);
    },
    toggle: (candidate: Candidate) => {
      command.reset();
      const others = picks.filter((each) => each.candidate.transactionId !== candidate.transactionId);
      if (others.length < picks.length) return pick(others);
      const left = signOf(division.rest) > 0 ? division.rest : '0';
      const text = enteredAmount(lesser(candidate.outstanding, left, decimals), decimals);
      pick([...picks, { candidate, text, isForgiven: false }]);
    },
    goOn: () => {
      see(deposit.version);
      pick([]);
      command.reset();
    },
  };
}

interface Intent {
  readonly allocations: readonly object[];
  readonly reason: string;
  readonly version: number;
  readonly isAnother: boolean;
}

function isAlreadyThere(state: CommandState<unknown>): boolean {
  return state.at === 'refused' && state.error instanceof ApiError && state.error.code === 'already_exists';
}

/** What each trade gets, and what is left. */
function divide(deposit: Deposit, picks: readonly Pick[], decimals: number) {
  const unallocated = minus(deposit.amount, deposit.allocatedAmount, decimals);
  const free = minus(unallocated, deposit.returnedAmount, decimals);
  const amounts = picks.map(({ text }) => parseAmount(text, decimals));
  const given = sum(
    amounts.map((each) => (each.ok ? each.amount : '0')),
    decimals,
  );
  const rest = minus(free, given, decimals);
  return {
    ...{ free, given, rest },
    isWhole: amounts.every(({ ok }) => ok) && signOf(rest) >= 0,
    allocations: picks.map(({ candidate, isForgiven }, index) => {
      const amount = amounts[index];
      return {
        transactionId: candidate.transactionId,
        ...(amount?.ok === true ? { amount: amount.amount } : {}),
        ...(isForgiven ? { forgiveShortfall: true } : {}),
      };
    }),
  };
}

/** What is chosen against what is there, and what each trade would still miss. */
export function Difference({
  picks,
  free,
  given,
  rest,
  currency,
  onChange,
}: {
  readonly picks: readonly Pick[];
  readonly free: string;
  readonly given: string;
  readonly rest: string;
  readonly currency: string;
  readonly onChange: (picks: readonly Pick[]) => void;
}) {
  const sign = signOf(rest);
  return (
    <div className="difference">
      {picks.map((pick) => (
        <Share
          key={pick.candidate.transactionId}
          of={pick}
          currency={currency}
          onChange={(changes) =>
            onChange(picks.map((each) => (each === pick ? { ...each, ...changes } : each)))
          }
        />
      ))}
      <output className={`diff-bar ${sign === 0 ? 'ok' : sign < 0 ? 'bad' : 'warn'}`}>
        <span>
          Allocated {formatAmount(given)} of {formatAmount(free)} {currency}
        </span>
        <b>
          {sign === 0
            ? 'Nothing is left'
            : sign > 0
              ? `${formatAmount(rest)} ${currency} stays open`
              : `${formatAmount(rest.replace('-', ''))} ${currency} too much`}
        </b>
      </output>
    </div>
  );
}

/** What one trade gets, and what becomes of the amount that it misses or has too much. */
function Share({
  of: { candidate, text, isForgiven },
  currency,
  onChange,
}: {
  readonly of: Pick;
  readonly currency: string;
  readonly onChange: (changes: Partial<Pick>) => void;
}) {
  const decimals = decimalsOf(currency);
  const parsed = parseAmount(text, decimals);
  const missing = parsed.ok ? minus(candidate.outstanding, parsed.amount, decimals) : '0';
  return (
    <div className="share">
      <AmountField
        label={`To ${candidate.reference}`}
        currency={currency}
        decimals={decimals}
        value={text}
        onChange={(written) => onChange({ text: written })}
      />
      {signOf(missing) > 0 && (
        <label className="inline">
          <input
            type="checkbox"
            checked={isForgiven}
            onChange={({ target }) => onChange({ isForgiven: target.checked })}
          />
          The house bears the missing {formatAmount(missing)} {currency}
        </label>
      )}
      {signOf(missing) < 0 && (
        <p className="hint">
          {formatAmount(missing.replace('-', ''))} {currency} more than it awaits, kept for the customer
        </p>
      )}
    </div>
  );
}
