import { mayRead } from '../api/rights.ts';
import { useSession } from '../frame/session-context.ts';
import { readPair } from '../money/codes.ts';
import type { Asked, Given } from '../parts/action.tsx';
import { type CustomerSearch, useCustomerChoice } from '../parts/customers.ts';
import { check } from '../parts/written-forms.ts';
import type { Target } from './rules.ts';

/** What a form asks, to learn whom a rule or a limit is for and which pair, beside what finds a customer. */
export function useReachAsked(): {
  readonly asks: readonly Asked[];
  readonly search: CustomerSearch | undefined;
} {
  const { customers, search, seen } = useCustomerChoice(undefined, mayRead(useSession(), 'listCustomers'));
  const named = customers.map(({ customerId, name }) => [customerId, name] as const);
  const asks: readonly Asked[] = [
    {
      name: 'customerId',
      label: 'Customer',
      isOptional: true,
      options: (chosen) => {
        const isListed = chosen === '' || named.some(([id]) => id === chosen);
        const other = [chosen, seen.get(chosen)?.name ?? chosen] as const;
        return [['', 'No single customer'], ...named, ...(isListed ? [] : [other])];
      },
    },
    { name: 'groupName', label: 'Or group', isOptional: true },
    {
      name: 'pair',
      label: 'Pair',
      isOptional: true,
      read: readPair,
      check: check(/^[A-Z]{6}$/, 'Two currencies, such as EUR/USD.'),
    },
  ];
  return { asks, search };
}

/** What was answered. */
export function reachOf({ customerId, groupName, pair }: Given): Target {
  return {
    customerId: customerId?.trim() || null,
    groupName: groupName?.trim() || null,
    pair: pair?.trim() || null,
  };
}
