import type { ReactNode } from 'react';
import { mayRead, type Reading } from '../api/rights.ts';
import { useSession } from '../frame/session-context.ts';
import { useFilters } from './listing.tsx';

interface Tab {
  readonly name: string;
  readonly text: string;
  /** All that it shows, where not everybody who sees the page may read that. */
  readonly reads?: readonly Reading[];
  readonly show: () => ReactNode;
}

/**
 * Parts of a page, each with an address of its own. Each is offered to whoever may read it; whoever comes to another one by its address is
 * told what it takes.
 */
export function Tabs({ tabs }: { readonly tabs: readonly Tab[] }) {
  const { search, set } = useFilters();
  const session = useSession();
  const offered = tabs.filter(
    ({ reads }) => reads === undefined || reads.every((reading) => mayRead(session, reading)),
  );
  const first = offered[0] ?? tabs[0];
  const chosen = tabs.find(({ name }) => name === search.tab) ?? first;
  return (
    <>
      <nav className="tabs" aria-label="Parts of this page">
        {offered.map(({ name, text }) => (
          <button
            key={name}
            type="button"
            aria-current={name === chosen?.name ? 'page' : undefined}
            onClick={() => set({ tab: name === first?.name ? undefined : name, do: undefined })}
          >
            {text}
          </button>
        ))}
      </nav>
      {chosen?.show()}
    </>
  );
}
