import { useState } from 'react';
import { useSession } from '../frame/session-context.ts';
import { useFilters } from './listing.tsx';

/** Which form is open. It is in the address, so it is open again after a sign-in, with what stands in it. */
export function useOpened(): readonly [form: string | undefined, open: (form: string | undefined) => void] {
  const { search, set } = useFilters();
  return [search.do, (form) => set({ do: form })];
}

/** Where this tab keeps what whoever is signed in has typed. The next one to sign in here is another one, who finds nothing of it. */
export function useKeptPlace(name: string): string {
  return `firmquote.form.${useSession().personId}.${name}`;
}

/**
 * What stands in a form until it is done with. It outlives a sign-in in between, and ends with the tab; what nobody has touched is as
 * it is now.
 */
export function useDrafts<Fields extends Readonly<Record<string, string>>>(form: string, initial: Fields) {
  const place = useKeptPlace(form);
  const [changed, set] = useState(() => keptAt(place));
  const given = { ...initial };
  for (const [field, text] of Object.entries(changed))
    if (field in initial) given[field as keyof Fields] = text as Fields[keyof Fields];
  return {
    given,
    change: (field: keyof Fields & string, text: string) => {
      const next = { ...keptAt(place), [field]: text };
      sessionStorage.setItem(place, JSON.stringify(next));
      set(next);
    },
    forget: () => {
      sessionStorage.removeItem(place);
      set({});
    },
  };
}

/** The same for one text. */
export function useDraft(form: string): readonly [string, (text: string) => void, () => void] {
  const { given, change, forget } = useDrafts(form, { text: '' });
  return [given.text, (text) => change('text', text), forget];
}

function keptAt(place: string): Readonly<Record<string, string>> {
  return JSON.parse(sessionStorage.getItem(place) ?? '{}');
}
