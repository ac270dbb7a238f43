import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { areSingleKeysOn } from '../frame/keys.ts';
import { decimalsOf, formatAmount, pairText, parseAmount } from '../money/amount.ts';
import { useCustomers } from '../parts/customers.ts';
import { useFilters } from '../parts/listing.tsx';
import { Failure } from '../parts/states.tsx';
import { usePairs } from '../prices/pairs.ts';
import { prices } from '../prices/store.ts';
import type { Search } from '../router.tsx';
import type { DealtQuote, Refusal, TicketState } from './machine.ts';
import { PairState } from './pair-state.tsx';
import type { TicketTerms } from './use-ticket.ts';
import { WhyHalted } from './why-halted.tsx';

/** What is asked for, before there is a quote. */

export function TermsForm({
  state,
  onRequest,
}: {
  readonly state: TicketState<DealtQuote>;
  readonly onRequest: (terms: TicketTerms) => void;
}) {
  const form = useRef<HTMLFormElement>(null);
  const isLocked = state.at !== 'editing' && !isOver(state);
  const terms = useTerms(isLocked && 'quote' in state ? state.quote : undefined);
  const { customers, customer, pairs, pair, isSelling, dealt, text, setText } = terms;
  const [isAsked, ask] = useState(false);
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    ask(true);
    if (isLocked) return;
    const given = terms.take();
    if (given !== undefined) return onRequest(given);
    const missing = customer === '' ? '#ticket-customer' : '#ticket-amount';
    form.current?.querySelector<HTMLElement>(missing)?.focus();
  };
  useRequoteKey(isOver(state), () => submit());
  useFocusAfterRefusal(form, state);
  return (
    <form
      ref={form}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
      }}
    >
      {customers.data === undefined && customers.error !== null && (
        <Failure error={customers.error} again={() => void customers.refetch()} />
      )}
      <WhoAndWhat
        customers={customers.data ?? []}
        customer={customer}
        pairs={pairs}
        pair={pair}
        isSelling={isSelling}
        isAsked={isAsked}
        isLocked={isLocked}
      />
      <DealtAmount
        text={text}
        onText={setText}
        pair={pair}
        dealt={dealt}
        isAsked={isAsked}
        isLocked={isLocked}
      />
      <ValueAndValidity
        isLocked={isLocked}
        validities={
          customers.data?.find(({ customerId }) => customerId === customer)?.settings.permittedValidities ??
          []
        }
      />
      <Reference text={terms.reference} onText={terms.setReference} isLocked={isLocked} />
      {state.at !== 'withdrawn' && <PairState pair={pair} customerId={customer} />}
      {state.at === 'editing' && state.problem !== undefined && (
        <Refused problem={state.problem} pair={pair} customerId={customer} />
      )}
      {!isLocked && (
        <button type="submit" className={state.at === 'executed' ? 'button tall' : 'button first tall'}>
          {isOver(state) ? 'Request again' : 'Request quote'} <kbd>{isOver(state) ? 'R' : 'Ctrl Enter'}</kbd>
        </button>
      )}
      {state.at === 'requesting' && <output className="hint">Asking for a firm price …</output>}
    </form>
  );
}

/**
 * What the address says of a trade, and what is typed.
 * @param quote that is firm or being executed: its own terms stand, whatever is chosen on the page meanwhile
 */
function useTerms(quote: DealtQuote | undefined) {
  const { search, set, newest } = useFilters();
  const pairs = usePairs() ?? [];
  const customers = useCustomers();
  const [text, setText] = useState(search.amount ?? '');
  const [reference, setReference] = useState(search.clientReference ?? '');
  // Whose trade it is is chosen by somebody, unless there is no choice.
  const only = customers.data?.length === 1 ? customers.data[0]?.customerId : undefined;
  const read = (from: Search) => termsOf(from, text, pairs[0], only);
  return {
    ...read(quote === undefined ? search : { ...search, ...termsIn(quote) }),
    ...{ customers, pairs, text, setText, reference, setReference },
    /** Puts it into the address, and says what is asked for; undefined while something is missing. */
    take: (): TicketTerms | undefined => {
      const from = newest();
      const { pair, customer, dealt, sellCurrency, buyCurrency, amount } = read(from);
      if (!amount.ok || customer === '') return undefined;
      const clientReference = reference === '' ? undefined : reference;
      set({ for: customer, deal: pair, amount: text, clientReference });
      const fixedSide = dealt === sellCurrency ? 'sell' : 'buy';
      const { value, validity } = from;
      const on = value === 'today' || value === 'tom' ? { tenor: value } : { valueDate: value };
      return {
        ...{ customerId: customer, sellCurrency, buyCurrency, fixedSide, amount: amount.amount },
        ...(value === undefined ? {} : on),
        ...(validity === undefined ? {} : { validitySeconds: Number.parseInt(validity, 10) }),
        clientReference,
      } as TicketTerms;
    },
  };
}

function termsOf(search: Search, text: string, first: string | undefined, only: string | undefined) {
  const pair = search.deal ?? first ?? 'EURUSD';
  const [base, quote] = [pair.slice(0, 3), pair.slice(3)];
  const isSelling = search.side !== 'buy';
  const [sellCurrency, buyCurrency] = isSelling ? [base, quote] : [quote, base];
  const dealt = search.fixed === 'quote' ? quote : base;
  const amount = parseAmount(text, decimalsOf(dealt));
  // Whose prices are shown is whose trade it is, until somebody is chosen for the trade.
  const customer = search.for ?? search.customer ?? only ?? '';
  return { pair, isSelling, sellCurrency, buyCurrency, dealt, amount, customer };
}

