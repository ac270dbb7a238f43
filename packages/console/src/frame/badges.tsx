import { useEffect, useRef, useSyncExternalStore } from 'react';
import { business, roundTripMs } from '../api/session.ts';
import { say } from '../parts/aloud.tsx';
import { prices } from '../prices/store.ts';

export function useLink() {
  return useSyncExternalStore(prices.watchLink, () => prices.link);
}

/** By how much business time is moved; 0 where it is not. */
export function useClockOffset(): number {
  return useSyncExternalStore(business.watch, () => business.offsetMs);
}

/** Business time, written once a second without anything being rendered; of another day than today it needs its date. */
export function Clock() {
  const place = useRef<HTMLSpanElement>(null);
  const isMoved = useClockOffset() !== 0;
  useEffect(() => {
    const write = () => {
      if (place.current === null) return;
      const [date, time] = new Date(business.now()).toISOString().slice(0, 19).split('T');
      place.current.textContent = isMoved ? `Clock moved: ${date} ${time} UTC` : `UTC ${time}`;
    };
    write();
    const timer = setInterval(write, 1_000);
    return () => clearInterval(timer);
  }, [isMoved]);
  return <span className={isMoved ? 'clock moved' : 'clock'} ref={place} />;
}

const NAMES = { connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting', offline: 'Offline' };

export function LinkBadge() {
  const { state, since, isPaused, problem } = useLink();
  const at =
    state === 'offline' && since > 0 ? ` since ${new Date(since).toISOString().slice(11, 19)} UTC` : '';
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
    if (isPaused !== was.current.isPaused) say(isPaused ? 'Paused.' : 'Prices resumed.');
    was.current = { isLost, isPaused };
  }, [state, isPaused]);
}
