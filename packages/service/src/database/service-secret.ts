import { randomBytes } from 'node:crypto';
import type { Pool } from './pool.ts';
import type { Row } from './rows.ts';

/** 32 random bytes under a name, made on first use and the same for all instances ever after. */
export async function serviceSecret(pool: Pool, name: string): Promise<Buffer> {
  await pool.query('insert into service_secrets (name, value) values ($1, $2) on conflict do nothing', [
    name,
    randomBytes(32),
  ]);
  const { rows } = await pool.query<Pick<Row<'service_secrets'>, 'value'>>(
    'select value from service_secrets where name = $1',
    [name],
  );
  if (rows[0] === undefined) throw new Error(`the secret ${name} vanished`);
  return rows[0].value;
}
