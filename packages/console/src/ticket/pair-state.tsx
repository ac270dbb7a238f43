import { useCallback, useSyncExternalStore } from 'react';
import { pairText } from '../money/amount.ts';
import { Way } from '../parts/way.tsx';
import { prices } from '../prices/store.ts';
import { WhyHalted } from './why-halted.tsx';

/** Why no firm price is made of a pair now, by the code of the stream. */
const SENTENCES: Readonly<Record<string, string>> = {
  stale: 'has no fresh price: its source is silent or switched off.',
  price_unavailable: 'has no price: no source gives one.',
  market_closed: 'is not traded now: the market is closed.',
  pair_not_enabled: 'is not enabled.',
  calendar_missing: 'has no calendar for its next value date.',
};

/** That a quote of the pair would be refused, and why, before somebody asks for one. It goes when prices are back. */
export function PairState({ pair, customerId }: { readonly pair: string; readonly customerId: string }) {
  const watch = useCallback((changed: () => void) => prices.watch(pair, changed), [pair]);
  const reason = useSyncExternalStore(watch, () => prices.of(pair)?.price.reason);
  return (
    <div role="status">
      {reason !== undefined && (
        <div className="callout warn">
          {reason === 'halt' ? (
            <WhyHalted pair={pair} customerId={customerId}>
              <p>{pairText(pair)} is halted.</p>
            </WhyHalted>
          ) : (
            <p>
              {pairText(pair)} {SENTENCES[reason] ?? `cannot be traded: ${reason}.`}
            </p>
          )}
          <p>
            <Way to="/health" instead={null}>
              Price health
            </Way>
          </p>
        </div>
      )}
    </div>
  );
}
