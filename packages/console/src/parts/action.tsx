import { ApiError } from '@firmquote/client';
import { type ReactNode, useRef, useState } from 'react';
import { may } from '../api/rights.ts';
import type { Kind } from '../approvals/policy-words.ts';
import { useRule } from '../approvals/use-policy.ts';
import { useSession } from '../frame/session-context.ts';
import { type Command, type CommandState, isApproval, Outcome, SendButton, useCommand } from './command.tsx';
import { Dialog } from './dialog.tsx';
import { useDrafts, useOpened } from './draft.ts';
import { SelectField, TextField } from './form.tsx';
import type { Intention } from './intentions.ts';
import { useLeaving } from './left-behind.ts';
import { Meanwhile, useMeanwhile } from './meanwhile.tsx';
import { atField, fieldOf } from './problem-words.ts';
import { type Secret, Secrets, secretsOfApproval } from './secrets.tsx';
import { Forbidden } from './states.tsx';

type Options = readonly (readonly [value: string, text: string])[];

/** What a form asks for. What is not optional must be there before anything is sent. */
export interface Asked {
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly initial?: string;
  readonly rows?: number;
  readonly type?: 'text' | 'date' | 'datetime-local';
  readonly isOptional?: boolean;
  /** What there is to choose from; of many, beside what is chosen already. */
  readonly options?: Options | ((chosen: string) => Options);
  /** What may be written, to choose from, where something else may be written too. */
  readonly offers?: readonly string[];
  /** What somebody means by what they wrote; it is checked and sent. */
  readonly read?: (text: string) => string;
  /** What is wrong with it, if anything. */
  readonly check?: (text: string) => string | undefined;
}

export type Given = Readonly<Record<string, string>>;

export interface SendOptions extends Intention {
  /** For the second person. */
  readonly reason: string | undefined;
  /** The version that was there when the form was opened. */
  readonly ifMatch: string | undefined;
}

export interface ActionProps {
  /** Names it in the address, so that it is open again after a sign-in. */
  readonly name: string;
  readonly label: string;
  /** On the button that sends; the label by default. */
  readonly action?: string;
  readonly title?: string;
  readonly isFirst?: boolean;
  /** There is nothing left to do: no button, while a form that is open goes on to say what became of it. */
  readonly isOver?: boolean;
  readonly scope: string;
  readonly asks?: readonly Asked[];
  /** Asks why, for a second person: of a kind of command where the policy always takes two, `optional` where one may be enough. */
  readonly why?: 'required' | 'optional' | 'none' | Kind;
  readonly version?: string | undefined;
  /** What must be typed before anything is sent. */
  readonly typed?: { readonly text: string; readonly label: string };
  readonly children?: ReactNode;
  /** Under the fields, by what stands in them. */
  readonly below?: ((given: Given) => ReactNode) | undefined;
  readonly send: (given: Given, options: SendOptions) => PromiseLike<unknown>;
  /** What is said once it is done; some of it only the answer knows. */
  readonly done: string | ((answer: object) => string);
  /** A secret of the answer, which nobody sees again. */
  readonly secretOf?: (answer: object) => readonly Secret[];
  readonly onDone?: (answer: object) => void;
}

/** A button and the form behind it. Whoever may not do it does not see it. */
export function Action(props: ActionProps) {
  const isAllowed = may(useSession(), props.scope);
  const [opened, open] = useOpened();
  return (
    <>
      {isAllowed && props.isOver !== true && (
        <button
          type="button"
          className={props.isFirst === true ? 'button first' : 'button'}
          onClick={() => open(props.name)}
        >
          {props.label}
        </button>
      )}
      {opened === props.name && (
        <ActionForm {...props} isAllowed={isAllowed} onClose={() => open(undefined)} />
      )}
    </>
  );
}

interface FormProps extends ActionProps {
  /** Whoever loses the right meanwhile keeps the form, which says so, without its button. */
  readonly isAllowed: boolean;
  readonly onClose: () => void;
}

