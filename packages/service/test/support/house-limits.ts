import type { SetExposureLimits } from '@firmquote/api/operations/pricing';
import { createPool, type Pool } from '../../src/database/pool.ts';
import { readHousePositions } from '../../src/exposure/position-store.ts';
import { Problem } from '../../src/problems/problem.ts';
import { createTestDatabase } from './database.ts';
import { whenFileEnds } from './file-end.ts';
import { createDesk, type Desk } from './trading.ts';

const NONE: SetExposureLimits = { total: null, perCurrency: null, currencies: [], hedges: [] };
/** Ten thousand euros that the house buys; at the mid of 1.08491 they are worth 10,849.10 dollars. */
export const EUROS = { sellCurrency: 'EUR', buyCurrency: 'USD', amount: '10000.00' } as const;

/** A database with instances on it, each with connections, a customer and prices of its own. */
export async function instances(n: number): Promise<{ pool: Pool; desks: Desk[] }> {
  const { pool, url } = await createTestDatabase({ connections: 8 });
  const desks: Desk[] = [];
  for (let i = 0; i < n; i++) {
    const own = i === 0 ? pool : createPool({ connection: url, max: 6, onError: () => undefined });
    if (i > 0) whenFileEnds(() => own.end());
    desks.push(await createDesk(own));
  }
  return { pool, desks };
}

export async function setLimits(pool: Pool, limits: Partial<SetExposureLimits>): Promise<void> {
  await pool.query(
    `insert into pricing_settings (kind, version, document, created_at)
     select 'exposure_limits', coalesce(max(version), 1) + 1, $1, now() from pricing_settings where kind = 'exposure_limits'`,
    [JSON.stringify({ ...NONE, ...limits })],
  );
}

export const euroLimit = (limit: string) => ({ currencies: [{ currency: 'EUR', limit }] });

export function isExceeded(error: unknown): boolean {
  return (
    error instanceof Problem && error.code === 'limit_exceeded' && error.members.limitType === 'openPosition'
  );
}

export async function position(pool: Pool, currency: string): Promise<bigint> {
  const { byCurrency } = await readHousePositions(pool, 0);
  return byCurrency.get(currency)?.position ?? 0n;
}
