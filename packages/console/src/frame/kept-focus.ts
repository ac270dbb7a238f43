import { useEffect } from 'react';

/** What is focused in the place of what is gone: it is looked for from there outwards. */
const PLACES = '.table-box, .desk, .drawer, #main';
const FOCUSABLE = 'a[href], button, input, select, textarea, summary';

interface Held {
  /** What has the focus, and all that it is in, from the inside. */
  readonly chain: readonly Element[];
  /** The row of a list that it is in: which one, and which of its controls. */
  readonly list: Element | undefined;
  readonly row: number;
  readonly control: number;
}

/**
 * Where what has the focus goes, something near it takes it: in a list the same control of the row that moves up, in a dialog its first
 * button, elsewhere what it was in. Whoever works by the keyboard goes on there, and not at the top of the page.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let held: Held | undefined;
    const isLost = () => document.activeElement === null || document.activeElement === document.body;
    const look = () => {
      const [element] = held?.chain ?? [];
      if (element === undefined || (!isLost() && document.activeElement !== element)) return;
      const isGone = !element.isConnected || element.matches(':disabled');
      if (isGone && held !== undefined) takerOf(held)?.focus({ preventScroll: true });
      // Whoever has let it go, by pressing beside everything, keeps it so.
      if (isLost()) held = undefined;
    };
    const end = new AbortController();
    document.addEventListener('focusin', ({ target }) => (held = heldBy(target as Element)), {
      signal: end.signal,
    });
    document.addEventListener('focusout', () => queueMicrotask(look), { signal: end.signal });
    const watch = new MutationObserver(look);
    watch.observe(document.body, {
      ...{ childList: true, subtree: true, attributes: true },
      attributeFilter: ['disabled'],
    });
    return () => {
      end.abort();
      watch.disconnect();
    };
  }, []);
}

function heldBy(element: Element): Held {
  const chain: Element[] = [];
  for (let each: Element | null = element; each !== null; each = each.parentElement) chain.push(each);
  const row = element.closest('tbody > tr, ul > li, ol > li');
  const list = row?.parentElement ?? undefined;
  return {
    ...{ chain, list },
    row: row === null ? -1 : [...(list?.children ?? [])].indexOf(row),
    control: row === null ? -1 : [...row.querySelectorAll(FOCUSABLE)].indexOf(element),
  };
}

function takerOf({ chain, list, row, control }: Held): HTMLElement | undefined {
  if (list?.isConnected === true && list.children.length > 0) {
    const next = list.children[Math.min(row, list.children.length - 1)];
    const controls = next?.querySelectorAll<HTMLElement>(FOCUSABLE);
    const taker = controls?.[control] ?? controls?.[0];
    if (taker !== undefined && !taker.matches(':disabled')) return taker;
  }
  const stays = chain.find((each) => each.isConnected && each.matches(`dialog, ${PLACES}`));
  if (!(stays instanceof HTMLDialogElement)) return stays instanceof HTMLElement ? stays : undefined;
  return stays.querySelector<HTMLElement>('.actions :is(button, a[href]):not(:disabled)') ?? undefined;
}
