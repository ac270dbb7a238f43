import type { MatchingRulesDocument } from '@firmquote/api/operations/matching-rules';
import { parseAmount, US_DOLLAR } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import { type DocumentKind, documentInForce } from '../settings/documents.ts';
import type { Tolerance } from './receivables.ts';

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

export const MATCHING_DOCUMENT: DocumentKind<MatchingRulesDocument, MatchingSettings> = {
  name: 'matching_rules',
  table: 'matching_settings',
  changedAt: 'created_at',
  shared: false,
  initial: DEFAULT_DOCUMENT,
  read: readMatchingSettings,
};

/** The rules in force, ready to be applied. Read where they are used: a deposit is not a hot path. */
export function rulesInForce(connection: Queryable): Promise<MatchingSettings> {
  return documentInForce(connection, MATCHING_DOCUMENT);
}

function cents(text: string): bigint {
  const parsed = parseAmount(text, US_DOLLAR);
  if (!parsed.ok) throw new RangeError(`${text} is not an amount of US dollars`);
  return parsed.minor;
}
