import { useId } from 'react';
import type { CustomerSearch } from './customers.ts';

/** Above a list of customers that does not hold all of them: narrows it to those that are looked for. */
export function CustomerFinder({
  search,
  isLocked = false,
}: {
  readonly search: CustomerSearch | undefined;
  readonly isLocked?: boolean;
}) {
  const id = useId();
  if (search === undefined) return null;
  const { text, look, found } = search;
  return (
    <div className="field">
      <label htmlFor={id}>Find customer</label>
      <input
        id={id}
        value={text}
        disabled={isLocked}
        autoComplete="off"
        spellCheck={false}
        aria-describedby={`${id}-about`}
        onChange={({ target }) => look(target.value)}
        // It sends nothing of the form that it stands in.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <span id={`${id}-about`} className="hint" role="status">
        {found === undefined
          ? 'The list has the newest. Others are found by name or reference.'
          : found === 0
            ? 'No customer has this in its name or reference.'
            : `The list has those found: ${found}.`}
      </span>
    </div>
  );
}
