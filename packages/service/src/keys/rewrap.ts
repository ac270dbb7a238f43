import { ConfigError } from '../config.ts';
import { actingForNobody } from '../database/acting.ts';
import { type Connection, inTransaction, type Pool } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import type { Vault } from './vault.ts';
import {
  countSealed,
  countWithout,
  firstInForce,
  keyInForce,
  lockSealed,
  putInForce,
  type SealedPlace,
  writeSealed,
} from './vault-store.ts';

const BATCH = 100; // limit: Secrets that are re-wrapped in one transaction

interface Rewrapping {
  readonly pool: Pool;
  readonly vault: Vault;
  readonly places: readonly SealedPlace[];
}

/**
 * What cannot be opened with the keys that this instance was given, reported before it serves.
 * @throws ConfigError
 */
export async function requireOpenable({ pool, vault, places }: Rewrapping): Promise<void> {
  const { keys } = await vault.ring();
  const missing = await sealedUnderOthers(pool, places, [...keys.keys()]);
  if (missing.length === 0) return;
  const under = [...new Set(missing.map(({ sealedUnder }) => sealedUnder))].join(', ');
  const what = missing.map(({ count, name }) => `${count} ${name}`).join(', ');
  throw new ConfigError(
    `FIRMQUOTE_KEY_ENCRYPTION_KEY: in the database, ${what} are encrypted under another key (${under}) than the one given (${[...keys.keys()].join(', ')}). Start with that key as FIRMQUOTE_KEY_ENCRYPTION_KEY_PREVIOUS and run npm run operator -- rewrap-keys, or check FIRMQUOTE_KEY_ENCRYPTION_KEY.`,
  );
}

interface Left {
  readonly name: string;
  readonly sealedUnder: string;
  readonly count: number;
}

async function sealedUnderOthers(pool: Pool, places: readonly SealedPlace[], except: readonly string[]) {
  const left: Left[] = [];
  for (const place of places) {
    for (const each of await countSealed(pool, place, except)) left.push({ name: place.name, ...each });
  }
  return left;
}

/**
 * Puts the current key encryption key in force and seals anew what was sealed under another one. It can be ended anywhere and begun again.
 * @param reported how much is left, after each batch
 * @throws Problem invalid_state_transition while an instance runs that does not have the key
 */
export async function rewrap(
  rewrapping: Rewrapping,
  now: number,
  reported: (remaining: number) => void = () => undefined,
): Promise<{ readonly sealedUnder: string; readonly rewrapped: number; readonly remaining: number }> {
  const { pool, vault, places } = rewrapping;
  await requireOpenable(rewrapping);
  const { current } = await vault.ring();
  await inTransaction(pool, (connection) => changeKeyInForce(connection, current, now));
  const count = async () =>
    (await sealedUnderOthers(pool, places, [current])).reduce((sum, each) => sum + each.count, 0);
  let rewrapped = 0;
  let remaining = await count();
  // Who did it is written with the change-over; that each secret is the same as before need not be recorded.
  await actingForNobody(async () => {
    while (remaining > 0) {
      for (const place of places) {
        rewrapped += await inTransaction(pool, (connection) => rewrapSome(connection, vault, place, current));
      }
      remaining = await count();
      reported(remaining);
    }
  });
  return { sealedUnder: current, rewrapped, remaining };
}

async function changeKeyInForce(connection: Connection, current: string, now: number): Promise<void> {
  await firstInForce(connection, current, isoInstant(now));
  if ((await keyInForce(connection, 'update')) === current) return;
  const without = await countWithout(connection, current);
  if (without > 0) {
    throw new Problem(
      'invalid_state_transition',
      `${without} running instances do not have the key ${current}. Restart each with it as FIRMQUOTE_KEY_ENCRYPTION_KEY and the previous key as FIRMQUOTE_KEY_ENCRYPTION_KEY_PREVIOUS; a killed instance counts for a minute.`,
    );
  }
  await putInForce(connection, current, isoInstant(now));
}

async function rewrapSome(
  connection: Connection,
  vault: Vault,
  place: SealedPlace,
  current: string,
): Promise<number> {
  // Of two that run at the same time one waits here, and finds what is left.
  if ((await keyInForce(connection, 'update')) !== current)
    throw new Problem('invalid_state_transition', 'Another key has been put in force meanwhile.');
  const found = await lockSealed(connection, place, current, BATCH);
  if (found.length === 0) return 0;
  const anew = await Promise.all(
    found.map(async ({ key, ...sealed }) => ({
      key,
      ...(await vault.sealAnew(sealed, place.labelOf(key), place.formerLabelOf?.(key))),
    })),
  );
  await writeSealed(connection, place, anew);
  return anew.length;
}
