import type { Deposit, MatchSuggestion } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { may, operator } from '../api/session.ts';
import { areSingleKeysOn } from '../frame/keys.ts';
import { useSession } from '../frame/session-context.ts';
import { decimalsOf, formatAmount, parseAmount } from '../money/amount.ts';
import { lesser, minus, signOf, sum } from '../money/sum.ts';
import { Outcome, useCommand } from '../parts/command.tsx';
import { AmountField, TextField, useDraft } from '../parts/form.tsx';
import { useFilters } from '../parts/listing.tsx';
import { View } from '../parts/states.tsx';
import { At, Money, Status, Told, words } from '../parts/text.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { type DepositAction, DepositDialog } from './deposit-dialogs.tsx';
import { Age, moodOf } from './deposits.tsx';
import { Fact } from './overview.tsx';

/** A trade that the deposit may be for. */
interface Candidate {
  readonly transactionId: string;
  readonly customerId: string;
  readonly reference: string;
  readonly status: string;
  readonly outstanding: string;
  readonly suggestion?: MatchSuggestion | undefined;
}

/** What goes to one trade, as it was typed. */
interface Pick {
  readonly candidate: Candidate;
  readonly text: string;
  readonly isForgiven: boolean;
}

const OPEN = ['awaiting_funds', 'partially_funded', 'overdue'] as const;
const EVERY_MS = 10_000;
/** As far back as a search through everything goes. */
const LOOKED_BACK_DAYS = 60;
const DAY_MS = 86_400_000;

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
  return (
    <section className="card desk" aria-label="Deposit">
      <View query={query}>{(deposit) => <Work deposit={deposit} onClose={onClose} />}</View>
      {query.data === undefined && (
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      )}
    </section>
  );
}

function Work({ deposit, onClose }: { readonly deposit: Deposit; readonly onClose: () => void }) {
  const session = useSession();
  const { search, set } = useFilters();
  const [seen, see] = useState(deposit.version);
  const [picks, pick] = useState<readonly Pick[]>([]);
  const [action, open] = useState<DepositAction>();
  const [reason, setReason, forget] = useDraft(`deposit.${deposit.depositId}`);
  const decimals = decimalsOf(deposit.currency);
  const free = minus(
    minus(deposit.amount, deposit.allocatedAmount, decimals),
    deposit.returnedAmount,
    decimals,
  );
  const amounts = picks.map(({ text }) => parseAmount(text, decimals));
  const given = sum(
    amounts.map((each) => (each.ok ? each.amount : '0')),
    decimals,
  );
  const rest = minus(free, given, decimals);
  const command = useCommand(
    (
      intent: { readonly allocations: readonly object[]; readonly reason: string; version: number },
      options,
    ) =>
      operator.matchDeposit(
        deposit.depositId,
        { allocations: intent.allocations as never, reason: intent.reason },
        { ...options, ifMatch: `"v${intent.version}"` },
      ),
    ({ version }) => {
      see(version);
      pick([]);
      forget();
    },
  );
  const isChanged = deposit.version > seen;
  const isReady =
    picks.length > 0 &&
    amounts.every(({ ok }) => ok) &&
    signOf(rest) >= 0 &&
    reason.trim() !== '' &&
    !isChanged &&
    !command.isBusy;
  const match = () => {
    if (!isReady) return;
    const allocations = picks.map(({ candidate, isForgiven }, index) => {
      const amount = amounts[index];
      return {
        transactionId: candidate.transactionId,
        ...(amount?.ok === true ? { amount: amount.amount } : {}),
        ...(isForgiven ? { forgiveShortfall: true } : {}),
      };
    });
    command.send({ allocations, reason: reason.trim(), version: seen });
  };
  const toggle = (candidate: Candidate) => {
    command.reset();
    const others = picks.filter((each) => each.candidate.transactionId !== candidate.transactionId);
    if (others.length < picks.length) return pick(others);
    const left = signOf(rest) > 0 ? rest : '0';
    const text = formatAmount(lesser(candidate.outstanding, left, decimals));
    pick([...picks, { candidate, text, isForgiven: false }]);
  };
  const mayWork = may(session, 'operator:deposits');
  const isFree = signOf(free) > 0;
  useDeskKeys({
    m: match,
    s: () => document.querySelector<HTMLElement>('.candidate input[type=checkbox]:not(:checked)')?.focus(),
    p: () => document.querySelector<HTMLElement>('.difference input')?.focus(),
    i: () => mayWork && open('ignore'),
    a: () => mayWork && open('assign'),
    n: () => mayWork && open('note'),
    u: () => mayWork && deposit.allocations.length > 0 && open('unmatch'),
  });
  return (
    <>
      <div className="page-head">
        <h2>
          <Money amount={deposit.amount} currency={deposit.currency} />
        </h2>
        <Status of={deposit.status} mood={moodOf(deposit.status)} />
        <Age since={deposit.receivedAt} />
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
      <Facts of={deposit} />
      {deposit.allocations.length > 0 && <Allocations of={deposit} />}
      {isChanged && command.state.at !== 'changed' && (
        <div className="callout warn" role="alert">
          <h2>Changed meanwhile</h2>
          <Meanwhile depositId={deposit.depositId} />
          <p>What you have chosen was not sent. What you see is how it is now.</p>
        </div>
      )}
      {(isChanged || command.state.at === 'changed') && (
        <button
          type="button"
          className="button"
          onClick={() => {
            see(deposit.version);
            pick([]);
            command.reset();
          }}
        >
          I have seen it, go on
        </button>
      )}
      {isFree && mayWork && (
        <>
          <Candidates deposit={deposit} picks={picks} onToggle={toggle} search={search} set={set} />
          {picks.length > 0 && (
            <Difference
              picks={picks}
              free={free}
              given={given}
              rest={rest}
              currency={deposit.currency}
              onChange={(changed) => {
                command.reset();
                pick(changed);
              }}
            />
          )}
          <TextField
            label="Why; kept with the deposit"
            value={reason}
            onChange={setReason}
            isDisabled={command.isBusy}
          />
        </>
      )}
      <Outcome
        state={command.state}
        done="It is matched."
        meanwhile={<Meanwhile depositId={deposit.depositId} />}
      />
      {mayWork && (
        <Actions
          deposit={deposit}
          isFree={isFree}
          isReady={isReady}
          name={
            picks.length > 1
              ? `Split over ${picks.length}`
              : signOf(rest) > 0 && picks.length > 0
                ? 'Match this part'
                : 'Match'
          }
          onMatch={match}
          onOpen={open}
        />
      )}
      <History depositId={deposit.depositId} version={deposit.version} />
      {action !== undefined && (
        <DepositDialog
          action={action}
          deposit={deposit}
          version={seen}
          free={free}
          onSeen={see}
          meanwhile={<Meanwhile depositId={deposit.depositId} />}
          onClose={() => open(undefined)}
        />
      )}
    </>
  );
}

