import type { ReactNode } from 'react';
import { useFilters } from './listing.tsx';

/** Parts of a page, each with an address of its own. */
export function Tabs({
  tabs,
}: {
  readonly tabs: readonly { readonly name: string; readonly text: string; readonly show: () => ReactNode }[];
}) {
  const { search, set } = useFilters();
  const chosen = tabs.find(({ name }) => name === search.tab) ?? tabs[0];
  return (
    <>
      <nav className="tabs" aria-label="Parts of this page">
        {tabs.map(({ name, text }) => (
          <button
            key={name}
            type="button"
            aria-current={name === chosen?.name ? 'page' : undefined}
            onClick={() => set({ tab: name === tabs[0]?.name ? undefined : name, do: undefined })}
          >
            {text}
          </button>
        ))}
      </nav>
      {chosen?.show()}
    </>
  );
}
