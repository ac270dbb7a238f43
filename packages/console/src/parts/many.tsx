import { type ReactNode, useState } from 'react';
import { useWhileBusy } from './chosen.tsx';
import { Outcome, SendButton, useCommand } from './command.tsx';
import { useDrafts } from './draft.ts';
import { SelectField, TextField } from './form.tsx';
import type { Mood } from './icons.tsx';
import { Status } from './text.tsx';
import { Way } from './way.tsx';

/** One command on many things: each for itself, and each with what became of it. */

/** What is meant, whichever of it the command takes. */
export interface ManyMeant {
  readonly command: string;
  readonly why: string;
  readonly assignee: string | null;
  readonly choice: string;
}

interface Answered {
  readonly outcome: string;
  readonly problem: { readonly code: string; readonly detail: string } | null;
  readonly approvalId?: string | null;
}

/** A command that many can be given. */
export interface ManyCommand {
  readonly name: string;
  readonly text: string;
  /** What has to be chosen besides. */
  readonly choices?: readonly (readonly [value: string, text: string])[];
}

const MOODS: Readonly<Record<string, Mood>> = { done: 'ok', proposed: 'warn', refused: 'bad', failed: 'bad' };

interface ManyProps<Item, Answer extends Answered> {
  /** Of what is typed, which outlives a sign-in. */
  readonly name: string;
  readonly heading: string;
  readonly whyLabel: string;
  readonly items: readonly Item[];
  readonly commands: readonly ManyCommand[];
  readonly shown: (item: Item) => ReactNode;
  /** What an item and the answer about it have in common. */
  readonly idOf: (either: Item | Answer) => string;
  readonly send: (
    meant: ManyMeant,
    items: readonly Item[],
    options: { readonly idempotencyKey: string },
  ) => PromiseLike<{ readonly items: readonly Answer[] }>;
  readonly onBusy: (isBusy: boolean) => void;
  readonly onClose: () => void;
}

/** What is sent: whatever is chosen later is another command, with another key. */
interface ManySent<Item> {
  readonly meant: ManyMeant;
  readonly items: readonly Item[];
}

export function Many<Item, Answer extends Answered>({
  name,
  heading,
  whyLabel,
  items,
  commands,
  shown,
  idOf,
  send,
  onBusy,
  onClose,
}: ManyProps<Item, Answer>) {
  const form = useMeant(name, commands);
  const running = useCommand<ManySent<Item>, { readonly items: readonly Answer[] }>(
    name,
    (sent, options) => send(sent.meant, sent.items, options),
    () => form.forget(),
  );
  const { state, isBusy, sent } = running;
  useWhileBusy(isBusy, onBusy);
  const isOver = state.at === 'done';
  return (
    <form
      className="card stack bulk"
      aria-label={heading}
      onSubmit={(event) => {
        event.preventDefault();
        if (form.isReady && !isOver) running.send({ meant: form.meant, items });
      }}
    >
      <h2>{heading}</h2>
      {!isOver && <MeantFields {...{ form, commands, whyLabel, isBusy }} />}
      <Outcome state={state} done="The result of each is below." />
      {state.at === 'done' && (
        <Results items={sent?.items ?? []} answers={state.value.items} {...{ idOf, shown }} />
      )}
      <div className="actions">
        {!isOver && (
          <SendButton isReady={form.isReady} isBusy={isBusy}>
            Apply to {items.length}
          </SendButton>
        )}
        <button type="button" className="button" aria-disabled={isBusy} onClick={() => !isBusy && onClose()}>
          {isOver ? 'Close' : 'Clear selection'}
        </button>
      </div>
    </form>
  );
}

/** What is to be done with each, as far as it is chosen and written. */
function useMeant(name: string, commands: readonly ManyCommand[]) {
  const [chosen, choose] = useState(commands[0]?.name ?? '');
  const { given, change, forget } = useDrafts(`${name}.why`, { text: '', assignee: '' });
  const { text: why, assignee } = given;
  const [choice, pick] = useState('');
  const choices = commands.find((each) => each.name === chosen)?.choices;
  const meant: ManyMeant = { command: chosen, why: why.trim(), assignee: assignee.trim() || null, choice };
  return {
    ...{ chosen, choices, choice, pick, assignee, why, forget, meant },
    assign: (to: string) => change('assignee', to),
    setWhy: (text: string) => change('text', text),
    choose: (command: string) => {
      choose(command);
      pick('');
    },
    isReady: why.trim() !== '' && (choices === undefined || choice !== ''),
  };
}

function MeantFields({
  form,
  commands,
  whyLabel,
  isBusy,
}: {
  readonly form: ReturnType<typeof useMeant>;
  readonly commands: readonly ManyCommand[];
  readonly whyLabel: string;
  readonly isBusy: boolean;
}) {
  return (
    <div className="grid">
      <SelectField
        label="What to do with each"
        value={form.chosen}
        onChange={form.choose}
        options={commands.map((each) => [each.name, each.text] as const)}
      />
      {form.chosen === 'assign' && (
        <TextField
          label="Person or team"
          value={form.assignee}
          onChange={form.assign}
          hint="Leave empty for nobody."
        />
      )}
      {form.choices !== undefined && (
        <SelectField
          label="How"
          value={form.choice}
          onChange={form.pick}
          options={[['', 'Choose …'], ...form.choices]}
        />
      )}
      <TextField label={whyLabel} value={form.why} onChange={form.setWhy} isHeld={isBusy} />
    </div>
  );
}

function Results<Item, Answer extends Answered>({
  items,
  answers,
  idOf,
  shown,
}: {
  readonly items: readonly Item[];
  readonly answers: readonly Answer[];
  readonly idOf: (either: Item | Answer) => string;
  readonly shown: (item: Item) => ReactNode;
}) {
  return (
    <ol aria-label="Result of each">
      {answers.map((answer) => {
        const { outcome, problem, approvalId } = answer;
        const id = idOf(answer);
        const item = items.find((each) => idOf(each) === id);
        return (
          <li key={id}>
            {item === undefined ? <span className="mono">{id}</span> : shown(item)}{' '}
            <Status of={outcome} mood={MOODS[outcome] ?? 'idle'} /> {problem?.detail}{' '}
            {approvalId != null && (
              <Way to="/approvals" instead={null} search={{ approval: approvalId }}>
                Open the approval
              </Way>
            )}
          </li>
        );
      })}
    </ol>
  );
}
