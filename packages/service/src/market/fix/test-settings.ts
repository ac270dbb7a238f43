import type { FixSessionSettings } from './protocol.ts';

/** A session for tests that never connect. */
export const TEST_SESSION: FixSessionSettings = {
  name: 'lp',
  host: '127.0.0.1',
  port: 1,
  senderCompId: 'US',
  targetCompId: 'LP',
  heartbeatSeconds: 30,
  resetSequence: false,
  mode: 'marketData',
  updates: 'full',
  symbolSeparator: '/',
  pairs: ['EURUSD'],
  quoteQuantity: '1',
  maxAgeMs: 1_000,
};
