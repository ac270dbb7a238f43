import { ApiError } from '@firmquote/client';
import { FirmquoteOperator } from '@firmquote/client/operator';
import { DEAD_AFTER_MS, StreamHost } from './host.ts';

/** The host of the stream of this browser's session, wherever it runs. */
export function sessionStream(): StreamHost {
  const operator = new FirmquoteOperator({
    baseUrl: location.origin,
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      headers.delete('user-agent');
      return fetch(input, { ...init, headers, credentials: 'same-origin' });
    },
    allowInsecure: true,
    // The host tries again, and sooner.
    ...{ maxRetries: 0, timeoutMs: DEAD_AFTER_MS },
  });
  return new StreamHost({
    open: (pairs, signal, lastEventId) =>
      operator.streamMarketPrices({ pairs }, { signal, lastEventId, staleAfterMs: DEAD_AFTER_MS }),
    probe: (limitMs) =>
      operator.service.liveness({ timeoutMs: limitMs, deadlineMs: limitMs }).then(
        () => true,
        (error: unknown) => error instanceof ApiError,
      ),
    isOnline: () => navigator.onLine,
  });
}
