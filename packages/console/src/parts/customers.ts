import type { Customer } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { operator } from '../api/session.ts';

const CUSTOMERS_MAX = 100;
/** As the service takes it. */
const SEARCH_MAX = 64;

/** The newest customers, and whether there are others. */
const NEWEST = {
  queryKey: ['customers', 'active'],
  queryFn: async () => {
    const { items, nextCursor } = await operator.listCustomers({ limit: CUSTOMERS_MAX });
    return { items: items as readonly Customer[], hasMore: nextCursor !== null };
  },
  staleTime: 60_000,
};

/** The newest customers: enough for the names of most. */
export function useCustomers(isWanted = true) {
  return useQuery({ ...NEWEST, enabled: isWanted, select: ({ items }) => items });
}

/** What finds a customer among more than a list holds. */
export interface CustomerSearch {
  readonly text: string;
  readonly look: (text: string) => void;
  /** How many of those that were looked for can be chosen; undefined while that is not known. */
  readonly found: number | undefined;
}

/**
 * Customers to choose one from: the newest, or those that are looked for, and always the one that is chosen.
 * @returns `search` where there are more than a list holds; `only` where there is no choice
 */
export function useCustomerChoice(chosenId: string | undefined, isWanted = true) {
  const [text, look] = useState('');
  const newest = useQuery({ ...NEWEST, enabled: isWanted });
  const search = text.trim().slice(0, SEARCH_MAX);
  const isSearching = search !== '';
  const found = useQuery({
    queryKey: ['customers', 'found', search],
    queryFn: async () => (await operator.listCustomers({ search, limit: CUSTOMERS_MAX })).items,
    enabled: isWanted && isSearching,
    placeholderData: (before: readonly Customer[] | undefined) => before,
    staleTime: 60_000,
  });
  const { items = [], hasMore = false } = newest.data ?? {};
  const listed = isSearching ? (found.data ?? []) : items;
  const known = [...listed, ...items].find(({ customerId }) => customerId === chosenId);
  const alone = useQuery({
    queryKey: ['customer', chosenId],
    queryFn: () => operator.getCustomer(chosenId ?? ''),
    enabled: isWanted && chosenId !== undefined && newest.isSuccess && known === undefined,
    staleTime: 60_000,
  });
  const seen = useRef(new Map<string, Customer>());
  for (const customer of [...items, ...listed]) seen.current.set(customer.customerId, customer);
  const chosen = known ?? (chosenId === undefined ? undefined : alone.data);
  const isListed = chosen === undefined || listed.includes(chosen);
  return {
    query: newest,
    customers: isListed ? listed : [...listed, chosen],
    chosen,
    /** All that were listed so far: one that was chosen keeps its name when others are looked for. */
    seen: seen.current as ReadonlyMap<string, Customer>,
    only: !hasMore && items.length === 1 ? items[0] : undefined,
    search: hasMore
      ? { text, look, found: isSearching && !found.isPlaceholderData ? found.data?.length : undefined }
      : undefined,
  };
}
