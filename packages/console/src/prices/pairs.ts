import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';

/** What one person may read in all its streams. */
export const STREAMED_MAX = 40;
const CLASSES = ['major', 'minor', 'exotic'];
/** What a desk expects at the top; all others come after, by their class. */
const FIRST = 'EURUSD USDJPY GBPUSD USDCNH AUDUSD USDCAD USDCHF EURGBP EURJPY EURCHF NZDUSD GBPJPY'.split(
  ' ',
);

/** Every pair that is quoted, the majors first. */
export function usePairs(isAllowed = true): readonly string[] | undefined {
  return usePairsQuery(isAllowed).data;
}

export function usePairsQuery(isAllowed = true) {
  return useQuery({
    queryKey: ['pairs'],
    queryFn: async (): Promise<readonly string[]> =>
      (await operator.listPrices()).items
        .toSorted(
          (a, b) => rankOf(a.pair) - rankOf(b.pair) || CLASSES.indexOf(a.class) - CLASSES.indexOf(b.class),
        )
        .map(({ pair }) => pair),
    enabled: isAllowed,
    staleTime: 300_000,
  });
}

function rankOf(pair: string): number {
  const rank = FIRST.indexOf(pair);
  return rank < 0 ? FIRST.length : rank;
}
