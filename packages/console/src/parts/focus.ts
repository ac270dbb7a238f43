import { type RefObject, useEffect, useLayoutEffect } from 'react';

/** Gives the focus back to what had it, when something that took it closes; to the page where that is gone. */
export function giveBack(opener: Element | null): void {
  const place =
    opener instanceof HTMLElement && opener.isConnected && opener !== document.body ? opener : undefined;
  (place ?? document.getElementById('main'))?.focus({ preventScroll: place === undefined });
}

/** What opens beside a page has the focus while it is there, if it was opened there and did not come with the page. */
export function useFocus(place: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const opener = document.activeElement;
    if (opener === null || opener === document.body) return;
    const opened = place.current;
    opened?.focus();
    return () => {
      // Whoever has gone elsewhere meanwhile stays there.
      if (document.activeElement === document.body || opened?.contains(document.activeElement) === true)
        giveBack(opener);
    };
  }, [place]);
}

/** Where there is no room beside the page, what opens there covers it; the same in the style sheet. */
const COVERS = '(max-width: 1000px), (max-height: 480px)';

/** Nothing can be reached that is under it. */
export function useCover(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const drawer = place.current;
    const covers = matchMedia(COVERS);
    const around = [...(drawer?.parentElement?.children ?? [])].filter(
      (each) => each !== drawer && !each.matches('dialog, .aloud'),
    );
    const cover = (isCovered: boolean) => {
      for (const each of around) each.toggleAttribute('inert', isCovered);
    };
    const end = new AbortController();
    covers.addEventListener('change', () => cover(covers.matches), { signal: end.signal });
    cover(covers.matches);
    return () => {
      end.abort();
      cover(false);
    };
  }, [place]);
}

/** The focus goes to what comes next in a drawer, unless somebody is at work outside of it. */
export function useFocusAt(place: RefObject<HTMLElement | null>, selector: string | undefined): void {
  // With what it goes to: who sees a button and presses Enter presses that button.
  useLayoutEffect(() => {
    const drawer = place.current?.closest<HTMLElement>('.drawer');
    const focused = document.activeElement;
    if (selector === undefined || (focused !== document.body && drawer?.contains(focused) !== true)) return;
    drawer?.querySelector<HTMLElement>(selector)?.focus();
  }, [place, selector]);
}
