import type { ReactNode } from 'react';
import { readCurrency } from '../money/codes.ts';
import { Entry, useFilters } from './listing.tsx';
import { Empty } from './states.tsx';
import { CURRENCY } from './written-forms.ts';

/** What there is one of for each currency: all of them, or the one that is asked for. */
export function OfCurrency<Item extends { readonly currency: string }>({
  items,
  children,
}: {
  readonly items: readonly Item[];
  readonly children: (shown: readonly Item[]) => ReactNode;
}) {
  const { search } = useFilters();
  const wanted = search.currency?.toUpperCase();
  const shown = items.filter(({ currency }) => wanted === undefined || currency === wanted);
  return (
    <>
      <div className="filters">
        <Entry name="currency" label="Currency" form={CURRENCY} read={readCurrency} />
      </div>
      {shown.length === 0 ? (
        <Empty title="Nothing fits these filters">
          <p>There is none for {wanted}.</p>
        </Empty>
      ) : (
        children(shown)
      )}
    </>
  );
}
