import { useLayoutEffect, useState } from 'react';
import { type Column, useFilters } from './listing.tsx';
import { Verbatim } from './text.tsx';

/** The service takes so many in one command. */
const CHOSEN_MAX = 100;

interface Choice<Item> {
  readonly item: Item;
  /** What the list was filtered by when it was chosen. */
  readonly under: string;
}

/**
 * Rows of a list that are chosen, and the column in which they are. A row that is read again stays as it was when it was chosen. While
 * they are held, nothing else can be chosen. Those that were chosen when the list was filtered by something else may be out of sight, and are
 * done with all the same: they are told.
 * @param filters of the list
 */
export function useChosen<Item>(
  filters: readonly string[],
  idOf: (item: Item) => string,
  nameOf: (item: Item) => string,
) {
  const [chosen, choose] = useState<ReadonlyMap<string, Choice<Item>>>(new Map());
  const [isHeld, hold] = useState(false);
  const { search } = useFilters();
  const under = JSON.stringify(filters.map((filter) => search[filter]));
  const without = (id: string) => new Map([...chosen].filter(([other]) => other !== id));
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
          onChange={() => choose(chosen.has(id) ? without(id) : new Map(chosen).set(id, { item, under }))}
        />
      );
    },
  };
  const elsewhere = [...chosen].filter(([, choice]) => choice.under !== under);
  return {
    chosen: [...chosen.values()].map(({ item }) => item),
    clear: () => choose(new Map()),
    hold,
    column,
    elsewhere: elsewhere.length > 0 && (
      <Elsewhere
        names={elsewhere.map(([id, { item }]) => [id, nameOf(item)] as const)}
        isHeld={isHeld}
        onLeaveOut={(id) => choose(without(id))}
      />
    ),
  };
}

/** What is chosen and may be out of sight. */
function Elsewhere({
  names,
  isHeld,
  onLeaveOut,
}: {
  readonly names: readonly (readonly [id: string, name: string])[];
  readonly isHeld: boolean;
  readonly onLeaveOut: (id: string) => void;
}) {
  return (
    <section className="callout warn" aria-label="Chosen under other filters">
      <p>Chosen under other filters, too:</p>
      <ul>
        {names.map(([id, name]) => (
          <li key={id}>
            <Verbatim text={name} />{' '}
            <button
              type="button"
              className="plain"
              aria-label={`Leave out ${name}`}
              aria-disabled={isHeld}
              onClick={() => !isHeld && onLeaveOut(id)}
            >
              Leave out
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
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
