import type { MatchingRulesDocument } from '@firmquote/api/operations/matching-rules';
import { parseAmount, US_DOLLAR } from '@firmquote/fx';
import type { Tolerance } from './target.ts';

/** The rules of matching as operators set them, ready to be applied. */
export interface MatchingSettings {
  readonly version: number;
  readonly tolerance: Tolerance;
  /** Rules that only suggest. */
  readonly suggestOnly: ReadonlySet<string>;
  /** How many trades of a customer one deposit may pay without naming them. */
  readonly groupSizeMax: number;
  /** Manual work on more than so many US dollar cents takes two persons; undefined: it never does. */
  readonly fourEyesFromUsdMinor: bigint | undefined;
}

/** docs/interface.md#matching: 30 US dollars and 0.5 percent; up to five trades. */
export const DEFAULT_DOCUMENT: MatchingRulesDocument = {
  toleranceUsd: '30.00',
  toleranceBps: 50, // limit: Tolerated shortfall of a deposit in hundredths of a percent, by default
  suggestOnly: [],
  groupSizeMax: 5, // limit: Trades that a rule may pay with one deposit, by default and at most
  fourEyesFromUsd: '100000.00',
};

/**
 * A document as it is applied.
 * @throws RangeError for amounts that are none; the schema lets through only what looks like one
 */
export function readMatchingSettings(document: MatchingRulesDocument, version: number): MatchingSettings {
  return {
    version,
    tolerance: { usdMinor: cents(document.toleranceUsd), bps: BigInt(document.toleranceBps) },
    suggestOnly: new Set(document.suggestOnly),
    groupSizeMax: document.groupSizeMax,
    fourEyesFromUsdMinor: document.fourEyesFromUsd === null ? undefined : cents(document.fourEyesFromUsd),
  };
}

export const DEFAULT_MATCHING_SETTINGS: MatchingSettings = readMatchingSettings(DEFAULT_DOCUMENT, 1);
export const DEFAULT_TOLERANCE: Tolerance = DEFAULT_MATCHING_SETTINGS.tolerance;

function cents(text: string): bigint {
  const parsed = parseAmount(text, US_DOLLAR);
  if (!parsed.ok) throw new RangeError(`${text} is not an amount of US dollars`);
  return parsed.minor;
}
