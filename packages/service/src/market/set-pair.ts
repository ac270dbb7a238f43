import { isDeepStrictEqual } from 'node:util';
import { findPair, type Pair, parseDecimal, rescale } from '@firmquote/fx';
import { inTransaction } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import { type FieldError, Problem, validationProblem } from '../problems/problem.ts';
import type { MarketControl } from './control.ts';
import type { PairSettings } from './pair-settings.ts';
import { insertPair, type PairRecord, readPairs } from './pair-store.ts';
import { nextRevision } from './store.ts';

/** A pair that nobody has set is at this version. */
export const DEFAULT_VERSION = 1;

/** The settings as an operator writes them: basis points are texts. */
export type PairInput = Omit<PairSettings, 'outlierBps' | 'deviationBps'> & {
  readonly outlierBps: string | null;
  readonly deviationBps: string | null;
};

/** @throws Problem pair_not_supported */
export function knownPair(code: string, field: string): Pair {
  const pair = findPair(code);
  if (pair === undefined)
    throw new Problem('pair_not_supported', `${code} is not a pair in market order.`, { field });
  return pair;
}

/**
 * Sets how a pair is treated, on every instance within a second. The same settings again keep their version; former
 * versions stay on record.
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
  const settings = readSettings(input);
  const record = await inTransaction(control.pool, async (connection) => {
    await nextRevision(connection);
    const [current] = await readPairs(connection, pair.code);
    const version = current?.version ?? DEFAULT_VERSION;
    requireVersion(ifMatch, version);
    if (isDeepStrictEqual(settings, current?.settings ?? control.market.book.defaults)) return current;
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
  await control.load();
  return record;
}

function readSettings(input: PairInput): PairSettings {
  const errors: FieldError[] = [];
  const bps = (field: 'outlierBps' | 'deviationBps') => {
    const text = input[field];
    if (text === null) return null;
    const value = parseDecimal(text);
    if (value !== undefined && value.units > 0n) return rescale(value, 2, 'half_even');
    errors.push({ pointer: `/${field}`, code: 'out_of_range', detail: 'must be more than zero, or null' });
    return null;
  };
  const settings = { ...input, outlierBps: bps('outlierBps'), deviationBps: bps('deviationBps') };
  if (new Set(input.priority).size !== input.priority.length) {
    errors.push({ pointer: '/priority', code: 'repeated', detail: 'names a source twice' });
  }
  if (errors.length > 0) throw validationProblem(errors);
  return settings;
}
