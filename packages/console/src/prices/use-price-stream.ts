import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { announceNeed, type Session } from '../api/session.ts';
import { openLine } from './connect.ts';
import type { ToTab } from './messages.ts';
import { keepPace } from './pace.ts';
import { STREAMED_MAX, usePairs } from './pairs.ts';
import { prices } from './store.ts';

/** The market's prices, for as long as somebody is signed in who may see them. Tabs of one browser read one stream. */
export function usePriceStream({ personId }: Session, isAllowed: boolean): void {
  const queries = useQueryClient();
  const codes = usePairs(isAllowed)?.slice(0, STREAMED_MAX).join(',');
  useEffect(() => {
    if (codes === undefined || codes === '') return;
    const end = new AbortController();
    const { signal } = end;
    const line = openLine((message: ToTab) => {
      prices.take(message);
      if (message.is !== 'link' || message.link.need === undefined) return;
      // Rights were taken away, or the session is over: the whole page is to know.
      void queries.invalidateQueries({ queryKey: ['session'] });
      if (message.link.need === 'sign-in') announceNeed('sign-in');
    });
    const hello = () => line.send({ is: 'hello', person: personId, pairs: codes.split(',') });
    hello();
    document.addEventListener('visibilitychange', () => line.send({ is: 'seen', isSeen: !document.hidden }), {
      signal,
    });
    window.addEventListener('pagehide', () => line.send({ is: 'bye' }), { signal });
    // From the cache of the browser's back button.
    window.addEventListener('pageshow', ({ persisted }) => persisted && hello(), { signal });
    window.addEventListener('offline', () => prices.offline(), { signal });
    window.addEventListener('online', () => line.send({ is: 'again' }), { signal });
    const rest = keepPace(
      () => prices.isShown,
      (gapMs) => line.send({ is: 'pace', gapMs }),
    );
    return () => {
      rest();
      end.abort();
      line.send({ is: 'bye' });
      line.close();
    };
  }, [codes, personId, queries]);
}
