import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useLayoutEffect, useRef } from 'react';

export interface WirePage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** So many pages of a list are on the page at once; what is further up or down is read when it is wanted. */
const PAGES_MAX = 4;

/** Where a page of the service's list begins. */
interface Start {
  readonly cursor: string | undefined;
  /** Rows that come before it. */
  readonly before: number;
}
type Place = Start & { readonly trail: readonly Start[] };
const FIRST: Place = { cursor: undefined, before: 0, trail: [] };

/**
 * A window on a long list. The service leads forwards only, so the way back is kept. It is bounded for two reasons: what is shown is
 * read again every few seconds, and a table of ten thousand rows makes every key press slow.
 */
export function useWindow<T>({
  key,
  read,
  everyMs,
  onRead,
}: {
  readonly key: readonly unknown[];
  readonly read: (cursor: string | undefined) => PromiseLike<WirePage<T>>;
  readonly everyMs: number;
  /** Once rows are there that are not shown yet. */
  readonly onRead: () => void;
}) {
  const queries = useQueryClient();
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam }): Promise<WirePage<T>> => {
      const page = await read(pageParam.cursor);
      onRead();
      return page;
    },
    initialPageParam: FIRST,
    getNextPageParam: ({ items, nextCursor }, _, { cursor, before, trail }): Place | undefined =>
      nextCursor === null
        ? undefined
        : { cursor: nextCursor, before: before + items.length, trail: [...trail, { cursor, before }] },
    getPreviousPageParam: (_page, _pages, { trail }): Place | undefined => {
      const at = trail.at(-1);
      return at === undefined ? undefined : { ...at, trail: trail.slice(0, -1) };
    },
    maxPages: PAGES_MAX,
    refetchInterval: everyMs,
  });
  const { data, isFetchingNextPage, isFetchingPreviousPage } = query;
  return {
    query,
    items: data?.pages.flatMap(({ items }) => items),
    before: (data?.pageParams[0] as Place | undefined)?.before ?? 0,
    hasMore: query.hasNextPage,
    isMoving: isFetchingNextPage || isFetchingPreviousPage,
    showMore: () => void query.fetchNextPage(),
    showEarlier: () => void query.fetchPreviousPage(),
    toFirst: () => void queries.resetQueries({ queryKey: key, exact: true }),
  };
}

/**
 * Keeps what somebody reads where it is while rows come and go above it.
 * @param list another list begins anew
 */
export function useHeldInPlace(list: string) {
  const place = useRef<HTMLDivElement>(null);
  const seen = useRef<{ readonly list: string; readonly rows: readonly Row[] } | undefined>(undefined);
  const isAsked = useRef(false);
  const look = useCallback(() => {
    seen.current = { list, rows: endsOf(place.current) };
  }, [list]);
  useLayoutEffect(() => {
    const rows = endsOf(place.current);
    // The button that was pressed is gone, and the page has the focus meanwhile: whoever goes on by the keyboard goes on from the list.
    const wasAsked = isAsked.current;
    const { activeElement } = document;
    if (wasAsked && rows.length > 0 && (activeElement === document.body || activeElement?.id === 'main')) {
      isAsked.current = false;
      place.current?.querySelector<HTMLElement>('.table-box')?.focus({ preventScroll: true });
    }
    const before = seen.current?.list === list ? seen.current.rows : [];
    if (rows.length === 0 || before.every(({ index }, at) => index === rows[at]?.index)) return;
    seen.current = undefined;
    // Rows go at one end only, so one of the two is there still.
    const held = before.find(({ index }) => rowAt(place.current, index) !== undefined);
    if (held === undefined) return;
    const row = rowAt(place.current, held.index);
    const moved = (row?.getBoundingClientRect().top ?? held.top) - held.top;
    if (moved !== 0) window.scrollBy({ top: moved, behavior: 'instant' });
    const { top = 0 } = row?.getBoundingClientRect() ?? {};
    // By the keyboard the button is pressed where it is out of sight, too: what was asked for comes into sight.
    if (wasAsked && (top < 0 || top > window.innerHeight))
      row?.scrollIntoView({ block: 'center', behavior: 'instant' });
    isAsked.current = false;
  });
  const ask = (move: () => void) => () => {
    isAsked.current = true;
    move();
  };
  return { place, look, ask };
}

interface Row {
  readonly index: string;
  readonly top: number;
}

/** The last row and the first one, and where they are in the window. */
function endsOf(box: HTMLElement | null): readonly Row[] {
  const rows = box?.querySelectorAll('tbody tr');
  return [rows?.[rows.length - 1], rows?.[0]].flatMap((row) =>
    row === undefined
      ? []
      : [{ index: row.getAttribute('aria-rowindex') ?? '', top: row.getBoundingClientRect().top }],
  );
}

function rowAt(box: HTMLElement | null, index: string): Element | undefined {
  return box?.querySelector(`tbody tr[aria-rowindex="${index}"]`) ?? undefined;
}
