import { isDeepStrictEqual } from 'node:util';
import { compare, type Decimal, type Pair, parseDecimal, rescale } from '@firmquote/fx';
import { afterCommit } from '../database/enclosure.ts';
import { inTransaction } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import { POSITIVE } from '../http/sentences.ts';
import { type FieldError, validationProblem } from '../problems/problem.ts';
import type { MarketControl } from './control.ts';
import {
  type PairDefaults,
  type PairSettings,
  type PriceLimits,
  withoutClassLimits,
} from './pair-settings.ts';
import { insertPair, type PairRecord, readPairs } from './pair-store.ts';
import { nextRevision } from './store.ts';

/** A pair that nobody has set is at this version. */
export const DEFAULT_VERSION = 1;

/** The settings as an operator writes them: basis points are texts. */
type PairInput = Omit<PairSettings, 'outlierBps' | 'deviationBps' | keyof PriceLimits> & {
  readonly outlierBps: string | null;
  readonly deviationBps: string | null;
} & { readonly [limit in keyof PriceLimits]?: string };

/** Beyond these a limit limits nothing. In basis points. */
const LARGEST: Readonly<Record<keyof PriceLimits, bigint>> = {
  maxWidthBps: 5_000n,
  bandBps: 5_000n,
  referenceBps: 9_000n,
};

/**
 * Sets how a pair is treated, on every instance within a second. The same settings again keep their version; former
 * versions stay on record. A limit that is as it was stays whose it was, the pair's own or its class's.
 * @param ifMatch version that the caller has seen
 * @returns undefined when the pair is, and stays, at its default
 * @throws Problem version_mismatch, validation_failed
 */
export async function setPair(
  control: MarketControl,
  pair: Pair,
  input: PairInput,
  ifMatch: number | '*',
  actor: string,
): Promise<PairRecord | undefined> {
  const wanted = readSettings(input);
  const record = await inTransaction(control.pool, async (connection) => {
    await nextRevision(connection);
    const [current] = await readPairs(connection, pair.code);
    const version = current?.version ?? DEFAULT_VERSION;
    requireVersion(ifMatch, version);
    const before = current?.settings ?? control.market.book.defaults;
    const settings = withoutClassLimits(pair, before, wanted);
    if (isDeepStrictEqual(settings, before)) return current;
    const next: PairRecord = {
      pair: pair.code,
      version: version + 1,
      settings,
      changedAt: control.clock.now(),
      changedBy: actor,
    };
    await insertPair(connection, next);
    return next;
  });
  await afterCommit(() => control.load());
  return record;
}

function readSettings({ maxWidthBps, bandBps, referenceBps, ...input }: PairInput): PairDefaults {
  const errors: FieldError[] = [];
  const bps = (field: 'outlierBps' | 'deviationBps') => {
    const text = input[field];
    if (text === null) return null;
    const value = parseDecimal(text);
    if (value !== undefined && value.units > 0n) return rescale(value, 2, 'half_even');
    errors.push({ pointer: `/${field}`, code: 'out_of_range', detail: `${POSITIVE}, or null` });
    return null;
  };
  const limits: { -readonly [limit in keyof PriceLimits]?: Decimal } = {};
  for (const [field, text] of Object.entries({ maxWidthBps, bandBps, referenceBps })) {
    if (text === undefined) continue;
    const name = field as keyof PriceLimits;
    const value = parseDecimal(text);
    const largest = LARGEST[name];
    if (value !== undefined && value.units > 0n && compare(value, { units: largest, scale: 0 }) <= 0) {
      limits[name] = rescale(value, 2, 'half_even');
    } else {
      const detail = `${POSITIVE} and at most ${largest}`;
      errors.push({ pointer: `/${field}`, code: 'out_of_range', detail });
    }
  }
  const settings = { ...input, outlierBps: bps('outlierBps'), deviationBps: bps('deviationBps'), ...limits };
  if (new Set(input.priority).size !== input.priority.length) {
    errors.push({ pointer: '/priority', code: 'repeated', detail: 'lists a source twice' });
  }
  if (errors.length > 0) throw validationProblem(errors);
  return settings;
}
