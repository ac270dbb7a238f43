import { literals, named } from '../schema.ts';
import { type Static, Type } from '../typebox.ts';

/** Why prices are refused. */

/** Why a price is not believed. */
export const BAND_REFUSALS = ['too_wide', 'outside_band', 'outside_reference', 'unconfirmed'] as const;
export type BandRefusal = (typeof BAND_REFUSALS)[number];

/**
 * Why a tick is not priced on. `sandbox_hold` ticks are kept and shown when the pair is released; `wrong_clock` is that of the
 * instance.
 */
export const REJECT_REASONS = [
  'unknown_pair',
  'source_disabled',
  'too_many_sources',
  'not_positive',
  'crossed',
  'locked',
  'wrong_clock',
  'future',
  'backwards',
  ...BAND_REFUSALS,
  'outlier',
  'frozen',
  'sandbox_hold',
] as const;
export type RejectReason = (typeof REJECT_REASONS)[number];

export const RejectReasonName = named('RejectReason', literals(REJECT_REASONS));

const byReason = Object.fromEntries(REJECT_REASONS.map((reason) => [reason, Type.Integer()])) as Readonly<
  Record<RejectReason, ReturnType<typeof Type.Integer>>
>;
/** Of each reason how often. */
export const RejectedTicks = named('RejectedTicks', Type.Object(byReason));
export type RejectedTicks = Static<typeof RejectedTicks>;
