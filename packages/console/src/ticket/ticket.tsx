import { useEffect, useRef } from 'react';
import { may } from '../api/rights.ts';
import { useSession } from '../frame/session-context.ts';
import { giveBack, useCover } from '../parts/focus.ts';
import { useFilters } from '../parts/listing.tsx';
import { Forbidden } from '../parts/states.tsx';
import { Firm } from './firm.tsx';
import { isBusy } from './machine.ts';
import { TermsForm } from './terms.tsx';
import { useTicket } from './use-ticket.ts';

const FIELDS = [
  ...['ticket', 'for', 'deal', 'side', 'amount', 'fixed', 'value', 'validity', 'clientReference', 'firm'],
] as const;

/** A trade for a customer, from the first digit to the outcome. What is filled in is in the address, so it survives a sign-in. */
export function Ticket() {
  const { search, set } = useFilters();
  const place = useRef<HTMLElement>(null);
  const session = useSession();
  const { state, send, request } = useTicket(session.personId, search, set);
  const busy = isBusy(state);
  const mayTrade = may(session, 'operator:trades');
  useCover(place);
  const close = () => {
    if (!busy) set(Object.fromEntries(FIELDS.map((field) => [field, undefined])));
  };
  useEffect(() => {
    const opener = document.activeElement;
    place.current?.querySelector<HTMLElement>('select, input')?.focus();
    return () => giveBack(opener);
  }, []);
  return (
    <aside
      className="drawer"
      ref={place}
      aria-label="Ticket"
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      <header>
        <h2>Trade for a customer</h2>
        <button type="button" className="button" onClick={close} aria-disabled={busy}>
          Close
        </button>
      </header>
      {mayTrade ? (
        <TermsForm state={state} onRequest={request} />
      ) : (
        <Forbidden scope="operator:trades" isAct />
      )}
      {'quote' in state && (
        <Firm
          key={state.quote.quoteId}
          {...{ state, mayTrade }}
          onEvent={(event) => {
            if (event.is === 'edit') set({ firm: undefined });
            send(event);
          }}
        />
      )}
    </aside>
  );
}
