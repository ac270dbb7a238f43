import { useEffect, useRef } from 'react';

/** How long the heading of a page that is still being read is waited for, ms. */
const WAIT_MS = 10_000;

/** After going to another page, reading goes on at its heading. The first page is read from its top. */
export function useArrival(path: string): void {
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    return arrive();
  }, [path]);
}

function arrive(): (() => void) | undefined {
  const main = document.getElementById('main');
  if (main === null) return;
  main.focus({ preventScroll: true });
  const isThere = () => {
    const heading = main.querySelector('h1');
    if (heading === null) return false;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    return true;
  };
  if (isThere()) return;
  const watch = new MutationObserver(() => {
    // Whoever has gone on meanwhile is left where they are.
    if (document.activeElement !== main || isThere()) watch.disconnect();
  });
  watch.observe(main, { childList: true, subtree: true });
  const timer = setTimeout(() => watch.disconnect(), WAIT_MS);
  return () => {
    clearTimeout(timer);
    watch.disconnect();
  };
}
