import { isDeepStrictEqual } from 'node:util';
import type { SetAmountLimits, SetExposureLimits, SetPricingPolicy } from '@firmquote/api/operations/pricing';
import type { CustomerDirectory } from '../customers/profile.ts';
import type { Pool } from '../database/pool.ts';
import { etagOf, requireVersion } from '../http/conditional.ts';
import { parseTypeId } from '../platform/ids.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { readAmountLimits } from './amount-limits.ts';
import { NO_EXPOSURE_LIMITS, readExposureLimits } from './exposure-limits.ts';
import { DEFAULT_POLICY, readPolicy } from './policy.ts';
import type { PricingRoom } from './room.ts';
import { newestOf, type SettingsKind, type StoredSettings, writeSettings } from './settings-store.ts';

/** A document with its version, which is the version in its ETag. */
export type Versioned<T> = T & { readonly version: number };

/** What there is of each kind: the document before anything was set, and the check that refuses mistakes. */
const KINDS = {
  pricing_policy: {
    initial: DEFAULT_POLICY,
    check: (document: SetPricingPolicy) => void readPolicy(document, 1),
  },
  amount_limits: {
    initial: { limits: [] } as SetAmountLimits,
    check: (document: SetAmountLimits) => void readAmountLimits(document),
  },
  exposure_limits: {
    initial: NO_EXPOSURE_LIMITS,
    check: (document: SetExposureLimits) => void readExposureLimits(document, 1),
  },
} as const;
type Documents = { [K in SettingsKind]: (typeof KINDS)[K]['initial'] };

export async function readSettings<K extends SettingsKind>(
  pool: Pool,
  kind: K,
): Promise<Versioned<Documents[K]>> {
  return documentOf(kind, await newestOf(pool, kind));
}

/**
 * Replaces a document of settings. The one before stays, because quotes name its version. A document that is the same
 * keeps its version.
 * @param ifMatch the version that the caller has seen
 * @throws Problem version_mismatch, validation_failed
 */
export async function setSettings<K extends SettingsKind>(
  room: PricingRoom,
  kind: K,
  document: Documents[K],
  ifMatch: number | '*',
  changedBy: string,
): Promise<Versioned<Documents[K]>> {
  (KINDS[kind].check as (document: Documents[K]) => void)(document);
  const current = documentOf(kind, await newestOf(room.pool, kind));
  requireVersion(ifMatch, current.version);
  if (isDeepStrictEqual(current, { ...document, version: current.version })) return current;
  const version = current.version + 1;
  const text = JSON.stringify(document);
  if (!(await writeSettings(room.pool, kind, version, text, changedBy, room.clock.now()))) {
    const { version: newest } = await newestOf(room.pool, kind);
    throw new Problem('version_mismatch', `The current version is ${newest}.`, {
      members: { currentVersion: newest },
      headers: { ETag: etagOf(newest) },
    });
  }
  room.settings.changed();
  return { ...document, version };
}

/** @throws Problem validation_failed naming each customer that there is not */
export async function requireKnownCustomers(
  customers: CustomerDirectory,
  limits: SetAmountLimits['limits'],
): Promise<void> {
  const isKnown = async (customerId: string | null): Promise<boolean> => {
    const id = customerId === null ? undefined : parseTypeId('cus', customerId);
    // What is no id at all is told by the check of the document.
    if (id === undefined) return true;
    try {
      await customers.profile(id);
      return true;
    } catch (error) {
      if (error instanceof Problem && error.code === 'customer_not_found') return false;
      throw error;
    }
  };
  const known = await Promise.all(limits.map(({ customerId }) => isKnown(customerId)));
  const errors = limits.flatMap((_, index) =>
    known[index]
      ? []
      : [{ pointer: `/limits/${index}/customerId`, code: 'customer_not_found', detail: 'is not a customer' }],
  );
  if (errors.length > 0) throw validationProblem(errors);
}

function documentOf<K extends SettingsKind>(kind: K, stored: StoredSettings): Versioned<Documents[K]> {
  const document = (
    stored.document === undefined ? KINDS[kind].initial : JSON.parse(stored.document)
  ) as Documents[K];
  return { ...document, version: stored.version };
}
