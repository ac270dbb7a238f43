import type { OperatorTransactionSummary } from '@firmquote/client/operator';
import { useEffect, useRef, useState } from 'react';
import { mayRead } from '../api/rights.ts';
import { business } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { formatAmount, pairText } from '../money/amount.ts';
import { say } from '../parts/aloud.tsx';
import { Fact } from '../parts/facts.tsx';
import { useFocusAt } from '../parts/focus.ts';
import { copy } from '../parts/states.tsx';
import { ago, Money } from '../parts/text.tsx';
import { Way } from '../parts/way.tsx';
import { prices } from '../prices/store.ts';
import { announcementAt, type DealtQuote, type TicketState } from './machine.ts';
import { useTwin } from './twin.ts';
import { WhyHalted } from './why-halted.tsx';

/** A firm quote, for as long as it holds, and what becomes of it. */

/** Below it the countdown is low, s. */
const LOW_SECONDS = 5;

/** What is pressed next, in the firm quote or around it; whoever works by the keyboard is there already. */
const NEXT: Readonly<Partial<Record<TicketState['at'], string>>> = {
  firm: '.firm .first',
  executed: '.firm a',
  expired: '[type="submit"]',
  withdrawn: '[type="submit"]',
  rejected: '[type="submit"]',
};

type WithQuote = Extract<TicketState<DealtQuote>, { readonly quote: DealtQuote }>;

export function Firm({
  state,
  mayTrade,
  onEvent,
}: {
  readonly state: WithQuote;
  readonly mayTrade: boolean;
  readonly onEvent: (
    event: { readonly is: 'execute'; readonly now: number } | { readonly is: 'edit' },
  ) => void;
}) {
  const { quote } = state;
  const place = useRef<HTMLElement>(null);
  useFocusAt(place, NEXT[state.at]);
  const seesTrades = mayRead(useSession(), 'listAllTransactions');
  const { twin, isLooking } = useTwin(quote, state.at === 'firm' && seesTrades);
  const [isMeant, mean] = useState(false);
  const isHeld = isLooking || (twin !== undefined && !isMeant);
  // Who is quicker than the look at the last trades has pressed all the same, unless that finds something to be read.
  const [isPressed, press] = useState(false);
  useEffect(() => {
    if (!isPressed || isLooking) return;
    press(false);
    if (!isHeld) onEvent({ is: 'execute', now: performance.now() });
  }, [isPressed, isLooking, isHeld, onEvent]);
  const isGone = state.at === 'expired' || state.at === 'withdrawn' || state.at === 'rejected';
  return (
    <section className="firm" aria-label="Firm quote" ref={place} style={{ marginTop: 16 }}>
      {state.at === 'firm' && <Countdown closesAt={state.closesAt} seconds={quote.validitySeconds} />}
      <div className="outcome" role="status">
        <Outcome state={state} />
      </div>
      <QuotedTerms of={quote} isGone={isGone} />
      {state.at === 'firm' && twin !== undefined && (
        <TwinWarning twin={twin} isMeant={isMeant} onMean={mean} />
      )}
      {state.at === 'firm' && !seesTrades && (
        <p className="hint">
          Your roles do not show trades: nobody has looked whether the same was just traded.
        </p>
      )}
      {mayTrade && (state.at === 'firm' || state.at === 'executing') && (
        <div className="actions">
          <button
            type="button"
            className="button first tall"
            style={{ flex: 1 }}
            aria-disabled={state.at !== 'firm' || isHeld}
            onClick={() => press(true)}
          >
            Execute: sell {formatAmount(quote.sellAmount)} {quote.sellCurrency}
          </button>
          <button
            type="button"
            className="button tall"
            aria-disabled={state.at !== 'firm'}
            onClick={() => state.at === 'firm' && onEvent({ is: 'edit' })}
          >
            Discard
          </button>
        </div>
      )}
    </section>
  );
}

function QuotedTerms({ of, isGone }: { readonly of: DealtQuote; readonly isGone: boolean }) {
  return (
    <dl className={isGone ? 'facts gone' : 'facts'}>
      <Fact name="The customer sells" isMoney>
        <Money amount={of.sellAmount} currency={of.sellCurrency} />
      </Fact>
      <Fact name="And buys" isMoney>
        <Money amount={of.buyAmount} currency={of.buyCurrency} />
      </Fact>
      <Fact name="Rate">
        1 {of.rate.baseCurrency} = {of.rate.value} {of.rate.quoteCurrency}
      </Fact>
      <Fact name="Mid">{of.rate.mid}</Fact>
      {of.pricing.spreadBps !== undefined && <Fact name="Spread">{of.pricing.spreadBps} bps</Fact>}
      <Fact name="Value date">{of.settlement.valueDate}</Fact>
    </dl>
  );
}

