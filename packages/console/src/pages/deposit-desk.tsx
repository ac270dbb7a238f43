import type { Deposit } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { areSingleKeysOn } from '../frame/keys.ts';
import { useSession } from '../frame/session-context.ts';
import { formatAmount } from '../money/amount.ts';
import { signOf } from '../money/sum.ts';
import { Actor } from '../parts/actor.tsx';
import { Outcome } from '../parts/command.tsx';
import { CustomerName } from '../parts/customer-name.tsx';
import { useOpened } from '../parts/draft.ts';
import { Fact } from '../parts/facts.tsx';
import { useFocus } from '../parts/focus.ts';
import { TextField } from '../parts/form.tsx';
import { View } from '../parts/states.tsx';
import { At, Money, Status, Verbatim, words } from '../parts/text.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { Age, moodOfDeposit } from '../parts/waiting.tsx';
import { Way } from '../parts/way.tsx';
import { Candidates, useAreThere } from './deposit-candidates.tsx';
import { type DepositAction, DepositDialog, isDepositAction } from './deposit-dialogs.tsx';
import { Difference, type Matching, useMatching } from './deposit-match.tsx';

const EVERY_MS = 10_000;

/** One deposit, and beside it the trades that it may be for. */
export function DepositDesk({
  depositId,
  onClose,
}: {
  readonly depositId: string;
  readonly onClose: () => void;
}) {
  const query = useQuery({
    queryKey: ['deposit', depositId],
    queryFn: () => operator.getDeposit(depositId),
    refetchInterval: EVERY_MS,
  });
  const place = useRef<HTMLElement>(null);
  useFocus(place);
  return (
    <section className="card desk" aria-label="Deposit" ref={place} tabIndex={-1}>
      <View query={query}>{(deposit) => <DepositWork deposit={deposit} onClose={onClose} />}</View>
      {query.data === undefined && (
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      )}
    </section>
  );
}

function DepositWork({ deposit, onClose }: { readonly deposit: Deposit; readonly onClose: () => void }) {
  const session = useSession();
  const [opened, open] = useOpened();
  const action = isDepositAction(opened) ? opened : undefined;
  const matching = useMatching(deposit);
  const { command, isChanged, isReady, free, seen } = matching;
  const mayWork = may(session, 'operator:deposits');
  const isFree = signOf(free) > 0;
  const isChoosing = isFree && mayWork;
  const isSettled = useAreThere(deposit, isChoosing);
  useDeskKeys({
    m: matching.match,
    s: () => document.querySelector<HTMLElement>('.candidate input[type=checkbox]:not(:checked)')?.focus(),
    p: () => document.querySelector<HTMLElement>('.difference input')?.focus(),
    i: () => mayWork && open('ignore'),
    a: () => mayWork && open('assign'),
    n: () => mayWork && open('note'),
    u: () => mayWork && deposit.allocations.length > 0 && open('unmatch'),
  });
  const meanwhile = <Meanwhile depositId={deposit.depositId} />;
  return (
    <>
      <Head of={deposit} onClose={onClose} />
      <Facts of={deposit} />
      {deposit.allocations.length > 0 && <Allocations of={deposit} />}
      {isChanged && !command.isBusy && command.state.at !== 'changed' && (
        <Changed isPerhapsOwn={command.state.at === 'unknown'} meanwhile={meanwhile} />
      )}
      {(isChanged || command.state.at === 'changed') && (
        <button type="button" className="button" onClick={matching.goOn}>
          Continue
        </button>
      )}
      {isChoosing && <Choosing deposit={deposit} matching={matching} />}
      <OutcomeOfMatch matching={matching} meanwhile={meanwhile} />
      {mayWork && isSettled && (
        <Actions
          {...{ deposit, isFree, isReady }}
          isBusy={command.isBusy}
          name={nameOf(matching)}
          onMatch={matching.match}
          onOpen={open}
        />
      )}
      <History depositId={deposit.depositId} version={deposit.version} />
      {action !== undefined && (
        <DepositDialog
          {...{ action, deposit, free, meanwhile }}
          version={seen}
          onSeen={matching.see}
          onClose={() => open(undefined)}
        />
      )}
    </>
  );
}

