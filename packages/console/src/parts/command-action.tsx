import type { ReactNode } from 'react';
import { Action, type ActionProps } from './action.tsx';
import type { PageCommand } from './page-command.ts';

interface CommandActionProps<Subject> {
  /** Names its form in the address; of one thing among several on a page it has the id of that. */
  readonly name: string;
  readonly command: PageCommand<Subject>;
  readonly subject: Subject;
  /** Of the path, in their order. */
  readonly ids: readonly string[];
  /** Where a form that is open stays when its command is given, and says what became of it. */
  readonly isPossible: boolean;
  readonly version?: string;
  /** The command's own by default. */
  readonly label?: string;
  readonly title?: string;
  /** What must be typed before anything is sent. */
  readonly typed?: { readonly text: string; readonly label: string };
  readonly onDone?: (answer: object) => void;
  readonly below?: ActionProps['below'];
  readonly secretOf?: NonNullable<ActionProps['secretOf']>;
  readonly children?: ReactNode;
}

/** The button of a command, and the form behind it. */
export function CommandAction<Subject>({
  name,
  command,
  subject,
  ids,
  isPossible,
  label = command.label,
  children,
  ...more
}: CommandActionProps<Subject>) {
  return (
    <Action
      {...more}
      name={name}
      isOver={!isPossible}
      label={label}
      scope={command.scope}
      why={command.why}
      asks={command.asks?.(subject) ?? []}
      send={(given, options) => command.send(ids, given, options)}
      done={command.done}
    >
      <p>{command.about}</p>
      {children}
    </Action>
  );
}
