import { OperatorTransaction } from '@firmquote/api/operations/operator-transactions';
import { formatDecimal, parseDecimal } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import type { RouteAccess } from '../http/context.ts';
import { idempotent } from '../http/idempotency.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import { requirePair } from '../http/market-codes.ts';
import type { CursorCodec } from '../http/paging.ts';
import { parseRfc3339 } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import type { Market } from '../market/market.ts';
import { isoInstant } from '../platform/clock.ts';
import { uuidOf } from '../platform/ids.ts';
import type { SweepRunner } from '../platform/sweeps.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { readDeposit } from '../reconciliation/read-deposit.ts';
import { depositAnswer } from '../reconciliation/routes.ts';
import { DepositAnswer } from '../reconciliation/schema.ts';
import { operatorView } from '../settlement/view.ts';
import { askedDeposit, sendDeposit } from './bank/ask-bank.ts';
import { bankRoutes } from './bank/routes.ts';
import { sourceOf } from './bank/source.ts';
import type { BankRoom } from './bank/tell.ts';
import { SANDBOX_REMITTER } from './bank/trade-movements.ts';
import type { ClockMove, SandboxControls } from './controls.ts';
import * as schema from './schema.ts';
import { SANDBOX_EVENTS, type SandboxEvent, triggerEvent } from './trigger-event.ts';

const access: RouteAccess = { audience: 'operator', scope: 'operator:sandbox' };
const tags = ['Sandbox'];

export interface SandboxRoutesOptions {
  readonly room: BankRoom;
  readonly controls: SandboxControls;
  readonly market: Market;
  readonly sweeps: SweepRunner;
  readonly idempotency: IdempotencyStore;
  readonly cursors: CursorCodec;
}

/** docs/interface.md#sandbox. Registered in sandbox mode only: in production there is nothing at these addresses. */
export function sandboxRoutes(app: FastifyInstance, options: SandboxRoutesOptions): void {
  readRoutes(app, options);
  marketRoute(app, options);
  clockRoute(app, options);
  bankRoute(app, options);
  depositRoute(app, options);
  eventRoute(app, options);
  bankRoutes(app, options);
}

function marketRoute(app: FastifyInstance, { market, idempotency }: SandboxRoutesOptions): void {
  app.post(
    '/v1/sandbox/market',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Set a price, let it go, or close the market',
        body: schema.MarketControl,
        response: { 200: schema.MarketControlled, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request) => {
      return { status: 200, body: controlMarket(market, request.body as schema.MarketControl) };
    }),
  );
}

function readRoutes(app: FastifyInstance, { controls, market }: SandboxRoutesOptions): void {
  const read = (path: string, summary: string, answer: object, view: () => unknown) =>
    app.get(
      path,
      { config: { access }, schema: { tags, summary, response: { 200: answer, default: ProblemSchema } } },
      async (_request, reply) => reply.header('Cache-Control', 'no-store').send(view()),
    );
  read('/v1/sandbox/clock', 'Business time', schema.ClockNow, () => clockNow(controls));
  read('/v1/sandbox/bank', 'How the simulated bank behaves', schema.BankSettingsAnswer, () => controls.bank);
  read('/v1/sandbox/market', 'How the market is controlled', schema.MarketControls, () => ({
    state: market.control(),
    frozen: market.book.frozen().map(({ pair, bid, ask }) => ({
      pair,
      bid: formatDecimal(bid),
      ask: formatDecimal(ask),
    })),
  }));
}

function clockNow({ now, offsetMs }: SandboxControls) {
  return { now: isoInstant(now), offsetMs };
}

