import { useEffect, useRef, useSyncExternalStore } from 'react';
import { operator, roundTripMs } from '../api/session.ts';
import { say } from '../parts/aloud.tsx';
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
    <span className={`link-state ${isPaused ? 'paused' : state}`} title={problem}>
      <span className="dot" aria-hidden="true" />
      {isPaused ? 'Paused' : `${NAMES[state]}${at}${trip}`}
    </span>
  );
}

/** Says once when prices are lost, and when they are back; how quick they are is not said. */
export function useLinkAloud(): void {
  const { state, isPaused } = useLink();
  const was = useRef({ isLost: false, isPaused: false });
  useEffect(() => {
    const isLost = state === 'live' ? false : state === 'connecting' ? was.current.isLost : true;
    if (isLost !== was.current.isLost)
      say(
        isLost ? 'The connection is lost. Prices are not live.' : 'The connection is back. Prices are live.',
      );
    if (isPaused !== was.current.isPaused) say(isPaused ? 'Paused.' : 'Prices go on.');
    was.current = { isLost, isPaused };
  }, [state, isPaused]);
}
