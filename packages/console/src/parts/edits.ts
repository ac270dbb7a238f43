import { useRef, useState } from 'react';
import { useKeptPlace, useOpened } from './draft.ts';

/** Edits that nobody has sent yet. They outlive a sign-in, and end with the tab; where they were made before an upgrade, parts may be missing. */
export function useEdits<Edits extends object>(
  name: string,
  none: Edits,
): readonly [edits: Edits, edit: (next: Edits) => void] {
  const place = useKeptPlace(name);
  const [edits, set] = useState<Edits>(() => ({
    ...none,
    ...JSON.parse(sessionStorage.getItem(place) ?? '{}'),
  }));
  const edit = (next: Edits) => {
    sessionStorage.setItem(place, JSON.stringify(next));
    set(next);
  };
  return [edits, edit];
}

/**
 * Whether a change is shown: while there is one and, once it was sent, until its form is closed.
 * @param form that sends it
 */
export function useIsShown(isChanged: boolean, form: string): boolean {
  const [opened] = useOpened();
  const wasChanged = useRef(false);
  wasChanged.current ||= isChanged;
  return isChanged || (wasChanged.current && opened === form);
}
