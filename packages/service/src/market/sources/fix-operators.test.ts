import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../../platform/logger.ts';
import type { GatewayProcess } from '../fix/gateway-process.ts';
import type { ServiceLine } from '../fix/protocol.ts';
import { TEST_SESSION } from '../fix/test-settings.ts';
import { FixSource } from './fix.ts';

const ORDER = { actor: 'cli_x', reason: 'agreed with the venue' };

function source(isRunning: boolean) {
  const sent: ServiceLine[] = [];
  const send = (line: ServiceLine) => {
    sent.push(line);
    return isRunning;
  };
  const gateway = {
    attach: () => undefined,
    detach: async () => undefined,
    send,
  } as unknown as GatewayProcess;
  const times = { business: 1_000_000, real: 50_000 };
  const made = new FixSource({
    settings: TEST_SESSION,
    gateway,
    clock: { now: () => times.business },
    realClock: { now: () => times.real },
    logger: createLogger('silent'),
  });
  made.start(() => undefined);
  return { source: made, sent };
}

test('an operator sets the sequence numbers of a session through its gateway', () => {
  const numbers = { nextSent: 1, nextReceived: 45 };
  const { source: lp, sent } = source(true);
  assert.equal(lp.resetSequence(numbers, ORDER), true);
  assert.deepEqual(sent, [{ type: 'resetSequence', session: 'lp', numbers }]);
  assert.equal(source(false).source.resetSequence(numbers, ORDER), false);
});

test('health says when the next session of the schedule begins, in business time', () => {
  const { source: lp } = source(true);
  const status = { type: 'status', session: 'lp', logons: 0, nextSent: 1, nextReceived: 1 } as const;
  lp.status({ ...status, state: 'waiting', opensAt: 53_000, refused: {}, conflated: 0 });
  assert.equal(lp.health().nextAttemptAt, 1_003_000);
  // It is not to be there: nobody is called for it.
  assert.equal(lp.health().state, 'idle');
  lp.status({ ...status, state: 'connecting', refused: {}, conflated: 0 });
  assert.equal(lp.health().state, 'connecting');
});
