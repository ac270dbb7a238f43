import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { may, mayRead } from '../api/rights.ts';
import { operator, type Session } from '../api/session.ts';
import { placesOf } from './places.ts';
import { useSession } from './session-context.ts';

/** Pages of proposals that are looked through for a count. */
const COUNTED_PAGES_MAX = 20;

/** Counts of work, not of records: none shows nothing. Proposals are those that whoever is signed in may approve. */
export function useWork(session: Session) {
  const exceptions = useQuery({
    queryKey: ['count', 'exceptions'],
    queryFn: () => operator.countExceptions().then(({ items }) => items),
    enabled: mayRead(session, 'countExceptions'),
    refetchInterval: 15_000,
  });
  const approvals = useQuery({
    queryKey: ['count', 'approvals'],
    queryFn: countApprovable,
    enabled: may(session, 'operator:approvals'),
    refetchInterval: 15_000,
  });
  return { exceptions, approvals };
}

/** Whoever reads them is told of each whether they may: the oldest one counts as the newest does. */
async function countApprovable(): Promise<{ readonly count: number; readonly isMore: boolean }> {
  let [count, pages] = [0, 0];
  for await (const page of operator.listApprovals({ status: 'pending', limit: 100 }).pages()) {
    count += page.items.filter(({ deciding }) => deciding?.mayApprove === true).length;
    if (++pages === COUNTED_PAGES_MAX) return { count, isMore: page.nextCursor !== null };
  }
  return { count, isMore: false };
}

export function Navigation({ isOpen }: { readonly isOpen: boolean }) {
  const session = useSession();
  const { exceptions, approvals } = useWork(session);
  const counts: Readonly<Record<string, number | undefined>> = {
    '/exceptions': exceptions.data?.reduce((sum, { count }) => sum + count, 0),
    '/approvals': approvals.data?.count,
  };
  const groups = Object.entries(Object.groupBy(placesOf(session), ({ group }) => group));
  return (
    <nav className={isOpen ? 'nav open' : 'nav'} id="navigation" aria-label="Pages">
      {groups.map(([group, places]) => (
        <div key={group}>
          <h2>{group}</h2>
          <ul>
            {places?.map(({ to, name }) => (
              <li key={to}>
                <Link to={to} search={{}}>
                  {name}
                  {(counts[to] ?? 0) > 0 && (
                    <span className="count">
                      {counts[to]}
                      <span className="hidden"> waiting</span>
                    </span>
                  )}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
