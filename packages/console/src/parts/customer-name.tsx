import { useQuery } from '@tanstack/react-query';
import { mayRead } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { useCustomers } from './customers.ts';
import { Verbatim } from './text.tsx';
import { Way } from './way.tsx';

/** A customer by name, with the way to its page; by id for those who may not read customers. */
export function CustomerName({ id }: { readonly id: string }) {
  const isAllowed = mayRead(useSession(), 'listCustomers');
  const many = useCustomers(isAllowed);
  const listed = many.data?.find(({ customerId }) => customerId === id);
  const alone = useQuery({
    queryKey: ['customer', id],
    queryFn: () => operator.getCustomer(id),
    // Only for those beyond the first page of customers.
    enabled: isAllowed && many.isSuccess && listed === undefined,
    staleTime: 60_000,
  });
  const name = (listed ?? alone.data)?.name;
  if (!isAllowed) return <span className="mono">{id}</span>;
  return (
    <Way to="/customers/$customerId" params={{ customerId: id }} title={id}>
      {name === undefined ? <span className="mono">{id}</span> : <Verbatim text={name} />}
    </Way>
  );
}
