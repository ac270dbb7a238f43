import type { IndicativeRequest } from '@firmquote/api/operations/quotes';
import type { DateRulesSource } from '@firmquote/fx';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CustomerDirectory } from '../customers/profile.ts';
import type { Timekeeper } from '../database/clock-watch.ts';
import type { ExposureGuard } from '../exposure/guard.ts';
import type { KeyGate } from '../http/key-gate.ts';
import type { Market } from '../market/market.ts';
import type { Clock } from '../platform/clock.ts';
import type { PricingDesk } from '../pricing/desk.ts';
import type { SwapPointDesk } from '../swap-points/desk.ts';
import type { QuoteStore } from './store.ts';

/** Sandbox drills that an amount asks for; absent in production (docs/interface.md#sandbox). */
export interface Scenarios {
  /** Number of the drill, from the last three digits before the decimal point of the fixed amount. */
  of(amountMinor: bigint, minorUnits: number): number | null;
}

export const SCENARIO_PRICE_UNAVAILABLE = 901;
export const SCENARIO_SHORT_LIFE = 902;

/** Answers with the price as it goes on changing, until the caller leaves. */
export type StreamIndicative = (
  request: FastifyRequest,
  reply: FastifyReply,
  body: IndicativeRequest,
  lastEventId: string | undefined,
) => Promise<void>;

/** What the use cases of the quotes room work with. */
export interface QuotesRoom {
  readonly clock: Clock;
  /** Asked before anything is promised. */
  readonly timekeeper: Timekeeper;
  readonly market: Market;
  readonly customers: CustomerDirectory;
  /** Calendars and cut-offs in force. */
  readonly dates: DateRulesSource;
  readonly pricing: PricingDesk;
  /** What leads from the spot price to one for an earlier date. */
  readonly swapPoints: SwapPointDesk;
  readonly exposure: ExposureGuard;
  readonly store: QuoteStore;
  readonly gate: KeyGate;
  readonly scenarios: Scenarios | undefined;
}
