import { type ReactNode, useRef, useState } from 'react';
import { may } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { isApproval, Outcome, useCommand } from './command.tsx';
import { Dialog } from './dialog.tsx';
import { SelectField, TextField } from './form.tsx';
import { useFilters } from './listing.tsx';
import { type Secret, Secrets, secretsOfApproval } from './secrets.tsx';

/** What a form asks for. What is not optional must be there before anything is sent. */
export interface Asked {
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly initial?: string;
  readonly rows?: number;
  readonly type?: 'text' | 'date' | 'datetime-local';
  readonly isOptional?: boolean;
  readonly options?: readonly (readonly [value: string, text: string])[];
  /** What is wrong with it, if anything. */
  readonly check?: (text: string) => string | undefined;
}

export type Given = Readonly<Record<string, string>>;

export interface SendOptions {
  readonly idempotencyKey: string;
  /** For the second person. */
  readonly reason: string | undefined;
  /** The version that was there when the form was opened. */
  readonly ifMatch: string | undefined;
}

interface ActionProps {
  /** Names it in the address, so that it is open again after a sign-in. */
  readonly name: string;
  readonly label: string;
  /** On the button that sends; the label by default. */
  readonly action?: string;
  readonly title?: string;
  readonly isFirst?: boolean;
  readonly scope: string;
  readonly asks?: readonly Asked[];
  /** Asks why, for a second person: `optional` where one may be enough. */
  readonly why?: 'optional' | 'none';
  readonly version?: string | undefined;
  /** What must be typed before anything is sent. */
  readonly typed?: { readonly text: string; readonly label: string };
  readonly children?: ReactNode;
  readonly send: (given: Given, options: SendOptions) => PromiseLike<unknown>;
  readonly done: string;
  /** A secret of the answer, which nobody sees again. */
  readonly secretOf?: (answer: object) => readonly Secret[];
  readonly onDone?: (answer: object) => void;
}

/** A button and the form behind it. Whoever may not do it does not see it. */
export function Action(props: ActionProps) {
  const session = useSession();
  const { search, set } = useFilters();
  if (!may(session, props.scope)) return null;
  return (
    <>
      <button
        type="button"
        className={props.isFirst === true ? 'button first' : 'button'}
        onClick={() => set({ do: props.name })}
      >
        {props.label}
      </button>
      {search.do === props.name && <Form {...props} onClose={() => set({ do: undefined })} />}
    </>
  );
}

function Form({ onClose, ...props }: ActionProps & { readonly onClose: () => void }) {
  const { asks = [], why = 'none' } = props;
  const fields: readonly Asked[] =
    why === 'none'
      ? asks
      : [...asks, { name: 'why', label: 'Why, for a second person', isOptional: true, rows: 2 }];
  const { given, change, forget } = useGiven(props.name, fields);
  const opened = useRef(props.version);
  const [isStored, store] = useState(false);
  const [typed, type] = useState('');
  const command = useCommand<Given, object>(
    async (intent, { idempotencyKey }) =>
      ((await props.send(intent, {
        idempotencyKey,
        reason: intent.why?.trim() === '' ? undefined : intent.why?.trim(),
        ifMatch: opened.current,
      })) ?? {}) as object,
    (answer) => {
      forget();
      props.onDone?.(answer);
    },
  );
  const { state, isBusy } = command;
  // What is there now has been shown: whoever sends again means that.
  if (state.at === 'changed') opened.current = props.version;
  const isOver = state.at === 'done' || state.at === 'waits';
  const secrets = secretsOf(
    state.at === 'done' ? state.value : state.at === 'waits' ? state.approval : undefined,
    props,
  );
  const wrong = (field: Asked) => {
    const text = given[field.name]?.trim() ?? '';
    return text === '' ? undefined : field.check?.(text);
  };
  const isReady =
    fields.every(
      (field) => wrong(field) === undefined && (field.isOptional === true || given[field.name]?.trim()),
    ) &&
    (props.typed === undefined || typed.trim() === props.typed.text);
  const mayClose = !isBusy && (secrets.length === 0 || isStored);
  const close = () => mayClose && onClose();
  const title = props.title ?? props.label;
  return (
    <Dialog label={title} onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && !isOver) command.send(given);
        }}
      >
        <h2>{title}</h2>
        {!isOver && (
          <>
            {props.children}
            {fields.map((field) => (
              <AskedField
                key={field.name}
                field={field}
                value={given[field.name] ?? ''}
                wrong={wrong(field)}
                onChange={(text) => change(field.name, text)}
              />
            ))}
            {props.typed !== undefined && (
              <TextField
                label={props.typed.label}
                value={typed}
                onChange={type}
                hint={`Type ${props.typed.text}`}
              />
            )}
          </>
        )}
        <Outcome state={state} done={props.done} />
        {secrets.length > 0 && <Secrets secrets={secrets} isStored={isStored} onStored={store} />}
        <div className="actions">
          {!isOver && (
            <button type="submit" className="button first" disabled={!isReady || isBusy}>
              {props.action ?? props.label}
            </button>
          )}
          <button type="button" className="button" disabled={!mayClose} onClick={close}>
            Close
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function AskedField({
  field,
  value,
  wrong,
  onChange,
}: {
  readonly field: Asked;
  readonly value: string;
  readonly wrong: string | undefined;
  readonly onChange: (text: string) => void;
}) {
  const label =
    field.isOptional === true && field.options === undefined ? `${field.label} (optional)` : field.label;
  if (field.options !== undefined)
    return (
      <SelectField
        label={label}
        value={value}
        onChange={onChange}
        hint={field.hint}
        options={field.options}
      />
    );
  return (
    <TextField
      label={label}
      value={value}
      onChange={onChange}
      hint={field.hint}
      wrong={wrong}
      {...(field.rows === undefined ? {} : { rows: field.rows })}
      {...(field.type === undefined ? {} : { type: field.type })}
    />
  );
}

/** What stands in the form; it outlives a sign-in in between, and ends with the tab. */
function useGiven(name: string, fields: readonly Asked[]) {
  const place = `firmquote.form.${location.pathname}.${name}`;
  const [given, set] = useState<Given>(() => {
    const kept = JSON.parse(sessionStorage.getItem(place) ?? '{}') as Given;
    return Object.fromEntries(fields.map((field) => [field.name, kept[field.name] ?? initialOf(field)]));
  });
  return {
    given,
    change: (field: string, text: string) => {
      const next = { ...given, [field]: text };
      sessionStorage.setItem(place, JSON.stringify(next));
      set(next);
    },
    forget: () => sessionStorage.removeItem(place),
  };
}

function initialOf({ initial, options, isOptional }: Asked): string {
  return initial ?? (isOptional === true ? '' : (options?.[0]?.[0] ?? ''));
}

function secretsOf(answer: object | undefined, { secretOf }: ActionProps) {
  if (answer === undefined) return [];
  return isApproval(answer) ? secretsOfApproval(answer) : (secretOf?.(answer) ?? []);
}

/** The version of something, as `If-Match` takes it. */
export function versionTag(version: number): string {
  return `"v${version}"`;
}

/** What an hour of this browser is as an instant; empty stays empty. */
export function instantOf(local: string | undefined): string | undefined {
  return local === undefined || local.trim() === '' ? undefined : `${local.trim()}:00Z`;
}

export function check(pattern: RegExp, why: string): (text: string) => string | undefined {
  return (text) => (pattern.test(text) ? undefined : why);
}
