import { isDeepStrictEqual } from 'node:util';
import { parseAmount, US_DOLLAR } from '@firmquote/fx';
import { afterCommit } from '../database/enclosure.ts';
import { inTransaction } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import type { Quotas } from '../http/rate-limits.ts';
import { type FieldError, validationProblem } from '../problems/problem.ts';
import { customerNotFound, type LimitsRecord } from './records.ts';
import type { CustomersRoom } from './room.ts';
import { findLimits, writeLimits } from './store.ts';

/** Limits as decimal strings in US dollars. Policies that `rates` leaves out follow the service's defaults. */
export interface LimitsInput {
  readonly dailyVolume: string;
  readonly openPosition: string;
  readonly singleTrade: string;
  readonly maxOpenQuotes: number;
  readonly rates?: Partial<Quotas>;
}

/**
 * Replaces a customer's limits.
 * @throws Problem customer_not_found, version_mismatch, validation_failed
 */
export async function setLimits(
  room: CustomersRoom,
  customerId: string,
  input: LimitsInput,
  ifMatch?: number | '*',
): Promise<LimitsRecord> {
  const wanted = readLimits(input);
  const written = await inTransaction(room.pool, async (connection) => {
    const current = await findLimits(connection, customerId, true);
    if (current === undefined) throw customerNotFound();
    requireVersion(ifMatch, current.version);
    if (isDeepStrictEqual({ ...wanted, version: current.version }, current)) return current;
    const next = { ...wanted, version: current.version + 1 };
    await writeLimits(connection, customerId, next, room.clock.now());
    return next;
  });
  await afterCommit(() => room.directory.customerChanged(customerId));
  return written;
}

function readLimits(input: LimitsInput): Omit<LimitsRecord, 'version'> {
  const errors: FieldError[] = [];
  const minor = (name: 'dailyVolume' | 'openPosition' | 'singleTrade'): bigint => {
    const parsed = parseAmount(input[name], US_DOLLAR);
    if (parsed.ok) return parsed.minor;
    errors.push({ pointer: `/${name}`, code: parsed.error, detail: 'must be an amount of US dollars' });
    return 0n;
  };
  const limits = {
    dailyUsdMinor: minor('dailyVolume'),
    openUsdMinor: minor('openPosition'),
    tradeUsdMinor: minor('singleTrade'),
    maxOpenQuotes: input.maxOpenQuotes,
    rates: input.rates ?? {},
  };
  if (errors.length > 0) throw validationProblem(errors);
  return limits;
}
