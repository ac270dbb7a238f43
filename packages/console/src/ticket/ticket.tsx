import type { Quote } from '@firmquote/client';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { operator } from '../api/session.ts';
import { decimalsOf, formatAmount, pairText, parseAmount } from '../money/amount.ts';
import { useCustomers } from '../parts/customers.ts';
import { useFilters } from '../parts/listing.tsx';
import { copy, Failure } from '../parts/states.tsx';
import { ago, Money } from '../parts/text.tsx';
import { usePairs } from '../prices/pairs.ts';
import { announcementAt, isBusy, type TicketState } from './machine.ts';
import { useTwin } from './twin.ts';
import { type TicketTerms, useTicket } from './use-ticket.ts';

const FIELDS = [
  ...['ticket', 'deal', 'side', 'amount', 'fixed', 'value', 'validity', 'clientReference'],
] as const;
/** Below it the countdown is low, s. */
const LOW_SECONDS = 5;

/** A trade for a customer, from the first digit to the outcome. What is filled in is in the address, so it survives a sign-in. */
export function Ticket() {
  const { search, set } = useFilters();
  const place = useRef<HTMLElement>(null);
  const { state, send, request } = useTicket(search.customer ?? '');
  const busy = isBusy(state);
  const close = () => {
    if (!busy) set(Object.fromEntries(FIELDS.map((field) => [field, undefined])));
  };
  useEffect(() => {
    const opener = document.activeElement;
    place.current?.querySelector<HTMLElement>('select, input')?.focus();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <aside
      className="drawer"
      ref={place}
      aria-label="Ticket"
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      <header>
        <h2>Trade for a customer</h2>
        <button type="button" className="button" onClick={close} disabled={busy}>
          Close
        </button>
      </header>
      <Form state={state} onRequest={request} />
      {'quote' in state && <Firm key={state.quote.quoteId} state={state} onEvent={send} />}
    </aside>
  );
}

function Form({
  state,
  onRequest,
}: {
  readonly state: TicketState<Quote>;
  readonly onRequest: (terms: TicketTerms) => void;
}) {
  const { search, set } = useFilters();
  const form = useRef<HTMLFormElement>(null);
  const pairs = usePairs() ?? [];
  const customers = useCustomers();
  const pair = search.deal ?? pairs[0] ?? 'EURUSD';
  const [base, quote] = [pair.slice(0, 3), pair.slice(3)];
  const isSelling = search.side !== 'buy';
  const [sellCurrency, buyCurrency] = isSelling ? [base, quote] : [quote, base];
  const dealt = search.fixed === 'quote' ? quote : base;
  const [text, setText] = useState(search.amount ?? '');
  const [isAsked, ask] = useState(false);
  const amount = parseAmount(text, decimalsOf(dealt));
  const customer = search.customer ?? customers.data?.[0]?.customerId ?? '';
  const isLocked = state.at !== 'editing' && !isOver(state);
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    ask(true);
    if (!amount.ok || customer === '' || isLocked) return;
    set({ customer, deal: pair, amount: text });
    const fixedSide = dealt === sellCurrency ? 'sell' : 'buy';
    const { clientReference, value, validity } = search;
    const on = value === 'today' || value === 'tom' ? { tenor: value } : { valueDate: value };
    onRequest({
      ...{ customerId: customer, sellCurrency, buyCurrency, fixedSide, amount: amount.amount },
      ...(value === undefined ? {} : on),
      ...(validity === undefined ? {} : { validitySeconds: Number.parseInt(validity, 10) }),
      clientReference,
    } as TicketTerms);
  };
  useRequoteKey(isOver(state), () => submit());
  return (
    <form
      ref={form}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
      }}
    >
      {customers.error !== null && <Failure error={customers.error} again={() => void customers.refetch()} />}
      <div className="field">
        <label htmlFor="ticket-customer">Customer</label>
        <select
          id="ticket-customer"
          value={customer}
          disabled={isLocked}
          onChange={({ target }) => set({ customer: target.value })}
        >
          {customers.data?.map(({ customerId, name }) => (
            <option key={customerId} value={customerId}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor="ticket-pair">Pair</label>
        <select
          id="ticket-pair"
          value={pair}
          disabled={isLocked}
          onChange={({ target }) => set({ deal: target.value })}
        >
          {pairs.map((each) => (
            <option key={each} value={each}>
              {pairText(each)}
            </option>
          ))}
        </select>
      </div>
      <fieldset className="segments" disabled={isLocked} style={{ border: 0, margin: 0, padding: 0 }}>
        <legend className="hint" style={{ padding: '0 0 4px' }}>
          The customer
        </legend>
        {(['sell', 'buy'] as const).map((side) => (
          <label key={side}>
            <input
              type="radio"
              name="side"
              checked={isSelling === (side === 'sell')}
              onChange={() => set({ side })}
            />
            {side === 'sell' ? `Sells ${base}` : `Buys ${base}`}
          </label>
        ))}
      </fieldset>
      <div className="pairs" style={{ gridTemplateColumns: '1fr 96px' }}>
        <div className="field">
          <label htmlFor="ticket-amount">Amount</label>
          <input
            id="ticket-amount"
            inputMode="decimal"
            autoComplete="off"
            value={text}
            readOnly={isLocked}
            aria-invalid={isAsked && !amount.ok}
            aria-describedby="ticket-amount-hint"
            onFocus={({ target }) => target.select()}
            onChange={({ target }) => setText(target.value)}
            onBlur={() => set({ amount: text === '' ? undefined : text })}
          />
        </div>
        <div className="field">
          <label htmlFor="ticket-currency">Currency</label>
          <select
            id="ticket-currency"
            value={dealt}
            disabled={isLocked}
            onChange={({ target }) => set({ fixed: target.value === base ? undefined : 'quote' })}
          >
            <option>{base}</option>
            <option>{quote}</option>
          </select>
        </div>
      </div>
      <p id="ticket-amount-hint" className={isAsked && !amount.ok ? 'wrong' : 'hint'}>
        {amount.ok
          ? `${formatAmount(amount.amount)} ${dealt}`
          : isAsked || text !== ''
            ? amount.why
            : 'Write 1m, 250k or 1,000,000.00.'}
      </p>
      <ValueAndValidity
        isLocked={isLocked}
        validities={
          customers.data?.find(({ customerId }) => customerId === customer)?.settings.permittedValidities ??
          []
        }
      />
      <div className="field">
        <label htmlFor="ticket-reference">Reference</label>
        <input
          id="ticket-reference"
          maxLength={64}
          readOnly={isLocked}
          defaultValue={search.clientReference ?? ''}
          onBlur={({ target }) => set({ clientReference: target.value === '' ? undefined : target.value })}
        />
      </div>
      {state.at === 'editing' && state.problem !== undefined && (
        <p className="wrong" role="alert">
          {state.problem}
        </p>
      )}
      {!isLocked && (
        <button type="submit" className="button first tall">
          {isOver(state) ? 'Request again' : 'Request quote'} <kbd>{isOver(state) ? 'R' : 'Ctrl Enter'}</kbd>
        </button>
      )}
      {state.at === 'requesting' && <output className="hint">Asking for a firm price …</output>}
    </form>
  );
}

const TENORS = [
  ['', 'Spot'],
  ['today', 'Today'],
  ['tom', 'Tomorrow'],
  ['date', 'A date'],
] as const;

/** When it settles, and for how long the price is to be firm. */
function ValueAndValidity({
  isLocked,
  validities,
}: {
  readonly isLocked: boolean;
  readonly validities: readonly number[];
}) {
  const { search, set } = useFilters();
  const { value = '', validity = '' } = search;
  const [isDate, choose] = useState(value !== '' && value !== 'today' && value !== 'tom');
  return (
    <div className="pairs" style={{ gridTemplateColumns: '1fr 1fr' }}>
      <div className="field">
        <label htmlFor="ticket-value">Value</label>
        <select
          id="ticket-value"
          value={isDate ? 'date' : value}
          disabled={isLocked}
          onChange={({ target }) => {
            choose(target.value === 'date');
            set({ value: target.value === 'date' || target.value === '' ? undefined : target.value });
          }}
        >
          {TENORS.map(([tenor, name]) => (
            <option key={tenor} value={tenor}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor="ticket-validity">Firm for</label>
        <select
          id="ticket-validity"
          value={validity}
          disabled={isLocked}
          onChange={({ target }) => set({ validity: target.value === '' ? undefined : target.value })}
        >
          <option value="">As usual</option>
          {validities.map((seconds) => (
            <option key={seconds} value={seconds}>
              {seconds} s
            </option>
          ))}
        </select>
      </div>
      {isDate && (
        <div className="field">
          <label htmlFor="ticket-date">Value date</label>
          <input
            id="ticket-date"
            type="date"
            required
            readOnly={isLocked}
            value={value}
            onChange={({ target }) => set({ value: target.value === '' ? undefined : target.value })}
          />
        </div>
      )}
    </div>
  );
}

/** Nothing is under way: the same can be asked for again. */
function isOver({ at }: TicketState<Quote>): boolean {
  return at === 'executed' || at === 'rejected' || at === 'expired' || at === 'withdrawn';
}

function useRequoteKey(isOn: boolean, again: () => void): void {
  const current = useRef(again);
  current.current = again;
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, select, textarea');
      if (event.key === 'R' && !isTyping) current.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOn]);
}

type WithQuote = Extract<TicketState<Quote>, { readonly quote: Quote }>;

function Firm({
  state,
  onEvent,
}: {
  readonly state: WithQuote;
  readonly onEvent: (
    event: { readonly is: 'execute'; readonly now: number } | { readonly is: 'edit' },
  ) => void;
}) {
  const { quote } = state;
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (state.at === 'firm') button.current?.focus();
  }, [state.at]);
  const twin = useTwin(quote, state.at === 'firm');
  const [isMeant, mean] = useState(false);
  const isAsking = twin !== undefined && !isMeant;
  const isGone = state.at === 'expired' || state.at === 'withdrawn' || state.at === 'rejected';
  return (
    <section className="firm" aria-label="Firm quote" style={{ marginTop: 16 }}>
      {state.at === 'firm' && <Countdown closesAt={state.closesAt} seconds={quote.validitySeconds} />}
      <Outcome state={state} />
      <dl className={isGone ? 'facts gone' : 'facts'}>
        <dt>The customer sells</dt>
        <dd className="money">
          <Money amount={quote.sellAmount} currency={quote.sellCurrency} />
        </dd>
        <dt>And gets</dt>
        <dd className="money">
          <Money amount={quote.buyAmount} currency={quote.buyCurrency} />
        </dd>
        <dt>Rate</dt>
        <dd>
          1 {quote.rate.baseCurrency} = {quote.rate.value} {quote.rate.quoteCurrency}
        </dd>
        <dt>Mid</dt>
        <dd>{quote.rate.mid}</dd>
        {quote.pricing.spreadBps !== undefined && (
          <>
            <dt>Spread</dt>
            <dd>{quote.pricing.spreadBps} bps</dd>
          </>
        )}
        <dt>Value date</dt>
        <dd>{quote.settlement.valueDate}</dd>
      </dl>
      {state.at === 'firm' && twin !== undefined && (
        <div className="callout warn" role="alert">
          <p>
            The same was traded {ago(twin.createdAt, operator.clock.now())} ago, as {twin.reference}.
          </p>
          <label>
            <input type="checkbox" checked={isMeant} onChange={({ target }) => mean(target.checked)} /> This
            is another trade
          </label>
        </div>
      )}
      {(state.at === 'firm' || state.at === 'executing') && (
        <div className="actions">
          <button
            type="button"
            ref={button}
            className="button first tall"
            style={{ flex: 1 }}
            disabled={state.at !== 'firm' || isAsking}
            onClick={() => onEvent({ is: 'execute', now: performance.now() })}
          >
            Execute: sell {formatAmount(quote.sellAmount)} {quote.sellCurrency}
          </button>
          <button
            type="button"
            className="button tall"
            disabled={state.at !== 'firm'}
            onClick={() => onEvent({ is: 'edit' })}
          >
            Let go
          </button>
        </div>
      )}
    </section>
  );
}

