import { decimalsOf, formatAmount, pairText, parseAmount } from '../money/amount.ts';
import { useFilters } from '../parts/listing.tsx';

/** The fields of a ticket. What is chosen in them is in the address; what is typed goes there once the field is left. */

interface FieldProps {
  /** What is asked for is on its way, or firm: it can be read and not changed. */
  readonly isLocked: boolean;
}

/** Whose trade it is. */
export function CustomerField({
  customers,
  customer,
  isAsked,
  isLocked,
}: FieldProps & {
  readonly customers: readonly { readonly customerId: string; readonly name: string }[];
  readonly customer: string;
  readonly isAsked: boolean;
}) {
  const { set } = useFilters();
  const isMissing = isAsked && customer === '';
  return (
    <div className="field">
      <label htmlFor="ticket-customer">Customer</label>
      <select
        id="ticket-customer"
        value={customer}
        disabled={isLocked}
        aria-invalid={isMissing}
        aria-describedby={isMissing ? 'ticket-customer-hint' : undefined}
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
      {isMissing && (
        <span id="ticket-customer-hint" className="wrong" role="alert">
          Choose a customer.
        </span>
      )}
    </div>
  );
}

export function PairField({
  pairs,
  pair,
  isLocked,
}: FieldProps & { readonly pairs: readonly string[]; readonly pair: string }) {
  const { set } = useFilters();
  return (
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
  );
}

/** Whether the customer sells or buys the base currency. */
export function SideField({
  pair,
  isSelling,
  isLocked,
}: FieldProps & { readonly pair: string; readonly isSelling: boolean }) {
  const { set } = useFilters();
  const base = pair.slice(0, 3);
  return (
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
  );
}

/** How much, of which of the two currencies, and how it was understood. */
export function DealtAmount({
  text,
  onText,
  pair,
  dealt,
  isAsked,
  isLocked,
}: FieldProps & {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly pair: string;
  readonly dealt: string;
  readonly isAsked: boolean;
}) {
  const { set } = useFilters();
  const amount = parseAmount(text, decimalsOf(dealt));
  const isWrong = isAsked && !amount.ok;
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
            aria-invalid={isWrong}
            aria-describedby="ticket-amount-hint"
            onFocus={({ target }) => target.select()}
            onChange={({ target }) => onText(target.value)}
            onBlur={() => set({ amount: text === '' ? undefined : text })}
          />
        </div>
        <DealtCurrency {...{ pair, dealt, isLocked }} />
      </div>
      <p
        key={String(isWrong)}
        id="ticket-amount-hint"
        className={isWrong ? 'wrong' : 'hint'}
        role={isWrong ? 'alert' : undefined}
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

function DealtCurrency({
  pair,
  dealt,
  isLocked,
}: FieldProps & { readonly pair: string; readonly dealt: string }) {
  const { set } = useFilters();
  const [base, quote] = [pair.slice(0, 3), pair.slice(3)];
  return (
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
  );
}

const TENORS = [
  ['', 'Spot'],
  ['today', 'Today'],
  ['tom', 'Tomorrow'],
  ['date', 'Other date'],
] as const;

/** A date is wanted, and none is named yet: that is not spot. */
export const DATE_TO_COME = 'date';

/** When it settles, and for how long the price is to be firm. */
export function ValueAndValidity({
  isLocked,
  isAsked,
  validities,
}: FieldProps & { readonly isAsked: boolean; readonly validities: readonly number[] }) {
  const { search, set } = useFilters();
  const { value = '' } = search;
  const isDate = value !== '' && value !== 'today' && value !== 'tom';
  const isMissing = isAsked && value === DATE_TO_COME;
  return (
    <div className="pairs" style={{ gridTemplateColumns: '1fr 1fr' }}>
      <div className="field">
        <label htmlFor="ticket-value">Value</label>
        <select
          id="ticket-value"
          value={isDate ? DATE_TO_COME : value}
          disabled={isLocked}
          onChange={({ target }) => set({ value: target.value === '' ? undefined : target.value })}
        >
          {TENORS.map(([tenor, name]) => (
            <option key={tenor} value={tenor}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <Validity isLocked={isLocked} validities={validities} />
      {isDate && (
        <div className="field">
          <label htmlFor="ticket-date">Value date</label>
          <input
            id="ticket-date"
            type="date"
            readOnly={isLocked}
            value={value === DATE_TO_COME ? '' : value}
            aria-invalid={isMissing}
            aria-describedby={isMissing ? 'ticket-date-wrong' : undefined}
            onChange={({ target }) => set({ value: target.value === '' ? DATE_TO_COME : target.value })}
          />
          {isMissing && (
            <span id="ticket-date-wrong" className="wrong" role="alert">
              Enter the value date.
            </span>
          )}
        </div>
      )}
    </div>
  );
}

function Validity({ isLocked, validities }: FieldProps & { readonly validities: readonly number[] }) {
  const { search, set } = useFilters();
  return (
    <div className="field">
      <label htmlFor="ticket-validity">Firm for</label>
      <select
        id="ticket-validity"
        value={search.validity ?? ''}
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
  );
}

/** The customer's own reference. */
export function Reference({
  text,
  onText,
  isLocked,
}: FieldProps & { readonly text: string; readonly onText: (text: string) => void }) {
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