/** @throws Problem validation_failed, pair_not_supported */
export function controlMarket(market: Market, body: schema.MarketControl): Record<string, unknown> {
  const { pair: code, bid: bidText, ask: askText, live, state } = body;
  const given = Object.keys(body).sort().join(' ');
  if (state !== undefined && given === 'state') {
    market.override(state);
    return { state };
  }
  if (code === undefined || (given !== 'ask bid pair' && given !== 'live pair')) {
    throw invalid('', 'not_permitted', 'must hold state, or pair with live, or pair with bid and ask');
  }
  const pair = requirePair(code, '/pair');
  if (live === true) {
    market.book.release(pair.code);
    return { pair: pair.code, live: true };
  }
  const bid = parseDecimal(bidText ?? '');
  const ask = parseDecimal(askText ?? '');
  if (bid === undefined || bid.units <= 0n) throw invalid('/bid', 'out_of_range', 'must be more than zero');
  if (ask === undefined || ask.units <= 0n) throw invalid('/ask', 'out_of_range', 'must be more than zero');
  try {
    market.book.freeze(pair.code, bid, ask);
  } catch (error) {
    if (error instanceof RangeError) throw invalid('/bid', 'out_of_range', 'must not be above the ask');
    throw error;
  }
  return { pair: pair.code, bid: formatDecimal(bid), ask: formatDecimal(ask), live: false };
}

function clockRoute(app: FastifyInstance, options: SandboxRoutesOptions): void {
  const { controls, sweeps, market, idempotency } = options;
  app.post(
    '/v1/sandbox/clock',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Move business time',
        description:
          'Drives expiry, cut-offs, value dates and settlement; what is due by then is done when this answers. Tokens, rate limits and logs stay on real time.',
        body: schema.ClockControl,
        response: { 200: schema.ClockNow, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request) => {
      await controls.moveClock(readMove(request.body as schema.ClockControl), sweeps, market);
      return { status: 200, body: clockNow(controls) };
    }),
  );
}

function readMove({ advanceSeconds, now }: schema.ClockControl): ClockMove {
  if (advanceSeconds !== undefined) return { advanceMs: advanceSeconds * 1_000 };
  if (now === undefined) return { real: true };
  const instant = parseRfc3339(now);
  if (instant === undefined) throw invalid('/now', 'wrong_format', 'must be an RFC 3339 instant');
  return { instant };
}

function bankRoute(app: FastifyInstance, { controls, idempotency }: SandboxRoutesOptions): void {
  app.post(
    '/v1/sandbox/bank',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Set how the simulated bank behaves',
        body: schema.BankControl,
        response: { 200: schema.BankSettingsAnswer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request) => {
      return { status: 200, body: await controls.setBank(request.body as schema.BankControl) };
    }),
  );
}

function depositRoute(app: FastifyInstance, { room, idempotency }: SandboxRoutesOptions): void {
  app.post(
    '/v1/sandbox/deposits',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Let money arrive now',
        description:
          'Booked at the simulated bank, which tells of it in a camt.054 file; answered when the service has taken that in. The same again is other money.',
        body: schema.SandboxDeposit,
        response: { 201: DepositAnswer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request) => {
      const body = request.body as schema.SandboxDeposit;
      const remitterName = body.remitterName ?? SANDBOX_REMITTER;
      // Read as one that an operator records, so that the same is wrong with it.
      const read = await readDeposit(
        room.pool,
        { ...body, remitterName, bankReference: 'SANDBOX' },
        'sandbox',
        room.clock.now(),
      );
      const movement = await askedDeposit(room, sourceOf(request), read);
      return depositAnswer(room.pool, await sendDeposit(room, movement), 201);
    }),
  );
}

function eventRoute(app: FastifyInstance, { room, idempotency }: SandboxRoutesOptions): void {
  app.post(
    '/v1/sandbox/transactions/:transactionId/:event',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Let something happen to a transaction now',
        params: schema.EventParams,
        response: { 200: OperatorTransaction, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    idempotent({ store: idempotency }, async (request) => {
      const { transactionId, event } = request.params as { transactionId: string; event: string };
      if (!isEvent(event)) throw new Problem('route_not_found', `There is no event ${event}.`);
      const row = await triggerEvent(room, uuidOf('txn', transactionId), event);
      return { status: 200, body: await operatorView(room.pool, row, room.clock.now()) };
    }),
  );
}

function isEvent(text: string): text is SandboxEvent {
  return SANDBOX_EVENTS.some((event) => event === text);
}

function invalid(pointer: string, code: string, detail: string): Problem {
  return validationProblem([{ pointer, code, detail }]);
}