function Outcome({ state }: { readonly state: WithQuote }) {
  switch (state.at) {
    case 'executing':
      return (
        <p role="status" className="chip idle">
          {state.isSlow ? 'It takes longer than usual …' : 'Executing …'}
        </p>
      );
    case 'unknown':
      return (
        <div className="callout warn" role="alert">
          <h3>We do not know yet</h3>
          <p>
            The answer was lost on the way, and the trade may have been done. The service is asked until it is
            certain; nothing is sent again.
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
        <div className="callout" role="status">
          <h3 className="chip ok">Executed</h3>
          <Link
            to="/transactions/$transactionId"
            params={{ transactionId: state.transactionId }}
            search={{}}
            className="mono"
          >
            {state.transactionId}
          </Link>
        </div>
      );
    case 'rejected':
      return (
        <p className="callout bad" role="alert">
          Not traded. {state.reason}
        </p>
      );
    case 'expired':
      return (
        <p className="callout warn" role="status">
          The quote has expired. Nothing was traded.
        </p>
      );
    case 'withdrawn':
      return (
        <p className="callout warn" role="status">
          The quote was withdrawn. Nothing was traded.
        </p>
      );
    default:
      return null;
  }
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
      const aloud = box.querySelector('[aria-live]');
      if (now !== undefined && aloud !== null) {
        said.current = now;
        aloud.textContent = `Firm for ${whole} seconds`;
      }
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
      <span className="hidden" aria-live="polite" />
    </div>
  );
}
