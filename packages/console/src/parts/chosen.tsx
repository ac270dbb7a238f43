import { useLayoutEffect, useState } from 'react';
import type { Column } from './listing.tsx';

/** The service takes so many in one command. */
const CHOSEN_MAX = 100;

/**
 * Rows of a list that are chosen, and the column in which they are. A row that is read again stays as it was when it was chosen. While
 * they are held, nothing else can be chosen.
 */
export function useChosen<Item>(idOf: (item: Item) => string, nameOf: (item: Item) => string) {
  const [chosen, choose] = useState<ReadonlyMap<string, Item>>(new Map());
  const [isHeld, hold] = useState(false);
  const column: Column<Item> = {
    name: 'Choose',
    cell: (item) => {
      const id = idOf(item);
      return (
        <input
          type="checkbox"
          aria-label={`Choose ${nameOf(item)}`}
          checked={chosen.has(id)}
          disabled={isHeld || (chosen.size >= CHOSEN_MAX && !chosen.has(id))}
          onChange={() => {
            const next = new Map(chosen);
            if (!next.delete(id)) next.set(id, item);
            choose(next);
          }}
        />
      );
    },
  };
  return { chosen: [...chosen.values()], clear: () => choose(new Map()), hold, column };
}

/** Tells whether something is under way, and that it is no more when it is gone. */
export function useWhileBusy(isBusy: boolean, tell: (isBusy: boolean) => void): void {
  // Before it is drawn: nobody sees that it is under way, and can still choose something else.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it may be another function at each rendering
  useLayoutEffect(() => {
    tell(isBusy);
    return () => tell(false);
  }, [isBusy]);
}
