import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useCallback, useSyncExternalStore } from 'react';
import { may, operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { pairText } from '../money/amount.ts';
import { Told } from '../parts/text.tsx';
import { prices } from '../prices/store.ts';

/** Why no firm price is made of a pair now, by the code of the stream. */
const SENTENCES: Readonly<Record<string, string>> = {
  stale: 'has no fresh price: its source is silent, or was switched off.',
  price_unavailable: 'has no price: no source gives one.',
  market_closed: 'is not traded now: the market is closed.',
  pair_not_enabled: 'is not enabled.',
  calendar_missing: 'has no calendar for its next value date.',
};
const EVERY_MS = 2_000;

/** That a quote of the pair would be refused, and why, before somebody asks for one. It goes when prices are back. */
export function PairState({ pair }: { readonly pair: string }) {
  const watch = useCallback((changed: () => void) => prices.watch(pair, changed), [pair]);
  const reason = useSyncExternalStore(watch, () => prices.of(pair)?.price.reason);
  return (
    <div role="status">
      {reason !== undefined && (
        <div className="callout warn">
          <p>
            {pairText(pair)}{' '}
            {reason === 'halt' ? (
              <Halted pair={pair} />
            ) : (
              (SENTENCES[reason] ?? `cannot be traded: ${reason}.`)
            )}{' '}
            <Link to="/health">Price health</Link>
          </p>
        </div>
      )}
    </div>
  );
}

/** Who has halted it: a person, with why, or its sources. */
function Halted({ pair }: { readonly pair: string }): ReactNode {
  const session = useSession();
  const { data } = useQuery({
    queryKey: ['halts', 'active'],
    queryFn: async () => {
      const { items, automatic } = await operator.listHalts({ status: 'active', limit: 100 });
      return { items, automatic };
    },
    enabled: may(session, 'operator:pricing:read', 'operator:market'),
    refetchInterval: EVERY_MS,
  });
  const itself = data?.automatic.find((each) => each.pair === pair);
  if (itself !== undefined) return `is halted by itself: ${itself.sources.join(' and ')} disagree.`;
  const ordered = data?.items.find((each) => each.scope === 'all' || each.pair === pair);
  if (ordered === undefined) return 'is halted.';
  return (
    <>
      is halted by a person: <Told text={ordered.reason} />.
    </>
  );
}