function OutcomeOfMatch({
  matching: { command, matchAnother },
  meanwhile,
}: {
  readonly matching: Matching;
  readonly meanwhile: ReactNode;
}) {
  return (
    <>
      <Outcome state={command.state} done="It is matched." meanwhile={meanwhile} />
      {matchAnother !== undefined && (
        <button type="button" className="button" onClick={matchAnother}>
          It is another payment: match it
        </button>
      )}
    </>
  );
}

/** The deposit has changed while a match of it was put together, or while nobody knew what became of one. */
function Changed({
  isPerhapsOwn,
  meanwhile,
}: {
  readonly isPerhapsOwn: boolean;
  readonly meanwhile: ReactNode;
}) {
  return (
    <div className="callout warn" role="alert">
      <h2>Changed in the meantime</h2>
      {meanwhile}
      <p>
        {isPerhapsOwn ? 'This may be your own match.' : 'Your match was not sent.'} You now see the current
        state.
      </p>
    </div>
  );
}

function nameOf({ picks, rest }: Matching): string {
  if (picks.length > 1) return `Split over ${picks.length}`;
  return signOf(rest) > 0 && picks.length > 0 ? 'Match this part' : 'Match';
}

function Head({ of, onClose }: { readonly of: Deposit; readonly onClose: () => void }) {
  return (
    <div className="page-head">
      <h2>
        <Money amount={of.amount} currency={of.currency} />
      </h2>
      <Status of={of.status} mood={moodOfDeposit(of.status)} />
      <Age since={of.receivedAt} />
      <button type="button" className="button" onClick={onClose}>
        Close
      </button>
    </div>
  );
}

/** Trades to choose from, what each gets, and why. */
function Choosing({ deposit, matching }: { readonly deposit: Deposit; readonly matching: Matching }) {
  const { picks, free, given, rest, command } = matching;
  return (
    <>
      <Candidates deposit={deposit} picks={picks} onToggle={matching.toggle} />
      {picks.length > 0 && (
        <Difference
          {...{ picks, free, given, rest }}
          currency={deposit.currency}
          onChange={matching.change}
        />
      )}
      <TextField
        label="Reason, kept with the deposit"
        value={matching.reason}
        onChange={matching.setReason}
        isHeld={command.isBusy}
      />
    </>
  );
}

function Actions({
  deposit,
  isFree,
  isReady,
  isBusy,
  name,
  onMatch,
  onOpen,
}: {
  readonly deposit: Deposit;
  readonly isFree: boolean;
  readonly isReady: boolean;
  readonly isBusy: boolean;
  readonly name: string;
  readonly onMatch: () => void;
  readonly onOpen: (action: DepositAction) => void;
}) {
  const isWhole = !/[1-9]/.test(deposit.allocatedAmount) && !/[1-9]/.test(deposit.returnedAmount);
  const other = (action: DepositAction, text: string, key?: string) => (
    <button type="button" className="button" onClick={() => onOpen(action)}>
      {text} {key !== undefined && <kbd>{key}</kbd>}
    </button>
  );
  return (
    <div className="actions">
      {isFree && (
        <button
          type="button"
          className="button first"
          disabled={!isReady}
          aria-disabled={isBusy}
          onClick={onMatch}
        >
          {name} <kbd>m</kbd>
        </button>
      )}
      {isFree && other('return', 'Return …')}
      {isFree && isWhole && deposit.status !== 'ignored' && other('ignore', 'Set aside …', 'i')}
      {isFree && isWhole && other('book', 'Book as the house’s own …')}
      {deposit.exception?.type === 'third_party' && other('release', 'Release …')}
      {deposit.allocations.length > 0 && other('unmatch', 'Undo the match …', 'u')}
      {other('assign', 'Assign …', 'a')}
      {other('note', 'Note …', 'n')}
    </div>
  );
}

