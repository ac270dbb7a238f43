import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';

/** What one person may read in all its streams. */
export const STREAMED_MAX = 40;
const CLASSES = ['major', 'minor', 'exotic'];

/** Every pair that is quoted, the most traded ones first. */
export function usePairs(isAllowed = true): readonly string[] | undefined {
  const { data } = useQuery({
    queryKey: ['pairs'],
    queryFn: async () =>
      (await operator.listPrices()).items
        .toSorted((a, b) => CLASSES.indexOf(a.class) - CLASSES.indexOf(b.class))
        .map(({ pair }) => pair),
    enabled: isAllowed,
    staleTime: 300_000,
  });
  return data;
}
