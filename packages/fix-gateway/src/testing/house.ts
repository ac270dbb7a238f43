import type { TestContext } from 'node:test';
import { GatewayProcess } from '../../../service/src/market/fix/gateway-process.ts';
import type { FixSessionSettings } from '../../../service/src/market/fix/protocol.ts';
import type { Tick } from '../../../service/src/market/rate-book.ts';
import { FixSource } from '../../../service/src/market/sources/fix.ts';
import { testBook } from '../../../service/src/market/test-book.ts';
import { systemClock } from '../../../service/src/platform/clock.ts';
import { createLogger } from '../../../service/src/platform/logger.ts';

export interface House {
  readonly gateway: GatewayProcess;
  readonly source: FixSource;
  readonly ticks: Tick[];
  /** What the rate book shows of a pair; its limit is an hour, so that no price ends by its age. */
  shown(pair?: string): string;
}

/** The service's side of a session, with the real gateway process behind it. */
export function openHouse(t: TestContext, folder: string, session: FixSessionSettings): House {
  const logger = createLogger('silent');
  const gateway = new GatewayProcess({ folder, logger, restartMs: { first: 10, max: 20 } });
  const source = new FixSource({ settings: session, gateway, clock: systemClock, logger });
  const ticks: Tick[] = [];
  const { book, clock, shown } = testBook({ stalenessMs: 3_600_000 });
  clock.now = systemClock.now;
  source.start(
    (tick) => {
      ticks.push(tick);
      book.apply(tick);
    },
    (pair, at) => book.withdraw(source.name, pair, at),
  );
  t.after(() => source.stop());
  return { gateway, source, ticks, shown };
}