/** What of a quote's terms the page lets somebody choose elsewhere. */
function termsIn({ customerId, rate: { pair }, sellCurrency, buyCurrency, fixedSide }: DealtQuote): Search {
  const base = pair.slice(0, 3);
  const dealt = fixedSide === 'sell' ? sellCurrency : buyCurrency;
  const side = sellCurrency === base ? 'sell' : 'buy';
  return { for: customerId, deal: pair, side, fixed: dealt === base ? undefined : 'quote' };
}

function Reference({
  text,
  onText,
  isLocked,
}: {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly isLocked: boolean;
}) {
  const { set } = useFilters();
  return (
    <div className="field">
      <label htmlFor="ticket-reference">Reference</label>
      <input
        id="ticket-reference"
        maxLength={64}
        readOnly={isLocked}
        value={text}
        onChange={({ target }) => onText(target.value)}
        onBlur={() => set({ clientReference: text === '' ? undefined : text })}
      />
    </div>
  );
}

/** Why there is no quote. A halt of the pair is told above it, for as long as it holds. */
function Refused({
  problem: { text, isHalted },
  pair,
  customerId,
}: {
  readonly problem: Refusal;
  readonly pair: string;
  readonly customerId: string;
}) {
  return (
    <div className="wrong" role="alert">
      {isHalted ? (
        <>
          <p>No quote: trading is halted.</p>
          {prices.of(pair)?.price.reason !== 'halt' && <WhyHalted pair={pair} customerId={customerId} />}
        </>
      ) : (
        text
      )}
    </div>
  );
}

/** Whose trade it is, of which pair, and to which side. */
function WhoAndWhat({
  customers,
  customer,
  pairs,
  pair,
  isSelling,
  isAsked,
  isLocked,
}: {
  readonly customers: readonly { readonly customerId: string; readonly name: string }[];
  readonly customer: string;
  readonly pairs: readonly string[];
  readonly pair: string;
  readonly isSelling: boolean;
  readonly isAsked: boolean;
  readonly isLocked: boolean;
}) {
  const { set } = useFilters();
  const base = pair.slice(0, 3);
  return (
    <>
      <div className="field">
        <label htmlFor="ticket-customer">Customer</label>
        <select
          id="ticket-customer"
          value={customer}
          disabled={isLocked}
          aria-invalid={isAsked && customer === ''}
          aria-describedby={isAsked && customer === '' ? 'ticket-customer-hint' : undefined}
          onChange={({ target }) => set({ for: target.value, customer: target.value })}
        >
          {customer === '' && customers.length > 0 && <option value="">Choose</option>}
          {customers.length > 0 &&
            customer !== '' &&
            !customers.some(({ customerId }) => customerId === customer) && (
              <option value={customer}>{customer}</option>
            )}
          {customers.map(({ customerId, name }) => (
            <option key={customerId} value={customerId}>
              {name}
            </option>
          ))}
        </select>
        {isAsked && customer === '' && (
          <span id="ticket-customer-hint" className="wrong" role="alert">
            Choose a customer.
          </span>
        )}
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
    </>
  );
}

/** How much, of which of the two currencies, and how it was understood. */
function DealtAmount({
  text,
  onText,
  pair,
  dealt,
  isAsked,
  isLocked,
}: {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly pair: string;
  readonly dealt: string;
  readonly isAsked: boolean;
  readonly isLocked: boolean;
}) {
  const { set } = useFilters();
  const [base, quote] = [pair.slice(0, 3), pair.slice(3)];
  const amount = parseAmount(text, decimalsOf(dealt));
  return (
    <>
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
            onChange={({ target }) => onText(target.value)}
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
      <p
        key={String(isAsked && !amount.ok)}
        id="ticket-amount-hint"
        className={isAsked && !amount.ok ? 'wrong' : 'hint'}
        role={isAsked && !amount.ok ? 'alert' : undefined}
      >
        {amount.ok
          ? `${formatAmount(amount.amount)} ${dealt}`
          : isAsked || text !== ''
            ? amount.why
            : 'Such as 1m, 250k or 1,000,000.00.'}
      </p>
    </>
  );
}

const TENORS = [
  ['', 'Spot'],
  ['today', 'Today'],
  ['tom', 'Tomorrow'],
  ['date', 'Other date'],
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
          <option value="">Default</option>
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
function isOver({ at }: TicketState<DealtQuote>): boolean {
  return at === 'executed' || at === 'rejected' || at === 'expired' || at === 'withdrawn';
}

/** The button that was pressed went while the price was asked for: whoever has the focus nowhere else has it there again. */
function useFocusAfterRefusal(form: RefObject<HTMLFormElement | null>, state: TicketState<DealtQuote>): void {
  useEffect(() => {
    if (state.at !== 'editing' || state.problem === undefined) return;
    const { activeElement } = document;
    if (activeElement === document.body || activeElement === form.current?.closest('.drawer'))
      form.current?.querySelector<HTMLElement>('[type="submit"]')?.focus();
  }, [form, state]);
}

function useRequoteKey(isOn: boolean, again: () => void): void {
  const current = useRef(again);
  current.current = again;
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, select, textarea');
      if (event.key === 'R' && !isTyping && areSingleKeysOn()) current.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOn]);
}
