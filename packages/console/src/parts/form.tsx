import { type ReactNode, useId, useState } from 'react';
import { may } from '../api/rights.ts';
import { useSession } from '../frame/session-context.ts';
import { formatAmount, parseAmount } from '../money/amount.ts';
import { type Command, Outcome, SendButton } from './command.tsx';
import { Dialog } from './dialog.tsx';
import { Forbidden } from './states.tsx';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: ReactNode;
  readonly wrong?: string | undefined;
}

interface TextFieldProps extends FieldProps {
  /** What may be written, to choose from. */
  readonly offers?: readonly string[];
  readonly rows?: number;
  readonly type?: 'text' | 'date' | 'datetime-local';
  /** It can be read and not changed. */
  readonly isHeld?: boolean;
}

/** A label, what is entered, and what is wrong with it; the three belong together for whoever hears them. */
export function TextField({
  label,
  value,
  onChange,
  hint,
  wrong,
  isHeld,
  rows,
  type = 'text',
  offers = [],
}: TextFieldProps) {
  const id = useId();
  const [isLeft, leave] = useState(false);
  // While somebody is still writing, what is wrong is there to be asked for; once they have left it, they are told.
  const isReported = wrong !== undefined && isLeft;
  const shared = {
    onBlur: () => leave(true),
    id,
    value,
    // It keeps the focus while what stands in it is sent.
    readOnly: isHeld,
    autoComplete: 'off',
    'aria-invalid': wrong !== undefined,
    'aria-describedby': `${id}-about`,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange(target.value),
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {rows === undefined ? (
        <input
          {...shared}
          type={type}
          spellCheck={false}
          list={offers.length > 0 ? `${id}-offers` : undefined}
        />
      ) : (
        <textarea {...shared} rows={rows} />
      )}
      {offers.length > 0 && (
        <datalist id={`${id}-offers`}>
          {offers.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      <span
        key={String(isReported)}
        id={`${id}-about`}
        className={wrong === undefined ? 'hint' : 'wrong'}
        role={isReported ? 'alert' : undefined}
      >
        {wrong ?? hint}
      </span>
    </div>
  );
}

export function SelectField({
  label,
  value,
  onChange,
  hint,
  options,
}: FieldProps & { readonly options: readonly (readonly [value: string, text: string])[] }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={`${id}-about`}
        onChange={({ target }) => onChange(target.value)}
      >
        {options.map(([code, text]) => (
          <option key={code} value={code}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <span id={`${id}-about`} className="hint">
          {hint}
        </span>
      )}
    </div>
  );
}

/** An amount as somebody types or pastes it, and how it was understood. */
export function AmountField({
  decimals,
  currency,
  isOptional = false,
  ...field
}: FieldProps & {
  readonly decimals: number;
  readonly currency: string;
  readonly isOptional?: boolean;
}) {
  const parsed = parseAmount(field.value, decimals);
  const isLeftOut = field.value.trim() === '' && isOptional;
  return (
    <TextField
      {...field}
      label={`${field.label}, ${currency}`}
      wrong={field.wrong ?? (parsed.ok || field.value.trim() === '' ? undefined : parsed.why)}
      hint={parsed.ok && !isLeftOut ? `${formatAmount(parsed.amount)} ${currency}` : field.hint}
    />
  );
}

/** Asks before something is done, with why, and says what became of it. Closing it takes a decision of the one who reads it. */
export function CommandDialog<T>({
  label,
  action,
  scope,
  command,
  isReady = true,
  done,
  meanwhile,
  onSubmit,
  onClose,
  children,
}: {
  readonly label: string;
  readonly action: string;
  /** The right that it takes: whoever loses it meanwhile keeps the dialog, without the button. */
  readonly scope: string;
  // biome-ignore lint/suspicious/noExplicitAny: what is meant is known to whoever opens it
  readonly command: Command<any, T>;
  readonly isReady?: boolean;
  readonly done: ReactNode;
  readonly meanwhile?: ReactNode;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { state, isBusy } = command;
  const isOver = state.at === 'done' || state.at === 'waits';
  const isAllowed = may(useSession(), scope);
  const close = () => !isBusy && onClose();
  return (
    <Dialog label={label} isHeld={isBusy} onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && isAllowed && !isOver) onSubmit();
        }}
      >
        <h2>{label}</h2>
        {!isOver && (isAllowed ? children : state.at !== 'refused' && <Forbidden scope={scope} isAct />)}
        <Outcome state={state} done={done} meanwhile={meanwhile} />
        <div className="actions">
          {!isOver && isAllowed && (
            <SendButton isReady={isReady} isBusy={isBusy}>
              {action}
            </SendButton>
          )}
          <button type="button" className="button" aria-disabled={isBusy} onClick={close}>
            Close
          </button>
        </div>
      </form>
    </Dialog>
  );
}
