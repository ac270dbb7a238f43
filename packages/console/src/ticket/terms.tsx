import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { areSingleKeysOn } from '../frame/keys.ts';
import { decimalsOf, parseAmount } from '../money/amount.ts';
import { CustomerFinder } from '../parts/customer-finder.tsx';
import { useCustomerChoice } from '../parts/customers.ts';
import { useFilters } from '../parts/listing.tsx';
import { Failure } from '../parts/states.tsx';
import { usePairs } from '../prices/pairs.ts';
import { prices } from '../prices/store.ts';
import type { Search } from '../router.tsx';
import type { DealtQuote, Refusal, TicketState } from './machine.ts';
import { PairState } from './pair-state.tsx';
import {
  CustomerField,
  DATE_TO_COME,
  DealtAmount,
  PairField,
  Reference,
  SideField,
  ValueAndValidity,
} from './terms-fields.tsx';
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
  const { choice, customer, pairs, pair, isSelling, dealt, text } = terms;
  const [isAsked, ask] = useState(false);
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    ask(true);
    if (isLocked) return;
    const given = terms.take();
    if (given !== undefined) return onRequest(given);
    const missing =
      customer === '' ? '#ticket-customer' : terms.amount.ok ? '#ticket-date' : '#ticket-amount';
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
      {choice.query.data === undefined && choice.query.error !== null && (
        <Failure error={choice.query.error} again={() => void choice.query.refetch()} />
      )}
      <CustomerFinder search={choice.search} isLocked={isLocked} />
      <CustomerField customers={choice.customers} {...{ customer, isAsked, isLocked }} />
      <PairField {...{ pairs, pair, isLocked }} />
      <SideField {...{ pair, isSelling, isLocked }} />
      <DealtAmount {...{ text, pair, dealt, isAsked, isLocked }} onText={terms.setText} />
      <ValueAndValidity
        {...{ isAsked, isLocked }}
        validities={(choice.chosen ?? choice.only)?.settings.permittedValidities ?? []}
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
  const choice = useCustomerChoice(quote?.customerId ?? search.for ?? search.customer);
  const [text, setText] = useState(search.amount ?? '');
  const [reference, setReference] = useState(search.clientReference ?? '');
  // Whose trade it is is chosen by somebody, unless there is no choice.
  const only = choice.only?.customerId;
  const read = (from: Search) => termsOf(from, text, pairs[0], only);
  return {
    ...read(quote === undefined ? search : { ...search, ...termsIn(quote) }),
    ...{ choice, pairs, text, setText, reference, setReference },
    /** Puts it into the address, and says what is asked for; undefined while something is missing. */
    take: (): TicketTerms | undefined => {
      const from = newest();
      const { pair, customer, dealt, sellCurrency, buyCurrency, amount } = read(from);
      if (!amount.ok || customer === '' || from.value === DATE_TO_COME) return undefined;
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
