import type { Customer } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';

const CUSTOMERS_MAX = 100;

/** Customers that can be chosen. */
export function useCustomers(isWanted = true) {
  return useQuery({
    queryKey: ['customers', 'active'],
    queryFn: async (): Promise<readonly Customer[]> =>
      (await operator.listCustomers({ limit: CUSTOMERS_MAX })).items,
    enabled: isWanted,
    staleTime: 60_000,
  });
}
