import { useEffect, useRef, useState } from 'react';
import { Verbatim } from './text.tsx';

/** A field of a form whose value somebody else has changed since the form was opened. */
interface Change {
  readonly name: string;
  readonly label: string;
  readonly before: string;
  readonly now: string;
  /** What is typed and would replace it; undefined where nothing was, and the field has taken over what is there now. */
  readonly typed: string | undefined;
}

interface Shown {
  readonly name: string;
  readonly label: string;
  readonly initial?: string;
}

/**
 * What somebody else has changed of what a form shows, once a command was refused for it. What was typed stays; a field that nobody has
 * touched shows what is there now (`useDrafts`), so that sending again undoes nothing of theirs.
 */
export function useMeanwhile(
  fields: readonly Shown[],
  given: Readonly<Record<string, string>>,
  isRefused: boolean,
): readonly Change[] {
  const opened = useRef(fields);
  const [changes, setChanges] = useState<readonly Change[]>([]);
  const values = JSON.stringify(fields.map(({ initial = '' }) => initial));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is there now, and the refusal, move it
  useEffect(() => {
    if (!isRefused) return;
    const found = fields.flatMap(({ name, label, initial: now = '' }): Change[] => {
      const before = opened.current.find((field) => field.name === name)?.initial ?? '';
      if (before === now) return [];
      const typed = given[name] ?? '';
      return [{ name, label, before, now, typed: typed === before || typed === now ? undefined : typed }];
    });
    if (found.length === 0) return;
    opened.current = fields;
    setChanges(found);
  }, [isRefused, values]);
  return changes;
}

/** What has changed, beside what is typed. */
export function Meanwhile({ changes }: { readonly changes: readonly Change[] }) {
  if (changes.length === 0) return <p>It has changed since you read it.</p>;
  return (
    <ul className="diff">
      {changes.map(({ name, label, before, now, typed }) => (
        <li key={name}>
          {label}: <del>{before === '' ? 'nothing' : <Verbatim text={before} />}</del> →{' '}
          <ins>{now === '' ? 'nothing' : <Verbatim text={now} />}</ins>
          {typed !== undefined && (
            <>
              {' '}
              · you have typed <Verbatim text={typed} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