function Facts({ of }: { readonly of: Deposit }) {
  return (
    <dl className="facts">
      <Fact name="From">{of.remitterName === null ? 'Not named' : <Verbatim text={of.remitterName} />}</Fact>
      {of.remitterAccount !== null && (
        <Fact name="Account it came from">
          <Verbatim text={of.remitterAccount} />
        </Fact>
      )}
      <Fact name="Text">{of.remittanceText === null ? '–' : <Verbatim text={of.remittanceText} />}</Fact>
      <Fact name="Received">
        <At at={of.receivedAt} />
      </Fact>
      <Fact name="Value date">{of.valueDate}</Fact>
      <Fact name="Bank reference">
        <Verbatim text={of.bankReference} />
      </Fact>
      {of.exception !== null && (
        <Fact name="Why it waits">
          {words(of.exception.type)}: {words(of.exception.reason).toLowerCase()}
        </Fact>
      )}
    </dl>
  );
}

function Allocations({ of }: { readonly of: Deposit }) {
  return (
    <ul className="allocations" aria-label="Where it went">
      {of.allocations.map(({ transactionId, customerId, allocatedAmount, shortfallAmount, actor }) => (
        <li key={transactionId ?? customerId}>
          <Money amount={allocatedAmount} currency={of.currency} /> to{' '}
          {transactionId === null ? (
            <>
              the balance of <CustomerName id={customerId} />
            </>
          ) : (
            <Way to="/transactions/$transactionId" params={{ transactionId }} className="mono">
              {transactionId}
            </Way>
          )}{' '}
          <span className="dim">
            by <Actor id={actor} />
          </span>
          {signOf(shortfallAmount) > 0 && `, ${formatAmount(shortfallAmount)} borne by the house`}
        </li>
      ))}
    </ul>
  );
}

/** Who was quicker, and what they did. */
function Meanwhile({ depositId }: { readonly depositId: string }) {
  const query = useQuery({
    queryKey: ['deposit-history', depositId, 'newest'],
    queryFn: () => operator.getDepositHistory(depositId),
    staleTime: 0,
  });
  const [step] = query.data?.items ?? [];
  if (step === undefined) return <p>Someone else changed it.</p>;
  return (
    <p>
      Changed by{' '}
      <b>
        <Actor id={step.actor} />
      </b>
      : {words(step.action).toLowerCase()}, <At at={step.at} />
      {step.reason !== null && (
        <>
          {' · '}
          <Verbatim text={step.reason} />
        </>
      )}
    </p>
  );
}

function History({ depositId, version }: { readonly depositId: string; readonly version: number }) {
  const query = useQuery({
    queryKey: ['deposit-history', depositId, version],
    queryFn: () => operator.getDepositHistory(depositId),
  });
  return (
    <details>
      <summary>History and notes</summary>
      <View query={query}>
        {({ items }) => (
          <Timeline
            steps={items.map(({ version: step, at, actor, action, reason }) => ({
              id: `${step} ${at} ${action}`,
              what: action,
              by: actor,
              at,
              reason,
            }))}
          />
        )}
      </View>
    </details>
  );
}

/** Keys of the desk, before those of the frame; after `g` a letter is a page. */
function useDeskKeys(actions: Readonly<Record<string, () => unknown>>): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    let isChord = false;
    const onKey = (event: KeyboardEvent) => {
      const { target } = event;
      const isElsewhere =
        !(target instanceof HTMLElement) ||
        target.matches('input:not([type=checkbox]), select, textarea') ||
        document.querySelector('dialog:modal') !== null;
      const wasChord = isChord;
      isChord = event.key === 'g';
      if (event.ctrlKey || event.metaKey || event.altKey || !areSingleKeysOn() || isElsewhere || wasChord)
        return;
      const act = current.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    };
    document.addEventListener('keydown', onKey, true);
    return () => document.removeEventListener('keydown', onKey, true);
  }, []);
}
