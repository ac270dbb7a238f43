import { useQuery } from '@tanstack/react-query';
import { mayRead } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import type { PolicyRule } from './policy-words.ts';

/** Which commands take two persons, for those who may know. */
export function usePolicy() {
  const isAllowed = mayRead(useSession(), 'getFourEyesPolicy');
  return useQuery({
    queryKey: ['four-eyes'],
    queryFn: async () => {
      const { data, etag } = await operator.getFourEyesPolicy().withResponse();
      return { policy: data, tag: etag ?? '' };
    },
    enabled: isAllowed,
    staleTime: 30_000,
  });
}

/** The rule of one kind; undefined where nobody knows yet, or may not. */
export function useRule(kind: string): PolicyRule | undefined {
  return usePolicy().data?.policy.rules.find((rule) => rule.kind === kind);
}
