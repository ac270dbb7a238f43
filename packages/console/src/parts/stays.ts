import { useBlocker } from '@tanstack/react-router';
import type { RefObject } from 'react';

/** What the address says is open on a page: with another one, what is open now goes. */
const OPENED = ['tab', 'deposit', 'file', 'run', 'import', 'version'] as const;

/**
 * Keeps a page, and what is open on it, while something of it is under way: whoever left would never learn what became of it. What is
 * done may move on by itself.
 * @param isUnderWay at this moment; `isBusy` as it is drawn
 */
export function useStays(isBusy: boolean, isUnderWay: RefObject<boolean>, onKept: () => void): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const [from, to]: readonly Readonly<Record<string, unknown>>[] = [current.search, next.search];
      const isLeft = current.pathname !== next.pathname || OPENED.some((name) => from?.[name] !== to?.[name]);
      const isKept = isUnderWay.current && isLeft;
      if (isKept) onKept();
      return isKept;
    },
    enableBeforeUnload: isBusy,
    disabled: !isBusy,
  });
}

export const KEPT = 'You can leave as soon as it is known what became of it.';
