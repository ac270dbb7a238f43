import type { BodyOf } from '@firmquote/api/operation';
import * as api from '@firmquote/api/operations/sandbox';
import { formatDecimal } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import { readDeposit } from '../deposits/read-deposit.ts';
import { newDepositAnswer } from '../deposits/view.ts';
import { parseRfc3339 } from '../http/query.ts';
import { INSTANT } from '../http/sentences.ts';
import { serve } from '../http/serve.ts';
import { operatorView } from '../payments/view.ts';
import { isoInstant } from '../platform/clock.ts';
import { askedDeposit, sendDeposit } from './bank/ask-bank.ts';
import { bankRoutes } from './bank/routes.ts';
import { sourceOf } from './bank/source.ts';
import { SANDBOX_REMITTER } from './bank/transaction-movements.ts';
import { invalid } from './control-market.ts';
import type { ClockMove } from './controls.ts';
import type { SandboxRoom } from './room.ts';
import { triggerEvent } from './trigger-event.ts';

const FRESH = { 'Cache-Control': 'no-store' };

/** docs/interface.md#sandbox. Registered in sandbox mode only: in production there is nothing at these addresses. */
export function sandboxRoutes(app: FastifyInstance, room: SandboxRoom): void {
  const { controls, market, sweeps } = room;
  const clockNow = () => ({ now: isoInstant(controls.now), offsetMs: controls.offsetMs });
  serve(app, api.getSandboxClock, () => ({ headers: FRESH, body: clockNow() }));
  serve(app, api.moveSandboxClock, async ({ body }) => {
    await controls.moveClock(readMove(body), sweeps, market);
    return { body: clockNow() };
  });
  serve(app, api.getSandboxBank, () => ({ headers: FRESH, body: controls.bank }));
  serve(app, api.setSandboxBank, async ({ body }) => ({ body: await controls.setBank(body) }));
  serve(app, api.getSandboxMarket, () => {
    const frozen = market.book
      .frozen()
      .map(({ pair, bid, ask }) => ({ pair, bid: formatDecimal(bid), ask: formatDecimal(ask) }));
    return { headers: FRESH, body: { state: market.control(), frozen } };
  });
  serve(app, api.controlSandboxMarket, ({ body }) => ({ body: room.marketControls.control(body) }));
  serve(app, api.triggerSandboxEvent, async ({ params }) => {
    const row = await triggerEvent(room, params.transactionId, params.event);
    return { version: row.version, body: await operatorView(room.pool, row, room.clock.now()) };
  });
  serve(app, api.receiveSandboxDeposit, async ({ body, request, key, by }) => {
    const remitterName = body.remitterName ?? SANDBOX_REMITTER;
    // Read as one that an operator records, so that the same is wrong with it.
    const wanted = { ...body, remitterName, bankReference: 'SANDBOX' };
    const read = await readDeposit(room.pool, wanted, 'sandbox', room.clock.now());
    const movement = await askedDeposit(room, sourceOf(key, by, request.receivedAt), read);
    return newDepositAnswer(room.pool, await sendDeposit(room, movement), 201);
  });
  bankRoutes(app, room);
}

function readMove({ advanceSeconds, now }: BodyOf<typeof api.moveSandboxClock>): ClockMove {
  if (advanceSeconds !== undefined) return { advanceMs: advanceSeconds * 1_000 };
  if (now === undefined) return { real: true };
  const instant = parseRfc3339(now);
  if (instant === undefined) throw invalid('/now', 'wrong_format', INSTANT);
  return { instant };
}
