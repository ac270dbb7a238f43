import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { HOUSE } from '../parts/customer-choice.tsx';
import { CustomerName } from '../parts/customer-name.tsx';
import { Money, words } from '../parts/text.tsx';

/** The chart of accounts, in its order; it is the same for as long as the service runs. */
export function useChart() {
  return useQuery({
    queryKey: ['ledger-accounts'],
    queryFn: () => operator.listLedgerAccounts(),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** An account by its title, with what it means to be pointed at. */
export function AccountTitle({ of }: { readonly of: string }) {
  const known = useChart().data?.items.find(({ account }) => account === of);
  return <span title={known?.meaning}>{known?.title ?? words(of)}</span>;
}

export function Owner({ id }: { readonly id: string }) {
  return id === HOUSE ? 'The house' : <CustomerName id={id} />;
}

/** An amount in its column; nothing stands in the other one. */
export function side(amount: string | null, currency: string) {
  return amount === null ? '' : <Money amount={amount} currency={currency} />;
}
