import { useEffect, useRef, useSyncExternalStore } from 'react';
import { operator, roundTripMs } from '../api/session.ts';
import { prices } from '../prices/store.ts';

export function useLink() {
  return useSyncExternalStore(prices.watchLink, () => prices.link);
}

/** The service's clock, written once a second without anything being rendered. */
export function Clock() {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const write = () => {
      if (place.current !== null)
        place.current.textContent = `UTC ${new Date(operator.clock.now()).toISOString().slice(11, 19)}`;
    };
    write();
    const timer = setInterval(write, 1_000);
    return () => clearInterval(timer);
  }, []);
  return <span className="clock" ref={place} />;
}

const NAMES = { connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting', offline: 'Offline' };

export function LinkBadge() {
  const { state, since, isPaused, problem } = useLink();
  const at = state === 'offline' && since > 0 ? ` since ${new Date(since).toISOString().slice(11, 19)}` : '';
  const trip = state === 'live' ? ` ${Math.round(roundTripMs())} ms` : '';
  return (
    <span className={`link-state ${isPaused ? 'paused' : state}`} role="status" title={problem}>
      <span className="dot" aria-hidden="true" />
      {isPaused ? 'Paused' : `${NAMES[state]}${at}${trip}`}
    </span>
  );
}