function ActionForm({ onClose, isAllowed, ...props }: FormProps) {
  const fields = useFields(props);
  const { given, change, forget } = useDrafts(`${location.pathname}.${props.name}`, initialsOf(fields));
  const command = useSend(props, forget);
  const { state, isBusy } = command;
  const [isStored, store] = useState(false);
  const [typed, type] = useState('');
  const changes = useMeanwhile(fields, given, state.at === 'changed');
  const isOver = state.at === 'done' || state.at === 'waits';
  const { title, done } = useSaid(props, isBusy || isOver);
  const secrets = secretsOf(state, props);
  const meant = Object.fromEntries(fields.map((field) => [field.name, meantBy(field, given)]));
  const refused = refusedFields(state.at === 'refused' ? state.error : undefined, command.sent, meant);
  const isReady =
    isComplete(fields, given) && (props.typed === undefined || typed.trim() === props.typed.text);
  const mayClose = !isBusy && (secrets.length === 0 || isStored);
  const leave = useLeaving(state.at === 'done' ? saidOf(done, state) : undefined, onClose);
  const close = () => mayClose && leave();
  return (
    <Dialog label={title} isHeld={!mayClose} onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && isAllowed && !isOver) command.send(meant);
        }}
      >
        <h2>{title}</h2>
        {!isAllowed && state.at === 'idle' && <Forbidden scope={props.scope} isAct />}
        {!isOver && isAllowed && (
          <>
            {props.children}
            <Fields fields={fields} given={given} refused={refused} onChange={change} />
            {props.below?.(meant)}
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
        <Outcome state={state} done={saidOf(done, state)} meanwhile={<Meanwhile changes={changes} />} />
        {secrets.length > 0 && <Secrets secrets={secrets} isStored={isStored} onStored={store} />}
        <div className="actions">
          {!isOver && isAllowed && (
            <SendButton isReady={isReady} isBusy={isBusy}>
              {props.action ?? props.label}
            </SendButton>
          )}
          <button type="button" className="button" disabled={!mayClose} onClick={close}>
            Close
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** What the form asks for; of a command that takes a second person, why it is wanted too. */
function useFields({ asks = [], why = 'none' }: ActionProps): readonly Asked[] {
  const isTwo = useRule(why)?.needs === 'always';
  const isOptional = why !== 'required' && !isTwo;
  return why === 'none'
    ? asks
    : [...asks, { name: 'why', label: 'Reason, for the approver', isOptional, rows: 2 }];
}

/** Sends what is meant, against the version that its reader has seen. */
function useSend(props: ActionProps, forget: () => void): Command<Given, object> {
  const opened = useRef(props.version);
  const command = useCommand<Given, object>(
    `${location.pathname}.${props.name}`,
    async (intent, intention) =>
      ((await props.send(intent, {
        ...intention,
        reason: intent.why?.trim() === '' ? undefined : intent.why?.trim(),
        ifMatch: opened.current,
      })) ?? {}) as object,
    (answer) => {
      forget();
      props.onDone?.(answer);
    },
  );
  // What is there now has been shown: whoever sends again means that.
  if (command.state.at === 'changed') opened.current = props.version;
  return command;
}

/** What is done may be told in other words at the next reading, such as "Resume" for "Pause": what was sent keeps its own. */
function useSaid({ title, label, done }: ActionProps, isSent: boolean) {
  const said = useRef({ title: title ?? label, done });
  if (!isSent) said.current = { title: title ?? label, done };
  return said.current;
}

function saidOf(done: ActionProps['done'], state: CommandState<object>): string {
  if (typeof done === 'string') return done;
  return state.at === 'done' ? done(state.value) : '';
}

function Fields({
  fields,
  given,
  refused,
  onChange,
}: {
  readonly fields: readonly Asked[];
  readonly given: Given;
  readonly refused: Given;
  readonly onChange: (name: string, text: string) => void;
}) {
  return fields.map((field) => (
    <AskedField
      key={field.name}
      field={field}
      value={given[field.name] ?? ''}
      wrong={faultOf(field, given) ?? refused[field.name]}
      onChange={(text) => onChange(field.name, text)}
    />
  ));
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
        options={optionsOf(field.options, value)}
      />
    );
  return (
    <TextField
      label={label}
      value={value}
      onChange={onChange}
      hint={field.hint}
      wrong={wrong}
      {...(field.offers === undefined ? {} : { offers: field.offers })}
      {...(field.rows === undefined ? {} : { rows: field.rows })}
      {...(field.type === undefined ? {} : { type: field.type })}
    />
  );
}

/** What the service says of fields of the form, until they are written anew. */
function refusedFields(error: unknown, sent: Given | undefined, meant: Given): Given {
  if (!(error instanceof ApiError)) return {};
  const fields = error.errors.map((each) => [fieldOf(each.pointer), atField(each)] as const);
  return Object.fromEntries(fields.filter(([name]) => sent?.[name] === meant[name]));
}

function meantBy({ name, read }: Asked, given: Given): string {
  const text = given[name] ?? '';
  return read === undefined ? text : read(text);
}

/** What is wrong with a field, as far as can be said here; what is empty is missing, not wrong. */
function faultOf(field: Asked, given: Given): string | undefined {
  const text = meantBy(field, given).trim();
  return text === '' ? undefined : field.check?.(text);
}

function isComplete(fields: readonly Asked[], given: Given): boolean {
  return fields.every(
    (field) =>
      faultOf(field, given) === undefined && (field.isOptional === true || given[field.name]?.trim()),
  );
}

function initialsOf(fields: readonly Asked[]): Given {
  return Object.fromEntries(fields.map((field) => [field.name, initialOf(field)]));
}

function initialOf({ initial, options, isOptional }: Asked): string {
  return (
    initial ?? (isOptional === true || options === undefined ? '' : (optionsOf(options, '')[0]?.[0] ?? ''))
  );
}

function optionsOf(options: NonNullable<Asked['options']>, chosen: string): Options {
  return typeof options === 'function' ? options(chosen) : options;
}

function secretsOf(state: CommandState<object>, { secretOf }: ActionProps): readonly Secret[] {
  const answer = state.at === 'done' ? state.value : state.at === 'waits' ? state.approval : undefined;
  if (answer === undefined) return [];
  return isApproval(answer) ? secretsOfApproval(answer) : (secretOf?.(answer) ?? []);
}

/** The version of something, as `If-Match` takes it. */
export function versionTag(version: number): string {
  return `"v${version}"`;
}