function Actions({
  deposit,
  isFree,
  isReady,
  name,
  onMatch,
  onOpen,
}: {
  readonly deposit: Deposit;
  readonly isFree: boolean;
  readonly isReady: boolean;
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
        <button type="button" className="button first" disabled={!isReady} onClick={onMatch}>
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
      <Fact name="From">{of.remitterName === null ? 'Not named' : <Told text={of.remitterName} />}</Fact>
      {of.remitterAccount !== null && (
        <Fact name="Account it came from">
          <Told text={of.remitterAccount} />
        </Fact>
      )}
      <Fact name="Text">{of.remittanceText === null ? '–' : <Told text={of.remittanceText} />}</Fact>
      <Fact name="Received">
        <At at={of.receivedAt} />
      </Fact>
      <Fact name="Value date">{of.valueDate}</Fact>
      <Fact name="Bank reference">
        <Told text={of.bankReference} />
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
    <ul className="allocations" aria-label="Where it has gone">
      {of.allocations.map(({ transactionId, customerId, allocatedAmount, shortfallAmount, actor }) => (
        <li key={transactionId ?? customerId}>
          <Money amount={allocatedAmount} currency={of.currency} /> to{' '}
          {transactionId === null ? (
            <span className="mono">the balance of {customerId}</span>
          ) : (
            <Link to="/transactions/$transactionId" params={{ transactionId }} className="mono">
              {transactionId}
            </Link>
          )}{' '}
          <span className="dim">by {actor}</span>
          {signOf(shortfallAmount) > 0 && `, ${formatAmount(shortfallAmount)} borne by the house`}
        </li>
      ))}
    </ul>
  );
}

function Candidates({
  deposit,
  picks,
  onToggle,
  search,
  set,
}: {
  readonly deposit: Deposit;
  readonly picks: readonly Pick[];
  readonly onToggle: (candidate: Candidate) => void;
  readonly search: Readonly<Record<string, string | undefined>>;
  readonly set: (changes: Readonly<Record<string, string | undefined>>) => void;
}) {
  const looked = search.trade ?? '';
  const query = useQuery({
    queryKey: ['candidates', deposit.depositId, deposit.version, looked],
    queryFn: () => (looked === '' ? suggestedFor(deposit) : openTrades(deposit, looked)),
    refetchInterval: EVERY_MS,
  });
  return (
    <div className="candidates">
      <div className="field">
        <label htmlFor="trade">
          Search all that is expected: a reference, a customer’s id, or * for all of 60 days
        </label>
        <input
          id="trade"
          key={looked}
          defaultValue={looked}
          autoComplete="off"
          onKeyDown={(event) =>
            event.key === 'Enter' && set({ trade: event.currentTarget.value.trim() || undefined })
          }
          onBlur={(event) =>
            event.currentTarget.value.trim() !== looked &&
            set({ trade: event.currentTarget.value.trim() || undefined })
          }
        />
      </div>
      <View query={query}>
        {(candidates) =>
          candidates.length === 0 ? (
            <p className="hint">
              {looked === '' ? 'Nothing is suggested.' : 'No open trade in this currency fits the search.'}
            </p>
          ) : (
            <ul aria-label="What it may be for">
              {candidates.map((candidate) => (
                <CandidateRow
                  key={candidate.transactionId}
                  candidate={candidate}
                  currency={deposit.currency}
                  isPicked={picks.some((each) => each.candidate.transactionId === candidate.transactionId)}
                  onToggle={() => onToggle(candidate)}
                />
              ))}
            </ul>
          )
        }
      </View>
    </div>
  );
}