/** The same was traded a moment ago: whoever goes on says that it is meant. */
function TwinWarning({
  twin,
  isMeant,
  onMean,
}: {
  readonly twin: OperatorTransactionSummary;
  readonly isMeant: boolean;
  readonly onMean: (isMeant: boolean) => void;
}) {
  return (
    <div className="callout warn" role="alert">
      <p>
        The same was traded {ago(twin.createdAt, business.now())} ago, as {twin.reference}.
      </p>
      <label>
        <input type="checkbox" checked={isMeant} onChange={({ target }) => onMean(target.checked)} /> This is
        another trade
      </label>
    </div>
  );
}

function Outcome({ state }: { readonly state: WithQuote }) {
  switch (state.at) {
    case 'executing':
      return <p className="chip idle">{state.isSlow ? 'Taking longer than usual …' : 'Executing …'}</p>;
    case 'unknown':
      return (
        <div className="callout warn" role="alert">
          <h3>We do not know yet</h3>
          <p>
            The answer was lost; the trade may have been made. We keep asking the service; nothing is traded
            twice.
          </p>
          <p className="hint">
            Key <span className="mono">{state.executeKey}</span>
          </p>
          <button type="button" className="button" onClick={() => void copy(state.executeKey)}>
            Copy the key
          </button>
        </div>
      );
    case 'executed':
      return (
        <div className="callout">
          <h3 className="chip ok">Executed</h3>
          <p className="mono">{state.transactionId}</p>
          <Way
            to="/transactions/$transactionId"
            instead={null}
            params={{ transactionId: state.transactionId }}
            className="button first tall"
          >
            Open the transaction
          </Way>
        </div>
      );
    case 'rejected':
      return (
        <p className="callout bad" role="alert">
          Not traded. {state.reason}
        </p>
      );
    case 'expired':
      return <p className="callout warn">The quote has expired. Nothing was traded.</p>;
    case 'withdrawn':
      return <Withdrawn quote={state.quote} because={state.because} />;
    default:
      return null;
  }
}

const BECAUSE: Readonly<Record<string, string>> = {
  customer_suspended: 'the customer is suspended',
  sandbox_scenario: 'a sandbox drill withdrew it',
  cancelled: 'somebody cancelled it',
};

/** What the service took back before it was executed, and why. */
function Withdrawn({
  quote: { customerId, rate },
  because,
}: {
  readonly quote: DealtQuote;
  readonly because: string | undefined;
}) {
  const { pair } = rate;
  const isHalted = prices.of(pair)?.price.reason === 'halt';
  const isHalt = because === 'market_halt' || (because === undefined && isHalted);
  const why = isHalt
    ? `${isHalted ? pairText(pair) : 'trading'} is halted`
    : (BECAUSE[because ?? ''] ?? 'the service withdrew it');
  return (
    <div className="callout warn">
      <h3>Withdrawn: {why}</h3>
      <p>Nothing was traded.</p>
      {isHalt && <WhyHalted pair={pair} customerId={customerId} />}
    </div>
  );
}

/** Counted by a clock that only goes forward, from the time that the service said is left. */
function Countdown({ closesAt, seconds }: { readonly closesAt: number; readonly seconds: number }) {
  const place = useRef<HTMLDivElement>(null);
  const said = useRef<number | undefined>(undefined);
  useEffect(() => {
    const write = () => {
      const left = Math.max(0, closesAt - performance.now());
      const whole = Math.ceil(left / 1_000);
      const box = place.current;
      if (box === null) return;
      box.dataset.low = String(whole <= LOW_SECONDS);
      const bar = box.querySelector('progress');
      if (bar !== null) bar.value = left;
      const shown = box.querySelector('.left');
      if (shown !== null) shown.textContent = `${whole} s`;
      const now = announcementAt(whole, said.current);
      if (now === undefined) return;
      said.current = now;
      say(`Firm for ${whole} seconds`);
    };
    write();
    const timer = setInterval(write, 100);
    return () => clearInterval(timer);
  }, [closesAt]);
  return (
    <div className="countdown" ref={place}>
      <span>
        Firm for <span className="left" />
      </span>
      <progress max={seconds * 1_000} aria-hidden="true" />
    </div>
  );
}
