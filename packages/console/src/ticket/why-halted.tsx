import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { mayRead } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { At, Verbatim } from '../parts/text.tsx';
import { heldBackBy } from './halts.ts';

const EVERY_MS = 2_000;

/**
 * Since when quotes of a pair are held back for a customer, and why, in the words of whoever did it.
 * @param children what is said until that is known, or to whom it is not told
 */
export function WhyHalted({
  pair,
  customerId,
  children,
}: {
  readonly pair: string;
  readonly customerId: string;
  readonly children?: ReactNode;
}) {
  const { data } = useQuery({
    queryKey: ['halts', 'active'],
    queryFn: async () => {
      const { items, automatic } = await operator.listHalts({ status: 'active', limit: 100 });
      return { items, automatic };
    },
    enabled: mayRead(useSession(), 'listHalts'),
    refetchInterval: EVERY_MS,
  });
  const found = data === undefined ? [] : heldBackBy(data.items, data.automatic, pair, customerId);
  if (found.length === 0) return children;
  return found.map(({ what, since, why }) => (
    <p key={`${what} ${since}`}>
      {what} since <At at={since} />: <Verbatim text={why} />
    </p>
  ));
}