function CandidateRow({
  candidate,
  currency,
  isPicked,
  onToggle,
}: {
  readonly candidate: Candidate;
  readonly currency: string;
  readonly isPicked: boolean;
  readonly onToggle: () => void;
}) {
  const { suggestion, reference, status, customerId, outstanding } = candidate;
  return (
    <li className="candidate">
      <label>
        <input type="checkbox" checked={isPicked} onChange={onToggle} />
        <span>
          <b className="mono">{reference}</b> awaits <Money amount={outstanding} currency={currency} />{' '}
          <span className="dim">{words(status).toLowerCase()}</span>
        </span>
        {suggestion !== undefined && (
          <b className="score" title="Score of the service, 0 to 100">
            {suggestion.score}
          </b>
        )}
      </label>
      <div className="hint">
        <span className="mono">{customerId}</span>
        {suggestion?.reasonsFor.map((each) => (
          <Status key={each} of={each} mood="ok" />
        ))}
        {suggestion?.reasonsAgainst.map((each) => (
          <Status key={each} of={each} mood="bad" />
        ))}
      </div>
    </li>
  );
}

/** What is chosen against what is there, and what each trade would still miss. */
function Difference({
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
  const decimals = decimalsOf(currency);
  const change = (index: number, changes: Partial<Pick>) =>
    onChange(picks.map((each, at) => (at === index ? { ...each, ...changes } : each)));
  const sign = signOf(rest);
  return (
    <div className="difference">
      {picks.map((each, index) => {
        const parsed = parseAmount(each.text, decimals);
        const missing = parsed.ok ? minus(each.candidate.outstanding, parsed.amount, decimals) : '0';
        return (
          <div key={each.candidate.transactionId} className="share">
            <AmountField
              label={`To ${each.candidate.reference}`}
              currency={currency}
              decimals={decimals}
              value={each.text}
              onChange={(text) => change(index, { text })}
            />
            {signOf(missing) > 0 && (
              <label className="inline">
                <input
                  type="checkbox"
                  checked={each.isForgiven}
                  onChange={({ target }) => change(index, { isForgiven: target.checked })}
                />
                The house bears the missing {formatAmount(missing)} {currency}
              </label>
            )}
            {signOf(missing) < 0 && (
              <p className="hint">
                {formatAmount(missing.replace('-', ''))} {currency} more than it awaits: kept for the customer
              </p>
            )}
          </div>
        );
      })}
      <output className={`diff-bar ${sign === 0 ? 'ok' : sign < 0 ? 'bad' : 'warn'}`}>
        <span>
          Given {formatAmount(given)} of {formatAmount(free)} {currency}
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

async function suggestedFor({ depositId }: Deposit): Promise<readonly Candidate[]> {
  const [open] = (await operator.listExceptions({ depositId, limit: 1 })).items;
  if (open === undefined) return [];
  const { suggestions } = await operator.getException(open.exceptionId);
  return suggestions.map((suggestion) => ({
    ...suggestion,
    outstanding: suggestion.outstandingAmount,
    suggestion,
  }));
}

async function openTrades({ currency }: Deposit, looked: string): Promise<readonly Candidate[]> {
  const narrowed =
    looked === '*'
      ? { tradeDateFrom: dayBefore(LOOKED_BACK_DAYS), tradeDateTo: dayBefore(0) }
      : looked.startsWith('cus_')
        ? { customerId: looked }
        : { reference: looked };
  const { items } = await operator.listAllTransactions({ status: OPEN, currency, limit: 50, ...narrowed });
  return items
    .filter(({ funding }) => funding.expected.currency === currency)
    .map(({ transactionId, customerId, reference, status, funding }) => ({
      transactionId,
      customerId,
      reference,
      status,
      outstanding: funding.outstanding,
    }));
}

function dayBefore(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

/** Who was quicker, and what they did. */
function Meanwhile({ depositId }: { readonly depositId: string }) {
  const query = useQuery({
    queryKey: ['deposit-history', depositId, 'newest'],
    queryFn: () => operator.getDepositHistory(depositId),
    staleTime: 0,
  });
  const [step] = query.data?.items ?? [];
  if (step === undefined) return <p>Somebody has changed it.</p>;
  return (
    <p>
      Changed by <b>{step.actor}</b>: {words(step.action).toLowerCase()}, <At at={step.at} />
      {step.reason !== null && (
        <>
          {' · '}
          <Told text={step.reason} />
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
        target.closest('dialog') !== null;
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
